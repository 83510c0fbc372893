# Included by the Makefile. make replay: every target over its corpus and damaged golden traces, with the sanitizers of gcc.
# make fuzz: the same targets with libFuzzer, FUZZ_SECONDS each; FUZZ_TARGETS chooses some.
FUZZ_SECONDS ?= 30
FUZZ_TARGETS ?= trace elf names kept hooks options unwind filter
# replay turns over every FUZZ_STEPth bit of the golden traces, and cuts them at every FUZZ_CUTth byte
FUZZ_STEP ?= 251
FUZZ_CUT ?= 29
FUZZ_SAN := address,undefined
# The renderer and the library have files of the same names: a target is built with one or the other.
FUZZ_OF_LIBRARY := options unwind filter
FUZZ_COMMON := file random check
FUZZ_EXTRA_trace := trace_mutator
FUZZ_EXTRA_elf := elf_mutator
# With libFuzzer it brings main, else replay.c does.
FUZZ_MAIN := $(if $(findstring fuzzer,$(SAN)),,replay)
FUZZ_LINK = $(CC) $(subst fuzzer-no-link,fuzzer,$(SAN_FLAGS)) -o $@

define fuzz_target
$1_FUZZ_SOURCES := $(FUZZ_COMMON) $(FUZZ_MAIN) $1_target $$(if $$(findstring fuzzer,$(SAN)),$(FUZZ_EXTRA_$1))
ifneq ($(filter $1,$(FUZZ_OF_LIBRARY)),)
$B/fuzz-$1: $$(patsubst %,$B/recorder/tests/fuzz/%.o,$$($1_FUZZ_SOURCES)) $B/recorder.a
	$$(FUZZ_LINK) $$(filter %.o,$$^) -lc $B/recorder.a
else
$B/fuzz-$1: $$(patsubst %,$B/render/tests/fuzz/%.o,$$($1_FUZZ_SOURCES)) $$(RENDER_LIBRARY_OBJECTS)
	$$(FUZZ_LINK) $$^ $$(RENDER_LIBS)
endif
endef
$(foreach target,$(FUZZ_TARGETS),$(eval $(call fuzz_target,$(target))))

fuzz-targets: $(FUZZ_TARGETS:%=$B/fuzz-%)

replay: $(if $(SAN),fuzz-targets)
	$(if $(SAN),FUZZ_STEP=$(FUZZ_STEP) FUZZ_CUT=$(FUZZ_CUT) tests/fuzz/run replay $B $(FUZZ_TARGETS),$(MAKE) replay SAN=$(FUZZ_SAN) B=$B/san-$(subst $(comma),-,$(FUZZ_SAN)) FUZZ_STEP=$(FUZZ_STEP) FUZZ_CUT=$(FUZZ_CUT))

golden: all
	tests/golden/run --build $B

fuzz:
	FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run fuzz $B $(FUZZ_TARGETS)

.PHONY: golden fuzz fuzz-targets replay
