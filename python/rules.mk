# The wheel links the objects of the ordinary build again, so that they run with glibc 2.28.
WHEEL = $(BUILD)/wheel
# Debian's packages of static libraries besides those that `make deps` installs.
WHEEL_DEPS = python3-venv zlib1g-dev liblzma-dev libbz2-dev
# The command finds the system's own libraries at run time; the others become part of it.
WHEEL_SYSTEM = -lm -lpthread -ldl
WHEEL_STATIC = $(filter-out $(WHEEL_SYSTEM),$(LDLIBS)) -lz -llzma -lbz2
WHEEL_LDLIBS = $(abspath $(WHEEL))/old_glibc.o -Wl,-Bstatic $(WHEEL_STATIC) -Wl,-Bdynamic \
    $(WHEEL_SYSTEM)
DIST ?= dist
# This machine's libgcc_s.so.1 may need a newer glibc than the machine that runs the command has.
WHEEL_LDFLAGS = -B$(abspath $(WHEEL))/glibc/ -Wl,--allow-shlib-undefined

wheel: DEPS += $(WHEEL_DEPS)
wheel: deps
	@$(MAKE) --no-print-directory $(JOBS) wheel-linked

wheel-linked: $(BUILD)/crosswait $(MAN) $(OWN_LIBRARIES)
	@$(PYTHON) python/old_glibc.py "$(CC)" $(WHEEL) $(WHEEL_STATIC)
	@rm -rf $(WHEEL)/root $(WHEEL)/build && mkdir -p $(WHEEL)/build && \
	    cp -a $(BUILD)/obj $(BUILD)/gen $(WHEEL)/build/
	$(Q)$(CC) $(CFLAGS) -fPIC -c -o $(WHEEL)/old_glibc.o python/old_glibc.c
	@$(MAKE) --no-print-directory $(JOBS) BUILD=$(WHEEL)/build LDFLAGS="$(WHEEL_LDFLAGS)" \
	    LDLIBS="$(WHEEL_LDLIBS)" PREFIX=/ DESTDIR=$(abspath $(WHEEL))/root install-command \
	    >$(WHEEL)/log 2>&1 || { tail -20 $(WHEEL)/log >&2; exit 1; }
	@$(PYTHON) python/wheel.py $(VERSION) $(WHEEL) $(DIST)
.PHONY: wheel-linked
