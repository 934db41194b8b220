# Tests, checks, fuzzing, benchmarks. Included by the Makefile.

TEST_SRC := $(sort $(wildcard tests/base/*.c tests/event/*.c tests/source/*.c tests/replay/*.c \
	tests/timeline/*.c tests/frame/*.c tests/metric/*.c tests/signal/*.c tests/analysis/*.c tests/report/*.c tests/import/*.c tests/compare/*.c))
TEST_BIN := $(TEST_SRC:%.c=$(B)/%)
TOOL_OBJ := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/tools/*.c))) $(B)/proto/ftrace.pb-c.o
CLI_TESTS := $(sort $(wildcard tests/cli/*.t))
CMOCKA_LIBS = $(shell $(PKG_CONFIG) --libs cmocka 2>/dev/null)
TEP_LIBS = $(shell $(PKG_CONFIG) --libs libtraceevent 2>/dev/null)

$(B)/tests/source/perfetto_fields.o: $(B)/proto/ftrace.pb-c.h
$(B)/tests/%.o: EXTRA_CFLAGS = -Itests $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags cmocka libtraceevent 2>/dev/null))
.PRECIOUS: $(B)/tests/%.o
$(TEST_BIN): $(B)/tests/%: $(B)/tests/%.o $(TOOL_OBJ) $(ARCHIVE)
	$(call say,LD,$@)
	$(Q)$(CC) $(PLAIN_LDFLAGS) $^ $(PC_LIBS) $(CMOCKA_LIBS) $(TEP_LIBS) -o $@

$(B)/reencode: $(B)/tests/cli/reencode.o $(ARCHIVE)
	$(call say,LD,$@)
	$(Q)$(CC) $(PLAIN_LDFLAGS) $^ $(PC_LIBS) -o $@

FUZZ_TARGETS := trace_dat pages format platform perfetto bundle inflate text results
FUZZ_REPLAY := $(FUZZ_TARGETS:%=$(B)/tests/fuzz/replay_%)
FUZZ_VARIANT := build/clang-fuzzer-no-link-address-undefined

# Where the shared material is, for tests that use it when it is there.
SHARED ?= $(firstword $(wildcard ../shared/traces/..) /nonexistent)
TEST_ENV = BUILD=$(B) SHARED=$(SHARED) CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C CC='$(CC)' SAN='$(SAN)' \
	ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 PKG_CONFIG='$(PKG_CONFIG)'

## check: set up, build, and run all tests (SAN=address,undefined for the sanitizers)
.PHONY: check
check: setup-check
	@$(MAKE) --no-print-directory run-check

.PHONY: run-check
run-check: all $(B)/reencode $(B)/peltier-sim $(FUZZ_REPLAY) $(TEST_BIN) $(MAN) layers
	@$(TEST_ENV) prove --timer -j2 --exec '' $(TEST_BIN) $(CLI_TESTS)

## layers: check that the rooms of lib/ include only what they may, and have tests
.PHONY: layers
layers:
	@tests/tools/layers.sh

# ---- fuzzing ----
$(FUZZ_REPLAY): $(B)/tests/fuzz/replay_%: $(B)/tests/fuzz/replay.o $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/fuzz.o $(ARCHIVE)
	$(call say,LD,$@)
	$(Q)$(CC) $(PLAIN_LDFLAGS) $^ $(PC_LIBS) -o $@

$(B)/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/fuzz.o $(ARCHIVE)
	$(call say,LD,$@)
	$(Q)$(CC) -fsanitize=fuzzer,address,undefined $^ $(PC_LIBS) -o $@

.PHONY: fuzz-bins
fuzz-bins: $(FUZZ_TARGETS:%=$(B)/fuzz_%)

## fuzz: run every fuzz target for T seconds (default 60), from testdata and the corpus
.PHONY: fuzz
fuzz: setup-fuzz
	@$(MAKE) --no-print-directory CC=clang SAN=fuzzer-no-link,address,undefined fuzz-bins
	@for t in $(FUZZ_TARGETS); do \
		mkdir -p build/corpus/$$t tests/fuzz/corpus/$$t; \
		tests/tools/seeds.sh $$t build/corpus/$$t; \
		echo "fuzz $$t: $(T) s"; \
		$(FUZZ_VARIANT)/fuzz_$$t -max_total_time=$(T) -timeout=5 -rss_limit_mb=1024 -max_len=300000 -print_final_stats=0 \
			-artifact_prefix=build/crash-$$t- build/corpus/$$t tests/fuzz/corpus/$$t >build/fuzz-$$t.log 2>&1 || { \
			tail -40 build/fuzz-$$t.log; exit 1; }; \
		tail -2 build/fuzz-$$t.log; done

# ---- lint ----
## lint: formatting and clang-tidy
.PHONY: lint
lint: setup-lint layers $(PROTO).h
	@clang-format --dry-run -Werror $(wildcard lib/*.[ch] lib/*/*.[ch] cmd/*.[ch] tests/*.h tests/*/*.[ch] docs/examples/*.c)
	@printf '%s\0' $(LIB_SRC) $(wildcard cmd/*.c) | xargs -0 -n4 -P2 sh -c 'clang-tidy --quiet "$$@" -- -std=gnu11 -D_GNU_SOURCE \
		-Ilib -Icmd -isystem $(B)/proto -DPELTIER_VERSION=\"x\" 2>/dev/null' tidy

# ---- coverage of what is fuzzed ----
## fuzz-coverage: line coverage of the parsers by seeds and corpus (build/corpus after make fuzz)
.PHONY: fuzz-coverage
fuzz-coverage:
	@$(MAKE) --no-print-directory -s COV=1 fuzz-coverage-run
.PHONY: fuzz-coverage-run
fuzz-coverage-run: $(FUZZ_REPLAY)
	@find $(B) -name '*.gcda' -delete
	@for t in $(FUZZ_TARGETS); do mkdir -p build/corpus/$$t; tests/tools/seeds.sh $$t build/corpus/$$t; \
		find build/corpus/$$t tests/fuzz/corpus/$$t -type f 2>/dev/null | xargs -n 500 $(B)/tests/fuzz/replay_$$t >/dev/null; done
	@for f in $(wildcard lib/source/*.c) lib/import/platform_file.c lib/import/yaml_file.c lib/import/run_file.c; do \
		gcov -n -o $(B)/$$(dirname $$f) $$f 2>/dev/null | awk -v f=$$f '/^File/ { keep = index($$0, f) } /^Lines/ && keep { print f ": " $$2 " of " $$4 " lines"; keep = 0 }'; done

# ---- benchmarks ----
$(B)/bench_walk $(B)/bench_repeat $(B)/bench_null: $(B)/bench_%: $(B)/tests/bench/%.o $(ARCHIVE)
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(PC_LIBS) -o $@
$(B)/bench_peer: tests/bench/peer.c
	$(Q)$(CC) -O2 $< -o $@ $$($(PKG_CONFIG) --cflags --libs libtracecmd libtraceevent libtracefs)
$(B)/bench_unpack: tests/bench/unpack.c $(B)/proto/ftrace.pb-c.c
	$(Q)$(CC) -O3 -flto -Ilib -Itests -I$(B)/proto $^ -o $@ $$($(PKG_CONFIG) --cflags --libs libprotobuf-c)
$(B)/bench_inflate: tests/bench/inflate.c
	$(Q)$(CC) -O2 -Ilib -Itests $< -o $@ $$($(PKG_CONFIG) --cflags --libs zlib)
## null-test: how often identical configurations are said to differ (about a minute)
.PHONY: null-test
null-test: setup
	@$(MAKE) --no-print-directory -s all $(B)/peltier-sim $(B)/bench_null
	@BUILD=$(B) tests/bench/null.sh

## bench: speed and memory against trace-cmd, libtracecmd and protobuf-c, as ratios
.PHONY: bench
bench: setup-bench
	@$(MAKE) --no-print-directory -s all $(B)/bench_walk $(B)/bench_repeat $(B)/bench_peer $(B)/bench_unpack $(B)/bench_inflate
	@BUILD=$(B) SHARED=$(SHARED) tests/bench/bench.sh

## docs: print docs/events.md and docs/metrics.md from the tables
.PHONY: docs
docs: all
	@for d in events metrics; do BUILD=$(B) tests/tools/docs.sh $$d >docs/$$d.md; done

# ---- the simulator ----
SIM_OBJ := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/sim/*.c)))
$(B)/tests/sim/%.o: EXTRA_CFLAGS = -Itests
$(B)/peltier-sim: $(SIM_OBJ) $(ARCHIVE)
	$(call say,LD,$@)
	$(Q)$(CC) $(PLAIN_LDFLAGS) $^ $(PC_LIBS) -o $@
all: $(B)/peltier-sim
