# Programs that run kernels and stages without the stream around them (make bench). Part of the Makefile.
# SPDX-License-Identifier: MIT

# The six stages in one process (make bench): each main.c once more, its entry points renamed.
HARNESS := broad=cd-broad narrow=cd-narrow assemble=cd-peg-assemble lcp=cd-lcp step=cd-step overlap=cd-overlap-metric penalty=cd-penalty
harness_tool = $(word 2,$(subst =, ,$(filter $(1)=%,$(HARNESS))))
define harness_rule
$(BUILD)/harness/$(1).o: tools/$(call harness_tool,$(1))/main.c
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) -Wno-missing-prototypes $(addprefix -I,$(call rooms,tools/$(call harness_tool,$(1)))) -Dmain=$(1)_main -Dcd_filter_main=cd_harness_filter -c $$< -o $$@
endef
HARNESS_NAMES := broad narrow assemble lcp step overlap penalty
$(foreach name,$(HARNESS_NAMES),$(eval $(call harness_rule,$(name))))
$(BUILD)/harness/one_process: $(BUILD)/tests/harness/one_process.o $(HARNESS_NAMES:%=$(BUILD)/harness/%.o) $(METHODS) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) -lcairo

# Broad-phase methods without the stream around them (make bench).
$(BUILD)/tests/harness/broad_kernel.o $(BUILD)/tests/harness/pinball_kernel.o: ALL_CFLAGS += $(addprefix -I,$(call rooms,tools/cd-broad))
$(BUILD)/harness/broad_kernel $(BUILD)/harness/pinball_kernel: $(BUILD)/harness/%: $(BUILD)/tests/harness/%.o $(BUILD)/tests/harness/box_stream.o $(filter $(BUILD)/tools/cd-broad/%,$(METHOD_SOURCES:%.c=$(BUILD)/%.o)) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# Pairs of polyhedra with the right answers, and the kernels of the narrow phase without the stream around them (make bench).
NARROW_SET := $(BUILD)/tests/harness/narrow_set.o $(BUILD)/tests/harness/box_stream.o
$(BUILD)/harness/narrow_make: $(BUILD)/tests/harness/narrow_make.o $(BUILD)/tests/harness/narrow_truth.o $(LIB)
$(BUILD)/harness/narrow_kernel: $(BUILD)/tests/harness/narrow_kernel.o $(NARROW_SET) $(LIB)
$(BUILD)/harness/narrow_make $(BUILD)/harness/narrow_kernel:
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# Potentials of ellipsoids beside Brent's minimiser.
$(BUILD)/harness/ellipsoid_bench: $(BUILD)/tests/harness/ellipsoid_bench.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# How fast numbers are printed, beside cJSON.
$(BUILD)/harness/bench_number: $(BUILD)/tests/harness/bench_number.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# A settled random packing of spheres (pipelines/bench-lcp/large.sh).
$(BUILD)/harness/sphere_packing: $(BUILD)/tests/harness/sphere_packing.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# All that need no other library: `make lint` builds them, so that a move cannot break a benchmark unseen.
HARNESS_PROGRAMS := $(addprefix $(BUILD)/harness/,one_process broad_kernel pinball_kernel narrow_make narrow_kernel ellipsoid_bench bench_number sphere_packing)
