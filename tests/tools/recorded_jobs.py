"""Lists jobs for tests to record: programs of the corpus, families of calls (tests/bench/jobs)."""
import glob, os, re


def jobs(build, source, families):
    """Yields (name, ranks, command) of each family (`NAME RANKS COUNT` in a text) and of each
    program of the corpus that ends."""
    for family, ranks, n in zip(*[iter(families.split())] * 3):
        yield family, ranks, [build + "/tests/bench/jobs/families", family, n]
    for path in sorted(glob.glob(source + "/corpus/programs/*.c")):
        with open(path, errors="replace") as f:
            found = re.search(r"TEST: ranks=(\d+) args=(.*?) ?job=(\w+)", f.read(4000))
        program = build + "/corpus/programs/" + os.path.basename(path)[:-2]
        if found and found[3] != "hangs" and os.path.exists(program):
            yield os.path.basename(path), found[1], [program] + found[2].split()
