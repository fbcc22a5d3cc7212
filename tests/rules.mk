# Helpers of script tests, one file a program, in build/tests/tools; and benches that need no MPI, in build/tests/bench.
TOOLS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/tools/*.c))
BENCHES = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/bench/*.c))

$(TOOLS) $(BENCHES): $(BUILD)/tests/%: tests/%.c $(LIBS)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  test  $<")
	$(Q)$(CC) $(CFLAGS) -o $@ $< $(LIBS) $(LDLIBS)

TESTS += $(TOOLS)

.PHONY: bench-store
bench-store: $(BUILD)/tests/bench/bench_store
	@$(BUILD)/tests/bench/bench_store

# Programs of the launcher's tests, on real MPI.
LAUNCH_PROGRAMS = $(patsubst tests/launch/programs/%.c,$(BUILD)/tests/launch/%,$(wildcard tests/launch/programs/*.c))
$(BUILD)/tests/launch/%: tests/launch/programs/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)mpicc -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -MMD -MF $@.d -o $@ $<
TESTS += $(LAUNCH_PROGRAMS)
