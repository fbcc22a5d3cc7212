"""Keeps the sessions in docs/ equal to crosswait's output: docs.py BUILD [--write]. Runs each
command of each session in an empty folder and compares its output with the document, except for
times and large numbers; prints differences and exits with 1. --write writes the output into the
document, and makes the pictures again (which needs Chromium).

In a session: ```console blocks have commands after "$ " with their output; ```c FILE.c:FROM-TO
blocks have lines of a program; comments are instructions: <!-- shell COMMAND -->, <!-- picture
FILE.png of PAGE.html at WIDTHxHEIGHT [from SELECTOR] -->, <!-- picture FILE.svg -->, <!-- rules
FILE.sarif... -->, after which everything is generated from the rules that these reports declare;
<!-- rows -->, after which everything is generated from the model's rows. The README is also such a
session. A block with [...] in it shows parts of the output, of lines or of a line, and is never
written."""
import json, os, re, shutil, subprocess, sys, tempfile, textwrap

DOCS = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(DOCS)
sys.path.insert(0, f"{SOURCE}/tests")
from mpirun import MPIRUN

BUILD, WRITE = os.path.abspath(sys.argv[1]), "--write" in sys.argv
# Times, shares, fractions, numbers of three digits and more, and digests differ from run to run; so
# do their widths, and short waits of ranks.
MASKS = [
    (r"\b[0-9a-f]{40}\b", "#"),
    (r"\b\d+\.\d+\.\d+\b", "#"),  # of an MPI library
    (r"\d[\d,]*(\.\d+)?(e[-+]?\d+)? ?(%|ns\b|us\b|ms\b|s\b|seconds?\b|/s\b)", "#"),
    (r"\d+\.\d+(e[-+]?\d+)?", "#"),
    (r"ranks? [\d,-]+ in MPI", "# in MPI"),
    (r" \(#\) and others", ""),
    (r"\d[\d,]*\d\d", "#"),
    (r"# to #", "#"),
    (r"[ \t]+", " "),
    (r"-{2,}", "--"),
    # waits and the critical path, which change if a rank loses its core for a while
    (r"^ ?(\d+)( [#0])+$", r"\1 #"),
    (r"path: \d+ steps: \d+ alphas, \d+ words", "path: # steps"),
    (r"work on rank \d+", "work on rank #"),
]


def masked(text):
    for pattern, by in MASKS:
        text = re.sub(pattern, by, text, flags=re.M)
    return [line.rstrip() for line in text.splitlines()]


class Session:
    def __init__(self, name):
        self.name, self.folder, self.lines, self.differs = name, tempfile.mkdtemp(), [], False
        for program in os.listdir(f"{DOCS}/programs"):
            shutil.copy(f"{DOCS}/programs/{program}", self.folder)
        if name.startswith(".."):
            os.symlink(BUILD, f"{self.folder}/build")
            shutil.copytree(f"{SOURCE}/corpus/programs", f"{self.folder}/corpus/programs")
        self.env = dict(
            os.environ,
            PATH=f"{BUILD}:{os.environ['PATH']}",
            LC_ALL="C.UTF-8",
            COLUMNS="120",
            **MPIRUN,
        )

    def shell(self, command):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
        )
        text = done.stdout.decode().rstrip("\n")
        return (
            text + ("\n" if text else "") + f"[exit status {done.returncode}]"
            if done.returncode
            else text
        )

    def console(self, block):
        said, expected = [], "\n".join(block)
        for line in block:
            if line.startswith("$ "):
                said.append(line)
                said += [text.rstrip() for text in self.shell(line[2:]).splitlines()]
        return self.judge(block, said)

    def program(self, info, block):
        path, first, last = re.fullmatch(r"c (\S+):(\d+)-(\d+)", info).groups()
        with open(f"{DOCS}/programs/{path}") as file:
            return self.judge(block, file.read().splitlines()[int(first) - 1 : int(last)])

    def judge_parts(self, block, said):
        said = masked("\n".join(said))
        for line in masked("\n".join(block)):
            start, cut, _ = line.partition("[...]")
            if not any(text.startswith(start) if cut else text == line for text in said):
                self.differs = True
                print(f"{self.name}: is not printed:\n  - {line}")
        return block

    def judge(self, block, said):
        if any("[...]" in line for line in block):
            return self.judge_parts(block, said)
        if masked("\n".join(block)) != masked("\n".join(said)):
            self.differs = True
            if not WRITE:
                before, now = masked("\n".join(block)), masked("\n".join(said))
                print(f"{self.name}: no longer what is printed:")
                print(
                    "\n".join(
                        [f"  - {line}" for line in before if line not in now]
                        + [f"  + {line}" for line in now if line not in before]
                    )
                )
        return said

    def picture(self, browser, comment):
        name, page, width, height, start = re.fullmatch(
            r"picture (\S+)(?: of (\S+) at (\d+)x(\d+)(?: from (\S+))?)?", comment
        ).groups()
        if not os.path.exists(f"{DOCS}/pictures/{name}") and not WRITE:
            print(f"{self.name}: no picture {name}")
            self.differs = True
        if not WRITE:
            return
        os.makedirs(f"{DOCS}/pictures", exist_ok=True)
        if not page:
            shutil.copy(f"{self.folder}/{name}", f"{DOCS}/pictures/{name}")
            return
        if not os.path.exists(f"{self.folder}/{page}"):
            sys.exit(f"{self.name}: there is no {page} to make a picture of")
        browser.look(int(width), int(height))
        browser.open(f"{self.folder}/{page}")
        if start:
            browser.run(f"document.querySelector({start!r}).scrollIntoView()")
        browser.frame()
        browser.picture(f"{DOCS}/pictures/{name}")

    def rules(self, block, files):
        """Makes a section for each rule, under its id, to which reports link; the same id may be in
        several reports."""
        said, sections = [], {}
        for name in files.split():
            with open(f"{self.folder}/{name}") as file:
                for rule in json.load(file)["runs"][0]["tool"]["driver"]["rules"]:
                    manual = re.search(r"`man crosswait-(\S+)`", rule["help"]["markdown"])[1]
                    text = f"`crosswait {manual}` expects that {rule['shortDescription']['text']}."
                    if rule["help"]["text"] != rule["shortDescription"]["text"]:
                        text += f"\n\nRemedy: {rule['help']['text']}."
                    sections.setdefault(rule["id"], []).append(text)
        for rule, texts in sections.items():
            said += ["", f"## {rule}"]
            for text in texts:
                for paragraph in text.split("\n\n"):
                    said += [""] + textwrap.wrap(paragraph, 100, break_on_hyphens=False)
        return self.judge(block, said)

    def rows(self, block):
        """Makes a section for each row: its explanation, on 4 ranks if all exchange messages."""
        said = []
        for line in self.shell("crosswait model").splitlines()[1:]:
            row, ranks = line[:34].strip(), line[35:51].strip()
            if not row:
                continue
            between_all = row.startswith("all") or row.startswith("reduce_scatter")
            few = " --ranks=4" if between_all and ranks != "2^k - 1" else ""
            command = f"crosswait model --explain={row}{few}"
            said += ["", f"## {row}", "", "```console", f"$ {command}"]
            said += [*self.shell(command).splitlines(), "```"]
        return self.judge(block, said)

    def run(self, browser):
        with open(f"{DOCS}/{self.name}") as file:
            text = file.read().splitlines()
        at = 0
        while at < len(text):
            line = text[at]
            self.lines.append(line)
            at += 1
            if comment := re.fullmatch(r"<!-- (shell|picture) (.*) -->", line):
                if comment[1] == "shell":
                    self.shell(comment[2])
                else:
                    self.picture(browser, f"picture {comment[2]}")
            if line == "```console" or line.startswith("```c "):
                end = text.index("```", at)
                self.lines += (
                    self.console(text[at:end])
                    if line == "```console"
                    else self.program(line[3:], text[at:end])
                )
                at = end
            elif comment := re.fullmatch(r"<!-- rules (.*) -->", line):
                self.lines += self.rules(text[at:], comment[1])
                at = len(text)
            elif line == "<!-- rows -->":
                self.lines += self.rows(text[at:])
                at = len(text)
        shutil.rmtree(self.folder)
        if WRITE:
            with open(f"{DOCS}/{self.name}", "w") as file:
                file.write("\n".join(self.lines) + "\n")


def main():
    browser = None
    if WRITE:
        sys.path.insert(0, f"{SOURCE}/tests/reports")
        from browser import Browser

        browser = Browser(tempfile.mkdtemp())
    differ = False
    for name in sorted(os.listdir(DOCS)) + ["../README.md"]:
        if name.endswith(".md") and os.path.exists(f"{DOCS}/{name}"):
            session = Session(name)
            session.run(browser)
            differ |= session.differs
    if browser:
        browser.close()
    sys.exit(differ and not WRITE)


main()
