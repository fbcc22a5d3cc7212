# Benchmarks of the engine: one program a file in tests/bench, built like a unit test.
$(BUILD)/tests/bench/%: tests/bench/%.c $(LIBS) | $(INTERPOSE_GEN)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  bench $<")
	$(Q)$(CC) $(CFLAGS) -o $@ $< $(LIBS) $(LDLIBS)

.PHONY: bench-timed
bench-timed: $(BUILD)/tests/bench/bench_timed
	@$<

.PHONY: bench-logical
bench-logical: $(BUILD)/tests/bench/bench_logical
	@$<

.PHONY: bench-symbolic
bench-symbolic: $(BUILD)/tests/bench/bench_symbolic
	@$<
