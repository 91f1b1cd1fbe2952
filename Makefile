# One Makefile, no recursion into folders. Sources are found by wildcard: a new .c, .re or .y file,
# a new unit test, fuzz target, library module or target profile needs no edit here.
# Everything made stands under $(B). `make B=build/clang CC=clang` is a second tree.

VERSION := 0.1.0
B      ?= build
CC     ?= gcc
ifeq ($(origin CC),default)
CC     := gcc
endif
AR     ?= ar
RE2C   ?= re2c
BISON  ?= bison
PYTHON ?= python3
PREFIX ?= /usr/local
J      ?= 2

WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
OPT      ?= -O2 -g
CPPFLAGS += -I. -I$(B)/gen -D_XOPEN_SOURCE=700 -DSEED_VERSION='"$(VERSION)"'
# One result on every machine: a product and a sum are one operation only where fma is written.
CFLAGS   += -std=c11 $(OPT) $(WARN) -fno-common -ffp-contract=off $(MODE)
LDFLAGS  += -Wl,--as-needed $(MODE)
# Of libcrypto only SHA-256 is used, but loading the library takes as long as everything else at start:
# the two object files come from its archive where there is one.
CRYPTO   := $(or $(filter /%,$(shell $(CC) -print-file-name=libcrypto.a)),-lcrypto)
LIBS     := -lyaml -lutf8proc $(CRYPTO) -lm

# ---- sources ------------------------------------------------------------------------------------

RT_C  := $(wildcard runtime/*/*.c)
RT_G  := $(wildcard runtime/*/*.re runtime/*/*.y)
CC_C  := $(filter-out compiler/cmd/main.c,$(wildcard compiler/*/*.c grammar/*.c passes/*.c passes/*/*.c))
CC_G  := $(wildcard compiler/*/*.re compiler/*/*.y grammar/*.re grammar/*.y passes/*.re)
UNITS := $(wildcard tests/unit/test_*.c)
TOOLS := $(wildcard tests/tool/*.c)
FUZZ  := $(wildcard tests/fuzz/fuzz_*.c)

# Kernels are compiled once for each instruction set (runtime/cpu/isa/isa.h).
ISA_C  := $(wildcard runtime/cpu/isa/*.c)
ISAS   := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),avx512 avx2,$(if $(findstring aarch64,$(shell $(CC) -dumpmachine)),neon)) portable
ISA_avx512   := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mavx2 -mfma -mf16c -DSEED_ISA_AVX512
ISA_avx2     := -mavx2 -mfma -mf16c -DSEED_ISA_AVX2
ISA_neon     := -DSEED_ISA_NEON
ISA_portable :=
ISA_OPT := $(if $(findstring -O2,$(OPT)),-O3)
# Nothing that is fuzzed reaches a kernel, and what clang adds to their unrolled loops for it takes minutes a file.
ISA_CFLAGS = $(if $(findstring fuzzer,$(MODE)),$(filter-out -fsanitize=%,$(CFLAGS)),$(CFLAGS))

gen_c  = $(patsubst %.re,$(B)/gen/%.c,$(patsubst %.y,$(B)/gen/%.c,$(1)))
GEN_H := $(patsubst %.y,$(B)/gen/%.h,$(filter %.y,$(RT_G) $(CC_G)))

RT_O := $(RT_C:%.c=$(B)/obj/%.o) $(patsubst $(B)/gen/%.c,$(B)/obj/gen/%.o,$(call gen_c,$(RT_G))) \
        $(B)/obj/gen/embed_targets.o $(B)/obj/gen/token_classes.o \
        $(foreach i,$(ISAS),$(ISA_C:%.c=$(B)/isa/$(i)/%.o))
CC_O := $(CC_C:%.c=$(B)/obj/%.o) $(patsubst $(B)/gen/%.c,$(B)/obj/gen/%.o,$(call gen_c,$(CC_G))) \
        $(B)/obj/gen/embed_stdlib.o
MAIN_O   := $(B)/obj/compiler/cmd/main.o
ARCHIVES := $(B)/libseedc.a $(B)/libseedrt.a
UNIT_BIN := $(UNITS:tests/unit/%.c=$(B)/unit/%)
TOOL_BIN := $(TOOLS:tests/tool/%.c=$(B)/tool/%)
REPLAY   := $(FUZZ:tests/fuzz/fuzz_%.c=$(B)/replay/%)

.PHONY: all tests check coverage levels docs san stress fuzz bench conform install uninstall clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(B)/seedc $(B)/seedance-cli $(B)/seedrt.pc

# ---- programs and libraries ---------------------------------------------------------------------

$(B)/seedc: $(MAIN_O) $(ARCHIVES)
	@echo "  LINK  $@"
	@$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/seedance-cli: $(B)/seedc
	@ln -sf seedc $@

$(B)/libseedrt.a: $(RT_O)
$(B)/libseedc.a: $(CC_O)
$(ARCHIVES): $(B)/.names
	@echo "  AR    $@"
	@rm -f $@
	@$(AR) rcs $@ $(filter %.o,$^)

$(B)/seedrt.pc: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include/seedrt' '' \
	  'Name: seedrt' 'Description: runtime of seedc: reads, renders and sends compiled prompts' \
	  'Version: $(VERSION)' 'Cflags: -I$${includedir}' \
	  'Libs: -L$${libdir} -lseedrt -lutf8proc -lcrypto -lm' >$@

# A removed source or data file must leave the archive too: the list of names is a dependency.
NAMES := $(sort $(RT_O) $(CC_O))
$(B)/.names: FORCE
	@mkdir -p $(@D)
	@echo '$(NAMES) $(VERSION)' | cmp -s - $@ || echo '$(NAMES) $(VERSION)' >$@
FORCE:

# ---- rules --------------------------------------------------------------------------------------

$(B)/obj/%.o: %.c Makefile | $(GEN_H)
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

define ISA_RULE
$(B)/isa/$(1)/%.o: %.c Makefile | $(GEN_H)
	@mkdir -p $$(@D)
	@echo "  CC    $$< ($(1))"
	@$$(CC) $$(CPPFLAGS) $$(ISA_CFLAGS) $$(ISA_OPT) -ffp-contract=off -fno-math-errno -DSEED_ISA=$(1) $$(ISA_$(1)) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call ISA_RULE,$(i))))

# Generated parsers set variables that only their debug build reads.
$(B)/obj/gen/%.o: $(B)/gen/%.c Makefile | $(GEN_H)
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-unused-but-set-variable -MMD -MP -c -o $@ $<

$(B)/gen/%.c: %.re
	@mkdir -p $(@D)
	@echo "  RE2C  $<"
	@$(RE2C) -W -Werror --no-debug-info --no-generation-date -I . -c -o $@ $<

$(B)/gen/%.c $(B)/gen/%.h: %.y
	@mkdir -p $(@D)
	@echo "  BISON $<"
	@$(BISON) -Wall -Werror --no-lines --header=$(B)/gen/$*.h -o $(B)/gen/$*.c $<

# Data files become a table of names and bytes (runtime/base/embed.h).
STDLIB_SD    := $(sort $(wildcard stdlib-prompts/*.sd stdlib-prompts/*/*.sd))
TARGET_JSON  := $(sort $(wildcard runtime/target/*.json))
$(B)/gen/embed_stdlib.c: $(STDLIB_SD) $(B)/.names
	@mkdir -p $(@D)
	@sh runtime/base/embed.sh embed_stdlib stdlib-prompts/ $(STDLIB_SD) >$@
$(B)/gen/embed_targets.c: $(TARGET_JSON) $(B)/.names
	@mkdir -p $(@D)
	@sh runtime/base/embed.sh embed_targets runtime/target/ $(TARGET_JSON) >$@
$(B)/gen/token_classes.c: runtime/token/classes.py runtime/token/classes.def
	@mkdir -p $(@D)
	@$(PYTHON) $^ >$@
NAMES += $(STDLIB_SD) $(TARGET_JSON)

# ---- tests --------------------------------------------------------------------------------------

$(B)/unit/%: $(B)/obj/tests/unit/%.o $(ARCHIVES)
	@mkdir -p $(@D)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)
$(B)/tool/%: $(B)/obj/tests/tool/%.o $(ARCHIVES)
	@mkdir -p $(@D)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)
$(B)/replay/%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/obj/tests/fuzz/replay.o $(ARCHIVES)
	@mkdir -p $(@D)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

tests: all $(UNIT_BIN) $(TOOL_BIN) $(REPLAY)

# make check T='lint parse/holes' runs what matches; BLESS=1 rewrites expected outputs.
check: tests
	@$(PYTHON) tests/run --build=$(B) -j$(J) $(T)

coverage:
	@$(PYTHON) tests/coverage.py

levels:
	@$(PYTHON) tests/levels.py

SAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
san:
	@$(MAKE) --no-print-directory -j$(J) B=$(B)/san OPT='-O1 -g' MODE='$(SAN)' tests
	@$(MAKE) --no-print-directory B=$(B)/san OPT='-O1 -g' MODE='$(SAN)' check

# Every growable thing starts at its smallest, so that each growth path runs.
stress:
	@$(MAKE) --no-print-directory -j$(J) B=$(B)/stress OPT='-O1 -g' MODE='$(SAN) -DSEED_STRESS' tests
	@$(MAKE) --no-print-directory B=$(B)/stress OPT='-O1 -g' MODE='$(SAN) -DSEED_STRESS' check

# ---- fuzzing (clang, libFuzzer) -----------------------------------------------------------------

FUZZ_SECONDS ?= 600
FUZZ_BIN := $(FUZZ:tests/fuzz/fuzz_%.c=$(B)/fuzz/fuzz_%)
FUZZ_MODE := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
$(B)/fuzz/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(ARCHIVES)
	@mkdir -p $(@D)
	@$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)
.PHONY: fuzz-build
fuzz-build: $(FUZZ_BIN)
# make fuzz F=json FUZZ_SECONDS=60 runs one target.
fuzz:
	@$(MAKE) --no-print-directory -j$(J) B=$(B)/fuzz CC=clang OPT='-O1 -g' MODE='$(FUZZ_MODE)' fuzz-build
	@sh tests/fuzz/run.sh $(B)/fuzz/fuzz $(FUZZ_SECONDS) $(J) $(F)

# ---- peers: these use pip, in a virtual environment outside the tree ------------------------

bench: all $(TOOL_BIN)
	@$(PYTHON) tests/bench/run.py --build=$(B) $(BENCH)

conform: all
	@sh tests/conform/venv.sh tests/conform/requirements.txt >$(B)/conform-python
	@"$$(cat $(B)/conform-python)" tests/conform/run.py --seedc=$(B)/seedc

# Vocabularies out of the Python packages that carry them, into the cache folder; then the loaders over
# them, and the ids of several million texts, against the reference packages (half an hour).
VOCABS_PYTHON = "$$(sh tests/conform/venv.sh tests/vocabs/requirements.txt)"
.PHONY: vocabs vocabs-check vocabs-repeats
vocabs:
	@$(VOCABS_PYTHON) tests/vocabs/fetch.py
vocabs-check: vocabs all $(TOOL_BIN)
	@$(VOCABS_PYTHON) tests/vocabs/load.py $(B)/tool/vocab_dump
	@$(VOCABS_PYTHON) tests/vocabs/framing.py $(B)/seedc
	@$(VOCABS_PYTHON) tests/vocabs/compare.py $(B)/tool/token_ids
# One character a million times, in every family (minutes).
vocabs-repeats: vocabs $(TOOL_BIN)
	@$(VOCABS_PYTHON) tests/vocabs/repeats.py $(B)/tool/token_ids

# Models the same way; llama.cpp, built once in the cache folder (ten minutes; SEEDC_LLAMA names one that is built); then
# weights, logits, greedy tokens, perplexity and embeddings beside them and beside numpy, memory and start (half an hour).
.PHONY: model models peers-llama models-check
# The default one of `seedc run` alone: 93 MB.
model:
	@"$$(sh tests/conform/venv.sh tests/models/requirements.txt)" tests/models/fetch_models.py smollm2.gguf
models:
	@$(VOCABS_PYTHON) tests/models/fetch_models.py
peers-llama:
	@PYTHON=$(VOCABS_PYTHON) sh tests/models/peers.sh $(B)/peers
models-check: models peers-llama all $(TOOL_BIN)
	@$(VOCABS_PYTHON) tests/models/dequant.py $(B)/tool/model_facts
	@$(VOCABS_PYTHON) tests/models/minilm.py $(B)/seedc
	@$(VOCABS_PYTHON) tests/models/compare.py $(B)
	@$(VOCABS_PYTHON) tests/models/fast.py $(B)
	@$(VOCABS_PYTHON) tests/models/memory.py $(B)/seedc

# ---- pages that are made from tables and committed; tests/docs/made.sh checks that they are fresh -----

docs: all
	@mkdir -p docs/rules docs/man
	@rm -f docs/rules/*.md
	@$(B)/seedc --docs=docs

# ---- install ------------------------------------------------------------------------------------

RT_H  := $(wildcard runtime/*/*.h runtime/*/*.def)
MAN   := $(wildcard docs/man/*.1)
D     := $(DESTDIR)$(PREFIX)
SHARE := $(D)/share
install: all
	install -d $(D)/bin $(D)/lib/pkgconfig $(SHARE)/man/man1
	install -m 755 $(B)/seedc $(D)/bin/seedc
	ln -sf seedc $(D)/bin/seedance-cli
	install -m 644 $(B)/libseedrt.a $(D)/lib/
	sed 's|^prefix=.*|prefix=$(PREFIX)|' $(B)/seedrt.pc >$(D)/lib/pkgconfig/seedrt.pc
	for h in $(RT_H); do install -D -m 644 $$h $(D)/include/seedrt/$$h || exit 1; done
	for m in $(MAN); do install -m 644 $$m $(SHARE)/man/man1/ || exit 1; done
	for s in bash zsh fish; do \
	  case $$s in bash) to=bash-completion/completions/seedc ;; zsh) to=zsh/site-functions/_seedc ;; \
	    fish) to=fish/vendor_completions.d/seedc.fish ;; esac; \
	  $(B)/seedc --completions=$$s >$(B)/completions.$$s || exit 1; \
	  install -D -m 644 $(B)/completions.$$s $(SHARE)/$$to || exit 1; done

uninstall:
	rm -rf $(D)/bin/seedc $(D)/bin/seedance-cli $(D)/lib/libseedrt.a $(D)/lib/pkgconfig/seedrt.pc \
	  $(D)/include/seedrt $(addprefix $(SHARE)/man/man1/,$(notdir $(MAN))) \
	  $(SHARE)/bash-completion/completions/seedc $(SHARE)/zsh/site-functions/_seedc \
	  $(SHARE)/fish/vendor_completions.d/seedc.fish

clean:
	rm -rf $(B)

-include $(patsubst %.o,%.d,$(RT_O) $(CC_O) $(MAIN_O) $(UNITS:%.c=$(B)/obj/%.o) $(TOOLS:%.c=$(B)/obj/%.o) \
  $(FUZZ:%.c=$(B)/obj/%.o) $(B)/obj/tests/fuzz/replay.o)
