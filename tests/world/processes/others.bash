#!/bin/bash
# usage: others.bash  By hand: programs of others, as far as they are installed (Debian: lammps,
# hpcc, libpetsc-real-dev with libpetsc3.18-dev-examples, python3-petsc4py with
# python-petsc4py-doc, python3-mpi4py, libfftw3-mpi-dev), with mpirun and in a world of processes:
# the same but for times. crosswait is on the PATH.
set -u
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
same() { # title, lines that tell times, command
    local title=$1 times=$2 plain world
    shift 2
    mpirun -n 4 "$@" 2>/dev/null | grep -Ev "$times" | sort >plain.txt
    plain=${PIPESTATUS[0]}
    crosswait explore --world-time=300 --again=order=explore -n 4 -- "$@" 2>errors.txt |
        grep -Ev "$times" | sort >world.txt
    world=${PIPESTATUS[0]}
    if [ "$plain" = 0 ] && [ "$world" = 0 ] && cmp -s plain.txt world.txt; then
        echo "$title: the same, $(wc -l <plain.txt) lines"
    else
        echo "$title: [$plain] and [$world], $(diff plain.txt world.txt |
            grep -c '^[<>]') lines differ"
        tail -3 errors.txt
    fi
}
if command -v lmp >/dev/null; then
    cat >in.melt <<'END'
units lj
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 10
run 100
END
    same LAMMPS 'CPU|time|Performance|\|' lmp -in in.melt -log none
fi
if command -v hpcc >/dev/null; then
    sed 's/^1000 *Ns/200 Ns/; s/^80 *NBs/20 NBs/' \
        "${HPCC_INPUT:-/usr/share/doc/hpcc/examples/_hpccinf.txt}" >hpccinf.txt
    ln -s /dev/stdout hpccoutf.txt # what it says is in that file
    times='[Tt]ime|[Ll]atency|[Bb]andwidth|/s|GUP|GB|STREAM|[Gg]flop|Tflop|msec|ping pong'
    times+='|max client|MPI_Wti|^(WALL|CPU) |[Rr]esidual|^(Copy|Scale|Add|Triad):|^Main|fft:'
    times+='|^W[RC]|Function|microseconds|PTRANS|clock|Node selected|Computing|^Tuning'
    same 'HPC Challenge' "$times|Hostname" hpcc
fi
demo=${PETSC4PY_DEMO:-/usr/share/doc/python-petsc4py-doc/examples/demo}
ex2=${PETSC:-/usr/share/petsc/3.18/share/petsc/examples/src}/ksp/ksp/tutorials/ex2.c
export PKG_CONFIG_PATH=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/lib/pkgconfig
if mpicc -w -o ex2 "$ex2" $(pkg-config --cflags --libs PETSc 2>/dev/null) -lm 2>/dev/null; then
    same 'PETSc, ex2' '^$' ./ex2 -m 12 -n 12 -ksp_monitor_short -ksp_type cg -pc_type bjacobi
fi
if /usr/bin/python3 -c 'import petsc4py' 2>/dev/null; then
    same 'PETSc, bratu3d' '^$' /usr/bin/python3 "$demo/bratu3d/bratu3d.py" -snes_monitor \
        -ksp_monitor
    same 'PETSc, heat' '^$' /usr/bin/python3 "$demo/ode/heat.py" -ts_monitor
fi
cat >sums.py <<'END'
from mpi4py import MPI
import array
comm = MPI.COMM_WORLD
part = array.array("d", (float(i * comm.rank) for i in range(100)))
total = array.array("d", [0.0] * 100)
comm.Allreduce(part, total)
other = comm.Split(comm.rank % 2, -comm.rank)
said = (comm.rank, other.rank, other.allgather(total[7]), comm.sendrecv(comm.rank, comm.rank ^ 1))
other.Free()
for line in comm.gather(said) or []:
    print(line)
END
if /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
    same mpi4py '^$' /usr/bin/python3 sums.py
fi
cat >fft.c <<'END'
#include <complex.h>
#include <fftw3-mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    ptrdiff_t rows, start;
    int rank;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ptrdiff_t size = fftw_mpi_local_size_2d(24, 20, MPI_COMM_WORLD, &rows, &start);
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    fftw_plan plan = fftw_mpi_plan_dft_2d(24, 20, data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                          FFTW_ESTIMATE);
    for (ptrdiff_t i = 0; i < rows * 20; i++)
        data[i] = (double)((start * 20 + i) * 7 % 11);
    fftw_execute(plan);
    for (ptrdiff_t i = 0; i < rows; i++)
        printf("%td: %.3f %.3f\n", start + i, creal(data[i * 20 + 3]), cimag(data[i * 20 + 3]));
    fftw_destroy_plan(plan);
    MPI_Finalize();
    return 0;
}
END
if mpicc ${FFTW_FLAGS-} -o fft fft.c ${FFTW_LIBS--lfftw3_mpi -lfftw3} -lm 2>/dev/null; then
    same FFTW '^$' ./fft
fi
