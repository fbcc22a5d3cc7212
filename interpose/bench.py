#!/usr/bin/python3
"""What recording costs, side by side in one run: nanoseconds of CPU added per call, and percent of time added to a stencil program.
   bench.py BUILD"""
import os, re, shutil, subprocess, sys, tempfile

BUILD = os.path.abspath(sys.argv[1])
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
           OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl="self,vader", OMPI_MCA_btl_vader_single_copy_mechanism="none",
           OMPI_MCA_hwloc_base_binding_policy="none")
KINDS = [("no recorder", None, {}), ("crosswait", "", {}), ("crosswait, no library layer", "", {"CROSSWAIT_LAYER": "off"}),
         ("crosswait, digests", "", {"CROSSWAIT_PAYLOAD": "digest"})]


def run(ranks, command, kind, folder):
    name, preload, extra = kind
    spool = os.path.join(folder, "spool")
    shutil.rmtree(spool, ignore_errors=True)
    args = ["mpirun", "-n", str(ranks)]
    env = dict(ENV, **extra)
    if preload is not None:
        env["CROSSWAIT_SPOOL"] = spool
        args += ["-x", "CROSSWAIT_SPOOL", "-x", "LD_PRELOAD=" + BUILD + "/libcrosswait.so"] + [a for k in extra for a in ("-x", k)]
    return subprocess.run(args + command, env=env, capture_output=True, text=True, timeout=120, check=True).stdout


def main():
    with tempfile.TemporaryDirectory(prefix="cwbench") as folder:
        passes = 3
        best = {}
        for _ in range(passes):
            for kind in KINDS:
                value = float(run(1, [BUILD + "/tests/interpose/bench_record", "150000"], kind, folder))
                best[kind[0]] = min(best.get(kind[0], 1e9), value)
        base = best["no recorder"]
        print("recording a call (8 bytes to oneself; Irecv, Send, Wait), CPU ns a call, best of", passes)
        for name, value in best.items():
            bar = {"crosswait": "  (bar 60)", "crosswait, digests": "  (bar 100)"}.get(name, "")
            print(f"  {name:30s} {value:7.1f}" + (f"   added {value - base:6.1f}{bar}" if name != "no recorder" else ""))
        times = {}
        for _ in range(passes):
            for kind in KINDS[:2]:
                out = run(2, [BUILD + "/corpus/programs/stencil", "400", "512"], kind, folder)
                seconds = float(re.findall(r"seconds ([0-9.]+)", out)[-1])
                times[kind[0]] = min(times.get(kind[0], 1e9), seconds)
        base, ours = times["no recorder"], times["crosswait"]
        print(f"stencil, 2 ranks, 400 iterations of 512 x 512: {base:.4f} s, recorded {ours:.4f} s: {100 * (ours / base - 1):+.1f} %  (bar 2 %)")


main()
