# Tests, checks, fuzzing, benchmarks. Included by the Makefile.

TEST_SRC := $(sort $(wildcard tests/base/*.c tests/event/*.c tests/source/*.c tests/replay/*.c \
	tests/timeline/*.c tests/metric/*.c tests/signal/*.c tests/analysis/*.c tests/report/*.c tests/import/*.c))
TEST_BIN := $(TEST_SRC:%.c=$(B)/%)
TOOL_OBJ := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/tools/*.c)))
CLI_TESTS := $(sort $(wildcard tests/cli/*.t))
CMOCKA_LIBS = $(shell $(PKG_CONFIG) --libs cmocka 2>/dev/null)
TEP_LIBS = $(shell $(PKG_CONFIG) --libs libtraceevent 2>/dev/null)

$(B)/tests/%.o: EXTRA_CFLAGS = -Itests $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags cmocka libtraceevent 2>/dev/null))
.PRECIOUS: $(B)/tests/%.o
$(TEST_BIN): $(B)/tests/%: $(B)/tests/%.o $(TOOL_OBJ) $(ARCHIVE)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(PC_LIBS) $(CMOCKA_LIBS) $(TEP_LIBS) -o $@

# Where the shared material is, for tests that use it when it is there.
SHARED ?= $(firstword $(wildcard ../shared/traces/..) /nonexistent)
TEST_ENV = BUILD=$(B) SHARED=$(SHARED) CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C CC='$(CC)' SAN='$(SAN)' \
	ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 PKG_CONFIG='$(PKG_CONFIG)'

## check: set up, build, and run all tests (SAN=address,undefined for the sanitizers)
.PHONY: check
check: setup-check
	@$(MAKE) --no-print-directory run-check

.PHONY: run-check
run-check: all $(TEST_BIN) $(MAN) $(FUZZ_REPLAY) layers
	@$(TEST_ENV) prove --timer -j2 --exec '' $(TEST_BIN) $(CLI_TESTS)

## layers: check that the rooms of lib/ include only what they may, and have tests
.PHONY: layers
layers:
	@tests/tools/layers.sh
