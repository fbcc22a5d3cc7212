# The fuzzing harness on top of our own MPI (world/).

CFLAGS_fuzz = $(MPI_CFLAGS) -fno-semantic-interposition

# --- the harness: not instrumented, so that coverage measures the collective alone ----------------

FUZZ_HARNESS = $(basename $(wildcard fuzz/scenario/*.c)) \
    $(addprefix fuzz/,harness decisions exhaust exhaust_set certificate formula recheck \
    undecided) \
    $(addprefix fuzz/,explain shrink trial stored cost memory srcline time_limit replaced) \
    fuzz/libfuzzer_main fuzz/trace
FUZZ_HARNESS += $(addprefix explore/,ahead branch merge search failure message_diff buffers \
    state store_conflict spread clock)
$(BUILD)/libfuzz.a: $(FUZZ_HARNESS:%=$(BUILD)/obj/%.o) $(BUILD)/obj/corpus/collectives/registry.o
	$(Q)rm -f $@ && ar rcs $@ $^

# Defines what Open MPI's Fortran libraries need besides the C functions.
$(BUILD)/libfortran.a: $(BUILD)/obj/world/ranks/mpifh.o
	$(Q)rm -f $@ && ar rcs $@ $^

FUZZ_LIBS = $(BUILD)/libfuzz.a $(BUILD)/libworld.a $(BUILD)/libcheckers.a $(BUILD)/libmodel.a \
    $(BUILD)/libreplay.a $(BUILD)/libcore.a
# Comparisons are not traced, because our own mutator of scenarios does not use them; nor is the
# depth of the stack, which means nothing if ranks have stacks of their own. Emulated TLS makes
# thread-local variables global data, of which each rank gets a copy. Variables that
# the program does not write hold a pattern, not zeros.
FUZZ_SANITIZE = -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function \
    -fno-sanitize-coverage=trace-cmp,stack-depth -femulated-tls -ftrivial-auto-var-init=pattern
FUZZ_CFLAGS = -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -fstack-clash-protection \
    -fno-common -I. $(MPI_CFLAGS) -w

# --- our own corpus: all collectives and defects in one binary ------------------------------------

FUZZ_CORPUS = $(patsubst %.c,$(BUILD)/fuzz/obj/%.o, \
    $(wildcard corpus/collectives/*.c corpus/defects/*.c))
$(BUILD)/fuzz/obj/%.o: %.c fuzz/program/globals.sh fuzz/program/decided.awk
	@mkdir -p $(@D)
	$(if $(V),,@echo "  fuzz  $<")
	$(Q)$(CLANG) $(FUZZ_CFLAGS) $(FUZZ_SANITIZE) -MMD -MP -c -o $@ $< && \
	    fuzz/program/globals.sh --memory $@

FUZZ_LINK = -fsanitize=fuzzer,address,undefined \
    -Wl,--wrap=__sanitizer_install_malloc_and_free_hooks
$(BUILD)/fuzz/corpus: $(FUZZ_CORPUS) $(FUZZ_LIBS)
	$(if $(V),,@echo "  link  $@")
	$(Q)$(CLANG) $(FUZZ_LINK) -o $@ $(filter-out \
	    %/registry.o,$(FUZZ_CORPUS)) $(FUZZ_LIBS) -lm

# Defects that are harder to reach, to measure what guides the fuzzer.
$(BUILD)/fuzz/deep: $(BUILD)/fuzz/obj/fuzz/planted_hard.o $(FUZZ_LIBS)
	$(if $(V),,@echo "  link  $@")
	$(Q)$(CLANG) $(FUZZ_LINK) -o $@ $^ -lm

# --- what `crosswait fuzz` builds a user's file with, laid out as it is installed -----------------

FUZZ_SHARE = $(BUILD)/share/crosswait
FUZZ_SHARED_SOURCES = $(wildcard fuzz/real/*.c) corpus/collectives/registry.c
FUZZ_SHARED_SCENARIO = $(wildcard fuzz/scenario/*.c)
FUZZ_SHARED_SCRIPTS = fuzz/build.sh fuzz/registration.awk fuzz/wrappers.sh \
    fuzz/program/globals.sh fuzz/program/decided.awk fuzz/real/library.py
FUZZ_SHARED_HEADERS = $(wildcard fuzz/*.h fuzz/scenario/*.h replay/policy/*.h) \
    corpus/collectives/registry.h world/rule.h core/check.h core/decision/decision.h \
    core/random.h core/status.h interpose/library/newer.h world/newer/constants.h
FUZZ_SHARED = $(FUZZ_SHARE)/include/world_newer.h \
              $(FUZZ_SHARED_HEADERS:%=$(FUZZ_SHARE)/include/%) \
              $(addprefix $(FUZZ_SHARE)/src/,$(notdir $(FUZZ_SHARED_SOURCES))) \
              $(FUZZ_SHARED_SCENARIO:fuzz/%=$(FUZZ_SHARE)/src/%) \
              $(patsubst %,$(FUZZ_SHARE)/lib/lib%.a,fuzz world fortran checkers model replay core) \
              $(addprefix $(FUZZ_SHARE)/,$(notdir $(FUZZ_SHARED_SCRIPTS)))

define fuzz_share
	@mkdir -p $(@D)
	$(Q)cp $< $@
endef
$(FUZZ_SHARE)/include/%: %
	$(fuzz_share)
$(FUZZ_SHARE)/include/world_newer.h: $(WORLD_NEWER)
	$(fuzz_share)
# Copies the files that have no folder of their own there: sources for real ranks, and scripts.
define fuzz_share_flat
$(FUZZ_SHARE)/$(2)$(notdir $(1)): $(1)
	$$(fuzz_share)
endef
$(foreach f,$(FUZZ_SHARED_SOURCES),$(eval $(call fuzz_share_flat,$(f),src/)))
$(foreach f,$(FUZZ_SHARED_SCRIPTS),$(eval $(call fuzz_share_flat,$(f),)))
$(FUZZ_SHARE)/src/scenario/%: fuzz/scenario/%
	$(fuzz_share)
$(FUZZ_SHARE)/lib/%.a: $(BUILD)/%.a
	$(fuzz_share)

install: install-fuzz
install-fuzz: all
	cd $(FUZZ_SHARE) && find . -type d -exec install -d \
	    $(DESTDIR)$(PREFIX)/lib/crosswait/fuzz/{} \;
	cd $(FUZZ_SHARE) && find . -name '*.sh' -exec install -m 755 {} \
	    $(DESTDIR)$(PREFIX)/lib/crosswait/fuzz/{} \;
	cd $(FUZZ_SHARE) && find . -type f ! -name '*.sh' -exec install -m 644 {} \
	    $(DESTDIR)$(PREFIX)/lib/crosswait/fuzz/{} \;
	install -d $(DESTDIR)$(PREFIX)/share/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' fuzz/crosswait-fuzz.pc.in \
	    >$(DESTDIR)$(PREFIX)/share/pkgconfig/crosswait-fuzz.pc
	chmod 644 $(DESTDIR)$(PREFIX)/share/pkgconfig/crosswait-fuzz.pc
uninstall: uninstall-fuzz
uninstall-fuzz:
	rm -rf $(DESTDIR)$(PREFIX)/lib/crosswait/fuzz \
	    $(DESTDIR)$(PREFIX)/share/pkgconfig/crosswait-fuzz.pc
.PHONY: install-fuzz uninstall-fuzz

# --- make fuzz T=NAME TIME=60; make fuzz-smoke ----------------------------------------------------

TIME ?= 60
fuzz: $(BUILD)/fuzz/corpus
	@[ -n "$(T)" ] || { echo "make fuzz T=NAME TIME=$(TIME), NAME one of:" >&2; $< --list | \
	    cut -f1,2 >&2; exit 2; }
	@mkdir -p $(BUILD)/fuzz/found/$(T)/corpus
	CROSSWAIT_FUZZ_TARGET=$(T) $< -max_total_time=$(TIME) -len_control=0 -rss_limit_mb=4096 \
	    -malloc_limit_mb=8192 \
	  -artifact_prefix=$(BUILD)/fuzz/found/$(T)/ $(BUILD)/fuzz/found/$(T)/corpus

# Fuzzes each correct collective for a moment, and each defect until it is found.
fuzz-smoke: $(BUILD)/fuzz/corpus
	@fuzz/calibrate.py $< --seconds=20 --twin-seconds=3 --table --correct

# Writes the certificates of corpus/collectives: up to 4 ranks where that takes seconds, else 3.
CERTIFICATES = corpus/collectives/certificates.txt
CERTIFIED_TO_4 = barrier|bcast|gather|scatter|allgather
certificates: $(BUILD)/fuzz/corpus
	$(Q)mkdir -p $(BUILD)/fuzz/found/certificates && rm -f $(BUILD)/fuzz/certificates.txt
	$(Q)for ranks in 3 4; do \
	    CROSSWAIT_FUZZ_TARGET=$$($< --list | awk -F '\t' -v ranks=$$ranks '/^cw_/ && $$4 == "-" && \
	        $$7 == "-" && ($$2 ~ /^($(CERTIFIED_TO_4))$$/) == (ranks == 4) { print $$1 }' | \
	        paste -sd,) $< --exhaustive=$$ranks --out=$(BUILD)/fuzz/found/certificates \
	        >>$(BUILD)/fuzz/certificates.txt || exit 1; done
	$(Q)cp $(BUILD)/fuzz/certificates.txt $(CERTIFICATES)
.PHONY: certificates

# --- our own parsers: with a plain main for make check, with libFuzzer for make fuzz-parser -------

FUZZ_SCENARIO = $(addprefix fuzz/scenario/,scenario.c field.c schedule.c text.c mutate.c)
FUZZ_PARSERS = $(patsubst fuzz/parser/parser_%.c,%, \
    $(filter-out %/parser_main.c,$(wildcard fuzz/parser/parser_*.c)))
$(BUILD)/fuzz/parser-%: fuzz/parser/parser_%.c fuzz/parser/parser.c fuzz/parser/parser_main.c \
    $(HOT_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.c,$^) $(HOT_LIBS) $(LDLIBS)
$(BUILD)/fuzz/parser-scenario: $(FUZZ_SCENARIO)
TESTS += $(FUZZ_PARSERS:%=$(BUILD)/fuzz/parser-%)

fuzz-parser: $(BUILD)/tests/tools/spool_make $(BUILD)/crosswait $(BUILD)/libcrosswait.so
	@[ -f "fuzz/parser/parser_$(P).c" ] || { echo \
	    "make fuzz-parser P=NAME TIME=$(TIME), NAME one of: $(FUZZ_PARSERS)" >&2; exit 2; }
	@mkdir -p $(BUILD)/fuzz/found/$(P)/corpus
	$(if $(wildcard tests/fuzz/$(P)_seeds.bash),tests/fuzz/$(P)_seeds.bash $(BUILD) \
	    $(BUILD)/fuzz/found/$(P)/corpus)
	$(CLANG) -std=c11 -D_GNU_SOURCE -g -O1 -w -I. -I$(BUILD)/gen \
	    -fsanitize=fuzzer,address,undefined -fno-sanitize=function \
	  -DCORE_CHECK_HOT_ON -o $(BUILD)/fuzz/found/$(P)/fuzz fuzz/parser/parser_$(P).c \
	  fuzz/parser/parser.c $(if $(filter scenario,$(P)),$(FUZZ_SCENARIO)) $(foreach \
	  r,$(filter-out explore,$(ROOMS)),$(call room_sources,$(r)) \
  $(patsubst %.cc,$(BUILD)/obj/%.o,$(call room_shims,$(r)))) $(LDLIBS)
	$(BUILD)/fuzz/found/$(P)/fuzz -max_total_time=$(TIME) -max_len=300000 -timeout=20 \
	    -artifact_prefix=$(BUILD)/fuzz/found/$(P)/ \
	  $(BUILD)/fuzz/found/$(P)/corpus $(if $(filter trace,$(P)),,$(wildcard corpus/fuzz/$(P)))
.PHONY: fuzz-parser

# --- measurements ---------------------------------------------------------------------------------

$(BUILD)/fuzz/bench: fuzz/bench.c $(BUILD)/libworld.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(MPI_CFLAGS) -O3 -o $@ $< $(BUILD)/libworld.a $(BUILD)/libcore.a

$(BUILD)/fuzz/bench-asan: fuzz/bench.c $(BUILD)/libworld.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(CFLAGS) $(MPI_CFLAGS) -fsanitize=address,undefined -o $@ $< \
	    $(BUILD)/libworld.a $(BUILD)/libcore.a

SEEDS ?= 10
.PHONY: bench-fuzz
bench-fuzz: $(BUILD)/fuzz/bench $(BUILD)/fuzz/bench-asan $(BUILD)/fuzz/corpus $(BUILD)/fuzz/deep
	@$(BUILD)/fuzz/bench
	@$(BUILD)/fuzz/bench-asan
	@fuzz/speed.py $(BUILD)/fuzz/corpus
	@echo "time to the first finding, by axis:"
	@fuzz/calibrate.py $(BUILD)/fuzz/corpus --table --seconds=60 --only=defect_
	@echo "executions to it, median of $(SEEDS) seeds, by what the fuzzer goes by:"
	@fuzz/calibrate.py $(BUILD)/fuzz/corpus --compare=$(SEEDS) --runs=4000 --seconds=600
	@fuzz/calibrate.py $(BUILD)/fuzz/deep --compare=$(SEEDS) --runs=8000 --seconds=600

ALL += $(BUILD)/obj/fuzz/program/program_main.o $(FUZZ_SHARED)

TESTS += $(BUILD)/fuzz/corpus $(BUILD)/fuzz/deep
