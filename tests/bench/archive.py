"""Measures how many events of an OTF2 archive `import` converts in a second of computing time.
   archive.py BUILD [RANKS ROUNDS]     default 64 10000; a round of a rank has 6 events
The bar is a million."""
import os, resource, subprocess, sys, tempfile

BUILD = os.path.abspath(sys.argv[1])
RANKS, ROUNDS = (int(word) for word in sys.argv[2:4] or ("64", "10000"))
BAR = 1e6

with tempfile.TemporaryDirectory() as folder:
    subprocess.run(
        [f"{BUILD}/tests/tools/otf2_write", "A", "pairs", str(RANKS), str(ROUNDS)],
        cwd=folder,
        check=True,
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [f"{BUILD}/crosswait", "import", "A", "-o", "A.db"],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
rate = RANKS * ROUNDS * 6 / seconds
print(f"import: {rate / 1e6:.1f} million events a second, {after.ru_maxrss >> 10} MB")
sys.exit(rate < BAR)
