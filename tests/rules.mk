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
