# The search through all worlds of a program. Its tests run it on worlds of fibers.
CFLAGS_explore = $(MPI_CFLAGS)

EXPLORE_TESTS = $(patsubst tests/explore/%.c,$(BUILD)/tests/explore/%,$(wildcard tests/explore/*.c))
EXPLORE_LIBS = $(BUILD)/libexplore.a $(BUILD)/libworld.a $(BUILD)/libprocesses.a \
    $(BUILD)/libreplay.a $(BUILD)/libprogram.a $(BUILD)/libcore.a
$(EXPLORE_TESTS): $(BUILD)/tests/explore/%: tests/explore/%.c $(EXPLORE_LIBS)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  test  $<")
	$(Q)$(CC) $(CFLAGS) $(MPI_CFLAGS) -o $@ $< $(EXPLORE_LIBS) $(LDLIBS)

TESTS += $(EXPLORE_TESTS)

$(BUILD)/tests/bench/bench_spread: tests/bench/bench_spread.c $(EXPLORE_LIBS)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  bench $<")
	$(Q)$(CC) $(CFLAGS) $(MPI_CFLAGS) -o $@ $< $(EXPLORE_LIBS) $(LDLIBS)

.PHONY: bench-spread
bench-spread: $(BUILD)/tests/bench/bench_spread
	@$<
