# cdtools. `make help` lists the targets. Objects go to a folder named after the flags, so builds with and without sanitizers never mix.
# A new tool is a new folder tools/cd-NAME with a main.c; a new source or test file is found by wildcard: nothing here changes.
ifeq ($(origin CC),default)
CC := gcc
endif
VERSION := 0.1.0
SAN ?=
BUILD ?= build/$(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)
PREFIX ?= /usr/local
LIBDIR ?= lib
DESTDIR ?=
OUT ?= .
comma := ,

# Includes are by bare name, file names are unique over the tree: a compiler is told every room that the file may look into.
# Which of them it may look into is checked by `make lint` (tests/rooms).
rooms = $(sort $(patsubst %/,%,$(dir $(wildcard $(foreach place,$(1),$(place)/*.h $(place)/*/*.h)))))
LIB_ROOMS := $(call rooms,libcommon formats)
TEST_ROOMS := $(call rooms,tests/unit) $(call rooms,tools/*)

# Lines for profilers and traces (-g1); variables too, for a debugger (make CFLAGS='-O0 -g'), take a fifth of the time to compile.
CFLAGS ?= -O2 -g1
# Nothing reads errno of a mathematical function: so square roots are one instruction, and of a vector.
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE $(CFLAGS) -ffp-contract=off -fno-math-errno -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
  $(addprefix -I,$(LIB_ROOMS)) -MMD -MP $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(MOREFLAGS)
OBJCOPY ?= objcopy
LDLIBS := -lz -lcjson -lyaml -lm -lpthread -ldl
ALL_LDFLAGS := $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN))

LIB_SOURCES := $(wildcard libcommon/*/*.c formats/*/*.c)
TOOLS := $(notdir $(patsubst %/main.c,%,$(wildcard tools/*/main.c)))
METHOD_SOURCES := $(filter-out %/main.c,$(wildcard tools/*/*.c tools/*/*/*.c))
UNIT_SOURCES := $(wildcard tests/unit/*/test_*.c)
UNIT_TESTS := $(notdir $(UNIT_SOURCES:%.c=%))
LIB := $(BUILD)/libcd.a
METHODS := $(BUILD)/libmethods.a
BIN := $(BUILD)/bin

.PHONY: all front-end harness help deps demo check unit lint format same asan ubsan tsan fuzz bench oracle fields install uninstall dist deb clean
all: $(TOOLS:%=$(BIN)/%) $(BUILD)/libcdstream.a $(BUILD)/completion/made  ## build every tool (into build/release/bin)

help:  ## this list
	@grep -hE '^[a-z ]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z ]+):.*## /\1\t/' | expand -t 18

# ---- from a bare machine ----
demo:  ## install what is missing, build, rerun a part of the main experiment, show its table and picture
	@.ci/packages check
	@$(MAKE) --no-print-directory -s -j2 all
	@PATH="$(CURDIR)/$(BIN):$$PATH" pipelines/box-of-polygons/demo.sh

check:  ## install what is missing, build, run all tests; last line: N passed, M failed
	@.ci/packages check
	@$(MAKE) --no-print-directory -s -j2 all unit
	@tests/check.sh $(BUILD)

unit: $(UNIT_TESTS:%=$(BUILD)/unit/%)

lint:  ## the house rules, and warnings as errors
	@tests/lint.sh
	@$(MAKE) --no-print-directory -s all unit harness BUILD=build/lint MOREFLAGS=-Werror

# A change that means to alter results renews the digests (tests/same.sh $(BIN) --renew) and says why in its commit.
same: all  ## runs of every tool and method against pinned digests
	@tests/same.sh $(BIN)

format:  ## sources as .clang-format has them
	@git ls-files '*.c' '*.h' 'pipelines/engines/*.cc' | xargs clang-format -i

asan ubsan tsan:  ## all tests under a sanitizer
	@$(MAKE) --no-print-directory -s -j2 all unit SAN=$(san_$@)
	@tests/check.sh build/san-$(subst $(comma),-,$(san_$@))
san_asan := address,undefined
san_ubsan := undefined
san_tsan := thread

fuzz: ## random damage to streams, scenes and options under AddressSanitizer
	@$(MAKE) --no-print-directory -s -j2 all SAN=address,undefined
	@tests/fuzz/run.sh build/san-address-undefined/bin

bench:  ## install what is missing, ratios against cat, cJSON, one process, other libraries' broad and narrow phases and engines on identical inputs
	@.ci/packages bench
	@$(MAKE) --no-print-directory -s -j2 all
	@PATH="$(CURDIR)/$(BIN):$$PATH" pipelines/bench-stream/run.sh $(BUILD)
	@echo
	@pipelines/bench-broad/run.sh --quick $(BUILD)
	@echo
	@pipelines/pinball-paradigm/run.sh $(BUILD)
	@echo
	@pipelines/bench-lcp/run.sh --quick $(BUILD)
	@pipelines/bench-lcp/friction.sh --quick $(BUILD)
	@echo
	@pipelines/bench-narrow/run.sh --quick $(BUILD)
	@echo
	@pipelines/stand/run.sh --quick $(BUILD)

oracle:  ## install what is missing, compare kernels with slow references in exact arithmetic and with other libraries
	@.ci/packages oracle
	@$(MAKE) --no-print-directory -s -j2 all $(patsubst tests/%.c,$(BUILD)/%,$(wildcard tests/oracle/oracle_*.c))
	@tests/oracle/run.sh $(BUILD)

fields: all  ## the field lists of cd-stream(5) and the lists of methods in manuals anew, after a change of their tables
	@$(BIN)/cd-view --fields -v >$(BUILD)/fields.mdoc
	@sed -i -e '/fields: begin$$/,/fields: end$$/{/fields: \(begin\|end\)$$/!d}' -e '/fields: begin$$/r $(BUILD)/fields.mdoc' man/cd-stream.5
	@PATH="$(CURDIR)/$(BIN):$$PATH" man/lists.sh $(MANUALS)

# ---- install ----
MANUALS := $(wildcard man/*.[1357])
SCENES := $(wildcard pipelines/scenes/*.yaml pipelines/scenes-[23]d/*.yaml)
PLACE = $(DESTDIR)$(PREFIX)
DATA = $(PLACE)/share/cdtools
DOCS = $(PLACE)/share/doc/cdtools
BASH_PLACE = $(PLACE)/share/bash-completion/completions
ZSH_PLACE = $(PLACE)/share/zsh/site-functions
FISH_PLACE = $(PLACE)/share/fish/vendor_completions.d
install: all  ## into $(PREFIX): programs, manuals, completion for bash, zsh and fish, STREAM.md, example scenes, cdstream.h and its library, cdstream.py
	install -d $(PLACE)/bin $(PLACE)/include $(PLACE)/$(LIBDIR)/pkgconfig $(foreach s,1 3 5 7,$(PLACE)/share/man/man$(s)) $(DATA)/python $(DATA)/scenes $(DOCS) $(BASH_PLACE) $(ZSH_PLACE) $(FISH_PLACE)
	install -s -m 755 $(TOOLS:%=$(BIN)/%) $(PLACE)/bin
	for m in $(MANUALS); do install -m 644 $$m $(PLACE)/share/man/man$${m##*.}/; done
	install -m 644 $(TOOLS:%=$(BUILD)/completion/bash/%) $(BASH_PLACE)
	install -m 644 $(TOOLS:%=$(BUILD)/completion/zsh/_%) $(ZSH_PLACE)
	install -m 644 $(TOOLS:%=$(BUILD)/completion/fish/%.fish) $(FISH_PLACE)
	install -m 644 $(SCENES) $(DATA)/scenes
	install -m 755 pipelines/python/cdstream.py $(DATA)/python
	install -m 644 formats/STREAM.md $(DOCS)
	install -m 644 formats/cdstream/cdstream.h $(PLACE)/include
	install -m 644 $(CDSTREAM) $(PLACE)/$(LIBDIR)
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(CDSTREAM_LIBS)|' formats/cdstream/cdstream.pc.in >$(PLACE)/$(LIBDIR)/pkgconfig/cdstream.pc

uninstall:  ## removes what install put there, and cdtools' own folders when nothing else is in them
	rm -f $(TOOLS:%=$(PLACE)/bin/%) $(foreach m,$(MANUALS),$(PLACE)/share/man/man$(subst .,,$(suffix $(m)))/$(notdir $(m)))
	rm -f $(TOOLS:%=$(BASH_PLACE)/%) $(TOOLS:%=$(ZSH_PLACE)/_%) $(TOOLS:%=$(FISH_PLACE)/%.fish)
	rm -f $(PLACE)/include/cdstream.h $(PLACE)/$(LIBDIR)/libcdstream.a $(PLACE)/$(LIBDIR)/pkgconfig/cdstream.pc
	rm -f $(addprefix $(DATA)/scenes/,$(notdir $(SCENES))) $(DATA)/python/cdstream.py $(DOCS)/STREAM.md
	rm -rf $(DATA)/python/__pycache__
	for d in $(DATA)/python $(DATA)/scenes $(DATA) $(DOCS); do [ ! -d $$d ] || rmdir --ignore-fail-on-non-empty $$d; done

dist:  ## a source archive of the last commit
	git archive --format=tar.gz --prefix=cdtools-$(VERSION)/ -o $(OUT)/cdtools-$(VERSION).tar.gz HEAD

deb: all  ## a Debian package of what install installs
	.ci/deb $(BUILD) $(VERSION) $(OUT)

clean:  ## remove build/
	rm -rf build

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(if $(filter tools/%,$<),$(addprefix -I,$(call rooms,tools/$(word 2,$(subst /, ,$<))))) $(if $(filter tests/unit/% tests/oracle/%,$<),$(addprefix -I,$(TEST_ROOMS))) -c $< -o $@

$(LIB): $(LIB_SOURCES:%.c=$(BUILD)/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

# Every tool's methods, for programs that look into several of them: of an archive a program takes what it needs. Linked to all objects, the unit
# programs took 0.38 s each for 0.06 s, and 2 GB together.
$(METHODS): $(METHOD_SOURCES:%.c=$(BUILD)/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

# The library for programs of others (formats/cdstream/cdstream.h): one object of what it needs, whose only names are cds_*.
CDSTREAM := $(BUILD)/libcdstream.a
CDSTREAM_LIBS := -lz -lcjson -lm -lpthread
$(CDSTREAM): $(LIB)
	@$(CC) -r -nostdlib -o $(@:.a=.o) -Wl,-u,cds_main -Wl,-u,cds_add -Wl,-u,cds_get_part $(LIB)
	@$(OBJCOPY) --wildcard --keep-global-symbol='cds_*' $(@:.a=.o)
	@rm -f $@
	$(AR) rcs $@ $(@:.a=.o)

# Kernels in wider vectors, chosen at run time (cd_vector.h); elsewhere these files are empty.
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine)),)
$(BUILD)/%_avx2.o: ALL_CFLAGS += -march=x86-64-v3
$(BUILD)/%_avx512.o: ALL_CFLAGS += -march=x86-64-v4
endif

# Most unit programs run for less time than they take to compile: what they call is optimized, they are not (18 s for 35 to compile two thirds of
# them). These reckon for about a second or more themselves, or much slower without.
RECKONING := bounds3 broad broad_bvh broad_grid broad_incremental certify closed2 contact3 depth3 distance3 edges3 ellipsoid_hull ellipsoid_relations \
  feature3 gram gram_lu hull3 intersect3 lcp lcp_ipm lcp_known lcp_mixed lcp_structure memory number overlap plot_space polygon_clip \
  polygon_distance reader_writer separate3 step_path surface_contact
ifeq ($(origin CFLAGS),file)
$(BUILD)/tests/unit/%.o: ALL_CFLAGS += $(if $(filter $(RECKONING:%=test_%.o),$(@F)),-O1,-O0)
endif

# Cairo draws for cd-plot alone, in one room.
$(BUILD)/tools/cd-plot/canvas/%.o: ALL_CFLAGS += $(shell pkg-config --cflags cairo 2>/dev/null)
$(BIN)/cd-plot: LDLIBS += -lcairo

# The page of cd-plot carries its own style, markup and scripts: string literals of them.
$(BUILD)/tools/cd-plot/page/%.inc: tools/cd-plot/page/% Makefile
	@mkdir -p $(@D)
	sed 's/\\/\\\\/g; s/["?]/\\&/g; s/.*/"&\\n"/' $< >$@
$(BUILD)/tools/cd-plot/page/plot_page.o: ALL_CFLAGS += -I$(BUILD)/tools/cd-plot/page
$(BUILD)/tools/cd-plot/page/plot_page.o: $(patsubst %,$(BUILD)/%.inc,$(wildcard tools/cd-plot/page/page.* tools/cd-plot/page/*.js))

define tool_rule
$(BIN)/$(1): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/$(1)/*.c tools/$(1)/*/*.c)) $(LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LDLIBS)
endef
$(foreach tool,$(TOOLS),$(eval $(call tool_rule,$(tool))))

$(BUILD)/completion/made: man/completion.sh $(TOOLS:%=$(BIN)/%)
	man/completion.sh $(@D) $(TOOLS:%=$(BIN)/%)
	@touch $@

# Unit tests see every tool's methods.
define unit_rule
$(BUILD)/unit/$(basename $(notdir $(1))): $(1:%.c=$(BUILD)/%.o) $(METHODS) $(LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LDLIBS) -lcairo
endef
$(foreach source,$(UNIT_SOURCES),$(eval $(call unit_rule,$(source))))

$(BUILD)/oracle/%: $(BUILD)/tests/oracle/%.o $(METHODS) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) -lcairo -lgmp

# Benchmarks alone.
include tests/harness/harness.mk pipelines/peers.mk
harness: $(HARNESS_PROGRAMS)

# What no build of `make check` compiles is looked at by the compiler's front end there (tests/lint.sh); the oracle of broad phases sees what
# its own rule names, and GMP need not be there.
FRONT_END := $(wildcard tests/harness/*.c) $(if $(call peer_header,gmp.h),$(filter-out tests/oracle/oracle_broad.c,$(wildcard tests/oracle/*.c)))
front-end: $(FRONT_END:%=%.front-end)
%.c.front-end: %.c
	@$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) $(addprefix -I,$(TEST_ROOMS)) -Werror -fsyntax-only $<

-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
