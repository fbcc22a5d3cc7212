"""What mpirun is told wherever tests, benchmarks and documents start jobs: root may, there may be
more ranks than cores, no more is asked for than a container without privileges has, and no process
looks at the whole machine before it starts (a quarter of what a small job computes). As a command
it tells a shell: eval "$(mpirun.py)"."""

MPIRUN = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "emulated",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "HWLOC_SYNTHETIC": "pu:2",
}

if __name__ == "__main__":
    print("\n".join(f"export {name}={value}" for name, value in MPIRUN.items()))
