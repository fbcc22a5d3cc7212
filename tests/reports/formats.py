"""Checks the machine-readable reports against the trace itself: formats.py T.db SARIF JUNIT PERFETTO GOAL. Prints what was checked."""
import json, re, sqlite3, sys
import xml.etree.ElementTree as xml

trace, sarif, junit, perfetto, goal = sys.argv[1:]
db = sqlite3.connect(trace)


def expect(condition, what):
    if not condition:
        sys.exit(f"{what}")


def findings_by_severity(*severity):
    return [json.loads(row[0]) for row in db.execute("SELECT json FROM finding ORDER BY id") if json.loads(row[0])["severity"] in severity]


def check_sarif():
    run = json.load(open(sarif))["runs"][0]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    found = findings_by_severity("note", "warning", "error")
    expect(len(run["results"]) == len(found), "SARIF has another number of results than the trace has findings")
    for result, finding in zip(run["results"], found):
        expect(result["ruleId"] in rules, f"rule {result['ruleId']} is not described")
        expect(result["level"] == finding["severity"], "level")
        places = [place["physicalLocation"] for place in result["locations"] + result["relatedLocations"] if "physicalLocation" in place]
        sites = [f"{place['artifactLocation']['uri'].rsplit('/', 1)[-1]}:{place['region']['startLine']}" for place in places]
        own = [call["site"] for call in finding["calls"]]
        expect(sites == own if own else len(sites) == 1, f"places {sites}")
        expect("physicalLocation" in result["locations"][0], "no place in a file")
    marks = [result["partialFingerprints"]["crosswait/v1"] for result in run["results"]]
    expect(len(set(marks)) == len(marks), "two findings have one fingerprint")
    print("sarif: a result a finding")


def check_junit():
    suite = xml.parse(junit).getroot()[0]
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    expect(int(suite.get("tests")) == len(cases) == len(suite.findall("testcase")), "the number of tests")
    failed = {name for name, case in cases.items() if case.find("failure") is not None}
    expect(int(suite.get("failures")) == len(failed), "the number of failures")
    wrong = {"crosswait." + finding["rule"] for finding in findings_by_severity("warning", "error")}
    expect(failed - {"crosswait.job"} == wrong, f"{failed} fail, not {wrong}")
    rules = {"crosswait." + rule["id"] for rule in json.load(open(sarif))["runs"][0]["tool"]["driver"]["rules"]}
    expect(set(cases) == rules | {"crosswait.job"}, "the cases are not the rules")
    print("junit: a case a rule, a failure a rule of which there are findings")


def check_perfetto():
    events = json.load(open(perfetto))["traceEvents"]
    slices, arrows, polls = {}, {}, 0
    for event in events:
        if event["ph"] == "X":
            start = round(event["ts"] * 1000)
            slices.setdefault((event["pid"], event["tid"]), []).append((start, -start - round(event["dur"] * 1000)))
        elif event["ph"] == "b":
            polls += 1
        elif event["ph"] in "sf":
            arrows.setdefault(event["id"], {})[event["ph"]] = event
    count = sum(map(len, slices.values()))
    expect(count + polls == db.execute("SELECT count(*) FROM event").fetchone()[0], "another number of slices than events")
    for track in slices.values():
        open_ends = []
        for start, end in sorted(track):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            expect(not open_ends or -end <= open_ends[-1], "slices of a thread overlap")
            open_ends.append(-end)
    for ends in arrows.values():
        for event in ends.values():
            at = round(event["ts"] * 1000)
            expect(any(start <= at <= -end for start, end in slices[event["pid"], event["tid"]]), "an arrow ends outside every call")
        expect(ends["s"]["ts"] <= ends["f"]["ts"], "an arrow goes back in time")
    print(f"perfetto: every event a slice, {'some' if arrows else 'no'} arrows{', polls' if polls else ''}")


def check_goal():
    """Runs the schedule: every operation must come to its end, every receive have its send."""
    ranks, rank = {}, None
    for line in open(goal):
        if match := re.fullmatch(r"rank (\d+) \{\n", line):
            rank = ranks.setdefault(int(match[1]), {})
        elif match := re.fullmatch(r"l(\d+): (send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)\n", line):
            rank[int(match[1])] = (match[2], int(match[4]), int(match[5]), [])
        elif match := re.fullmatch(r"l(\d+): calc (\d+)\n", line):
            rank[int(match[1])] = ("calc", 0, 0, [])
        elif match := re.fullmatch(r"l(\d+) requires l(\d+)\n", line):
            expect(int(match[2]) in rank, "a requirement of what does not exist")
            rank[int(match[1])][3].append(int(match[2]))
        else:
            expect(line in ("\n", "}\n") or line.startswith("num_ranks "), f"not GOAL: {line}")
    done, in_flight, more = {number: set() for number in ranks}, {}, True
    while more:
        more = False
        for number, operations in ranks.items():
            for label, (kind, peer, tag, requires) in operations.items():
                if label in done[number] or not done[number].issuperset(requires):
                    continue
                channel = (number, peer, tag) if kind == "send" else (peer, number, tag)
                if kind == "recv" and not in_flight.get(channel):
                    continue
                in_flight[channel] = in_flight.get(channel, 0) + {"send": 1, "recv": -1, "calc": 0}[kind]
                done[number].add(label)
                more = True
    expect(all(len(done[number]) == len(ranks[number]) for number in ranks), "the schedule does not come to its end")
    expect(not any(in_flight.values()), "messages are left over")
    print("goal: comes to its end")


check_sarif()
check_junit()
check_perfetto()
check_goal()
