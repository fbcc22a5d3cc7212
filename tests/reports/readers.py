"""Gives files to readers of other projects: readers.py (NAME FILE)... Runs with the Python of the
environment that has them (tests/mpi/versions.txt). junit: junitparser; sarif: pydantic's model of
its schema, which also refuses unknown fields; gitlab: jsonschema with the rules of GitLab's
documentation (codequality.json), as GitLab publishes neither schema nor reader; markdown: GitHub's
own cmark-gfm; github: github-action-utils, which writes the annotations once more (in an
environment of its own); mermaid: Mermaid itself, in a browser, reads the diagrams of Markdown;
other names: the schema by which editors check the files of CI systems. Prints what each reader
saw."""
import contextlib, importlib.util, io, json, os, re, subprocess, sys, urllib.parse


def package(name):
    """Returns the folder of a package that is only read for its data, as it cannot run here."""
    return importlib.util.find_spec(name).submodule_search_locations[0]


def junit(path):
    from junitparser import Failure, JUnitXml

    for suite in JUnitXml.fromfile(path):
        cases = list(suite)
        failed = [c.name for c in cases if any(isinstance(r, Failure) for r in c.result)]
        assert (suite.tests, suite.failures) == (len(cases), len(failed))
        assert all(case.classname and case.time is not None for case in cases)
        print(f"junitparser: {suite.name}: {', '.join(failed)}")


def sarif(path):
    from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

    runs = Sarif.model_validate(json.load(open(path))).runs
    print(f"SARIF's schema: {len(runs)} runs, {sum(len(run.results) for run in runs)} results")


def mermaid(path):
    from browser import Browser

    folder = os.environ["TMPDIR"]
    with open(f"{folder}/mermaid.js", "w") as script, open(f"{folder}/mermaid.html", "w") as page:
        bundle = open(f"{package('mermaid_parser')}/js/parser.bundle.js").read()
        script.write("(function (exports, module) {" + bundle + "\n})({}, {});")
        page.write("<body data-ready='1'><script src='mermaid.js'></script>")
    browser = Browser(folder)
    browser.open(f"{folder}/mermaid.html")
    for diagram in re.findall(r"^```mermaid\n(.*?)^```$", open(path).read(), re.M | re.S):
        read = json.loads(browser.run(f"parse_mermaid({json.dumps(diagram)})"))
        print(f"mermaid: {read['graph_type']}")
    browser.close()


def markdown(path):
    page = subprocess.run(
        ["cmark-gfm", "-e", "table", path], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    for table in re.findall("<table>.*?</table>", page, re.S):
        rows = [re.findall("<t[hd]>(.*?)</t[hd]>", row) for row in table.split("<tr>")[1:]]
        assert len({len(row) for row in rows}) == 1, rows
        print(f"cmark-gfm: {' | '.join(rows[1])}")
    for heading in re.findall("<h3>(.*?)</h3>", page):
        print(f"cmark-gfm: {heading}")
    print(f"cmark-gfm: {page.count('language-mermaid')} diagrams")


def github(path):
    import github_action_utils

    form = r"::(error|warning|notice) ([^:]*)::(.*)\n"
    for line in open(path):
        kind, words, text = re.fullmatch(form, line).groups()
        values = dict(word.split("=", 1) for word in words.split(","))
        plain = {
            name.replace("endColumn", "end_column"): urllib.parse.unquote(value)
            for name, value in values.items()
        }
        with contextlib.redirect_stdout(io.StringIO()) as written:
            getattr(github_action_utils, kind)(urllib.parse.unquote(text), **plain)
        theirs = re.fullmatch(form, written.getvalue()).groups()
        assert theirs[0] == kind and theirs[2] == text, theirs
        assert sorted(theirs[1].split(",")) == sorted(words.split(",")), theirs
        print(f"github-action-utils: writes the same {kind}")


def gitlab(path):
    import jsonschema

    with open(f"{os.path.dirname(os.path.abspath(__file__))}/codequality.json") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    with open(path, "rb") as file:
        text = file.read()
    assert text[:1] == b"[", "GitLab takes no byte order mark"
    issues = json.loads(text)
    validator.validate(issues)
    marks = {issue["fingerprint"] for issue in issues}
    assert len(marks) == len(issues), "GitLab shows one issue for each fingerprint"
    for field in "description", "check_name", "fingerprint", "severity", "location":
        less = [{name: value for name, value in issues[0].items() if name != field}]
        assert not validator.is_valid(less), f"accepted without {field}"
    print(f"GitLab's rules: {len(issues)} issues")


def schema(name, path):
    import jsonschema, yaml

    with open(f"{package('check_jsonschema')}/builtin_schemas/vendor/{name}.json") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    for document in yaml.safe_load_all(open(path)):
        # YAML 1.1 reads `on` as true.
        document = {"on" if key is True else key: value for key, value in document.items()}
        for error in validator.iter_errors(document):
            print(f"{path}: {error.message[:200]}")
    print(f"{name}: {os.path.basename(path)}")


for reader, path in zip(sys.argv[1::2], sys.argv[2::2]):
    globals()[reader](path) if reader in globals() else schema(reader, path)
