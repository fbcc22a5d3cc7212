# The in-process MPI (replay/inproc) and the fuzzing harness on top of it.

CFLAGS_replay_inproc_ = $(MPI_CFLAGS) -O3 -fno-plt
CFLAGS_fuzz_ = $(MPI_CFLAGS)

$(BUILD)/libinproc.a: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard replay/inproc/*.c)) fuzz/pmpi.sh
	$(Q)rm -rf $@ $(BUILD)/inproc && mkdir -p $(BUILD)/inproc && cp $(filter %.o,$^) $(BUILD)/inproc/
	$(Q)fuzz/pmpi.sh $(BUILD)/inproc/*.o && ar rcs $@ $(BUILD)/inproc/*.o

# --- the harness: not instrumented, so that coverage speaks of the collective alone ---------------------------------

FUZZ_HARNESS = scenario elements execute decisions harness explain cost limit target
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

# --- what `crosswait fuzz` builds a user's file with, laid out as it is installed ------------------------------------------

FUZZ_SHARE = $(BUILD)/share/crosswait
FUZZ_SHARED = $(patsubst %,$(FUZZ_SHARE)/include/%,$(wildcard fuzz/*.h corpus/collectives/registry.h)) \
              $(patsubst %,$(FUZZ_SHARE)/src/%.c,scenario elements execute decisions real_main library_main registry) \
              $(patsubst %,$(FUZZ_SHARE)/lib/lib%.a,fuzz inproc checkers replay core) \
              $(FUZZ_SHARE)/private.sh $(FUZZ_SHARE)/build.sh $(FUZZ_SHARE)/library.py

define fuzz_share
	@mkdir -p $(@D)
	$(Q)cp $< $@
endef
$(FUZZ_SHARE)/include/%: %
	$(fuzz_share)
$(FUZZ_SHARE)/src/registry.c: corpus/collectives/registry.c
	$(fuzz_share)
$(FUZZ_SHARE)/src/%.c: fuzz/%.c
	$(fuzz_share)
$(FUZZ_SHARE)/lib/%.a: $(BUILD)/%.a
	$(fuzz_share)
$(FUZZ_SHARE)/%.sh: fuzz/%.sh
	$(fuzz_share)
$(FUZZ_SHARE)/%.py: fuzz/%.py
	$(fuzz_share)

install: install-fuzz
install-fuzz: all
	cd $(FUZZ_SHARE) && find . -type d -exec install -d $(DESTDIR)$(PREFIX)/share/crosswait/{} \;
	cd $(FUZZ_SHARE) && find . -name '*.sh' -exec install -m 755 {} $(DESTDIR)$(PREFIX)/share/crosswait/{} \;
	cd $(FUZZ_SHARE) && find . -type f ! -name '*.sh' -exec install -m 644 {} $(DESTDIR)$(PREFIX)/share/crosswait/{} \;
uninstall: uninstall-fuzz
uninstall-fuzz:
	rm -rf $(DESTDIR)$(PREFIX)/share/crosswait
.PHONY: install-fuzz uninstall-fuzz

# --- make fuzz T=NAME TIME=60; make fuzz-smoke ---------------------------------------------------------------------------

TIME ?= 60
fuzz: $(BUILD)/fuzz/corpus
	@[ -n "$(T)" ] || { echo "make fuzz T=NAME TIME=$(TIME), NAME one of:" >&2; $< --list | cut -f1,2 >&2; exit 2; }
	@mkdir -p $(BUILD)/fuzz/found/$(T)/corpus
	CROSSWAIT_FUZZ_TARGET=$(T) $< -max_total_time=$(TIME) -len_control=0 -rss_limit_mb=4096 -malloc_limit_mb=8192 \
	  -artifact_prefix=$(BUILD)/fuzz/found/$(T)/ $(BUILD)/fuzz/found/$(T)/corpus

# Every correct collective for a moment; each defect until it is found.
fuzz-smoke: $(BUILD)/fuzz/corpus
	@fuzz/calibrate.py $< --seconds=20 --twin-seconds=3 --table --correct

# --- our own parsers: with a plain main for make check, with libFuzzer for make fuzz-parser P=spool TIME=60 -------------------

FUZZ_PARSERS = $(patsubst fuzz/parser_%.c,%,$(filter-out fuzz/parser_main.c,$(wildcard fuzz/parser_*.c)))
$(BUILD)/fuzz/parser-%: fuzz/parser_%.c fuzz/parser.c fuzz/parser_main.c $(LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.c,$^) $(LIBS) $(LDLIBS)
$(BUILD)/fuzz/parser-scenario: fuzz/scenario.c
TESTS += $(FUZZ_PARSERS:%=$(BUILD)/fuzz/parser-%)

fuzz-parser: $(BUILD)/crosswait $(BUILD)/libcrosswait.so
	@[ -f "fuzz/parser_$(P).c" ] || { echo "make fuzz-parser P=NAME TIME=$(TIME), NAME one of: $(FUZZ_PARSERS)" >&2; exit 2; }
	@mkdir -p $(BUILD)/fuzz/found/$(P)/corpus
	$(if $(filter trace,$(P)),tests/fuzz/trace_seeds.bash $(BUILD) $(BUILD)/fuzz/found/trace/corpus)
	$(CLANG) -std=c11 -D_GNU_SOURCE -g -O1 -w -I. -I$(BUILD)/gen -fsanitize=fuzzer,address,undefined -fno-sanitize=function \
	  -o $(BUILD)/fuzz/found/$(P)/fuzz fuzz/parser_$(P).c fuzz/parser.c $(if $(filter scenario,$(P)),fuzz/scenario.c) $(wildcard core/*.c replay/*.c checkers/*.c reports/*.c) $(LDLIBS)
	$(BUILD)/fuzz/found/$(P)/fuzz -max_total_time=$(TIME) -max_len=300000 -timeout=20 -artifact_prefix=$(BUILD)/fuzz/found/$(P)/ \
	  $(BUILD)/fuzz/found/$(P)/corpus $(if $(filter trace,$(P)),,$(wildcard corpus/fuzz/$(P)))
.PHONY: fuzz-parser

# --- measurements --------------------------------------------------------------------------------------------------------

$(BUILD)/fuzz/bench: fuzz/bench.c $(BUILD)/libinproc.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(MPI_CFLAGS) -O3 -o $@ $< $(BUILD)/libinproc.a $(BUILD)/libcore.a

$(BUILD)/fuzz/bench-asan: fuzz/bench.c $(BUILD)/libinproc.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(CFLAGS) $(MPI_CFLAGS) -fsanitize=address,undefined -o $@ $< $(BUILD)/libinproc.a $(BUILD)/libcore.a

.PHONY: bench-fuzz
bench-fuzz: $(BUILD)/fuzz/bench $(BUILD)/fuzz/bench-asan $(BUILD)/fuzz/corpus
	@$(BUILD)/fuzz/bench
	@$(BUILD)/fuzz/bench-asan
	@echo "time to the first finding, by axis:"
	@fuzz/calibrate.py $(BUILD)/fuzz/corpus --table --seconds=60 --only=defect_

ALL += $(BUILD)/obj/fuzz/inproc_main.o $(FUZZ_SHARED)

# --- tests of the in-process MPI -----------------------------------------------------------------------------------------

INPROC_TESTS = $(patsubst tests/inproc/%.c,$(BUILD)/tests/inproc/%,$(wildcard tests/inproc/*.c))
$(INPROC_TESTS): $(BUILD)/tests/inproc/%: tests/inproc/%.c $(BUILD)/libinproc.a $(BUILD)/libreplay.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(MPI_CFLAGS) -o $@ $< $(BUILD)/libinproc.a $(BUILD)/libreplay.a $(BUILD)/libcore.a -lm

TESTS += $(BUILD)/fuzz/corpus $(INPROC_TESTS)
