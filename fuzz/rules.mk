# The in-process MPI (replay/inproc) and the fuzzing harness on top of it.

CFLAGS_replay_inproc_ = $(MPI_CFLAGS) -O3 -fno-plt
CFLAGS_fuzz_ = $(MPI_CFLAGS)

$(BUILD)/libinproc.a: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard replay/inproc/*.c))
	$(Q)rm -f $@ && ar rcs $@ $^

# --- the harness: not instrumented, so that coverage speaks of the collective alone ---------------------------------

FUZZ_HARNESS = scenario elements execute harness explain cost target
$(BUILD)/libfuzz.a: $(FUZZ_HARNESS:%=$(BUILD)/obj/fuzz/%.o) $(BUILD)/obj/corpus/collectives/registry.o
	$(Q)rm -f $@ && ar rcs $@ $^

FUZZ_LIBS = $(BUILD)/libfuzz.a $(BUILD)/libinproc.a $(BUILD)/libcheckers.a $(BUILD)/libreplay.a $(BUILD)/libcore.a
FUZZ_SANITIZE = -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function
FUZZ_CFLAGS = -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -fstack-clash-protection -fno-common -I. $(MPI_CFLAGS) -w

# --- our own corpus: all collectives and defects in one binary ---------------------------------------------------------

FUZZ_CORPUS = $(patsubst %.c,$(BUILD)/fuzz/obj/%.o,$(wildcard corpus/collectives/*.c corpus/defects/*.c))
$(BUILD)/fuzz/obj/%.o: %.c fuzz/private.sh
	@mkdir -p $(@D)
	$(if $(V),,@echo "  fuzz  $<")
	$(Q)$(CLANG) $(FUZZ_CFLAGS) $(FUZZ_SANITIZE) -MMD -MP -c -o $@ $< && fuzz/private.sh $@

$(BUILD)/fuzz/corpus: $(FUZZ_CORPUS) $(FUZZ_LIBS)
	$(if $(V),,@echo "  link  $@")
	$(Q)$(CLANG) -fsanitize=fuzzer,address,undefined -o $@ $(filter-out %/registry.o,$(FUZZ_CORPUS)) $(FUZZ_LIBS) -lm

# --- measurements --------------------------------------------------------------------------------------------------------

$(BUILD)/fuzz/bench: fuzz/bench.c $(BUILD)/libinproc.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(MPI_CFLAGS) -O3 -o $@ $< $(BUILD)/libinproc.a $(BUILD)/libcore.a

$(BUILD)/fuzz/bench-asan: fuzz/bench.c $(BUILD)/libinproc.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(CFLAGS) $(MPI_CFLAGS) -fsanitize=address,undefined -o $@ $< $(BUILD)/libinproc.a $(BUILD)/libcore.a

.PHONY: bench-fuzz
bench-fuzz: $(BUILD)/fuzz/bench $(BUILD)/fuzz/bench-asan
	@$(BUILD)/fuzz/bench
	@$(BUILD)/fuzz/bench-asan

ALL += $(BUILD)/libinproc.a $(BUILD)/libfuzz.a $(BUILD)/obj/fuzz/inproc_main.o
TESTS += $(BUILD)/fuzz/corpus
