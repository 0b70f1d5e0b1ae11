# SPDX-License-Identifier: GPL-2.0-or-later
# interbench: build, test, install. No configure step; `make help` lists the targets.

VERSION := 1.0
O ?= build
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/interbench

CC ?= cc
CFLAGS ?= -O2 -g
INSTALL ?= install

# ours, apart from the user's
IB_CFLAGS := -std=gnu11 -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings -pthread
IB_CPPFLAGS := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
	-iquote include -DIB_VERSION='"$(VERSION)"'
IB_LDFLAGS := -pthread
IB_LDLIBS := -lm

ifdef SAN
O := build-$(subst $(comma),-,$(SAN))
IB_CFLAGS += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
IB_LDFLAGS += -fsanitize=$(SAN)
endif
comma := ,

# a word for the compiler and its flags: saved calibrations carry it
BUILD_ID := $(shell printf '%s' '$(CC) $(CPPFLAGS) $(CFLAGS) $(IB_CFLAGS)' | cksum | cut -d' ' -f1)
IB_CPPFLAGS += -DIB_BUILD='"$(BUILD_ID)"'

ifneq ($(V),1)
Q := @
say = @printf '  %-7s %s\n' '$(1)' '$(2)';
endif

SRCS := $(wildcard lib/*/*.c sims/*.c loads/*.c)
OBJS := $(SRCS:%.c=$(O)/%.o)
MAIN := $(O)/interbench.o
LIB := $(O)/libinterbench.a
UNIT := $(patsubst %.c,$(O)/%,$(wildcard tests/unit/*_test.c))
UNIT_LIB := $(patsubst %.c,$(O)/%.o,$(filter-out %_test.c,$(wildcard tests/unit/*.c)))
BENCH := $(patsubst %.c,$(O)/%,$(wildcard tests/bench/*.c))

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all help deps check-deps check check-root check-kill bench lint format \
	asan tsan static install uninstall dist clean FORCE

BIN := $(if $(SAN),$(O)/interbench,interbench)
all: $(BIN)

$(BIN): $(MAIN) $(LIB) $(O)/flags
	$(call say,LD,$@)$(CC) $(CFLAGS) $(IB_CFLAGS) $(IB_LDFLAGS) $(LDFLAGS) -o $@ $(MAIN) $(LIB) $(IB_LDLIBS) $(LDLIBS)

$(LIB): $(OBJS)
	$(call say,AR,$@)rm -f $@; $(AR) rcs $@ $(OBJS)

# changed flags rebuild everything
FLAGS = $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(IB_CPPFLAGS) $(IB_CFLAGS) $(IB_LDFLAGS) $(SRCS)
$(O)/flags: FORCE
	@mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(FLAGS))' >$@

$(O)/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(IB_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) $(IB_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/tests/unit/%_test: $(O)/tests/unit/%_test.o $(UNIT_LIB) $(LIB)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(IB_CFLAGS) $(IB_LDFLAGS) $(LDFLAGS) -o $@ $< $(UNIT_LIB) $(LIB) -lcmocka $(IB_LDLIBS)

$(O)/tests/bench/%: $(O)/tests/bench/%.o $(LIB)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(IB_CFLAGS) $(IB_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(IB_LDLIBS)

.SECONDARY: $(UNIT:=.o) $(BENCH:=.o) $(UNIT_LIB)

-include $(OBJS:.o=.d) $(MAIN:.o=.d) $(UNIT:=.d) $(BENCH:=.d)
