# Helpers of script tests, one file a program, in build/tests/tools. (Benches are built by
# replay/rules.mk.)
TOOLS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/tools/*.c))

$(TOOLS): $(BUILD)/tests/%: tests/%.c $(LIBS) | $(INTERPOSE_GEN)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  test  $<")
	$(Q)$(CC) $(CFLAGS) -o $@ $< $(LIBS) $(LDLIBS)

TESTS += $(TOOLS)

# What the ranks of tests wait with. A sanitizer's runtime would have to come before it.
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

# Jobs of the benchmark of verdicts, and of the test that judging grows as the job does.
BENCH_JOBS = $(call built,tests/bench/jobs,.c,$(BUILD)/tests/bench/jobs)
$(BENCH_JOBS): $(BUILD)/tests/bench/jobs/%: tests/bench/jobs/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)mpicc -std=c11 -D_GNU_SOURCE -g -O2 -pthread -Wall -Wextra -MMD -MF $@.d -o $@ $<
TESTS += $(BENCH_JOBS)

.PHONY: bench-verdict
bench-verdict: all $(BENCH_JOBS)
	@$(PYTHON) tests/bench/verdict.py $(BUILD)

.PHONY: bench-fold
bench-fold: all $(BENCH_JOBS)
	@$(PYTHON) tests/bench/fold.py $(BUILD)

.PHONY: bench-machines
bench-machines: all tests
	@tests/bench/machines.bash $(BUILD)

.PHONY: bench-sampling
bench-sampling: all
	@$(PYTHON) tests/bench/sampling.py $(BUILD)
