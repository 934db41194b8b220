# peltier: one non-recursive Makefile. `make help` lists the targets.

VERSION := 0.1.0

# ---- what the user may set ----
CC ?= cc
ifeq ($(origin CC),default)
CC := gcc
endif
AR ?= ar
PKG_CONFIG ?= pkg-config
prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
includedir ?= $(prefix)/include
mandir ?= $(prefix)/share/man
bashcompdir ?= $(prefix)/share/bash-completion/completions
DESTDIR ?=
SAN ?=
COV ?=
T ?= 60
V ?= 0

# Every package that building, checking and linting need, in one place. Debian 12 names, each with
# what tells that it is there: a pkg-config module, or a command (with a leading !).
PACKAGES := \
	gcc:!gcc pkg-config:!pkg-config \
	libzstd-dev:libzstd zlib1g-dev:zlib libyaml-dev:yaml-0.1 libprotobuf-c-dev:libprotobuf-c libgsl-dev:gsl libsqlite3-dev:sqlite3 \
	protobuf-c-compiler:!protoc-c scdoc:!scdoc
CHECK_PACKAGES := \
	libcmocka-dev:cmocka libtraceevent-dev:libtraceevent protobuf-compiler:!protoc man-db:!man perl:!prove jq:!jq zstd:!zstd gzip:!gzip
LINT_PACKAGES := clang-format:!clang-format clang-tidy:!clang-tidy
FUZZ_PACKAGES := clang:!clang libclang-rt-14-dev:!/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux/libclang_rt.fuzzer-x86_64.a
BENCH_PACKAGES := trace-cmd:!trace-cmd libtracecmd-dev:libtracecmd libtracefs-dev:libtracefs time:!/usr/bin/time

# ---- variants: one build folder each, so that switching never needs a clean ----
comma := ,
VARIANT := $(notdir $(CC))$(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(COV),-cov)
B := build/$(VARIANT)

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wwrite-strings -Wpointer-arith -Wvla -Wundef \
	-Wformat=2 -Wcast-qual -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough -fno-common
ifdef CI
WARNINGS += -Werror
endif
CFLAGS ?= -O3 -g
HARDEN := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
LINK_HARDEN := -pie -Wl,-z,relro,-z,now
ifneq ($(SAN)$(COV),)
HARDEN := -fPIE
CFLAGS := -O1 -g -fno-omit-frame-pointer
LTO :=
else
LTO := -flto=auto -ffat-lto-objects
endif
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all) $(if $(COV),--coverage)

MODULES := libzstd zlib yaml-0.1 libprotobuf-c gsl sqlite3
PC_CFLAGS = $(shell $(PKG_CONFIG) --cflags $(MODULES) 2>/dev/null)
PC_LIBS = $(shell $(PKG_CONFIG) --libs $(MODULES) 2>/dev/null) -lm -lpthread
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Ilib -Icmd -isystem $(B)/proto -DPELTIER_VERSION='"$(VERSION)"' $(WARNINGS) $(CFLAGS) \
	$(HARDEN) $(LTO) $(SANFLAGS) -ffile-prefix-map=$(CURDIR)=. $(PC_CFLAGS)
ALL_LDFLAGS = $(CFLAGS) $(LTO) $(SANFLAGS) $(LINK_HARDEN) $(LDFLAGS)
# what is linked many times and is not measured: link-time optimisation would take minutes
PLAIN_LDFLAGS = $(ALL_LDFLAGS) $(if $(LTO),-fno-lto)

# ---- files ----
LIB_SRC := $(sort $(wildcard lib/*.c lib/*/*.c))
PROTO := $(B)/proto/peltier.pb-c
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(PROTO).o
COMMANDS := pelt-analyze batch-compare
CMD_OBJ := $(B)/cmd/opt.o $(B)/cmd/known.o $(B)/cmd/plot.o $(B)/cmd/output.o $(B)/cmd/runs.o $(B)/cmd/measure.o $(B)/cmd/jankbench.o $(B)/cmd/pool.o
BIN := $(COMMANDS:%=$(B)/%)
ARCHIVE := $(B)/libpeltier.a
MAN := $(COMMANDS:%=$(B)/man/%.1)

Q := $(if $(filter 1,$(V)),,@)
say = @printf '  %-8s%s\n' '$(1)' '$(2)'

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all

## all: build the commands and the library (installs nothing)
.PHONY: all
all: need-build $(BIN) $(ARCHIVE)

# The flags that objects were built with; rewritten only when they change.
FLAGS_TEXT = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)
$(B)/flags: force
	@mkdir -p $(B)
	@printf '%s' "$(subst ",,$(FLAGS_TEXT))" | cmp -s - $@ || printf '%s' "$(subst ",,$(FLAGS_TEXT))" >$@
.PHONY: force
force:

$(B)/%.o: %.c $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c $< -o $@

# the messages of proto/, as C; not ours to warn about
$(B)/proto/%.pb-c.c $(B)/proto/%.pb-c.h: proto/%.proto
	$(call say,PROTOC,$<)
	@mkdir -p $(@D)
	$(Q)protoc-c -Iproto --c_out=$(@D) $<
$(B)/proto/%.o: $(B)/proto/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -w -c $< -o $@
.PRECIOUS: $(B)/proto/%.pb-c.c $(B)/proto/%.pb-c.h
$(B)/lib/source/perfetto_cold.o $(B)/lib/source/perfetto_event.o: $(PROTO).h

$(ARCHIVE): $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@; $(AR) rcs $@ $^

$(BIN): $(B)/%: $(B)/cmd/%.o $(CMD_OBJ) $(ARCHIVE)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(PC_LIBS) -o $@

-include $(shell find $(B) -name '*.d' 2>/dev/null)

# ---- packages ----
# $(call missing,LIST): the packages of LIST that are not there.
missing = $(strip $(foreach p,$(1),$(shell \
	case '$(lastword $(subst :, ,$(p)))' in \
	('!/'*) [ -e "$(patsubst !%,%,$(lastword $(subst :, ,$(p))))" ] ;; \
	('!'*) command -v '$(patsubst !%,%,$(lastword $(subst :, ,$(p))))' >/dev/null 2>&1 ;; \
	(*) $(PKG_CONFIG) --exists '$(lastword $(subst :, ,$(p)))' 2>/dev/null ;; \
	esac || echo $(firstword $(subst :, ,$(p))))))

define install_packages
@m='$(call missing,$(1))'; if [ -n "$$m" ]; then \
	if ! command -v apt-get >/dev/null; then \
		echo "missing: $$m (Debian names); install them with your package manager, then run make again"; exit 1; \
	fi; \
	echo "installing: $$m"; s=; [ "$$(id -u)" = 0 ] || s=sudo; \
	{ $$s apt-get -qq update && DEBIAN_FRONTEND=noninteractive $$s apt-get -qq -y install --no-install-recommends $$m; } >/tmp/peltier-apt.$$$$ 2>&1 || { \
		cat /tmp/peltier-apt.$$$$; exit 1; }; rm -f /tmp/peltier-apt.$$$$; fi
endef

.PHONY: need-build setup setup-check setup-lint setup-fuzz setup-bench
need-build:
	@m='$(call missing,$(PACKAGES))'; [ -z "$$m" ] || { \
		echo "missing: $$m; 'make setup' installs them (so do 'make demo' and 'make check')"; exit 1; }
## setup: install what building needs (apt)
setup:
	$(call install_packages,$(PACKAGES))
setup-check:
	$(call install_packages,$(PACKAGES) $(CHECK_PACKAGES))
setup-lint:
	$(call install_packages,$(PACKAGES) $(LINT_PACKAGES))
setup-fuzz:
	$(call install_packages,$(PACKAGES) $(FUZZ_PACKAGES))
setup-bench:
	$(call install_packages,$(PACKAGES) $(BENCH_PACKAGES))

# ---- demo ----
DEMO := testdata/arm64-ui
## demo: set up, build, analyse a bundled trace, compare simulated and recorded run sets
.PHONY: demo
demo: setup
	@$(MAKE) --no-print-directory -s all
	@$(MAKE) --no-print-directory -s $(B)/peltier-sim
	$(B)/pelt-analyze $(DEMO)/pelt32/iter-02.dat
	BUILD=$(B) tests/sim/demo.sh
	$(B)/batch-compare --why build/demo/pelt32 build/demo/pelt16 build/demo/pelt8 build/demo/walt
	$(B)/batch-compare --why --ceiling performance $(addprefix $(DEMO)/,pelt32 pelt16 pelt8 performance)

include tests/tests.mk

# ---- install ----
$(B)/peltier.pc: force
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(prefix)' 'libdir=$(libdir)' 'includedir=$(includedir)' '' 'Name: peltier' \
		'Description: scheduler and frame analysis of ftrace traces (interface not frozen)' \
		'Version: $(VERSION)' 'Requires.private: $(MODULES)' \
		'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lpeltier $(filter-out -L%,$(PC_LIBS))' >$@

$(B)/man/%.1: docs/man/%.1.scd
	@mkdir -p $(@D)
	$(Q)scdoc <$< >$@

## install: commands, man pages, completion, libpeltier.a, peltier.h, peltier.pc (DESTDIR, prefix)
.PHONY: install
install: all $(B)/peltier.pc $(MAN)
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(includedir) \
		$(DESTDIR)$(mandir)/man1 $(DESTDIR)$(bashcompdir)
	install -m 755 $(BIN) $(DESTDIR)$(bindir)
	install -m 644 $(ARCHIVE) $(DESTDIR)$(libdir)
	install -m 644 lib/peltier.h $(DESTDIR)$(includedir)
	install -m 644 $(B)/peltier.pc $(DESTDIR)$(libdir)/pkgconfig
	install -m 644 $(MAN) $(DESTDIR)$(mandir)/man1
	for c in $(COMMANDS); do $(B)/$$c --completion >$(DESTDIR)$(bashcompdir)/$$c || exit 1; done

## uninstall: remove what install put there
.PHONY: uninstall
uninstall:
	rm -f $(COMMANDS:%=$(DESTDIR)$(bindir)/%) $(COMMANDS:%=$(DESTDIR)$(mandir)/man1/%.1) \
		$(COMMANDS:%=$(DESTDIR)$(bashcompdir)/%) $(DESTDIR)$(libdir)/libpeltier.a \
		$(DESTDIR)$(includedir)/peltier.h $(DESTDIR)$(libdir)/pkgconfig/peltier.pc

## clean: remove what was built
.PHONY: clean
clean:
	rm -rf build

## help: this list
.PHONY: help
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST) | sed 's/^\([^:]*\): /  \1\t/' | expand -t 18
	@echo 'Variables: SAN=address,undefined or thread, COV=1, CC=, V=1, T=seconds (fuzz), prefix=, DESTDIR='
