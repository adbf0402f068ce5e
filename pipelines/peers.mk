# Other libraries beside ours, on the same inputs (make bench, make oracle): those whose headers are there. Part of the Makefile.
# SPDX-License-Identifier: MIT

# The first place that has a header; empty: it is not there.
peer_header = $(firstword $(wildcard $(foreach place,/usr/include /usr/local/include /usr/include/$(shell $(CC) -print-multiarch),$(place)/$(1))))

# Other libraries' broad phases beside ours (make bench, make oracle): those whose headers are there. Compiled for this machine
# with what makes them fastest; none of it goes into a tool.
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
$(BUILD)/oracle/oracle_broad: $(PEER_BUILD)/oracle_broad.o $(METHODS) $(if $(PEERS),$(PEER_OBJECTS)) $(LIB)
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
$(LCP_PEER_BUILD)/lcp_rows.o $(LCP_PEER_BUILD)/lcp_bench.o: $(LCP_PEER_BUILD)/%.o: tests/harness/%.c tests/harness/lcp_bench.h tests/harness/lcp_rows.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(addprefix -I,$(call rooms,tools/cd-lcp tests/unit)) -Itests/harness $(if $(filter siconos,$(LCP_PEERS)),-DWITH_SICONOS) $(if $(filter dart,$(LCP_PEERS)),-DWITH_DART) -c $< -o $@
$(BUILD)/harness/lcp_bench: $(LCP_PEER_BUILD)/lcp_bench.o $(LCP_PEER_BUILD)/lcp_rows.o $(LCP_PEER_OBJECTS) $(filter $(BUILD)/tools/cd-lcp/%,$(METHOD_SOURCES:%.c=$(BUILD)/%.o)) $(LIB)
	@mkdir -p $(@D)
	$(if $(LCP_PEERS),$(CXX),$(CC)) $(ALL_LDFLAGS) -o $@ $^ $(LCP_PEER_LIBS) $(LDLIBS)

# Engines beside the scenes that stand (make bench): those whose headers are there, a program each. Box2D 2.4 is the last that is in C++.
STAND_PEERS := $(if $(shell command -v $(CXX)),$(strip $(if $(filter bullet,$(NARROW_PEERS)),bullet) $(if $(call peer_header,box2d/box2d.h),box2d)))
stand_flags_bullet = -DBT_USE_DOUBLE_PRECISION $(addprefix -isystem ,$(call peer_header,bullet))
stand_libs_bullet := -lBulletDynamics-float64 -lBulletCollision-float64 -lLinearMath-float64
stand_libs_box2d := -lbox2d
.PHONY: stand_peers
stand_peers: $(STAND_PEERS:%=$(BUILD)/harness/stand_%)
$(BUILD)/harness/stand_%: pipelines/stand/peers/stand_%.cc pipelines/stand/peers/standing.cc pipelines/stand/peers/standing.h pipelines/engines/bullet_hull.h
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O3 -march=native -DNDEBUG -Wall -Wextra -Ipipelines/engines $(stand_flags_$*) -o $@ $(filter %.cc,$^) $(stand_libs_$*)

# The same with friction, in a program of its own.
FRICTION_PEER_OBJECTS := $(foreach peer,$(LCP_PEERS),$(LCP_PEER_BUILD)/peer_friction_$(peer).o)
$(LCP_PEER_BUILD)/peer_friction_siconos.o: pipelines/bench-lcp/peers/peer_friction_siconos.c tests/harness/friction_bench.h
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -O3 -march=native -Wall -Wextra -Itests/harness -isystem $(patsubst %/numerics/LCP_Solvers.h,%,$(call peer_header,siconos/numerics/LCP_Solvers.h)) -isystem $(patsubst %/LCP_Solvers.h,%,$(call peer_header,siconos/numerics/LCP_Solvers.h)) -c $< -o $@
$(LCP_PEER_BUILD)/peer_friction_dart.o: pipelines/bench-lcp/peers/peer_friction_dart.cc tests/harness/friction_bench.h
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O3 -march=native -Wall -Wextra -Itests/harness -c $< -o $@
$(LCP_PEER_BUILD)/friction_bench.o: tests/harness/friction_bench.c tests/harness/friction_bench.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(addprefix -I,$(call rooms,tools/cd-lcp)) -Itests/harness $(if $(filter siconos,$(LCP_PEERS)),-DWITH_SICONOS) $(if $(filter dart,$(LCP_PEERS)),-DWITH_DART) -c $< -o $@
$(BUILD)/harness/friction_bench: $(LCP_PEER_BUILD)/friction_bench.o $(FRICTION_PEER_OBJECTS) $(filter $(BUILD)/tools/cd-lcp/%,$(METHOD_SOURCES:%.c=$(BUILD)/%.o)) $(LIB)
	@mkdir -p $(@D)
	$(if $(LCP_PEERS),$(CXX),$(CC)) $(ALL_LDFLAGS) -o $@ $^ $(LCP_PEER_LIBS) $(LDLIBS)

# What a command costs (pipelines/compare).
$(BUILD)/harness/usage: pipelines/compare/usage.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -o $@ $<

# Stages around engines (pipelines/engines), a program each: those whose headers are there.
ENGINES := $(filter ccd fcl bullet,$(NARROW_PEERS)) $(filter ode,$(PEERS))
STEP_ENGINES := $(filter bullet ode,$(ENGINES)) $(filter box2d,$(STAND_PEERS)) $(if $(shell command -v $(CXX)),$(if $(call peer_header,mujoco/mujoco.h),mujoco))
engine_flags_bullet = -DBT_USE_DOUBLE_PRECISION $(addprefix -isystem ,$(call peer_header,bullet))
engine_flags_fcl = -DEIGEN_MAX_ALIGN_BYTES=16 $(addprefix -isystem ,$(call peer_header,eigen3))
engine_libs_bullet := -lBulletDynamics-float64 -lBulletCollision-float64 -lLinearMath-float64
engine_libs_box2d := -lbox2d
engine_libs_ccd := -lccd
engine_libs_mujoco := -lmujoco
engine_libs_ode := -lode
engine_libs_fcl := -lfcl -lccd
.PHONY: engines
engines: $(ENGINES:%=$(BUILD)/engines/engine-%) $(STEP_ENGINES:%=$(BUILD)/engines/engine-%-step)
$(BUILD)/engines/engine-%-step: pipelines/engines/step_%.cc $(wildcard pipelines/engines/*.h) formats/cdstream/cdstream.h $(CDSTREAM)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O2 -g -DNDEBUG -Wall -Wextra -Iformats/cdstream $(engine_flags_$*) $(ALL_LDFLAGS) -o $@ $< $(CDSTREAM) $(engine_libs_$*) $(CDSTREAM_LIBS)
$(BUILD)/engines/engine-%: pipelines/engines/engine_%.cc $(wildcard pipelines/engines/*.h) formats/cdstream/cdstream.h $(CDSTREAM)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O2 -g -DNDEBUG -Wall -Wextra -Iformats/cdstream $(engine_flags_$*) $(ALL_LDFLAGS) -o $@ $< $(CDSTREAM) $(engine_libs_$*) $(CDSTREAM_LIBS)
