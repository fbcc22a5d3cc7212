# Our own MPI: one library, which exports every MPI_ function also as PMPI_. The grammar of
# policies comes with it.
CFLAGS_world = $(MPI_CFLAGS) -O3 -fno-plt

WORLD_SOURCES = $(wildcard world/local/*.c world/exchange/*.c world/fibers/*.c replay/policy/*.c)

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

# The same for ranks that are processes: a library under the name of Open MPI's, to be preloaded.
# Fibers' threads are not its concern. fork_server.c ends the section of shared variables, so it
# comes last. The runner finds where the program called by the frame pointers.
RANKS_SOURCES = $(filter-out world/fibers/thread.c world/fibers/rank_threads.c %/fork_server.c, \
    $(WORLD_SOURCES) $(wildcard world/ranks/*.c)) world/processes/scratch.c \
    world/ranks/fork_server.c
RANKS_OBJECTS = $(RANKS_SOURCES:%.c=$(BUILD)/obj/ranks/%.o)

$(BUILD)/obj/ranks/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  cc    $< (ranks)")
	$(Q)$(CC) $(filter-out $(SANITIZE),$(CFLAGS)) $(CFLAGS_world) -fPIC -fvisibility=default \
	    -fno-omit-frame-pointer \
	  -fno-optimize-sibling-calls -DWORLD_PROCESSES=1 -c -o $@ $<

$(BUILD)/ranks/libmpi.so.40: $(RANKS_OBJECTS) $(BUILD)/libprogram.a $(BUILD)/libcore.a \
    world/pmpi.sh world/ranks/exports.map
	$(Q)rm -rf $(@D) && mkdir -p $(@D)/obj && for o in $(RANKS_OBJECTS); \
	    do cp $$o $(@D)/obj/ || exit 1; done
	$(Q)world/pmpi.sh $(@D)/obj/*.o
	$(Q)$(CC) -shared -o $@ $(patsubst %,$(@D)/obj/%,$(notdir $(RANKS_OBJECTS))) \
	    $(BUILD)/libprogram.a $(BUILD)/libcore.a -Wl,-soname,libmpi.so.40 \
	  -Wl,--version-script,world/ranks/exports.map -Wl,-Bsymbolic-functions \
	  -Wl,--exclude-libs,ALL -Wl,-z,defs -lm

ALL += $(BUILD)/ranks/libmpi.so.40

# What runs worlds of processes: needs no MPI.
$(BUILD)/libprocesses.a: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard world/processes/*.c))
	$(Q)rm -f $@ && ar rcs $@ $^

ALL += $(BUILD)/libprocesses.a

# --- tests ----------------------------------------------------------------------------------------

WORLD_TESTS = $(patsubst tests/world/%.c,$(BUILD)/tests/world/%,$(wildcard tests/world/*.c))
$(WORLD_TESTS): $(BUILD)/tests/world/%: tests/world/%.c $(BUILD)/hot/libworld.a \
    $(BUILD)/hot/libreplay.a $(BUILD)/libprogram.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(MPI_CFLAGS) -o $@ $< $(BUILD)/hot/libworld.a \
	    $(BUILD)/hot/libreplay.a $(BUILD)/libprogram.a $(BUILD)/libcore.a -lm

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
