"""Reads one trace's reports in every format and compares them: they must have the same findings, of
declared rules, and no text may be cut."""
import html, json, re, sqlite3
import xml.etree.ElementTree as xml

RANKS = 18
RULES = {"argument", "buffer", "request", "leak"}
text = open("misuse.text").read()
page = open("misuse.html").read()
found = json.load(open("misuse.json"))["findings"]
run = json.load(open("misuse.sarif"))["runs"][0]
suite = xml.parse("misuse.junit").getroot()
listed = {line.split()[0] for line in open("list.txt")}

# JSON: each finding has its rule, checker and id; no list of ranks is cut.
assert {finding["rule"] for finding in found} == RULES, found
assert {finding["checker"] for finding in found} == {"usage"}
assert [finding["id"] for finding in found] == list(range(1, len(found) + 1))
for finding in found:
    assert sorted(call["rank"] for call in finding["calls"]) == list(range(RANKS)), finding
    assert finding["repeat"] == f"crosswait check --only={finding['rule']} 'misuse.db'", finding[
        "repeat"
    ]
told = [(finding["severity"], finding["rule"], finding["title"]) for finding in found]

# The trace holds the same.
rows = (
    sqlite3.connect("misuse.db")
    .execute(
        "SELECT severity, rule, title, checker, ranks, schedule, confirmed FROM finding ORDER BY id"
    )
    .fetchall()
)
assert [row[:3] for row in rows] == told, rows
assert all(
    row[3:] == ("usage", row[4], None, 0) and len(row[4].split(",")) == RANKS for row in rows
), rows

# Text and HTML: warnings follow errors.
shown = sorted(told, key=lambda finding: ["error", "warning", "note"].index(finding[0]))
assert re.findall(r"^(error|warning|note)\[([a-z-]+)\]: (.*)$", text, re.M) == shown
headings = re.findall(r'<h3><span class="badge">(\w+)</span>([a-z-]+): (.*?)</h3>', page)
assert [
    (severity, rule, html.unescape(title)) for severity, rule, title in headings
] == shown, headings

# Ranks that do the same are one entry for people.
assert re.search(
    r"^ --> misuse.c:\d+   ranks 0-17   in main\n   \|\n\d+ \|     MPI_Type_contiguous\(",
    text,
    re.M,
), "no group of ranks"
assert "<td>ranks 0-17<" in page, "no group of ranks in the page"


def ranks_of(places):
    """Returns all ranks that the places name, each once."""
    ranks = []
    for place in places:
        named = re.match(r"ranks? ([\d,-]+)", place["message"]["text"])[1]
        for part in named.rstrip(",").split(","):
            first, _, last = part.partition("-")
            ranks += range(int(first), int(last or first) + 1)
    return sorted(ranks)


# SARIF: used rules are declared, and used as declared.
driver = run["tool"]["driver"]
assert driver["version"]
rules = [rule["id"] for rule in driver["rules"]]
assert len(set(rules)) == len(rules) and set(rules) <= listed, rules
assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in driver["rules"])
for result, (severity, rule, title) in zip(run["results"], told, strict=True):
    assert (result["level"], result["ruleId"]) == (severity, rule) and rules[
        result["ruleIndex"]
    ] == rule
    assert result["message"]["text"].startswith(title)
    places = result["locations"] + result["relatedLocations"]
    own = [p for p in places if not p["message"]["text"].startswith("the call whose buffer it is")]
    assert len(result["locations"]) == 1
    assert ranks_of(own) == list(range(RANKS)), own
    assert ("found by this call" in own[0]["message"]["text"]) == (len(own) != len(places))
    for place in places:
        assert place["physicalLocation"]["artifactLocation"]["uri"].endswith("misuse.c")
        assert place["physicalLocation"]["region"]["startLine"] > 1
marks = [result["partialFingerprints"]["crosswait/v1"] for result in run["results"]]
assert len(set(marks)) == len(marks)

# JUnit: one case for each rule and one for the job; cases with findings fail; the counts are right.
cases = {case.get("name"): case for case in suite.iter("testcase")}
assert set(cases) == {"crosswait.job"} | {"crosswait." + rule for rule in rules}
failed = {name for name, case in cases.items() if case.find("failure") is not None}
assert failed == {"crosswait." + rule for rule in RULES}, failed
for severity, rule, title in told:
    assert title in "".join(cases["crosswait." + rule].find("failure").itertext())
for element in suite:
    assert int(element.get("tests")) == len(cases) and int(element.get("failures")) == len(failed)
    assert int(element.get("errors")) == 0 and int(element.get("skipped")) == len(
        suite.findall(".//skipped")
    )
