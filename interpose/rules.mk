# The library that is loaded into every rank. Wrappers are generated from calls.table and the
# installed mpi.h.
INTERPOSE_MPI = -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -DOMPI_REMOVED_USE_STATIC_ASSERT=0 $(MPI_CFLAGS)
MPICC_MPICH := $(shell command -v mpicc.mpich || command -v mpicc.mpich3)
MPICH_CFLAGS := $(if $(MPICC_MPICH),$(filter -I%,$(shell $(MPICC_MPICH) -show 2>/dev/null)))
INTERPOSE_CFLAGS = -std=c11 -D_GNU_SOURCE -g $(OPT) $(WARN) -Wno-deprecated-declarations -fPIC \
    -ftls-model=initial-exec \
                   -I. -I$(BUILD)/gen -MMD -MP
# Objects of other rooms that are linked as hidden ones: writers of spools, groups of datatypes,
# followers of a rank's records, and the grammar of policies.
INTERPOSE_LEAVES = $(addprefix core/,spool/spool_write spool/spool_fold spool/spool_loop \
  spool/spool_slow spool/spool_sum \
                       spool/signature array fault file machine random status table text work) \
                   $(addprefix program/,binding binding_code rust_name memory python) \
                   $(addprefix core/trace/,basic event event_view request) \
                   $(addprefix core/history/,coll_volume define dropped_summary epoch follow \
                   registry) \
                   $(basename $(wildcard replay/policy/*.c))

INTERPOSE_GEN = $(BUILD)/gen/interpose_calls.c
INTERPOSE_GENERATE = $(wildcard interpose/generate/*.py interpose/generate/*.c.tmpl)
INTERPOSE_SOURCES = $(wildcard interpose/*.c interpose/objects/*.c interpose/misuse/*.c)

# The header identifies the MPI library. Open MPI after 4 may declare calls that the table lacks:
# they are passed on unrecorded, and counted.
OPENMPI_MAJOR := $(shell echo OMPI_MAJOR_VERSION | \
    $(CC) -E -P $(INTERPOSE_MPI) -include mpi.h -x c - 2>/dev/null | tail -n 1)
OPENMPI_IS_4 := $(filter 4,$(OPENMPI_MAJOR))

# Rules for our recorder library of an MPI library: $(1) its name here, $(2) the folder of generated
# files, $(3) the sources specific to it, $(4) options of the generator, $(5) the name of the
# variable with its compiler's flags, $(6) the recorder library.
define INTERPOSE_LIBRARY
$(2)/interpose_calls.c: $$(INTERPOSE_GENERATE) interpose/calls.table core/trace/traits.h \
    core/trace/event.h
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  gen   $$@")
	$$(Q)$$(PYTHON) interpose/generate/generate.py $(4) interpose/calls.table $(2) -- $$(CC) \
	    $$($(5))

$(addprefix $(2)/,interpose_calls.h interpose_rows.h interpose_seldom.c interpose_body.c \
    call_meanings.h): \
    $(2)/interpose_calls.c ;

$$(BUILD)/obj/$(1)/%.o: interpose/%.c | $(2)/interpose_calls.c
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  cc    $$< ($(1))")
	$$(Q)$$(CC) -I$(2) $$(INTERPOSE_CFLAGS) $$($(5)) -c -o $$@ $$<

$$(BUILD)/obj/$(1)/interpose_%.o: $(2)/interpose_%.c
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  cc    $$<")
	$$(Q)$$(CC) -I$(2) $$(INTERPOSE_CFLAGS) $$($(5)) -c -o $$@ $$<

$$(BUILD)/$(6): $$(INTERPOSE_SOURCES:interpose/%.c=$$(BUILD)/obj/$(1)/%.o) \
    $(3:interpose/%.c=$$(BUILD)/obj/$(1)/%.o) \
                $$(BUILD)/obj/$(1)/interpose_calls.o $$(BUILD)/obj/$(1)/interpose_seldom.o \
                $$(BUILD)/obj/$(1)/interpose_body.o interpose/recorder.map \
                $$(INTERPOSE_LEAVES:%=$$(BUILD)/obj/interpose/leaf/%.o)
	$$(if $$(V),,@echo "  link  $$@")
	$$(Q)$$(CC) $$(LDFLAGS) -shared -o $$@ $$(filter %.o,$$^) \
	    -Wl,--version-script=interpose/recorder.map -Wl,-z,nodelete -Wl,-z,now -Wl,-z,defs \
	    -lpthread -ldl

RECORDERS += $$(BUILD)/$(6)
endef
$(eval $(call INTERPOSE_LIBRARY,openmpi,$(BUILD)/gen,interpose/library/openmpi.c \
    $(wildcard interpose/layer/openmpi*.c),$(if \
    $(OPENMPI_IS_4),,--newer),INTERPOSE_MPI,libcrosswait-openmpi.so))
# Sources shared by MPICH and its derivatives, and further functions that their recorders wrap.
MPICH_SOURCES = interpose/library/hydra.c interpose/library/names.c \
    $(addprefix interpose/layer/,transport.c ucx.c libfabric.c mpich_error.c)
MPICH_GENERATE = --newer --also=MPIR_Err_return_comm --also=MPIR_Err_return_win
ifneq ($(MPICC_MPICH),)
$(eval $(call INTERPOSE_LIBRARY,mpich,$(BUILD)/gen/mpich,interpose/library/mpich.c \
    $(MPICH_SOURCES),$(MPICH_GENERATE),MPICH_CFLAGS,libcrosswait-mpich.so))
endif

# The standard ABI has no installed header: interpose/library/abi/mpi.h replaces it.
ABI_CFLAGS = -Iinterpose/library/abi
$(eval $(call INTERPOSE_LIBRARY,abi,$(BUILD)/gen/abi,interpose/library/abi.c \
    $(MPICH_SOURCES),$(MPICH_GENERATE),ABI_CFLAGS,libcrosswait-abi.so))

# The object that every process of a job loads: without a libc, as it may be an audit module.
ENTRY_OBJECTS = $(patsubst interpose/entry/%,$(BUILD)/obj/entry/%.o, \
    $(wildcard interpose/entry/*.c interpose/entry/*.S))
ENTRY_CFLAGS = $(filter-out -ftls-model=%,$(INTERPOSE_CFLAGS)) -ffreestanding -fvisibility=hidden \
    -fno-stack-protector -fno-tree-loop-distribute-patterns
$(BUILD)/obj/entry/%.o: interpose/entry/%
	@mkdir -p $(@D)
	$(if $(V),,@echo "  cc    $<")
	$(Q)$(CC) $(ENTRY_CFLAGS) -c -o $@ $<
$(BUILD)/libcrosswait.so: $(ENTRY_OBJECTS)
	$(if $(V),,@echo "  link  $@")
	$(Q)$(CC) -shared -nostdlib -o $@ $^ -Wl,-soname,libcrosswait.so -Wl,-z,now \
	    -Wl,-z,initfirst
RECORDERS += $(BUILD)/libcrosswait.so

# The object that observes how threads start needs no MPI.
$(BUILD)/libcrosswait-threads.so: interpose/threads/threads.c interpose/threads/threads.h \
    core/c11_threads.h
	@mkdir -p $(@D)
	$(if $(V),,@echo "  link  $@")
	$(Q)$(CC) $(filter-out -MMD -MP,$(INTERPOSE_CFLAGS)) $(LDFLAGS) -shared -o $@ $< \
	    -Wl,-z,nodelete -lpthread -ldl
RECORDERS += $(BUILD)/libcrosswait-threads.so
ALL += $(RECORDERS)

# Wrappers have line numbers as debug information only: that of variables took a quarter of the
# compile time.
%/interpose_calls.o: INTERPOSE_CFLAGS += -g1
%/interpose_seldom.o: INTERPOSE_CFLAGS += -g1
# Half of the wrappers are for rarely made calls.
%/interpose_seldom.o: OPT = -Og

$(BUILD)/obj/interpose/leaf/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  cc    $<")
	$(Q)$(CC) $(INTERPOSE_CFLAGS) -fvisibility=hidden -c -o $@ $<

# Programs of tests/interpose, each for one test.
INTERPOSE_TESTS = $(filter-out %/plugin, \
    $(call built,tests/interpose/programs,.c,$(BUILD)/tests/interpose))
$(BUILD)/tests/interpose/%: tests/interpose/programs/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)mpicc -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Wno-stringop-overread \
	    -Wno-stringop-overflow -I. -MMD -MP -MF $@.d -o $@ $< -lpthread -ldl
TESTS += $(INTERPOSE_TESTS)
$(BUILD)/gen/illegal_calls.h: tests/interpose/illegal.py interpose/generate/table.py \
    interpose/calls.table
	@mkdir -p $(@D)
	$(Q)$(PYTHON) tests/interpose/illegal.py table interpose/calls.table $@
$(BUILD)/tests/interpose/illegal: tests/interpose/programs/illegal.c $(BUILD)/gen/illegal_calls.h
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)mpicc -std=c11 -D_GNU_SOURCE -g -O1 -w $(filter -D%,$(INTERPOSE_MPI)) -I$(BUILD)/gen \
	    -MMD -MP -MF $@.d -o $@ $<
INTERPOSE_OTHERS = counted_f77 counted_f90 counted_f08 counted_cc plugin.so
TESTS += $(patsubst %,$(BUILD)/tests/interpose/%,$(INTERPOSE_OTHERS))
$(BUILD)/tests/interpose/counted_dlopen: tests/interpose/programs/counted_dlopen.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -g -O1 $(MPI_CFLAGS) -o $@ $< -ldl

# The programs in other languages: $(1) the folder, $(2) the suffix of the library's compilers.
define INTERPOSE_LANGUAGES
$(1)/plugin.so: tests/interpose/programs/plugin.c tests/interpose/programs/counted.h
	@mkdir -p $$(@D)
	$$(Q)mpicc$(2) -std=c11 -g -O1 -Wno-stringop-overflow -shared -fPIC -o $$@ $$<
$(1)/counted_f77: tests/interpose/programs/counted_f77.f
	@mkdir -p $$(@D)
	$$(Q)mpifort$(2) -g -O1 -w -fallow-argument-mismatch -o $$@ $$<
$(1)/counted_f%: tests/interpose/programs/counted_f%.f90
	@mkdir -p $$(@D)
	$$(Q)mpifort$(2) -g -O1 -w -J$$(@D) -o $$@ $$<
$(1)/counted_cc: tests/interpose/programs/counted_cc.cc tests/interpose/programs/counted.h
	@mkdir -p $$(@D)
	$$(Q)mpicxx$(2) -g -O1 -Wno-stringop-overflow -o $$@ $$<
endef
$(eval $(call INTERPOSE_LANGUAGES,$(BUILD)/tests/interpose,))

# The same programs for MPICH, except those specific to Open MPI; Fortran ones only if MPICH's
# Fortran is installed.
ifneq ($(MPICC_MPICH),)
INTERPOSE_MPICH = $(BUILD)/mpich/interpose
INTERPOSE_MPICH_OTHERS = counted_cc plugin.so \
    $(if $(shell command -v mpifort.mpich),counted_f77 counted_f90 counted_f08)
TESTS += $(patsubst $(BUILD)/tests/interpose/%,$(INTERPOSE_MPICH)/%, \
             $(filter-out %/one_collective,$(INTERPOSE_TESTS))) \
         $(addprefix $(INTERPOSE_MPICH)/,$(INTERPOSE_MPICH_OTHERS))
$(eval $(call INTERPOSE_LANGUAGES,$(INTERPOSE_MPICH),.mpich))
$(INTERPOSE_MPICH)/counted_dlopen: tests/interpose/programs/counted_dlopen.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -g -O1 $(MPICH_CFLAGS) -o $@ $< -ldl
$(INTERPOSE_MPICH)/illegal: tests/interpose/programs/illegal.c $(BUILD)/gen/illegal_calls.h
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $< (mpich)")
	$(Q)$(MPICC_MPICH) -std=c11 -D_GNU_SOURCE -g -O1 -w -I$(BUILD)/gen -MMD -MP -MF $@.d -o $@ \
	    $<
$(INTERPOSE_MPICH)/%: tests/interpose/programs/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $< (mpich)")
	$(Q)$(MPICC_MPICH) -std=c11 -D_GNU_SOURCE -g -O1 -w -I. -MMD -MP -MF $@.d -o $@ $< \
	    -lpthread -ldl
endif

.PHONY: bench-record
bench-record: all tests
	@$(PYTHON) interpose/bench.py $(BUILD)
