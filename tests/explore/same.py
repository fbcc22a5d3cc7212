"""Whether two results of explore (--json) say the same: how many behaviours and outcomes, whether
these are all, and each way to fail or to differ as often."""

import json
import re
import sys


def said(path):
    result = json.load(open(path))
    facts = sorted(
        (f["rule"], re.sub(r"rank \d+ prints .*", "", fact))
        for f in result["findings"]
        for fact in f.get("facts", [])
        if re.match(r"in |where |\d+ times?:", fact)
    )
    return [result[key] for key in ("behaviours", "outcomes", "complete")], facts


worlds, jobs = map(said, sys.argv[1:])
print("    the same" if worlds == jobs else f"    worlds {worlds}\n    jobs   {jobs}")
