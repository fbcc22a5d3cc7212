"""Settings of mpirun for tests, benchmarks and documents: root may start jobs, with more ranks than
cores, and jobs need no more than a container without privileges has. A small job spends most of its
CPU time on its start: more than half of that was spent on exploring the whole machine and on
loading parts of MPI libraries that are for other machines (networks, displays) or are off by
default. The settings do not name the layer that matches messages: with ob1 named, 3 of 500 jobs of
Open MPI 4.1 died in MPI_Finalize, called back by a part that was unloaded; without, none of 2,000.
As a command it prints settings for a shell: eval "$(mpirun.py)"."""

MPIRUN = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "emulated",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mtl": "^ofi,psm,psm2",
    "PRTE_MCA_rmaps_default_mapping_policy": "slot:oversubscribe",  # of Open MPI 5
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "PMIX_MCA_gds": "hash",
    # More cores than any test has ranks: Open MPI 5 maps spawned ranks to cores of their own.
    "HWLOC_SYNTHETIC": "core:64 pu:1",
    "HWLOC_PLUGINS_PATH": "/nonexistent",
    "UCX_TLS": "self,posix",  # of MPICH
    "UCX_RNDV_THRESH": "65536",  # a megabyte is not buffered: UCX 1.18 would, over shared memory
    "UCX_ERROR_SIGNALS": "",  # it prints stacks of its own where a rank dies
}

if __name__ == "__main__":
    import shlex

    print("\n".join(f"export {name}={shlex.quote(value)}" for name, value in MPIRUN.items()))
