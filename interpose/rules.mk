# The library that is loaded into every rank. Wrappers are generated from calls.table and the installed mpi.h.
INTERPOSE_MPI = -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -DOMPI_REMOVED_USE_STATIC_ASSERT=0 $(MPI_CFLAGS)
INTERPOSE_CFLAGS = -std=c11 -D_GNU_SOURCE -g $(OPT) $(WARN) -Wno-deprecated-declarations -fPIC -ftls-model=initial-exec \
                   -I. -I$(BUILD)/gen -MMD -MP
# What of other rooms is linked, hidden: what writes spools, groups of datatypes, and the one grammar of policies.
INTERPOSE_LEAVES = $(addprefix core/,spool/spool_write spool/signature trace/basic array check fault random status) \
                   $(basename $(wildcard replay/policy/*.c))

INTERPOSE_GEN = $(BUILD)/gen/interpose_calls.c
INTERPOSE_GENERATE = $(wildcard interpose/generate/*.py interpose/generate/*.c.tmpl)
INTERPOSE_OBJECTS = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard interpose/*.c interpose/*/*.c)) \
                    $(BUILD)/obj/interpose/interpose_calls.o $(INTERPOSE_LEAVES:%=$(BUILD)/obj/interpose/leaf/%.o)

$(INTERPOSE_GEN): $(INTERPOSE_GENERATE) interpose/calls.table core/trace/traits.h core/trace/event.h
	@mkdir -p $(@D)
	$(if $(V),,@echo "  gen   $@")
	$(Q)$(PYTHON) interpose/generate/generate.py interpose/calls.table $(BUILD)/gen -- $(CC) $(INTERPOSE_MPI)

$(BUILD)/gen/interpose_calls.h $(BUILD)/gen/call_meanings.h: $(INTERPOSE_GEN) ;

# The library's own headers are not written for our warnings.
$(BUILD)/obj/interpose/layer/%.o: INTERPOSE_CFLAGS += -std=gnu11 -Wno-shadow -Wno-unused-parameter -Wno-sign-compare -Wno-pointer-arith

$(BUILD)/obj/interpose/%.o: interpose/%.c | $(INTERPOSE_GEN)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  cc    $<")
	$(Q)$(CC) $(INTERPOSE_CFLAGS) $(INTERPOSE_MPI) -c -o $@ $<

$(BUILD)/obj/interpose/interpose_calls.o: $(INTERPOSE_GEN)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  cc    $<")
	$(Q)$(CC) $(INTERPOSE_CFLAGS) $(INTERPOSE_MPI) -c -o $@ $<

$(BUILD)/obj/interpose/leaf/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  cc    $<")
	$(Q)$(CC) $(INTERPOSE_CFLAGS) -fvisibility=hidden -c -o $@ $<

$(BUILD)/libcrosswait.so: $(INTERPOSE_OBJECTS) $(INTERPOSE_GEN)
	$(if $(V),,@echo "  link  $@")
	$(Q)$(CC) -shared -o $@ $(INTERPOSE_OBJECTS) -Wl,--version-script=$(BUILD)/gen/interpose.map -Wl,-z,nodelete -Wl,-z,now -ldl

ALL += $(BUILD)/libcrosswait.so

# Programs of tests/interpose, each a test's own.
INTERPOSE_TESTS = $(patsubst tests/interpose/programs/%.c,$(BUILD)/tests/interpose/%,$(filter-out %/plugin.c,$(wildcard tests/interpose/programs/*.c)))
$(BUILD)/tests/interpose/%: tests/interpose/programs/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)mpicc -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Wno-stringop-overread -Wno-stringop-overflow -I. -MMD -MP -MF $@.d -o $@ $< -lpthread -ldl
TESTS += $(INTERPOSE_TESTS)
$(BUILD)/gen/illegal_calls.h: tests/interpose/illegal.py interpose/generate/table.py interpose/calls.table
	@mkdir -p $(@D)
	$(Q)$(PYTHON) tests/interpose/illegal.py table interpose/calls.table $@
$(BUILD)/tests/interpose/illegal: tests/interpose/programs/illegal.c $(BUILD)/gen/illegal_calls.h
	@mkdir -p $(@D)
	$(if $(V),,@echo "  mpicc $<")
	$(Q)mpicc -std=c11 -D_GNU_SOURCE -g -O1 -w $(filter -D%,$(INTERPOSE_MPI)) -I$(BUILD)/gen -MMD -MP -MF $@.d -o $@ $<
INTERPOSE_OTHERS = counted_f77 counted_f90 counted_f08 counted_cc plugin.so
TESTS += $(patsubst %,$(BUILD)/tests/interpose/%,$(INTERPOSE_OTHERS))
$(BUILD)/tests/interpose/plugin.so: tests/interpose/programs/plugin.c tests/interpose/programs/counted.h
	@mkdir -p $(@D)
	$(Q)mpicc -std=c11 -g -O1 -shared -fPIC -o $@ $<
$(BUILD)/tests/interpose/counted_dlopen: tests/interpose/programs/counted_dlopen.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -g -O1 $(MPI_CFLAGS) -o $@ $< -ldl
$(BUILD)/tests/interpose/counted_f77: tests/interpose/programs/counted_f77.f
	@mkdir -p $(@D)
	$(Q)mpifort -g -O1 -w -fallow-argument-mismatch -o $@ $<
$(BUILD)/tests/interpose/counted_f%: tests/interpose/programs/counted_f%.f90
	@mkdir -p $(@D)
	$(Q)mpifort -g -O1 -J$(@D) -o $@ $<
$(BUILD)/tests/interpose/counted_cc: tests/interpose/programs/counted_cc.cc tests/interpose/programs/counted.h
	@mkdir -p $(@D)
	$(Q)mpicxx -g -O1 -o $@ $<

.PHONY: bench-record
bench-record: all tests
	@$(PYTHON) interpose/bench.py $(BUILD)
