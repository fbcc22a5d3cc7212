# Our own MPI: one library, which exports every MPI_ function also as PMPI_. The grammar of policies comes with it.
CFLAGS_world = $(MPI_CFLAGS) -O3 -fno-plt

$(BUILD)/libworld.a: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard world/*/*.c replay/policy/*.c)) world/pmpi.sh
	$(Q)rm -rf $@ $(BUILD)/world && mkdir -p $(BUILD)/world && cp $(filter %.o,$^) $(BUILD)/world/
	$(Q)world/pmpi.sh $(BUILD)/world/*.o && ar rcs $@ $(BUILD)/world/*.o

# --- tests --------------------------------------------------------------------------------------

WORLD_TESTS = $(patsubst tests/world/%.c,$(BUILD)/tests/world/%,$(wildcard tests/world/*.c))
$(WORLD_TESTS): $(BUILD)/tests/world/%: tests/world/%.c $(BUILD)/libworld.a $(BUILD)/libreplay.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(MPI_CFLAGS) -o $@ $< $(BUILD)/libworld.a $(BUILD)/libreplay.a $(BUILD)/libcore.a -lm

TESTS += $(WORLD_TESTS)
