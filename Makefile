# One non-recursive Makefile. Sources are found by wildcard: a new file in a room needs no change
# here. All output is in build/. Variables: SAN=address,undefined  WERROR=1  UPDATE=1  PREFIX=
# DESTDIR=  V=1
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:

PREFIX ?= /usr/local
ifneq ($(words $(PREFIX) $(DESTDIR)),$(words $(firstword $(PREFIX)) $(firstword $(DESTDIR))))
$(error PREFIX and DESTDIR must not have spaces)
endif
VERSION = $(shell sed -n 's/^.define CORE_VERSION "\(.*\)"/\1/p' core/version.h)
BUILD  ?= build$(if $(SAN),/san)
# Keeps one spelling, as the dependencies of an object use the name that it had when compiled.
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))
CC      = gcc
CLANG   = clang
PYTHON  = /usr/bin/python3
Q       = $(if $(V),,@)
OPT    ?= -O2
WARN    = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla \
          -Werror=implicit-function-declaration -Werror=int-conversion \
          -Werror=incompatible-pointer-types \
          $(if $(WERROR),-Werror)
SANITIZE = $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -DCORE_CHECK_HOT_ON)
CFLAGS  = -std=c11 -D_GNU_SOURCE -g $(OPT) $(WARN) $(SANITIZE) -I. -I$(BUILD)/gen -MMD -MP
CXX     = $(patsubst %gcc,%g++,$(CC))
CXXFLAGS = -std=c++11 -g $(OPT) -Wall -Wextra $(if $(WERROR),-Werror) $(SANITIZE) -I. -MMD -MP
# -lotf2 if the OTF2 library is installed; without it traces of other tools are not supported.
OTF2   := $(shell $(CC) -E -include otf2/otf2.h -x c /dev/null >/dev/null 2>&1 && echo -lotf2)
LDLIBS  = -lsqlite3 -ldw -lelf -lxxhash -ljansson -lnettle -lcadical -lstdc++ $(OTF2) -lm \
          -lpthread -ldl

# Packages of Debian. `make deps` installs missing ones; README.md says what each is for. Nothing
# can be built without those of NEEDED.
NEEDED = gcc g++ libc6-dev make python3 openmpi-bin libopenmpi-dev libsqlite3-dev libdw-dev \
         libelf-dev libxxhash-dev libjansson-dev nettle-dev libcadical-dev
DEPS = $(NEEDED) libotf2-trace-dev gfortran python3-mpi4py sqlite3 libcmocka-dev clang \
       libclang-rt-dev llvm iproute2 util-linux procps
# Packages that make deb needs; make check-all also makes the Debian packages.
DEB_DEPS = dpkg-dev debhelper lintian
# Packages that only the tests need: a browser for the HTML report, the formatters, a second MPI
# library (a recorder is built for it if it is installed), a faster linker (fuzz/build.sh uses it if
# it is installed), other readers and writers of OTF2 archives, and what applies a suggested patch.
CHECK_DEPS = patch python3-venv chromium clang-format black python3-yaml mpich libmpich-dev lld \
             cmake python3-pytest libpython3-dev otf2-tools eztrace cmark-gfm

# As many jobs as cores, unless make has a -j option.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# Evaluated once, at its first use. A missing mpicc is no error, as `make deps` may install it.
MPI_CFLAGS = $(eval MPI_CFLAGS := $(shell command -v mpicc >/dev/null && \
    mpicc --showme:compile))$(MPI_CFLAGS)
MPI_LDLIBS = $(shell mpicc --showme:link)

# In the order of their includes: a room may use those before it.
ROOMS = core program store foreign replay model checkers launch reports explore
room_sources = $(filter-out $(OTF2_OTHER),$(wildcard $(1)/*.c $(1)/*/*.c))
# Sources that are not built, depending on the OTF2 library.
OTF2_OTHER = $(if $(OTF2),foreign/without_otf2.c,$(filter-out %/without_otf2.c, \
    $(wildcard foreign/*.c)))
# C++ sources, which only some libraries have.
room_shims = $(wildcard $(1)/*/*.cc)
# Targets in folder $(3) for the files in folder $(1) whose names end in $(2).
built = $(patsubst $(1)/%$(2),$(3)/%,$(wildcard $(1)/*$(2)))
room_objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(room_sources)) \
    $(patsubst %.cc,$(BUILD)/obj/%.o,$(room_shims))
LIBS = $(addprefix $(BUILD)/lib, $(addsuffix .a, \
    explore world processes reports launch checkers model replay foreign store program core))

.PHONY: all deb deps deps-mpi docs demo check check-all bench clean help install install-command \
    uninstall wheel release format format-check tidy coverage fuzz fuzz-smoke

help:
	@echo "make demo       install what is missing, build, show the main job on real MPI programs"
	@echo "make check      install what is missing, build, run the tests"
	@echo "make check-all  every test, the long ones too"
	@echo "make all        build crosswait, its library, and the corpus"
	@echo "make bench      measure the bars of the design, side by side"
	@echo "make fuzz T=NAME TIME=60    fuzz one collective of corpus/; fuzz-smoke: all, briefly"
	@echo "make docs       the sessions in docs/, outputs and pictures made anew by running them"
	@echo "make deb        Debian packages in $(BUILD)/deb"
	@echo "make wheel      what pip installs, in dist; release: the source, too, and checks"
	@echo "make install    PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)"
	@echo "make deps-mpi   MPI libraries and mpi4py from PyPI, in build/mpi (make check does it)"
	@echo "make deps | format | format-check | tidy | coverage | uninstall | clean"
	@echo "variables: SAN=address,undefined WERROR=1 UPDATE=1 V=1"

# Installs packages with root (or sudo) and apt. Without these it says what is missing, and fails
# only if nothing could be built.
deps:
	@lacks() { ! dpkg-query -W -f='$${Status}' $$1 2>/dev/null | grep -q 'ok installed'; }; \
	command -v dpkg-query >/dev/null || { \
	  echo "crosswait: no dpkg here, so nothing is installed; Debian's names of what is used:" \
	    $(DEPS) >&2; exit 0; }; \
	missing=; for p in $(DEPS); do ! lacks $$p || missing="$$missing $$p"; done; \
	[ -n "$$missing" ] || exit 0; \
	if [ "$$(id -u)" = 0 ]; then sudo=; elif command -v sudo >/dev/null; then sudo=sudo; \
	else sudo=none; fi; \
	if [ $${sudo:-root} = none ] || ! command -v apt-get >/dev/null; then \
	  needed=; for p in $(NEEDED); do ! lacks $$p || needed="$$needed $$p"; done; \
	  if [ -n "$$needed" ]; then \
	    echo "crosswait: not root, or no apt; nothing can be built without:$$needed" >&2; exit 1; \
	  fi; \
	  echo "crosswait: not root, or no apt; goes on without what needs:$$missing" >&2; exit 0; \
	fi; \
	echo "installing:$$missing"; log=$$(mktemp); \
	{ $$sudo apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends \
	  $$missing; } \
	  >"$$log" 2>&1 </dev/null || { cat "$$log" >&2; \
	  echo "crosswait: the installation failed" >&2; exit 1; }; \
	rm -f "$$log"

# Brings the MPI libraries for tests/mpi; needs the network once.
deps-mpi: DEPS += python3-venv
deps-mpi: deps
	@tests/mpi/deps.bash $(PYTHON) build/mpi check-all

# demo and check are the user's two commands. They call make again, which sees the compilers that
# deps may just have installed.
demo: deps
	@$(MAKE) --no-print-directory $(JOBS) all
	@tests/demo.sh $(BUILD)

check check-all: DEPS += $(CHECK_DEPS)
check-all: DEPS += $(DEB_DEPS) $(WHEEL_DEPS) slurm-wlm munge debootstrap
# The network brings the other libraries while the compiler has the cores.
check check-all: deps
	@tests/mpi/deps.bash $(PYTHON) build/mpi $(filter check-all,$@) & \
	  $(MAKE) --no-print-directory $(JOBS) format-check all tests; built=$$?; wait; exit $$built
	@$(PYTHON) tests/run.py --build $(BUILD) $(if $(UPDATE),--update) \
	  $(if $(filter check-all,$@),--all) $(ONLY)

# --- the rooms that are libraries -----------------------------------------------------------------

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  cc    $<")
	$(Q)$(CC) $(CFLAGS) -fPIC $(CFLAGS_$(firstword $(subst /, ,$<))) -c -o $@ $<

$(BUILD)/obj/%.o: %.cc
	@mkdir -p $(@D)
	$(if $(V),,@echo "  c++   $<")
	$(Q)$(CXX) $(CXXFLAGS) -fPIC -c -o $@ $<

define room_library
$(BUILD)/lib$(1).a: $(call room_objects,$(1))
	$$(Q)rm -f $$@ && ar qcs $$@ $$^ 2>/dev/null || printf '!<arch>\n' >$$@
endef
$(foreach r,$(ROOMS),$(eval $(call room_library,$(r))))

# Makes a C string of SQL text, so that the schema is one readable file.
$(BUILD)/gen/%_sql.h: core/trace/%.sql
	@mkdir -p $(@D)
	$(Q)sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$$/\\n"/' $< >$@
$(BUILD)/obj/store/store.o: $(BUILD)/gen/trace_schema_sql.h

# Makes C strings of the styles and scripts of pages: of HTML reports, of a figure of rounds.
$(BUILD)/gen/report_page.h: reports/html/page.css reports/html/page.js
$(BUILD)/gen/figure_page.h: cli/model/figure.css cli/model/figure.js
$(BUILD)/gen/report_page.h $(BUILD)/gen/figure_page.h:
	@mkdir -p $(@D)
	$(Q)for f in $^; do echo "static const char $$(basename $$f | tr . _)[] ="; \
	  sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$$/\\n"/' $$f; echo ";"; done >$@
$(BUILD)/obj/reports/html/page.o: $(BUILD)/gen/report_page.h
$(BUILD)/obj/cli/model/cmd_model_figure.o: $(BUILD)/gen/figure_page.h

# --- the same with the assertions of inner steps --------------------------------------------------

# Unit tests and tests of world/ also check inner steps (core/check.h): the few sources with such
# assertions are compiled a second time.
HOT_ROOMS = core replay
HOT_SOURCES := $(shell grep -lsw CORE_CHECK_HOT \
    $(foreach r,$(HOT_ROOMS) world,$(call room_sources,$(r))))
hot_objects = $(patsubst %.c,$(BUILD)/obj/hot/%.o,$(filter $(HOT_SOURCES),$(1))) \
              $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(HOT_SOURCES),$(1)))
HOT_LIBS = $(foreach l,$(LIBS),$(if $(filter $(HOT_ROOMS:%=lib%.a),$(notdir $(l))),\
    $(BUILD)/hot/$(notdir $(l)),$(l)))

$(BUILD)/obj/hot/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  cc    $< (hot)")
	$(Q)$(CC) $(CFLAGS) -fPIC $(CFLAGS_$(firstword $(subst /, ,$<))) -O2 -g1 \
	    -DCORE_CHECK_HOT_ON -c -o $@ $<

define hot_library
$(BUILD)/hot/lib$(1).a: $(call hot_objects,$(call room_sources,$(1))) \
    $(patsubst %.cc,$(BUILD)/obj/%.o,$(call room_shims,$(1)))
	@mkdir -p $$(@D)
	$$(Q)rm -f $$@ && ar qcs $$@ $$^
endef
$(foreach r,$(HOT_ROOMS),$(eval $(call hot_library,$(r))))

# --- cli ------------------------------------------------------------------------------------------

$(BUILD)/crosswait: $(call room_objects,cli) $(LIBS)
	$(if $(V),,@echo "  link  $@")
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -rdynamic -o $@ $(call room_objects,cli) $(LIBS) $(LDLIBS)

# Man pages: synopsis, options and examples are those that the command itself knows.
MAN = $(patsubst cli/man/%,$(BUILD)/man/%,$(wildcard cli/man/*.[157]))
$(BUILD)/man/%: cli/man/% cli/man/options.py $(BUILD)/crosswait
	@mkdir -p $(@D)
	$(Q)$(PYTHON) cli/man/options.py $(BUILD)/crosswait $< >$@
$(BUILD)/man/crosswait-rules.7: docs/rules.md

# --- further rooms, each with its rules beside its sources ----------------------------------------

ALL   = $(BUILD)/crosswait $(MAN)
TESTS =
include interpose/rules.mk corpus/rules.mk world/rules.mk explore/rules.mk fuzz/rules.mk \
    replay/rules.mk python/rules.mk tests/rules.mk

# meaning.c finds MPI functions by name in the generated call table.
$(BUILD)/obj/foreign/meaning.o: | $(INTERPOSE_GEN)

.DEFAULT_GOAL := all
all: $(ALL)

# --- benchmarks: every bench-NAME of the rooms, one after the other -------------------------------

BENCHES = $(sort $(shell grep -ho '^bench-[a-z]*' $(wildcard */rules.mk)))
bench: deps
	@$(MAKE) --no-print-directory $(JOBS) all
	@for b in $(BENCHES); do echo "--- $$b"; $(MAKE) --no-print-directory $$b || exit 1; done

# --- unit tests: one binary a file, linked with every room that needs no MPI ----------------------

# The tested code is optimised as in the product; the tests are not, as that would take most of the
# compilation time.

UNIT = $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))
$(BUILD)/tests/unit/%: tests/unit/%.c $(HOT_LIBS) | $(INTERPOSE_GEN)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  test  $<")
	$(Q)$(CC) $(CFLAGS) -Og -o $@ $< $(HOT_LIBS) -lcmocka $(LDLIBS)
$(BUILD)/tests/unit/test_matching: CFLAGS += $(MPI_CFLAGS) # it drives our MPI, too
tests: $(UNIT) $(TESTS)
.PHONY: tests

# --- the rest -------------------------------------------------------------------------------------

# Installs the command with its libraries and pages; fuzz/rules.mk adds what fuzzing needs.
OWN_LIBRARIES = $(RECORDERS) $(BUILD)/ranks/libmpi.so.40 $(WORLD_SHIMS)
install: all install-command
install-command: $(BUILD)/crosswait $(MAN) $(OWN_LIBRARIES)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/crosswait
	install -m 755 $(BUILD)/crosswait $(DESTDIR)$(PREFIX)/bin/
	install -m 755 $(OWN_LIBRARIES) $(DESTDIR)$(PREFIX)/lib/crosswait/
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 644 cli/completion/crosswait.bash \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/crosswait
	install -m 644 cli/completion/_crosswait $(DESTDIR)$(PREFIX)/share/zsh/site-functions/
	install -m 644 cli/completion/crosswait.fish \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/
	install -d $(DESTDIR)$(PREFIX)/lib/cmake/crosswait \
	    $(DESTDIR)$(PREFIX)/lib/crosswait/python/crosswait
	install -m 644 cmake/Crosswait.cmake cmake/crosswait-config.cmake \
	    $(DESTDIR)$(PREFIX)/lib/cmake/crosswait/
	install -m 644 python/crosswait_pytest.py $(DESTDIR)$(PREFIX)/lib/crosswait/python/
	install -m 644 python/crosswait/*.py $(DESTDIR)$(PREFIX)/lib/crosswait/python/crosswait/
	for s in 1 5 7; do install -d $(DESTDIR)$(PREFIX)/share/man/man$$s && \
	    install -m 644 $(BUILD)/man/*.$$s $(DESTDIR)$(PREFIX)/share/man/man$$s/ || exit 1; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/crosswait $(DESTDIR)$(PREFIX)/lib/crosswait/lib*
	rm -f $(DESTDIR)$(PREFIX)/lib/cmake/crosswait/*.cmake
	rm -rf $(DESTDIR)$(PREFIX)/lib/crosswait/python
	-rmdir $(DESTDIR)$(PREFIX)/lib/cmake/crosswait \
	    $(DESTDIR)$(PREFIX)/lib/crosswait 2>/dev/null
	rm -f $(foreach m,$(MAN),$(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(m)))/$(notdir \
	    $(m)))
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/crosswait \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_crosswait \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/crosswait.fish

# Makes Debian packages in $(BUILD)/deb, from copies of the source and the build. Needs dpkg-dev and
# debhelper; lintian checks the packages if it is installed.
DEB = $(abspath $(BUILD))/deb
deb: DEPS += $(DEB_DEPS)
deb: deps all
	@rm -rf $(DEB) && mkdir -p $(DEB)/crosswait-$(VERSION)
	@tar --exclude=./.git --exclude=./build --exclude=./dist --exclude=./$(BUILD) -cf - . | \
	    tar -C $(DEB)/crosswait-$(VERSION) -xf -
	@cd $(DEB)/crosswait-$(VERSION) && BUILD=$(abspath $(BUILD)) MAKEFLAGS= \
	    DEB_BUILD_OPTIONS=nocheck \
	  dpkg-buildpackage -b -us -uc -d >$(DEB)/log 2>&1 || { tail -20 $(DEB)/log >&2; exit 1; }
	@rm -rf $(DEB)/crosswait-$(VERSION)
	@if command -v lintian >/dev/null; then lintian --allow-root --fail-on error $(DEB)/*.deb; \
	    fi
	@ls $(DEB)/*.deb

# Makes the files to publish in dist: the committed source, and the wheel. Refuses before it builds.
release:
	@for file in CHANGELOG.md:'^## $(VERSION)$$' debian/changelog:'($(VERSION))' \
	    ci/conda/recipe.yaml:'^  version: $(VERSION)$$'; do \
	  grep -q -e "$${file#*:}" $${file%%:*} || \
	    { echo "crosswait: $${file%%:*} does not name version $(VERSION)" >&2; exit 1; }; done
	@[ -z "$$(git status --porcelain)" ] || \
	    { echo "crosswait: there are changes that are not committed" >&2; exit 1; }
	@$(MAKE) --no-print-directory wheel
	@git archive --prefix=crosswait-$(VERSION)/ -o $(DIST)/crosswait-$(VERSION).tar.gz HEAD
	@ls $(DIST)/crosswait-$(VERSION).tar.gz

# Updates outputs and pictures of the sessions from real runs.
docs: all
	@$(PYTHON) docs/docs.py $(BUILD) --write
	@MATRIX=1 $(PYTHON) tests/run.py --build $(BUILD) --all mpi/matrix

BLACK = black -q --preview -l 100 -S
SCRIPT_ROOMS = $(ROOMS) interpose world fuzz cli corpus docs tests python
# Files of the tree, with the given ending, that changed since they were last formatted.
FORMATTED = $(BUILD)/formatted
unformatted = find $(SCRIPT_ROOMS) -name '*.$(1)' $(shell \
    [ $(FORMATTED) -nt .clang-format ] && echo -newer $(FORMATTED))

format:
	@mkdir -p $(BUILD) && touch $(FORMATTED).next
	$(call unformatted,[ch]) -print0 | xargs -0r -n 100 clang-format -i
	$(call unformatted,py) -print0 | xargs -0r $(BLACK)
	@mv $(FORMATTED).next $(FORMATTED)

# The formatters of Debian 12 decide. Other versions format differently: with them the check is
# skipped with a message.
format-check:
	@if clang-format --version | grep -q 'version 14\.'; then \
	  mkdir -p $(BUILD) && touch $(FORMATTED).next && \
	  $(call unformatted,[ch]) -print0 | xargs -0r -n 100 clang-format --dry-run -Werror && \
	  $(call unformatted,py) -print0 | xargs -0r $(BLACK) --check && \
	  mv $(FORMATTED).next $(FORMATTED); \
	else echo "format-check: left out, it needs the formatters of Debian 12"; fi

tidy:
	clang-tidy $$(git ls-files $(ROOMS:%='%/*.c') 'cli/*.c') -- \
	  -std=c11 -D_GNU_SOURCE -I. -I$(BUILD)/gen

coverage:
	@$(MAKE) --no-print-directory $(JOBS) BUILD=build/coverage OPT="-O0 --coverage" all tests
	@$(PYTHON) tests/run.py --build build/coverage; \
	 gcov -r -s . $$(find build/coverage/obj -name '*.gcda') 2>/dev/null | grep -A1 '^File' | \
	 grep -v '^--'; \
	 rm -f *.gcov

clean:
	rm -rf build dist

-include $(shell find $(BUILD) \( -path $(BUILD)/mpi -o -path $(BUILD)/wheel \) -prune -o \
    -name '*.d' -type f -print 2>/dev/null)
