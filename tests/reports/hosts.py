"""Reads reports like the readers in CI systems: hosts.py (junit FILE | gitlab FILE | github FILE |
markdown FILE)... Each reader here follows the rules of the real one: JUnit those of the schema
junit-10, against which Jenkins checks files; code quality, workflow commands and diagrams those in
the documentation of GitLab, GitHub and Mermaid. Prints what a reader sees."""
import json, re, sys
import xml.etree.ElementTree as xml

# Element: attributes (required ones end with "!"), and the elements that it may contain.
TIME = r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?"
OUTCOME = ({"type", "message"}, set())
SCHEMA = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name!", "tests!", "failures!", "errors!", "group", "time", "skipped", "timestamp"}
        | {"hostname", "id", "package", "file", "log", "url"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name!", "time", "classname", "group"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "properties": (set(), {"property"}),
    "property": ({"name!", "value!"}, set()),
    "failure": OUTCOME,
    "error": OUTCOME,
    "skipped": OUTCOME,
    "system-out": (set(), set()),
    "system-err": (set(), set()),
}


def schema(element):
    attributes, inside = SCHEMA[element.tag]
    known = {name.rstrip("!") for name in attributes}
    assert set(element.attrib) <= known, (element.tag, element.attrib)
    missing = {name[:-1] for name in attributes if name[-1] == "!"} - set(element.attrib)
    assert not missing, (element.tag, missing)
    if element.tag.startswith("testsuite") and "time" in element.attrib:
        assert re.fullmatch(TIME, element.get("time")), element.get("time")
    for child in element:
        assert child.tag in inside, (element.tag, child.tag)
        schema(child)


def junit(path):
    root = xml.parse(path).getroot()
    assert root.tag == "testsuites"
    schema(root)
    seen = set()
    for suite in root:
        cases = suite.findall("testcase")
        # GitLab takes the first of two with the same name; Jenkins a dot for the end of a package.
        names = {(case.get("classname"), case.get("name")) for case in cases}
        assert len(names) == len(cases) == int(suite.get("tests")) and not names & seen
        assert not any("." in name for name, _ in names)
        seen |= names
        failed = [case for case in cases if case.find("failure") is not None]
        assert len(failed) == int(suite.get("failures"))
        print(f"junit: {suite.get('name')}: {', '.join(case.get('name') for case in failed)}")


def gitlab(path):
    found = json.load(open(path))
    assert isinstance(found, list)
    for one in found:
        assert one["description"] and one["check_name"]
        assert (one["type"], one["categories"]) == ("issue", ["Bug Risk"])  # read by Jenkins
        assert one["severity"] in ("info", "minor", "major", "critical", "blocker")
        place = one["location"]["path"]
        assert place and not place.startswith(("./", "/")), place
        assert isinstance(one["location"]["lines"]["begin"], int)
        print(
            f"gitlab: {one['severity']} {one['check_name']}",
            f"{place}:{one['location']['lines']['begin']}",
        )
    marks = [one["fingerprint"] for one in found]
    assert len(set(marks)) == len(marks)


def plain(text):
    assert not re.search("%(?!25|0D|0A|3A|2C)", text), text
    for code, sign in ("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"):
        text = text.replace(code, sign)
    return text


def github(path):
    for line in open(path):
        kind, properties, data = re.fullmatch(
            r"::(error|warning|notice) ([^:]*)::(.*)\n", line
        ).groups()
        of = {key: plain(value) for key, value in (p.split("=", 1) for p in properties.split(","))}
        assert set(of) <= {"file", "line", "endLine", "col", "endColumn", "title"}, of
        print(f"github: {kind} {of['file']}:{of['line']}:{of.get('col')} {of['title']}")
        print(plain(data))


def ranks_of(label):
    """Returns how many ranks the label of a timeline's row stands for, and those that it lists."""
    if match := re.fullmatch(r"(\d+) ranks, as \d+", label):
        return int(match[1]), []
    listed = []
    for part in re.fullmatch(r"ranks? ([\d,-]+)", label)[1].split(","):
        low, _, high = part.partition("-")
        listed += range(int(low), int(high or low) + 1)
    return len(listed), listed


def markdown(path):
    """Prints for each timeline the calls that did not return. Holds reports/gantt.h invariants 1
    and 2."""
    text = open(path).read()
    for ranks, left, diagram in re.findall(
        r"^### .*, (\d+) ranks.*?(?:(\d+) more ranks.*)?:\n\n```mermaid\n(.*?)^```$",
        text,
        re.M | re.S,
    ):
        assert len(diagram) <= 2000  # GitLab draws longer ones only after a click
        head, *rows = re.split(r"^  section ", diagram, flags=re.M)
        assert re.search(r"\ngantt\n  dateFormat x\n  axisFormat %[Qs] (s|ms|us|ns)\n$", head)
        hung, count = [], int(left or 0)
        for row in rows:
            label, *bars = row.splitlines()
            more, listed = ranks_of(label)
            count, before = count + more, 0
            for bar in bars:
                name, how, first, last = re.fullmatch(
                    r"  ([\w -]+) :(crit, )?(\d+), (\d+)", bar
                ).groups()
                assert before <= int(first) <= int(last)
                before = int(last)
                hung += [f"{rank} {name}" for rank in listed if how]
        assert count == int(ranks), (count, ranks)
        print("timeline:", *sorted(hung))


for reader, path in zip(sys.argv[1::2], sys.argv[2::2]):
    globals()[reader](path)
