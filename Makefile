# cdtools. `make help` lists the targets. Objects go to a folder named after the flags, so builds with and without sanitizers never mix.
# A new tool is a new folder tools/cd-NAME with a main.c; a new source or test file is found by wildcard: nothing here changes.
ifeq ($(origin CC),default)
CC := gcc
endif
VERSION := 0.1.0
SAN ?=
BUILD ?= build/$(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)
PREFIX ?= /usr/local
DESTDIR ?=
comma := ,

# Includes are by bare name, file names are unique over the tree: a compiler is told every room that the file may look into.
# Which of them it may look into is checked by `make lint` (tests/rooms).
rooms = $(sort $(patsubst %/,%,$(dir $(wildcard $(foreach place,$(1),$(place)/*.h $(place)/*/*.h)))))
LIB_ROOMS := $(call rooms,libcommon formats)
TEST_ROOMS := $(call rooms,tests/unit) $(call rooms,tools/*)

CFLAGS ?= -O2 -g
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE $(CFLAGS) -ffp-contract=off -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
  $(addprefix -I,$(LIB_ROOMS)) -MMD -MP $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(MOREFLAGS)
LDLIBS := -lz -lcjson -lyaml -lm -lpthread
ALL_LDFLAGS := $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN))

LIB_SOURCES := $(wildcard libcommon/*/*.c formats/*/*.c)
TOOLS := $(notdir $(patsubst %/main.c,%,$(wildcard tools/*/main.c)))
METHOD_SOURCES := $(filter-out %/main.c,$(wildcard tools/*/*.c tools/*/*/*.c))
UNIT_SOURCES := $(wildcard tests/unit/*/test_*.c)
UNIT_TESTS := $(notdir $(UNIT_SOURCES:%.c=%))
LIB := $(BUILD)/libcd.a
BIN := $(BUILD)/bin

.PHONY: all help deps demo check unit lint format same asan ubsan tsan fuzz bench oracle fields install uninstall dist clean
all: $(TOOLS:%=$(BIN)/%)  ## build every tool (into build/release/bin)

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
	@$(MAKE) --no-print-directory -s all unit BUILD=build/lint MOREFLAGS=-Werror

# A change that means to alter results renews the digests (tests/same.sh $(BIN) --renew) and says why in its commit.
same: all  ## runs of every tool and method against pinned digests
	@tests/same.sh $(BIN)

format:  ## sources as .clang-format has them
	@git ls-files '*.c' '*.h' | xargs clang-format -i

asan ubsan tsan:  ## all tests under a sanitizer
	@$(MAKE) --no-print-directory -s -j2 all unit SAN=$(san_$@)
	@tests/check.sh build/san-$(subst $(comma),-,$(san_$@))
san_asan := address,undefined
san_ubsan := undefined
san_tsan := thread

fuzz: ## random damage to streams, scenes and options under AddressSanitizer
	@$(MAKE) --no-print-directory -s -j2 all SAN=address,undefined
	@tests/fuzz/run.sh build/san-address-undefined/bin

bench:  ## install what is missing, ratios against cat, cJSON, one process, and other libraries' broad and narrow phases on identical inputs
	@.ci/packages bench
	@$(MAKE) --no-print-directory -s -j2 all
	@PATH="$(CURDIR)/$(BIN):$$PATH" pipelines/bench-stream/run.sh $(BUILD)
	@echo
	@pipelines/bench-broad/run.sh --quick $(BUILD)
	@echo
	@pipelines/bench-lcp/run.sh --quick $(BUILD)
	@echo
	@pipelines/bench-narrow/run.sh --quick $(BUILD)

oracle:  ## install what is missing, compare kernels with slow references in exact arithmetic and with other libraries
	@.ci/packages oracle
	@$(MAKE) --no-print-directory -s -j2 $(patsubst tests/%.c,$(BUILD)/%,$(wildcard tests/oracle/oracle_*.c))
	@tests/oracle/run.sh $(BUILD)

fields: all  ## the field lists of cd-stream(5) and the lists of methods in manuals anew, after a change of their tables
	@$(BIN)/cd-view --fields -v >$(BUILD)/fields.mdoc
	@sed -i -e '/fields: begin$$/,/fields: end$$/{/fields: \(begin\|end\)$$/!d}' -e '/fields: begin$$/r $(BUILD)/fields.mdoc' man/cd-stream.5
	@PATH="$(CURDIR)/$(BIN):$$PATH" man/lists.sh $(MANUALS)

# ---- install ----
MANUALS := $(wildcard man/*.[157])
SCENES := $(wildcard pipelines/scenes/*.yaml pipelines/scenes-[23]d/*.yaml)
PLACE = $(DESTDIR)$(PREFIX)
DATA = $(PLACE)/share/cdtools
DOCS = $(PLACE)/share/doc/cdtools
install: all  ## into $(PREFIX): programs, manuals, STREAM.md, example scenes, cdstream.py
	install -d $(PLACE)/bin $(foreach s,1 5 7,$(PLACE)/share/man/man$(s)) $(DATA)/python $(DATA)/scenes $(DOCS)
	install -s -m 755 $(TOOLS:%=$(BIN)/%) $(PLACE)/bin
	for m in $(MANUALS); do install -m 644 $$m $(PLACE)/share/man/man$${m##*.}/; done
	install -m 644 $(SCENES) $(DATA)/scenes
	install -m 755 pipelines/python/cdstream.py $(DATA)/python
	install -m 644 formats/STREAM.md $(DOCS)

uninstall:  ## removes what install put there, and cdtools' own folders when nothing else is in them
	rm -f $(TOOLS:%=$(PLACE)/bin/%) $(foreach m,$(MANUALS),$(PLACE)/share/man/man$(subst .,,$(suffix $(m)))/$(notdir $(m)))
	rm -f $(addprefix $(DATA)/scenes/,$(notdir $(SCENES))) $(DATA)/python/cdstream.py $(DOCS)/STREAM.md
	rm -rf $(DATA)/python/__pycache__
	for d in $(DATA)/python $(DATA)/scenes $(DATA) $(DOCS); do [ ! -d $$d ] || rmdir --ignore-fail-on-non-empty $$d; done

dist:  ## a source archive of the last commit
	git archive --format=tar.gz --prefix=cdtools-$(VERSION)/ -o cdtools-$(VERSION).tar.gz HEAD

clean:  ## remove build/
	rm -rf build

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(if $(filter tools/%,$<),$(addprefix -I,$(call rooms,tools/$(word 2,$(subst /, ,$<))))) $(if $(filter tests/unit/% tests/oracle/%,$<),$(addprefix -I,$(TEST_ROOMS))) -c $< -o $@

$(LIB): $(LIB_SOURCES:%.c=$(BUILD)/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

# Kernels in wider vectors, chosen at run time (cd_vector.h); elsewhere these files are empty.
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine)),)
$(BUILD)/%_avx2.o: ALL_CFLAGS += -march=x86-64-v3
$(BUILD)/%_avx512.o: ALL_CFLAGS += -march=x86-64-v4
endif

# Cairo draws for cd-plot alone, in one room.
$(BUILD)/tools/cd-plot/canvas/%.o: ALL_CFLAGS += $(shell pkg-config --cflags cairo 2>/dev/null)
$(BIN)/cd-plot: LDLIBS += -lcairo

define tool_rule
$(BIN)/$(1): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/$(1)/*.c tools/$(1)/*/*.c)) $(LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LDLIBS)
endef
$(foreach tool,$(TOOLS),$(eval $(call tool_rule,$(tool))))

# Unit tests see every tool's methods.
define unit_rule
$(BUILD)/unit/$(basename $(notdir $(1))): $(1:%.c=$(BUILD)/%.o) $(METHOD_SOURCES:%.c=$(BUILD)/%.o) $(LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LDLIBS) -lcairo
endef
$(foreach source,$(UNIT_SOURCES),$(eval $(call unit_rule,$(source))))

$(BUILD)/oracle/%: $(BUILD)/tests/oracle/%.o $(METHOD_SOURCES:%.c=$(BUILD)/%.o) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) -lcairo -lgmp

# The six stages in one process (make bench): each main.c once more, its entry points renamed.
HARNESS := broad=cd-broad narrow=cd-narrow assemble=cd-peg-assemble lcp=cd-lcp step=cd-step overlap=cd-overlap-metric
harness_tool = $(word 2,$(subst =, ,$(filter $(1)=%,$(HARNESS))))
define harness_rule
$(BUILD)/harness/$(1).o: tools/$(call harness_tool,$(1))/main.c
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) -Wno-missing-prototypes $(addprefix -I,$(call rooms,tools/$(call harness_tool,$(1)))) -Dmain=$(1)_main -Dcd_filter_main=cd_harness_filter -c $$< -o $$@
endef
HARNESS_NAMES := broad narrow assemble lcp step overlap
$(foreach name,$(HARNESS_NAMES),$(eval $(call harness_rule,$(name))))
$(BUILD)/harness/one_process: $(BUILD)/tests/harness/one_process.o $(HARNESS_NAMES:%=$(BUILD)/harness/%.o) $(METHOD_SOURCES:%.c=$(BUILD)/%.o) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) -lcairo

# One broad-phase method without the stream around it (make bench).
$(BUILD)/tests/harness/broad_kernel.o: ALL_CFLAGS += $(addprefix -I,$(call rooms,tools/cd-broad))
$(BUILD)/harness/broad_kernel: $(BUILD)/tests/harness/broad_kernel.o $(BUILD)/tests/harness/box_stream.o $(filter $(BUILD)/tools/cd-broad/%,$(METHOD_SOURCES:%.c=$(BUILD)/%.o)) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# Pairs of polyhedra with the right answers, and the kernels of the narrow phase without the stream around them (make bench).
NARROW_SET := $(BUILD)/tests/harness/narrow_set.o $(BUILD)/tests/harness/box_stream.o
$(BUILD)/harness/narrow_make: $(BUILD)/tests/harness/narrow_make.o $(BUILD)/tests/harness/narrow_truth.o $(LIB)
$(BUILD)/harness/narrow_kernel: $(BUILD)/tests/harness/narrow_kernel.o $(NARROW_SET) $(LIB)
$(BUILD)/harness/narrow_make $(BUILD)/harness/narrow_kernel:
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# Other libraries' broad phases beside ours (make bench, make oracle): those whose headers are there. Compiled for this machine
# with what makes them fastest; none of it goes into a tool.
peer_header = $(firstword $(wildcard $(foreach place,/usr/include /usr/local/include /usr/include/$(shell $(CC) -print-multiarch),$(place)/$(1))))
PEERS := $(if $(shell command -v $(CXX)),$(strip $(if $(call peer_header,CGAL/box_intersection_d.h),cgal) $(if $(call peer_header,boost/geometry/index/rtree.hpp),boost) \
  $(if $(call peer_header,embree4/rtcore.h),embree4,$(if $(call peer_header,embree3/rtcore.h),embree3)) \
  $(if $(call peer_header,bullet/BulletCollision/BroadphaseCollision/btDbvt.h),bullet) \
  $(if $(call peer_header,fcl/fcl.h),$(if $(call peer_header,eigen3/Eigen/Core),fcl)) $(if $(call peer_header,ode/ode.h),ode)))
PEER_CXXFLAGS := -std=c++17 -O3 -march=native -DNDEBUG -ffp-contract=off -Itests/harness $(addprefix -isystem ,$(call peer_header,bullet) $(call peer_header,eigen3)) \
  $(if $(filter cgal,$(PEERS)),-DPEER_CGAL) $(if $(filter boost,$(PEERS)),-DPEER_BOOST) $(patsubst embree%,-DPEER_EMBREE=%,$(filter embree%,$(PEERS))) \
  $(if $(filter bullet,$(PEERS)),-DPEER_BULLET) $(if $(filter fcl,$(PEERS)),-DPEER_FCL) $(if $(filter ode,$(PEERS)),-DPEER_ODE)
PEER_LIBS := $(patsubst embree%,-lembree%,$(filter embree%,$(PEERS))) $(if $(filter bullet,$(PEERS)),-lBulletCollision -lLinearMath) \
  $(if $(filter fcl,$(PEERS)),-lfcl -lccd) $(if $(filter ode,$(PEERS)),-lode)
PEER_BUILD := $(BUILD)/peers$(addprefix -,$(subst $() ,-,$(PEERS)))
PEER_OBJECTS := $(PEER_BUILD)/peer_table.o $(foreach peer,$(PEERS),$(PEER_BUILD)/peer_$(patsubst embree%,embree,$(peer)).o)
$(PEER_BUILD)/%.o: pipelines/bench-broad/peers/%.cc pipelines/bench-broad/peers/peers.h pipelines/bench-broad/peers/peer_find.h tests/harness/box_stream.h
	@mkdir -p $(@D)
	$(CXX) $(PEER_CXXFLAGS) -Wall -Wextra -c $< -o $@
$(BUILD)/harness/peers: $(PEER_BUILD)/peers.o $(PEER_OBJECTS) $(BUILD)/tests/harness/box_stream.o $(LIB)
	@mkdir -p $(@D)
	$(CXX) $(ALL_LDFLAGS) -o $@ $^ $(PEER_LIBS) $(LDLIBS)
$(PEER_BUILD)/oracle_broad.o: tests/oracle/oracle_broad.c pipelines/bench-broad/peers/peer_find.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(addprefix -I,$(TEST_ROOMS) pipelines/bench-broad/peers) $(if $(PEERS),-DWITH_PEERS) -c $< -o $@
$(BUILD)/oracle/oracle_broad: $(PEER_BUILD)/oracle_broad.o $(METHOD_SOURCES:%.c=$(BUILD)/%.o) $(if $(PEERS),$(PEER_OBJECTS)) $(LIB)
	@mkdir -p $(@D)
	$(if $(PEERS),$(CXX),$(CC)) $(ALL_LDFLAGS) -o $@ $^ $(if $(PEERS),$(PEER_LIBS)) $(LDLIBS) -lcairo

# Other libraries' narrow phases beside ours (make bench). FCL's own objects have no alignment beyond 16 bytes, and Bullet's double
# precision is another set of libraries.
NARROW_PEERS := $(if $(shell command -v $(CXX)),$(strip $(if $(call peer_header,ccd/ccd.h),ccd) \
  $(if $(call peer_header,fcl/fcl.h),$(if $(call peer_header,eigen3/Eigen/Core),fcl)) \
  $(if $(call peer_header,bullet/BulletCollision/NarrowPhaseCollision/btGjkEpa2.h),$(if $(wildcard $(foreach place,/usr/lib /usr/local/lib /usr/lib/$(shell $(CC) -print-multiarch),$(place)/libBulletCollision-float64.so)),bullet)) \
  $(if $(call peer_header,CGAL/Polyhedron_3.h),cgal) $(if $(call peer_header,libqhull_r/qhull_ra.h),qhull) $(if $(call peer_header,voro++/voro++.hh),voro)))
narrow_flag_ccd := -DNARROW_CCD
narrow_flag_fcl := -DNARROW_FCL -DEIGEN_MAX_ALIGN_BYTES=16
narrow_flag_bullet := -DNARROW_BULLET -DBT_USE_DOUBLE_PRECISION
narrow_flag_cgal := -DNARROW_CGAL
narrow_flag_qhull := -DNARROW_QHULL
narrow_flag_voro := -DNARROW_VORO
narrow_libs_ccd := -lccd
narrow_libs_fcl := -lfcl -lccd
narrow_libs_bullet := -lBulletCollision-float64 -lLinearMath-float64
narrow_libs_cgal := -lgmp -lmpfr
narrow_libs_qhull := -lqhull_r
narrow_libs_voro := -lvoro++
NARROW_BUILD := $(BUILD)/narrow-peers$(addprefix -,$(subst $() ,-,$(NARROW_PEERS)))
NARROW_CXXFLAGS := -std=c++17 -O3 -march=native -DNDEBUG -ffp-contract=off -Itests/harness $(addprefix -isystem ,$(call peer_header,bullet) $(call peer_header,eigen3)) \
  $(foreach peer,$(NARROW_PEERS),$(narrow_flag_$(peer)))
$(NARROW_BUILD)/%.o: pipelines/bench-narrow/peers/%.cc pipelines/bench-narrow/peers/narrow_peers.h tests/harness/narrow_set.h
	@mkdir -p $(@D)
	$(CXX) $(NARROW_CXXFLAGS) -Wall -Wextra -c $< -o $@
$(BUILD)/harness/narrow_peers: $(NARROW_BUILD)/narrow_peers.o $(NARROW_PEERS:%=$(NARROW_BUILD)/narrow_%.o) $(NARROW_SET) $(LIB)
	@mkdir -p $(@D)
	$(CXX) $(ALL_LDFLAGS) -o $@ $^ $(foreach peer,$(NARROW_PEERS),$(narrow_libs_$(peer))) $(LDLIBS)

# Complementarity solvers of other libraries beside those of cd-lcp (make bench): those whose headers are there.
LCP_PEERS := $(if $(call peer_header,siconos/numerics/LCP_Solvers.h),siconos) $(if $(shell command -v $(CXX)),$(if $(call peer_header,dart/external/odelcpsolver/lcp.h),dart))
LCP_PEER_BUILD := $(BUILD)/lcp-peers$(subst $() ,,$(addprefix -,$(LCP_PEERS)))
LCP_PEER_OBJECTS := $(foreach peer,$(LCP_PEERS),$(LCP_PEER_BUILD)/peer_$(peer).o)
LCP_PEER_LIBS := $(if $(filter siconos,$(LCP_PEERS)),-lsiconos_numerics) $(if $(filter dart,$(LCP_PEERS)),-ldart-external-odelcpsolver)
$(LCP_PEER_BUILD)/peer_siconos.o: pipelines/bench-lcp/peers/peer_siconos.c tests/harness/lcp_bench.h
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -O3 -march=native -Wall -Wextra -Itests/harness -isystem $(patsubst %/numerics/LCP_Solvers.h,%,$(call peer_header,siconos/numerics/LCP_Solvers.h)) -isystem $(patsubst %/LCP_Solvers.h,%,$(call peer_header,siconos/numerics/LCP_Solvers.h)) -c $< -o $@
$(LCP_PEER_BUILD)/peer_dart.o: pipelines/bench-lcp/peers/peer_dart.cc tests/harness/lcp_bench.h
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O3 -march=native -Wall -Wextra -Itests/harness -c $< -o $@
$(LCP_PEER_BUILD)/lcp_bench.o: tests/harness/lcp_bench.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(addprefix -I,$(call rooms,tools/cd-lcp tests/unit)) -Itests/harness $(if $(filter siconos,$(LCP_PEERS)),-DWITH_SICONOS) $(if $(filter dart,$(LCP_PEERS)),-DWITH_DART) -c $< -o $@
$(BUILD)/harness/lcp_bench: $(LCP_PEER_BUILD)/lcp_bench.o $(LCP_PEER_OBJECTS) $(filter $(BUILD)/tools/cd-lcp/%,$(METHOD_SOURCES:%.c=$(BUILD)/%.o)) $(LIB)
	@mkdir -p $(@D)
	$(if $(LCP_PEERS),$(CXX),$(CC)) $(ALL_LDFLAGS) -o $@ $^ $(LCP_PEER_LIBS) $(LDLIBS)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
