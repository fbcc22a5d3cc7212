# Dynamic processes: each job has a folder of its own, and every rank of both is recorded.
# needs: openmpi<5: what spawns on Debian 13's Open MPI 5.0.7 crashes its mpirun, or never ends
. "$SOURCE/tests/interpose/lib.bash"
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo \
    # shared memory does not reach across jobs
record -n 2 "$PROGRAMS/spawn" >out 2>err || { cat out err; exit 1; }
[ "$(ls -d spool/* | wc -l)" = 2 ] || { echo "jobs: $(ls spool)"; exit 1; }
for job in spool/*; do
    SPOOL=$PWD/$job
    check <<'P'
assert len(ranks) == 2 and all(r.state == "finalized" and not r.lost for r in ranks.values())
names = [e.name for e in ranks[0].events if not e.parent]
assert names[-2:] == ["MPI_Comm_disconnect", "MPI_Finalize"] and "MPI_Bcast" in names
inter = [c for c in ranks[0].comms.values() if c["inter"]]
assert len(inter) == 1 and inter[0]["size"] == inter[0]["remote"] == 2
P
done
# The verdict says that it does not cover what the other job does in their common calls.
for job in spool/*; do
    crosswait recover -o T.db "$job" >/dev/null && crosswait check T.db >said &&
        grep -q '^verdict: clean.*; 3 calls are judged on this side only: another job takes part$' \
            said || { cat said; exit 1; }
    rm -f T.db
done
