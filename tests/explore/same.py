"""Compares two results of explore (--json), of worlds and of jobs: the numbers of behaviours and
outcomes, and of each way to fail or to differ. Jobs need not claim that these are all, because the
launcher ends the ranks of a job that fails."""

import json
import re
import sys


def said(path):
    result = json.load(open(path))
    facts = sorted(
        (f["rule"], re.sub(r"rank \d+ prints .*| that were tried$", "", fact))
        for f in result["findings"]
        for fact in f.get("facts", [])
        if re.match(r"in |where |\d+ times?:", fact)
    )
    return [result[key] for key in ("behaviours", "outcomes")], facts, result["complete"]


worlds, jobs = map(said, sys.argv[1:])
if worlds[:2] != jobs[:2] or jobs[2] > worlds[2]:
    print(f"    worlds {worlds}\n    jobs   {jobs}")
else:
    print("    the same" if worlds[2] == jobs[2] else "    the same, and there may be more")
