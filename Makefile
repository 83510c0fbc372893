# make                 build/libtraceshim.so and build/traceshim
# make check           every test that fits in a few minutes       make check SAN=address,undefined
# make check-long      the same with the long tests at full length
# make unit, make e2e  parts of it
# make replay, golden  kept inputs of the fuzz targets; kept traces with the outputs they must have
# make fuzz            new inputs, with clang's libFuzzer: FUZZ_SECONDS=30 for each target
# make bench           the numbers that README claims
# make shim            the library alone, which needs libc and a compiler; for another architecture:
#                      make shim CC=aarch64-linux-gnu-gcc B=build/aarch64
# make install DESTDIR= PREFIX=/usr/local
CC ?= gcc
PREFIX ?= /usr/local
ARCH ?= $(shell $(CC) -dumpmachine | cut -d- -f1)
VERSION := 0.1.0
SAN ?=
# how long make check-long stresses
STRESS_SECONDS ?= 600
comma := ,
B := build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
# make V=1 shows the commands
QUIET = $(if $(V),,@echo "  $@";)

COMMON_FLAGS := -std=gnu11 -g -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -I. -I$B/made \
	-DTRACESHIM_VERSION='"$(VERSION)"' -MMD -MP
SAN_FLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)

# The shim lives inside foreign programs:
#   hidden visibility     only what preload/exports.map lists is seen by the program
#   general-regs-only     a hook must not touch vector registers that hold the caller's arguments
#   initial-exec          a thread-local variable is one load and never allocates
#   no-builtin            no compiler-made call to memcpy and friends, which the program may have replaced
#   no-jump-tables        a table is one more page that a forked child has to fault in
#   no-stack-protector    the hooks run where the canary may not be set up yet
ARCH_FLAGS := -Icollector/arch/$(ARCH) -Ipreload/arch/$(ARCH)
-include preload/arch/$(ARCH)/flags.mk
SHIM_FLAGS := $(COMMON_FLAGS) $(ARCH_FLAGS) -O2 -fPIC -fvisibility=hidden -mgeneral-regs-only \
	-ftls-model=initial-exec -fno-builtin -fno-jump-tables \
	-fno-stack-protector -fno-exceptions -D_GNU_SOURCE $(SHIM_ARCH_FLAGS)
# gcc 12 keeps pairs of running totals in vector registers, and moves them back and forth in every round of a loop:
# with no-tree-slp-vectorize the Perfetto export takes a quarter less.
RENDER_FLAGS := $(COMMON_FLAGS) $(ARCH_FLAGS) -O2 -fno-tree-slp-vectorize -D_GNU_SOURCE $(SAN_FLAGS) $(shell pkg-config --cflags libcjson 2>/dev/null)
# With a sanitizer gcc warns of what is not there.
UNIT_RECORDER_FLAGS := $(COMMON_FLAGS) $(ARCH_FLAGS) -O2 -D_GNU_SOURCE $(SAN_FLAGS) $(if $(SAN),-Wno-error)
# ThreadSanitizer does not start where the kernel spreads addresses too widely.
# Criterion and libstdc++ leak a little of their own.
UNIT_RUN := $(if $(findstring thread,$(SAN)),setarch -R) \
	$(if $(findstring address,$(SAN)),env LSAN_OPTIONS=suppressions=tests/unit/leaks_of_others.txt:print_suppressions=0)
RENDER_LIBS := -ldw -lelf -lcjson -liberty -lz -lm -pthread

SHIM_SOURCES := $(wildcard collector/*.c collector/arch/$(ARCH)/*.c preload/*.c preload/arch/$(ARCH)/*.c)
SHIM_ASSEMBLY := $(wildcard preload/arch/$(ARCH)/*.S)
# What the shim and the renderer share: what hooks there are and how their calls are written; and, for `traceshim check`,
# what the shim decides before it records: its options, clock, place and size.
SHARED_SOURCES := $(wildcard collector/hook_*.c) collector/glob.c collector/system.c collector/arch/$(ARCH)/cpu.c \
	collector/clock.c collector/kept_memory.c collector/place.c collector/trace_size.c collector/text_shown.c \
	preload/job.c preload/options.c preload/output_directory.c preload/output_pattern.c preload/signal_number.c
RENDER_SOURCES := $(wildcard render/*.c) $(SHARED_SOURCES)
UNIT_RENDER_SOURCES := $(wildcard tests/unit/render/*.c)
UNIT_RECORDER_SOURCES := $(wildcard tests/unit/recorder/*.c)

# What runs at events and in a forked child stands first, by how much a child needs it: each 64 KiB of code that it
# comes to cost it a page fault.
OFTEN_RUN := $(patsubst %,$B/shim/%.o,preload/arch/$(ARCH)/hook_stub.S preload/arch/$(ARCH)/instrument.S \
	$(addprefix preload/,hook_call hook_values process_hooks finish) \
	$(addprefix collector/,recorder_hook recorder_hold recorder_window recorder_attach recorder_slow process window \
	trace_map clock system control counts hook_result hook_kinds recorder_pool recorder_stack recorder_tracks stacks \
	counts_directory) $(addprefix preload/,descriptors readable hook_window instrument))
SHIM_OBJECTS := $(SHIM_SOURCES:%.c=$B/shim/%.o) $(SHIM_ASSEMBLY:%.S=$B/shim/%.S.o)
SHIM_OBJECTS := $(OFTEN_RUN) $(filter-out $(OFTEN_RUN),$(SHIM_OBJECTS))
RENDER_OBJECTS := $(RENDER_SOURCES:%.c=$B/render/%.o)
RENDER_LIBRARY_OBJECTS := $(filter-out $B/render/render/main.o,$(RENDER_OBJECTS))
UNIT_RENDER_OBJECTS := $(UNIT_RENDER_SOURCES:%.c=$B/render/%.o)
UNIT_RECORDER_OBJECTS := $(UNIT_RECORDER_SOURCES:%.c=$B/recorder/%.o)
RECORDER_LIBRARY_OBJECTS := $(SHIM_SOURCES:%.c=$B/recorder/%.o)

all: shim $B/traceshim

shim: $B/libtraceshim.so

$B/libtraceshim.so: $(SHIM_OBJECTS) preload/exports.map
	$(CC) -shared -o $@ $(SHIM_OBJECTS) -Wl,--version-script=preload/exports.map -Wl,-soname,libtraceshim.so \
		-Wl,-z,relro,-z,now,-z,defs,-z,noexecstack -Wl,--sort-section=name -Wl,--hash-style=gnu -Wl,--build-id

$B/traceshim: $(RENDER_OBJECTS)
	$(CC) $(SAN_FLAGS) -o $@ $^ $(RENDER_LIBS)

# The lines of hooks.def by symbol, and by the order of the packs where several have one.
HOOK_LISTS := $(shell sed -n 's/^.include "\(.*\)"/\1/p' collector/hooks.def)
HOOKS_SORTED := $B/made/collector/hooks_sorted.def
$(HOOKS_SORTED): collector/hooks.def $(HOOK_LISTS)
	@mkdir -p $(@D)
	$(QUIET)cat $(HOOK_LISTS) | grep '^HOOK(' | LC_ALL=C sort -s -t, -k1,1 >$@
HOOK_PLACES := $B/made/collector/hook_places.h
$(HOOK_PLACES): $(HOOKS_SORTED) scripts/hook-places.awk
	$(QUIET)LC_ALL=C awk -f scripts/hook-places.awk $< >$@
# The page of the HTML format is part of the program.
$B/render/render/html_page.o: $(wildcard render/html/*)
$(foreach build,shim render recorder,$B/$(build)/collector/hook_definitions.o): $(HOOKS_SORTED) $(HOOK_PLACES)

$B/shim/%.o: %.c
	@mkdir -p $(@D)
	$(QUIET)$(CC) $(SHIM_FLAGS) -c -o $@ $<

$B/shim/%.S.o: %.S
	@mkdir -p $(@D)
	$(QUIET)$(CC) $(SHIM_FLAGS) -c -o $@ $<

$B/render/%.o: %.c
	@mkdir -p $(@D)
	$(QUIET)$(CC) $(RENDER_FLAGS) -c -o $@ $<

$B/unit-render: $(UNIT_RENDER_OBJECTS) $(RENDER_LIBRARY_OBJECTS)
	$(CC) $(SAN_FLAGS) -o $@ $^ $(RENDER_LIBS) -lcriterion

# libc comes before the shim's own objects: a test that forks calls fork, not what the shim puts in its place.
$B/unit-recorder: $(UNIT_RECORDER_OBJECTS) $B/recorder.a
	$(CC) $(SAN_FLAGS) -o $@ $(UNIT_RECORDER_OBJECTS) -lcriterion -lc $B/recorder.a

$B/recorder.a: $(RECORDER_LIBRARY_OBJECTS)
	rm -f $@
	ar rc $@ $^

$B/recorder/%.o: %.c
	@mkdir -p $(@D)
	$(QUIET)$(CC) $(UNIT_RECORDER_FLAGS) -c -o $@ $<

unit-render: $B/unit-render
	$(UNIT_RUN) $B/unit-render

# The library allocates nothing: a look for leaks at the end of each test would only take time.
unit-recorder: $B/unit-recorder
	$(UNIT_RUN) $(if $(findstring address,$(SAN)),env ASAN_OPTIONS=detect_leaks=0) $B/unit-recorder \
		$(if $(findstring thread,$(SAN)),--filter='@($(THREADED_SUITES))/*')

# The others have one thread: nothing for ThreadSanitizer to find.
THREADED_SUITES := clock|control|counts*|faults|kept_memory|readable|recorder*|stacks|thread_starts|trace_map|window*

unit: unit-render unit-recorder

e2e: all
	tests/e2e/run.py --build $B

# Every line of hooks.def against the prototype in its header.
hook-prototypes:
	tests/hook_prototypes/run

check: unit hook-prototypes golden replay e2e

check-long: unit hook-prototypes golden all
	tests/e2e/run.py --build $B --long
	BUILD=$B tests/real/stress/run $(STRESS_SECONDS)
	$(MAKE) replay FUZZ_STEP=1 FUZZ_CUT=1
	$(MAKE) fuzz FUZZ_SECONDS=300

include tests/fuzz/fuzz.mk

lint: all
	B=$B scripts/lint

bench:
	scripts/bench

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib
	install -m 755 $B/traceshim $(DESTDIR)$(PREFIX)/bin/
	install -m 755 $B/libtraceshim.so $(DESTDIR)$(PREFIX)/lib/

clean:
	rm -rf build

.PHONY: all shim clean check check-long unit unit-render unit-recorder hook-prototypes e2e lint bench install
.DELETE_ON_ERROR:
.SECONDARY:
-include $(shell find $B -name '*.d' 2>/dev/null)
