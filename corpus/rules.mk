# The corpus: programs, collectives, defects. A new file needs no rule here.
CORPUS_MPI_CFLAGS = -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -I. -MMD -MP

CORPUS_PROGRAMS  = $(patsubst corpus/programs/%.c,$(BUILD)/corpus/programs/%,$(wildcard corpus/programs/*.c))
CORPUS_PROGRAMS += $(patsubst corpus/programs/%.py,$(BUILD)/corpus/programs/%.py,$(wildcard corpus/programs/*.py))

$(BUILD)/corpus/programs/%: corpus/programs/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)mpicc $(CORPUS_MPI_CFLAGS) -MF $@.d -o $@ $< -lm -lpthread

$(BUILD)/corpus/programs/%.py: corpus/programs/%.py
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

ALL += $(CORPUS_PROGRAMS)
