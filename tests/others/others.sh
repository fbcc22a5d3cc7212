# Runs other people's programs, from Debian's packages, plain and under run: the output and exit
# status must be the same, and programs.txt must explain every finding.
# slow
# timeout: 3000
export PETSC=/usr/share/petsc/3.18/share/petsc/examples/src
export SLEPC=/usr/share/slepc/3.18/share/slepc/examples/src
export SCALAPACK=/usr/lib/x86_64-linux-gnu/scalapack/openmpi-tests
export CAF=/usr/lib/x86_64-linux-gnu/open-coarrays/openmpi/bin/OpenCoarrays-2.10.1-tests
export PKG_CONFIG_PATH=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/lib/pkgconfig
PKG_CONFIG_PATH+=:/usr/lib/slepcdir/slepc3.18/x86_64-linux-gnu-real/lib/pkgconfig
export SUNDIALS=/usr/share/doc/libsundials-dev/examples
export LIBS=/usr/lib/x86_64-linux-gnu
export OTHERS=$SOURCE/tests/others
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
exec /usr/bin/python3 "$SOURCE/tests/others/others.py"
