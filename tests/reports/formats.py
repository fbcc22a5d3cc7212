"""Checks the machine-readable reports against the trace itself: formats.py T.db SARIF JUNIT
PERFETTO GOAL. Prints what was checked."""
import json, re, sqlite3, sys
import xml.etree.ElementTree as xml
from perfetto import Timeline

trace, sarif, junit, perfetto, goal = sys.argv[1:]
db = sqlite3.connect(trace)


def expect(condition, what):
    if not condition:
        sys.exit(f"{what}")


def findings_by_severity(*severity):
    return [
        json.loads(row[0])
        for row in db.execute("SELECT json FROM finding ORDER BY id")
        if json.loads(row[0])["severity"] in severity
    ]


def is_of_program(finding):
    """Tells whether a report lists the finding: not if it only limits the verdict, or the job did
    not confirm it."""
    faint = finding["assumed"] and not finding.get("undecided") and finding["severity"] == "note"
    return not finding.get("reach") and not (
        faint and finding["live"] not in ("not tried", "confirmed")
    )


def check_sarif():
    run = json.load(open(sarif))["runs"][0]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    every = findings_by_severity("note", "warning", "error")
    found = [finding for finding in every if is_of_program(finding)]
    expect(
        len(run["results"]) == len(found),
        "SARIF has another number of results than the trace has findings of the program",
    )
    notes = run["invocations"][0].get("toolExecutionNotifications", [])
    expect(
        [note["message"]["text"] for note in notes]
        == [finding["title"] for finding in every if not is_of_program(finding)],
        "what says how far the judgement reaches is no notification",
    )
    for result, finding in zip(run["results"], found):
        expect(result["ruleId"] in rules, f"rule {result['ruleId']} is not described")
        expect(result["level"] == finding["severity"], "level")
        places = [
            place["physicalLocation"]
            for place in result["locations"] + result["relatedLocations"]
            if "physicalLocation" in place
        ]
        sites = [
            f"{place['artifactLocation']['uri'].rsplit('/', 1)[-1]}:{place['region']['startLine']}"
            for place in places
        ]
        own = set()
        for call in finding["calls"]:
            own |= {call[key] for key in ("site", "subject_site") if call.get(key)}
        expect(set(sites) == own if own else len(sites) == 1, f"places {sites}")
        expect(len(sites) <= max(len(finding["calls"]) * 2, 1), "a place for each rank")
        expect("physicalLocation" in result["locations"][0], "no place in a file")
    marks = [result["partialFingerprints"]["crosswait/v1"] for result in run["results"]]
    expect(len(set(marks)) == len(marks), "two findings have one fingerprint")
    print("sarif: a result a finding")


def check_junit():
    suite = xml.parse(junit).getroot()[0]
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    expect(
        int(suite.get("tests")) == len(cases) == len(suite.findall("testcase")),
        "the number of tests",
    )
    failed = {name for name, case in cases.items() if case.find("failure") is not None}
    expect(int(suite.get("failures")) == len(failed), "the number of failures")
    wrong = {"crosswait." + finding["rule"] for finding in findings_by_severity("warning", "error")}
    expect(failed - {"crosswait.job"} == wrong, f"{failed} fail, not {wrong}")
    rules = {
        "crosswait." + rule["id"]
        for rule in json.load(open(sarif))["runs"][0]["tool"]["driver"]["rules"]
    }
    expect(set(cases) == rules | {"crosswait.job"}, "the cases are not the rules")
    print("junit: a case a rule, a failure a rule of which there are findings")


def check_perfetto():
    line = Timeline(perfetto)
    slices = [(line.tracks[track], one) for track, all_of in line.slices.items() for one in all_of]
    expect(
        len(slices) == db.execute("SELECT count(*) FROM event").fetchone()[0],
        "another number of slices than events",
    )
    names = sorted(
        db.execute(
            "SELECT call, t_enter, t_leave FROM event WHERE t_leave IS NOT NULL AND parent IS NULL"
            " AND repeat = 1"
        )
    )
    expect(
        sorted((one[2], one[0], one[1]) for _, one in slices if one[1] is not None and not one[7])
        == names,
        "calls at other times",
    )
    places = {
        f"{file}:{number}"
        for file, number in db.execute("SELECT file, line FROM site WHERE line IS NOT NULL")
    }
    expect(
        all(one[3].startswith(one[2] + "(") for _, one in slices),
        "a call that does not tell its arguments",
    )
    expect(
        {one[3].rsplit(" at ", 1)[1] for _, one in slices if " at " in one[3]} >= places,
        "a place is not told",
    )
    for track in line.slices.values():
        around = []
        for start, end, *_ in sorted(track, key=lambda one: (one[0], one[4])):
            end = 1 << 62 if end is None else end
            while around and around[-1] <= start:
                around.pop()
            expect(not around or end <= around[-1], "slices of a track overlap")
            around.append(end)
    ends = {}
    for _, (start, end, _, _, _, out, into, _, _) in slices:
        for flow in out:
            ends.setdefault(flow, [None, None])[0] = start
        for flow in into:
            ends.setdefault(flow, [None, None])[1] = end
    expect(
        all(None not in pair and pair[0] <= pair[1] for pair in ends.values()),
        "an arrow without an end, or back in time",
    )
    polls = sum(one[8] > 1 for _, one in slices)
    expect(
        polls == db.execute("SELECT count(*) FROM event WHERE repeat > 1").fetchone()[0],
        "another number of polls",
    )
    unfinished = db.execute("SELECT count(*) FROM event WHERE t_leave IS NULL").fetchone()[0]
    expect(
        line.unfinished == unfinished == sum(one[1] is None for _, one in slices),
        "calls that did not return",
    )
    print(
        "perfetto: every event a slice,"
        f" {'some' if ends else 'no'} arrows{', polls' if polls else ''}"
    )


def check_goal():
    """Runs the schedule: every operation must complete, every receive must have its send."""
    ranks, rank = {}, None
    for line in open(goal):
        if match := re.fullmatch(r"rank (\d+) \{\n", line):
            rank = ranks.setdefault(int(match[1]), {})
        elif match := re.fullmatch(
            r"l(\d+): (send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)\n", line
        ):
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
                in_flight[channel] = (
                    in_flight.get(channel, 0) + {"send": 1, "recv": -1, "calc": 0}[kind]
                )
                done[number].add(label)
                more = True
    expect(
        all(len(done[number]) == len(ranks[number]) for number in ranks),
        "the schedule does not come to its end",
    )
    expect(not any(in_flight.values()), "messages are left over")
    print("goal: comes to its end")


check_sarif()
check_junit()
check_perfetto()
check_goal()
