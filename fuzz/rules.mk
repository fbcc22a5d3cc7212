# The in-process MPI (replay/inproc) and the fuzzing harness on top of it.

CFLAGS_replay_inproc_ = $(MPI_CFLAGS) -O3 -fno-plt
CFLAGS_fuzz_ = $(MPI_CFLAGS)

$(BUILD)/libinproc.a: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard replay/inproc/*.c))
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/fuzz/bench: fuzz/bench.c $(BUILD)/libinproc.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(MPI_CFLAGS) -O3 -o $@ $< $(BUILD)/libinproc.a $(BUILD)/libcore.a

$(BUILD)/fuzz/bench-asan: fuzz/bench.c $(BUILD)/libinproc.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(filter-out -fno-plt,$(CFLAGS)) $(MPI_CFLAGS) -fsanitize=address,undefined -o $@ $< $(BUILD)/libinproc.a $(BUILD)/libcore.a

.PHONY: bench-fuzz
bench-fuzz: $(BUILD)/fuzz/bench $(BUILD)/fuzz/bench-asan
	@$(BUILD)/fuzz/bench
	@$(BUILD)/fuzz/bench-asan

ALL += $(BUILD)/libinproc.a $(BUILD)/obj/fuzz/inproc_main.o
