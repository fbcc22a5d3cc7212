# The corpus: programs, collectives, defects. A new file needs no rule here.
CORPUS_MPI_CFLAGS = -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -I. -MMD -MP

# Programs in Fortran are built if there is a compiler.
CORPUS_PROGRAMS = $(foreach ending,.c .cpp $(if $(shell command -v gfortran),.f90 .f), \
    $(call built,corpus/programs,$(ending),$(BUILD)/corpus/programs))
CORPUS_PROGRAMS += $(addsuffix .py,$(call built,corpus/programs,.py,$(BUILD)/corpus/programs))

# gfortran writes no dependencies on included files.
$(foreach room,corpus mpich,$(addprefix $(BUILD)/$(room)/programs/bottom_,f08 mpi)): \
    corpus/programs/bottom_body.inc

# The programs in C and Fortran, for another MPI library where it is installed.
ifneq ($(MPICC_MPICH),)
CORPUS_PROGRAMS += $(call built,corpus/programs,.c,$(BUILD)/mpich/programs)
$(BUILD)/mpich/programs/%: corpus/programs/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $< (mpich)")
	$(Q)$(MPICC_MPICH) $(CORPUS_MPI_CFLAGS) -w -MF $@.d -o $@ $< -lm -lpthread -ldl
MPIFORT_MPICH := $(shell command -v mpifort.mpich)
ifneq ($(MPIFORT_MPICH),)
CORPUS_PROGRAMS += $(foreach ending,.f .f90, \
    $(call built,corpus/programs,$(ending),$(BUILD)/mpich/programs))
$(BUILD)/mpich/programs/%: corpus/programs/%.f90
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpifort $< (mpich)")
	$(Q)$(MPIFORT_MPICH) -g -O1 -w -J$(@D) -o $@ $<
$(BUILD)/mpich/programs/%: corpus/programs/%.f
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpifort $< (mpich)")
	$(Q)$(MPIFORT_MPICH) -g -O1 -w -o $@ $<
endif
endif

CORPUS_MPICC = mpicc
$(BUILD)/corpus/programs/dlopen_mpi: CORPUS_MPICC = gcc $(MPI_CFLAGS)

$(BUILD)/corpus/programs/%: corpus/programs/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)$(CORPUS_MPICC) $(CORPUS_MPI_CFLAGS) -MF $@.d -o $@ $< -lm -lpthread -ldl

$(BUILD)/corpus/programs/%: corpus/programs/%.cpp
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicxx $<")
	$(Q)mpicxx -DOMPI_SKIP_MPICXX -std=c++17 -g -O1 -Wall -Wextra -I. -MMD -MP -MF $@.d -o $@ $<

$(BUILD)/corpus/programs/%: corpus/programs/%.f90
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpifort $<")
	$(Q)mpifort -g -O1 -J$(@D) -o $@ $<

$(BUILD)/corpus/programs/%: corpus/programs/%.f
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpifort $<")
	$(Q)mpifort -g -O1 -J$(@D) -o $@ $<

$(BUILD)/corpus/programs/%.py: corpus/programs/%.py
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

ALL += $(CORPUS_PROGRAMS)

# --- collectives: one object a file, in an archive that is linked as a whole (registry.h) ---------

corpus_objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard corpus/$(1)/*.c))
CFLAGS_corpus = $(MPI_CFLAGS) -Wno-missing-prototypes

$(BUILD)/corpus/libcollectives.a: $(call corpus_objects,collectives)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/corpus/libdefects.a: $(call corpus_objects,defects)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && ar rcs $@ $^

# --- programs over the registered collectives, under real MPI -------------------------------------

CORPUS_TESTS = $(patsubst tests/corpus/%.c,$(BUILD)/tests/corpus/%,$(wildcard tests/corpus/*.c))
CORPUS_WHOLE = -Wl,--whole-archive $(BUILD)/corpus/libcollectives.a $(BUILD)/corpus/libdefects.a \
    -Wl,--no-whole-archive

$(BUILD)/tests/corpus/%: tests/corpus/%.c $(BUILD)/corpus/libcollectives.a \
    $(BUILD)/corpus/libdefects.a
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)mpicc -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra $(SANITIZE) -I. -MMD -MP -MF $@.d -o \
	    $@ $< $(CORPUS_WHOLE) -lm

ALL   += $(BUILD)/corpus/libcollectives.a $(BUILD)/corpus/libdefects.a
TESTS += $(CORPUS_TESTS)
