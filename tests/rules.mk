# Builds helpers of script tests, one program per file, in build/tests/tools. (replay/rules.mk
# builds benchmarks.)
TOOLS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/tools/*.c))

$(TOOLS): $(BUILD)/tests/%: tests/%.c $(LIBS) | $(INTERPOSE_GEN)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  test  $<")
	$(Q)$(CC) $(CFLAGS) -o $@ $< $(LIBS) $(LDLIBS)

TESTS += $(TOOLS)

# Replaces how the ranks of tests wait. Not with sanitizers, whose runtime must be loaded first.
$(BUILD)/tests/libidle.so: tests/idle.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  cc    $<")
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -g -O2 $(WARN) -fPIC -shared -MMD -MP -o $@ $< -ldl
TESTS += $(if $(SAN),,$(BUILD)/tests/libidle.so)

.PHONY: bench-store
bench-store: $(BUILD)/tests/bench/bench_store
	@$(BUILD)/tests/bench/bench_store

# Programs of the launcher's tests, on real MPI.
LAUNCH_PROGRAMS = $(call built,tests/launch/programs,.c,$(BUILD)/tests/launch)
$(BUILD)/tests/launch/%: tests/launch/programs/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)mpicc -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -MMD -MF $@.d -o $@ $<
TESTS += $(LAUNCH_PROGRAMS)

# Jobs for the benchmark of verdicts, and for the test that judging takes linear time.
BENCH_JOBS = $(call built,tests/bench/jobs,.c,$(BUILD)/tests/bench/jobs)
$(BENCH_JOBS): $(BUILD)/tests/bench/jobs/%: tests/bench/jobs/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)mpicc -std=c11 -D_GNU_SOURCE -g -O2 -pthread -Wall -Wextra -MMD -MF $@.d -o $@ $<
TESTS += $(BENCH_JOBS)

.PHONY: bench-verdict
bench-verdict: all $(BENCH_JOBS)
	@$(PYTHON) tests/bench/verdict.py $(BUILD)

.PHONY: bench-archive
bench-archive: all tests
	@$(PYTHON) tests/bench/archive.py $(BUILD)

.PHONY: bench-fold
bench-fold: all $(BENCH_JOBS)
	@$(PYTHON) tests/bench/fold.py $(BUILD)

.PHONY: bench-machines
bench-machines: all tests
	@tests/bench/machines.bash $(BUILD)

.PHONY: bench-sampling
bench-sampling: all
	@$(PYTHON) tests/bench/sampling.py $(BUILD)
