# Our own MPI is one library, which exports every MPI_ function also as PMPI_. It includes the
# grammar of policies.
CFLAGS_world = $(MPI_CFLAGS) -O3 -fno-plt

WORLD_SOURCES = $(wildcard world/local/*.c world/exchange/*.c world/newer/*.c world/fibers/*.c \
    replay/policy/*.c)

# Functions that mpi.h lacks: their declarations, and the large-count forms.
WORLD_NEWER = $(BUILD)/gen/world_newer.h
$(WORLD_NEWER): world/newer/newer.py $(INTERPOSE_GENERATE) interpose/calls.table
	$(if $(V),,@echo "  gen   $@")
	$(Q)$(PYTHON) world/newer/newer.py interpose/calls.table $(@D) -- $(CC) $(INTERPOSE_MPI)
$(BUILD)/gen/world_large_calls.h: $(WORLD_NEWER) ;
$(foreach d,obj obj/hot obj/ranks,$(patsubst %.c,$(BUILD)/$(d)/%.o,$(WORLD_SOURCES))) \
    $(BUILD)/obj/ranks/world/ranks/mpifh.o: | $(WORLD_NEWER)

# $(1) the library, $(2) its objects, $(3) a folder of its own.
define WORLD_LIBRARY
$(1): $(2) world/pmpi.sh
	$$(Q)rm -rf $$@ $(3) && mkdir -p $(3) && cp $$(filter %.o,$$^) $(3)/
	$$(Q)world/pmpi.sh $(3)/*.o && ar rcs $$@ $(3)/*.o
endef
$(eval $(call WORLD_LIBRARY,$(BUILD)/libworld.a,$(WORLD_SOURCES:%.c=$(BUILD)/obj/%.o), \
    $(BUILD)/world))
$(eval $(call WORLD_LIBRARY,$(BUILD)/hot/libworld.a,$(call \
    hot_objects,$(WORLD_SOURCES)),$(BUILD)/hot/world))

# For ranks that are processes: a library under the name of Open MPI's, which is preloaded. It has
# no threads of fibers. fork_server.c ends the section of shared variables, so it comes last. The
# runner finds the program's call sites by the frame pointers.
RANKS_SOURCES = $(filter-out world/fibers/thread.c world/fibers/rank_threads.c %/fork_server.c, \
    $(WORLD_SOURCES) $(wildcard world/ranks/*.c)) world/processes/scratch.c \
    world/processes/scratch_list.c \
    world/ranks/fork_server.c
RANKS_OBJECTS = $(RANKS_SOURCES:%.c=$(BUILD)/obj/ranks/%.o) $(BUILD)/obj/ranks/rank_missing.o

$(BUILD)/obj/ranks/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  cc    $< (ranks)")
	$(Q)$(CC) $(filter-out $(SANITIZE),$(CFLAGS)) $(CFLAGS_world) -fPIC -fvisibility=default \
	    -fno-omit-frame-pointer \
	  -fno-optimize-sibling-calls -O2 -DWORLD_PROCESSES=1 -c -o $@ $<

# Open MPI 5's Fortran library, and mpi4py built for it, refer to functions that worlds lack.
$(BUILD)/obj/ranks/rank_missing.o: $(BUILD)/gen/shims/mpich/rank_missing.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out $(SANITIZE),$(CFLAGS)) -fPIC -c -o $@ $<

$(BUILD)/ranks/libmpi.so.40: $(RANKS_OBJECTS) $(BUILD)/libprogram.a $(BUILD)/libcore.a \
    world/pmpi.sh world/ranks/exports.map
	$(Q)rm -rf $(@D)/obj && mkdir -p $(@D)/obj && for o in $(RANKS_OBJECTS); \
	    do cp $$o $(@D)/obj/ || exit 1; done
	$(Q)world/pmpi.sh $(@D)/obj/*.o
	$(Q)$(CC) $(LDFLAGS) -shared -o $@ $(patsubst %,$(@D)/obj/%,$(notdir $(RANKS_OBJECTS))) \
	    $(BUILD)/libprogram.a $(BUILD)/libcore.a -Wl,-soname,libmpi.so.40 \
	  -Wl,--version-script,world/ranks/exports.map -Wl,-Bsymbolic-functions \
	  -Wl,--exclude-libs,ALL -Wl,-z,defs -lm -lpthread -ldl

ALL += $(BUILD)/ranks/libmpi.so.40

# The copies of world/ for other ABIs are compiled with less optimisation, which takes less than
# half of the time. Exploring 720 worlds of 7 ranks takes as long as with -O3.
WORLD_COPY = -O1 -g1 -Wno-format-truncation

# For programs of other ABIs (shims/): $(1) name of the ABI, $(2) the header with its constants,
# $(3) the name of our library, $(4) further names that the program's library may have: empty
# libraries, so that the loader looks for no real one; $(5) further generated files.
SHIM_SOURCES = $(filter-out world/ranks/mpifh.c,$(RANKS_SOURCES)) world/shims/shim.c
define WORLD_SHIM
SHIM_GEN_$(1) = $$(BUILD)/gen/shims/$(1)
$$(SHIM_GEN_$(1))/mpi.h: world/shims/generate.py world/newer/newer.py world/newer/constants.h \
    $$(INTERPOSE_GENERATE) interpose/calls.table $(2) $$(WORLD_NEWER)
	$$(if $$(V),,@echo "  gen   $$@")
	$$(Q)$$(PYTHON) world/shims/generate.py $(2) interpose/calls.table $$(@D) -- $$(CC) \
	    $$(INTERPOSE_MPI)
# The same functions of the system as for Open MPI's ABI, and none of Open MPI's own names.
$$(SHIM_GEN_$(1))/exports.map: world/ranks/exports.map
	@mkdir -p $$(@D)
	$$(Q)sed 's/OMPI_\*; ompi_\*; mpi_\*; pmpi_\*;/MPIR_*; MPII_*;/' $$< >$$@
$$(SHIM_GEN_$(1))/shim_calls.c $$(SHIM_GEN_$(1))/shim_missing.c \
    $$(SHIM_GEN_$(1))/rank_missing.c: $$(SHIM_GEN_$(1))/mpi.h ;

SHIM_OBJECTS_$(1) = $$(patsubst %.c,$$(BUILD)/obj/shims/$(1)/%.o, \
    $$(filter-out %/fork_server.c,$$(SHIM_SOURCES)) $$(wildcard world/shims/$(1).c) \
    shim_calls.c $(5) \
    world/ranks/fork_server.c)
SHIM_COMPILE_$(1) = $$(CC) -I$$(SHIM_GEN_$(1)) $$(filter-out $$(SANITIZE),$$(CFLAGS)) \
    $$(CFLAGS_world) $$(INTERPOSE_MPI) -fPIC -fvisibility=default -fno-omit-frame-pointer \
    -fno-optimize-sibling-calls $$(WORLD_COPY) -DWORLD_PROCESSES=1 -DWORLD_SHIM=1 \
    -DSHIM_$(1)=1
$$(BUILD)/obj/shims/$(1)/%.o: %.c | $$(SHIM_GEN_$(1))/mpi.h
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  cc    $$< ($(1))")
	$$(Q)$$(SHIM_COMPILE_$(1)) -c -o $$@ $$<
$$(BUILD)/obj/shims/$(1)/shim_%.o: $$(SHIM_GEN_$(1))/shim_%.c
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  cc    $$<")
	$$(Q)$$(SHIM_COMPILE_$(1)) -O1 -Wno-deprecated-declarations -c -o $$@ $$<

$$(BUILD)/ranks/$(3): $$(SHIM_OBJECTS_$(1)) $$(BUILD)/libprogram.a $$(BUILD)/libcore.a \
    world/pmpi.sh $$(SHIM_GEN_$(1))/exports.map
	$$(Q)rm -rf $$(@D)/$(1) && mkdir -p $$(@D)/$(1) && for o in $$(SHIM_OBJECTS_$(1)); \
	    do cp $$$$o $$(@D)/$(1)/ || exit 1; done
	$$(Q)world/pmpi.sh $$(@D)/$(1)/*.o
	$$(Q)$$(CC) $$(LDFLAGS) -shared -o $$@ \
	    $$(addprefix $$(@D)/$(1)/,$$(notdir $$(SHIM_OBJECTS_$(1)))) $$(BUILD)/libprogram.a \
	    $$(BUILD)/libcore.a -Wl,-soname,$(3) \
	  -Wl,--version-script,$$(SHIM_GEN_$(1))/exports.map -Wl,-Bsymbolic-functions \
	  -Wl,--exclude-libs,ALL -Wl,-z,defs -lm -lpthread -ldl
$(addprefix $$(BUILD)/ranks/,$(4)): $$(BUILD)/ranks/%:
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -shared -nostdlib -o $$@ -Wl,-soname,$$* -x c /dev/null

WORLD_SHIMS += $(addprefix $$(BUILD)/ranks/,$(3) $(4))
endef
$(eval $(call WORLD_SHIM,mpich,world/shims/mpich.h,libmpi.so.12,libmpich.so.12, \
    shim_missing.c))
$(eval $(call WORLD_SHIM,abi,interpose/library/abi/mpi.h,libmpi_abi.so.1,libmpi_abi.so.0,))
ALL += $(WORLD_SHIMS)

# Runs worlds of processes; needs no MPI.
$(BUILD)/libprocesses.a: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard world/processes/*.c))
	$(Q)rm -f $@ && ar rcs $@ $^

ALL += $(BUILD)/libprocesses.a

# --- tests ----------------------------------------------------------------------------------------

WORLD_TESTS = $(patsubst tests/world/%.c,$(BUILD)/tests/world/%,$(wildcard tests/world/*.c))
$(WORLD_TESTS): $(BUILD)/tests/world/%: tests/world/%.c $(BUILD)/hot/libworld.a \
    $(BUILD)/hot/libreplay.a $(BUILD)/libprogram.a $(BUILD)/hot/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(MPI_CFLAGS) -o $@ $< $(BUILD)/hot/libworld.a \
	    $(BUILD)/hot/libreplay.a $(BUILD)/libprogram.a $(BUILD)/hot/libcore.a -lm

TESTS += $(WORLD_TESTS)

PROCESS_TESTS = $(BUILD)/tests/run_worlds $(BUILD)/tests/interface
$(PROCESS_TESTS): $(BUILD)/tests/%: tests/world/processes/%.c $(BUILD)/libprocesses.a \
    $(BUILD)/libreplay.a $(BUILD)/libprogram.a $(BUILD)/libcore.a \
                  | $(BUILD)/ranks/libmpi.so.40
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $< $(BUILD)/libprocesses.a $(BUILD)/libreplay.a \
	    $(BUILD)/libprogram.a $(BUILD)/libcore.a -lm

TESTS += $(PROCESS_TESTS)

.PHONY: bench-explore
bench-explore: $(BUILD)/tests/run_worlds
	@tests/bench/explore.bash $(BUILD)
