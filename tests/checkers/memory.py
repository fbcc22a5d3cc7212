#!/usr/bin/python3
"""memory.py SOURCE TRACE CONDITION...: compares the findings on a source's buffers with its
comments (memory.c). A finding whose condition does not hold is allowed. Without debug information
there are no lines: then the test compares the number of findings."""
import collections, json, os, re, subprocess, sys

source, trace, holds = sys.argv[1], sys.argv[2], sys.argv[3:]
CONDITIONS = ("-g", "stack", "kept")
name = os.path.basename(source)
allowed, required = {}, {}
for number, line in enumerate(open(source), 1):
    finds = re.search(r"(?:/\*|//|!) finds: (.*?)(?:\*/|$)", line)
    for words in (f.split() for f in finds.group(1).split(";")) if finds else []:
        severity = next(
            (w for w in words if w in ("error", "warning", "note")),
            "error" if words[0] == "buffer" else "warning",
        )
        one = (words[0], severity)
        allowed.setdefault(number, set()).add(one)
        if all(w in holds for w in words if w in CONDITIONS):
            required.setdefault(number, set()).add(one)
found, titles = {}, []
report = subprocess.run(
    ["crosswait", "report", "--format=json", trace], capture_output=True, text=True
).stdout
for f in json.loads(report)["findings"]:
    if f["rule"] == "type":  # messages of bytes
        continue
    titles.append(f["title"] + " at " + " ".join(str(c.get("site")) for c in f["calls"]))
    for call in f["calls"]:
        place = re.search(re.escape(name) + r":(\d+)$", call.get("site") or "")
        found.setdefault(int(place.group(1)) if place else 0, []).append((f["rule"], f["severity"]))
wrong = []
if "-g" in holds:
    for line in sorted(set(allowed) | set(found)):
        if not required.get(line, set()) <= set(found.get(line, [])) <= allowed.get(line, set()):
            wrong.append(
                f"{name}:{line}: expected {sorted(required.get(line, []))}, found {found.get(line)}"
            )
else:
    counts = [
        collections.Counter(one for some in lines.values() for one in some)
        for lines in (required, found, allowed)
    ]
    if counts[0] - counts[1] or counts[1] - counts[2]:
        wrong.append(f"{name}: expected {counts[0]}, found {counts[1]}")
print("\n".join(wrong + (titles if wrong else [])), end="\n" if wrong else "")
sys.exit(bool(wrong))
