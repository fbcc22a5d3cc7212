# Helpers of script tests, one file a program, in build/tests/tools. (Benches are built by replay/rules.mk.)
TOOLS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/tools/*.c))

$(TOOLS): $(BUILD)/tests/%: tests/%.c $(LIBS) | $(INTERPOSE_GEN)
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

# Readers of files that may hold anything: with libFuzzer for a while (make fuzz-readers TIME=60), and as plain programs over the
# files in tests/readers/NAME, which are kept from earlier runs.
READERS = trace spool
READERS_PLAIN = $(READERS:%=$(BUILD)/tests/readers/plain_%)
READERS_FUZZ = $(READERS:%=$(BUILD)/tests/readers/fuzz_%)
READERS_SOURCES = $(call room_sources,core)

$(READERS_PLAIN): $(BUILD)/tests/readers/plain_%: tests/readers/fuzz_%.c tests/readers/readers_main.c $(LIBS)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  test  $<")
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.c,$^) $(LIBS) $(LDLIBS)

$(READERS_FUZZ): $(BUILD)/tests/readers/fuzz_%: tests/readers/fuzz_%.c $(READERS_SOURCES) $(BUILD)/gen/trace_schema_sql.h
	@mkdir -p $(@D)
	$(if $(V),,@echo "  fuzz  $<")
	$(Q)$(CLANG) -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I. -I$(BUILD)/gen \
	  -o $@ $(filter %.c,$^) $(LDLIBS)

TESTS += $(READERS_PLAIN)

.PHONY: fuzz-readers
fuzz-readers: $(READERS_FUZZ) $(BUILD)/tests/tools/spool_make $(BUILD)/crosswait
	@for r in $(READERS); do \
	  mkdir -p $(BUILD)/tests/readers/found/$$r && tests/readers/seeds.bash $(BUILD) $$r $(BUILD)/tests/readers/found/$$r && \
	  $(BUILD)/tests/readers/fuzz_$$r -max_total_time=$(or $(TIME),60) -max_len=300000 -timeout=20 -rss_limit_mb=2500 \
	    -artifact_prefix=$(BUILD)/tests/readers/found/$$r- $(BUILD)/tests/readers/found/$$r tests/readers/$$r || exit 1; done
