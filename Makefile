# SPDX-License-Identifier: GPL-2.0-or-later
# interbench: build, test, install. No configure step; `make help` lists the targets.

VERSION := 1.0
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/interbench

CC ?= cc
CFLAGS ?= -O2 -g
INSTALL ?= install
PROVE ?= prove
PROVE_FLAGS ?=

# objects; SAN=address,undefined or SAN=thread has its own and leaves ./interbench alone
comma := ,
O ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))
BIN := $(if $(SAN),$(O)/interbench,interbench)
ifneq ($(filter / $(abspath $(O))/%,$(abspath $(O)) $(CURDIR)/),)
$(error O='$(O)': must be a directory of its own)
endif

# ours, apart from the user's, which come later and win
IB_CFLAGS := -std=gnu11 -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wno-psabi -pthread
IB_CPPFLAGS := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
	-iquote include -DIB_VERSION='"$(VERSION)"'
IB_LDFLAGS := -pthread
IB_LDLIBS := -lm
ifdef SAN
IB_CFLAGS += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
IB_LDFLAGS += -fsanitize=$(SAN)
endif

# a word for the compiler and its flags: saved calibrations carry it
quoted = '$(subst ','\'',$(1))'
BUILD_ID := $(shell printf '%s' $(call quoted,$(CC) $(CPPFLAGS) $(CFLAGS) $(IB_CFLAGS)) | cksum | cut -d' ' -f1)
IB_CPPFLAGS += -DIB_BUILD='"$(BUILD_ID)"'

ifneq ($(V),1)
Q := @
say = @printf '  %-7s %s\n' '$(1)' '$(2)';
endif

SRCS := $(wildcard lib/*/*.c sims/*.c loads/*.c)
OBJS := $(SRCS:%.c=$(O)/%.o)
MAIN := $(O)/interbench.o
UNIT := $(patsubst %.c,$(O)/%,$(wildcard tests/unit/*_test.c))
UNIT_LIB := $(patsubst %.c,$(O)/%.o,$(filter-out %_test.c,$(wildcard tests/unit/*.c)))
INJECT := $(O)/tests/t/root/inject
BENCH := $(patsubst %.c,$(O)/%,$(wildcard tests/bench/*.c))

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all help deps check-deps need-check check check-root check-kill bench \
	lint format asan tsan static install uninstall dist clean FORCE

all: $(BIN)				## build ./interbench (the default)

help:					## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1 \2/p' Makefile | \
		while read -r t text; do printf '  %-12s %s\n' "$$t" "$$text"; done
	@echo 'Variables: CC CFLAGS CPPFLAGS LDFLAGS LDLIBS PREFIX DESTDIR O V=1'
	@echo '           SAN=address,undefined|thread PROVE_FLAGS'

# "make -j8 deps all": first things first
FIRST := $(filter deps check-deps,$(MAKECMDGOALS))
all need-check check check-root check-kill bench lint asan tsan static $(O)/flags: | $(FIRST)

deps:					## install what building needs and is missing
	@CC='$(CC)' contrib/deps.sh build

check-deps:				## install what testing needs and is missing
	@CC='$(CC)' contrib/deps.sh check

need-check:
	@CC='$(CC)' contrib/deps.sh need

# Objects, not an archive: nothing to agree on between ar and the LTO in use.
link = $(CC) $(IB_CFLAGS) $(CFLAGS) $(IB_LDFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^)
$(BIN): $(MAIN) $(OBJS) $(O)/flags
	$(call say,LD,$@)$(link) $(IB_LDLIBS) $(LDLIBS)

# changed flags rebuild everything
FLAGS = $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(LDLIBS) $(IB_CPPFLAGS) $(IB_CFLAGS) $(IB_LDFLAGS) $(SRCS)
$(O)/flags: FORCE
	@mkdir -p $(@D); printf '%s\n' $(call quoted,$(FLAGS)) | cmp -s - $@ || printf '%s\n' $(call quoted,$(FLAGS)) >$@

$(O)/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(IB_CPPFLAGS) $(CPPFLAGS) $(IB_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(UNIT:=.o) $(UNIT_LIB): | need-check
$(UNIT): %: %.o $(UNIT_LIB) $(OBJS)
	$(call say,LD,$@)$(link) -lcmocka $(IB_LDLIBS) $(LDLIBS)

$(BENCH) $(INJECT): %: %.o $(OBJS)
	$(call say,LD,$@)$(link) $(IB_LDLIBS) $(LDLIBS)

# What the tests see. A sanitizer's exit status is none of ours.
TEST_ENV = INTERBENCH='$(if $(filter /%,$(BIN)),,$(CURDIR)/)$(BIN)' \
	INTERBENCH_INJECT='$(abspath $(INJECT))' INTERBENCH_SAN='$(SAN)' \
	ASAN_OPTIONS=exitcode=99:$$ASAN_OPTIONS \
	UBSAN_OPTIONS=exitcode=99:print_stacktrace=1:$$UBSAN_OPTIONS
prove = $(if $(2),$(TEST_ENV) $(PROVE) $(PROVE_FLAGS) $(1) $(2),echo 'no tests here yet')

check: all need-check $(UNIT)		## unit and command tests: no root, below a minute
	@status=0; $(call prove,-e tests/unit/tap,$(UNIT)) || status=1; \
	$(call prove,,$(wildcard tests/t/*.t)) || status=1; exit $$status

check-root: all $(INJECT)			## tests that need root
	@$(call prove,,$(wildcard tests/t/root/*.t))

check-kill: all				## every process killed by every signal
	@$(call prove,,$(wildcard tests/t/kill/*.t))

bench: all $(BENCH)			## print what the tool itself costs
	@for b in $(BENCH) $(wildcard tests/bench/*.sh); do \
		echo "== $$b"; $(TEST_ENV) $$b || exit; done

lint: all				## style, layers, man page, static analysis
	@$(TEST_ENV) O='$(O)' CC='$(CC)' tests/lint/run

format:					## clang-format the lines changed since the last commit
	git clang-format --extensions c,h HEAD

asan:					## the tests, built with address and UB sanitizer
	@$(MAKE) SAN=address,undefined O=$(O)-asan check

tsan:					## the tests, built with thread sanitizer
	@# its shadow memory may collide with what ASLR chooses
	@run="setarch $$(uname -m) -R"; $$run true 2>/dev/null || run=; \
		$$run $(MAKE) SAN=thread O=$(O)-tsan check

static:					## ./interbench-static, for a box without our libc
	@$(MAKE) O=$(O)-static BIN=interbench-static LDFLAGS='$(LDFLAGS) -static' all

install: all				## to DESTDIR/PREFIX
	$(Q)$(INSTALL) -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(MANDIR)/man8' '$(DESTDIR)$(DOCDIR)'
	$(Q)$(INSTALL) -m 755 $(BIN) '$(DESTDIR)$(BINDIR)/interbench'
	$(Q)$(INSTALL) -m 644 man/interbench.8 '$(DESTDIR)$(MANDIR)/man8'
	$(Q)$(INSTALL) -m 644 README.md NEWS COPYING '$(DESTDIR)$(DOCDIR)'

uninstall:				## what install put there
	$(Q)rm -f '$(DESTDIR)$(BINDIR)/interbench' '$(DESTDIR)$(MANDIR)/man8/interbench.8'
	$(Q)rm -f $(patsubst %,'$(DESTDIR)$(DOCDIR)/%',README.md NEWS COPYING)
	$(Q)[ ! -d '$(DESTDIR)$(DOCDIR)' ] || rmdir '$(DESTDIR)$(DOCDIR)'

dist:					## interbench-VERSION.tar.gz of the last commit
	git archive --prefix=interbench-$(VERSION)/ -o interbench-$(VERSION).tar.gz HEAD

clean:					## remove what was built
	$(Q)rm -rf $(O) $(O)-asan $(O)-tsan $(O)-static interbench-static
	$(Q)rm -f $(BIN)

.SECONDARY: $(UNIT:=.o) $(BENCH:=.o) $(INJECT:=.o) $(UNIT_LIB)

-include $(OBJS:.o=.d) $(MAIN:.o=.d) $(UNIT:=.d) $(UNIT_LIB:.o=.d) $(BENCH:=.d) $(INJECT:=.d)
