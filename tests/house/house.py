#!/usr/bin/python3
"""The rules of the house, held to a tree: house.py [--root=FOLDER] [RULE...]. Prints each violation
with its place, then `N files, M violations`; exit status 1 if there is any. Rules: see RULES at the
end."""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys

# The rooms that a room may include besides itself. `policy` and `signature` are leaves that others
# link as well.
ROOMS = {
    "core": [],
    "program": ["core"],
    "store": ["core", "program"],
    "foreign": ["core"],
    "interpose": ["core", "program", "replay/policy"],
    "replay": ["core"],
    "world": ["core", "program", "replay/policy"],
    "model": ["core", "replay"],
    "checkers": ["core", "program", "replay", "model"],
    "launch": ["core", "program", "store", "replay", "model", "checkers"],
    "reports": ["core", "replay", "model", "checkers"],
    "explore": ["core", "program", "replay", "world", "checkers", "reports"],
    "fuzz": [
        "core",
        "store",
        "replay",
        "model",
        "checkers",
        "reports",
        "world",
        "explore",
        "corpus/collectives",
    ],
    "cli": [
        "core",
        "store",
        "foreign",
        "replay",
        "model",
        "checkers",
        "launch",
        "reports",
        "world",
        "explore",
        "fuzz",
    ],
}
# Words that identifiers must not contain: private ones, or ones with several meanings.
WORDS = {"fly", "flies", "flying", "landed", "park", "parked", "talk", "talked", "later", "private"}
TOP = set(ROOMS) | {"corpus", "tests"}
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|[^\s\w]', re.S
)
# Matches a file of the room, a glob of files, or a folder.
FILE = re.compile(
    r"^[\w./*-]+(?:\[\w+\])?\.(?:c|h|py|sh|bash|sql|table|css|js|mk|md|tmpl|txt|map|\[ch\])$"
    r"|^[\w./-]+/$"
)


OPENING = r"(?:Of|What|Who|Whose|That|Which|Whether|Where|Those) "

# Rooms, or groups of them, that have at least half an assertion for each function.
ASSERTED = [("core", "program", "store"), ("replay",), ("checkers",), ("world",)]

# Files written by people, and those of them whose rows of data may be wide.
WRITTEN = re.compile(
    r"\.(?:c|h|cc|cpp|py|sh|bash|mk|js|css|tmpl|f|f90|sql|yml|fish|map|[15])$|(?:^|/)Makefile$"
)
ROWS = {"tests/exam/uses.py", "tests/checkers/memory_f.f90"}

# Functions of one word, by file, that macros or tables name.
BARE = {
    "fuzz/planted_hard.c": "allgather allreduce bcast gather less never reduce",
    "interpose/objects/callbacks.c": "apply begin end handle",
    "replay/logical/run_coll.c": "failed",
    "world/exchange/coll_calls.c": "run start",
    "world/exchange/file_io.c": "begin blocking end nonblocking",
    "world/exchange/p2p.c": "nonblocking",
    "world/exchange/rma.c": "begin",
    "world/local/attr.c": "delete drop set",
    "world/local/fortran.c": "numbered",
}

# The files that know the format of spools, and where each states its version.
VERSIONED = {
    "core/spool/spool.h": r"^    SPOOL_VERSION = (\d+)",
    "tests/spool.py": r"^VERSION = (\d+)",
}

HEADERS = {"mpi.h", "mpi-ext.h"}  # of the MPI library

# The calls, by file, that the recorder may make without a check of their handles: with handles that
# it got from the library, without handles, or as the call that the program makes ("*").
OWNED = {
    "decide.c": "*",
    "exit_record.c": "Error_string",
    "layer/mpich_error.c": "Comm_get_errhandler Win_get_errhandler",
    "library/abi.c": "Abi_get_version File_get_errhandler Test_cancelled Get_count_c Error_class",
    "library/names.c": "Type_get_name Type_size",
    "library/openmpi.c": "Type_get_name",
    "misuse/fortran_array.c": "Request_c2f",
    "misuse/operation.c": "Type_get_name Type_size",
    "misuse/usage.c": "Group_free Group_size",
    "misuse/usage.h": "function",
    "objects/contents.c": (
        "Type_free Type_get_contents Type_get_contents_c Type_get_envelope Type_get_envelope_c"
    ),
    "objects/datatypes.c": "Type_get_extent Type_size Type_size_x",
    "objects/requests.c": "Isend Irecv Imrecv Ibarrier Wait Request_get_status",
    "objects/handles.c": (
        "Comm_group Group_free Group_size Group_translate_ranks Pack_external_size"
    ),
    "perturb.c": "*",
    "recorder.c": (
        "Comm_rank Comm_size Get_library_version Get_version Group_rank Group_size Query_thread"
    ),
    "recorder.h": "x",
    "session.c": "Group_from_session_pset",
    "special.c": "Finalized Initialized",
    "live_order.c": "*",
    "live_order_window.c": "*",
}


class House:
    def __init__(self, root):
        self.root = root
        listed = subprocess.run(
            ["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True
        ).stdout
        self.files = [f for f in listed.splitlines() if os.path.isfile(os.path.join(root, f))]
        self.violations = 0

    def read(self, name):
        with open(os.path.join(self.root, name), errors="replace") as f:
            return f.read()

    def sources(self, *rooms):
        return [
            f
            for f in self.files
            if f.endswith((".c", ".h")) and (not rooms or f.split("/")[0] in rooms)
        ]

    def say(self, rule, name, line, text):
        print(f"{rule}: {name}:{line}: {text}")
        self.violations += 1

    def includes(self):
        """Includes go one way: a room includes only those before it."""
        for name in self.sources(*ROOMS):
            room = name.split("/")[0]
            for number, line in enumerate(self.read(name).splitlines(), 1):
                match = re.match(r'#include "((\w+)/[\w./]+)"', line)
                if not match or match.group(2) == room or match.group(2) not in TOP:
                    continue
                if not any(
                    (match.group(1) + "/").startswith(allowed + "/") for allowed in ROOMS[room]
                ):
                    self.say("includes", name, number, f"{room} includes {match.group(1)}")

    def calls(self):
        """What a call means stands in its row: nobody compares names of calls, or looks for pieces
        of them."""
        compare = re.compile(
            r"\b(?:strn?cmp|strn?casecmp|strstr|strchr|fnmatch)\s*\("
            r'[^;]*?"[^"\n]*MPIX?_[A-Z][a-z]\w*"',
            re.S,
        )
        named = re.compile(
            r'\bstrstr\s*\(\s*[\w>.-]*(?:call|name)[\w>.-]*\s*,\s*"[A-Z][a-z][A-Za-z_]*"'
        )
        for name in self.sources(
            "core", "program", "store", "replay", "model", "checkers", "launch", "reports", "cli"
        ):
            text = re.sub(
                r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), self.read(name), flags=re.S
            )
            for match in list(compare.finditer(text)) + list(named.finditer(text)):
                self.say(
                    "calls",
                    name,
                    text.count("\n", 0, match.start()) + 1,
                    " ".join(match.group(0).split()),
                )

    def readmes(self):
        """A README names only what exists, and is at most 60 lines (the first one 200) and 100
        columns."""
        for name in [f for f in self.files if os.path.basename(f) == "README.md"]:
            folder = os.path.dirname(name)
            lines = self.read(name).splitlines()
            most = 60 if folder else 200
            if len(lines) > most:
                self.say("readmes", name, len(lines), f"more than {most} lines")
            fenced = False
            for number, line in enumerate(lines, 1):
                fenced ^= line.startswith("```")
                if len(line) > 100 and not fenced and not line.startswith(("|", "    ")):
                    self.say("readmes", name, number, f"{len(line)} columns")
                for word in re.findall(r"`([^`]+)`", line):
                    if FILE.match(word) and word not in HEADERS and not self.exists(folder, word):
                        self.say("readmes", name, number, f"there is no {word}")

    def exists(self, folder, word):
        if word.startswith("build/") or re.search(r"[A-Z]{2}|T\.db|crosswait-fuzz|my_", word):
            return True  # a built file, or a pattern such as check_NAME.c
        starts = (folder, "", os.path.join(folder, "*"), "tests/unit")
        return any(glob.glob(os.path.join(self.root, start, word)) for start in starts)

    def words(self):
        """Identifiers use the field's words."""
        for name in self.sources(*ROOMS):
            text = self.read(name)
            seen = set()
            for match in TOKEN.finditer(text):
                token = match.group(0)
                if (
                    not re.match(r"[A-Za-z_]", token)
                    or token in seen
                    or token.startswith(("MAP_", "PTHREAD_"))
                ):
                    continue
                seen.add(token)
                bad = WORDS.intersection(re.split(r"_|(?<=[a-z])(?=[A-Z])", token.lower()))
                if bad:
                    self.say("words", name, text.count("\n", 0, match.start()) + 1, token)

    def clean(self):
        """A build leaves nothing beside the sources."""
        left = subprocess.run(
            ["git", "-C", self.root, "ls-files", "--others", "--exclude-standard"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in left.splitlines():
            if re.search(
                r"\.(?:o|d|so|a|mod|smod|gcda|gcno|gcov|profraw|pyc)$|(?:^|/)(?:a\.out|core\.\d+)$",
                name,
            ):
                self.say("clean", name, 0, "a build left it")
        for name in self.files:
            if name.endswith((".mod", ".o", ".a", ".so")):
                self.say("clean", name, 0, "a product of a build is in the repository")

    def paths(self):
        """The repository speaks of the product only: no home folder of a machine."""
        for name in self.files:
            if (
                name.endswith((".c", ".h", ".md", ".sh", ".py", ".mk", ".out", ".1", ".5"))
                and "/house/" not in name
            ):
                for number, line in enumerate(self.read(name).splitlines(), 1):
                    if re.search(r"(?<![\w.])/(?:home|root|work)/\w", line):
                        self.say("paths", name, number, line.strip()[:80])

    def banners(self):
        """The banner of a section is one line of 100 columns: a formatter breaks longer ones."""
        for name in self.sources():
            for number, line in enumerate(self.read(name).splitlines(), 1):
                if line.startswith("/* ---") and not (
                    len(line) == 100 and re.search(r"-{3} \*/$", line)
                ):
                    self.say("banners", name, number, line[:80])

    def openings(self):
        """A comment of the product opens with its subject or its verb, so that its first line says
        what the code does: not with Of, What, Who, Whose, That, Which, Whether, Where or Those.
        So does each invariant and each paragraph."""
        for name in self.sources(*ROOMS, "corpus"):
            lines = self.read(name).splitlines()
            for number, line in enumerate(lines, 1):
                opens = re.match(r"\s*/\* " + OPENING, line)
                goes_on = re.match(r"\s*\*\s+(?:\d+\. )?" + OPENING, line)
                ended = number > 1 and re.search(r"(?:\.|\*)\s*$", lines[number - 2])
                if opens or (goes_on and ended):
                    self.say("openings", name, number, line.strip()[:60])

    def columns(self):
        """Nothing that people write is wider than 100 columns, but for rows of data."""
        for name in [f for f in self.files if WRITTEN.search(f) and f not in ROWS]:
            for number, line in enumerate(self.read(name).splitlines(), 1):
                if len(line) > 100:
                    self.say("columns", name, number, f"{len(line)} columns")

    def declared(self):
        """A header declares what another file uses, or it does itself: all else is static, or gone.
        Names that a macro or a template puts together are used."""
        declaration = re.compile(
            r"^(?!typedef\b|static\b|enum\b[^(]*\{)[A-Za-z_][\w\s*]*?[\s*](\w+)\([^{;]*;"
            r"|^extern [\w\s*]*?(\w+)(?:\[\w*\])*;",
            re.M,
        )
        text = {
            f: re.sub(
                r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), self.read(f), flags=re.S
            )
            for f in self.files
            if re.search(r"\.(?:c|cc|h|py|tmpl|table|sh|map)$", f)
        }
        files, pasted = collections.Counter(), set()
        for each in text.values():
            files.update(set(re.findall(r"\w+", each)))
            pasted.update(re.findall(r"\b([A-Za-z]\w*_)(?:##|\$?\{)", each))
        for name in [f for f in self.sources(*ROOMS) if f.endswith(".h")]:
            for match in declaration.finditer(text[name]):
                what = match.group(1) or match.group(2)
                if (
                    files[what] < 3
                    and len(re.findall(rf"\b{what}\b", text[name])) == 1
                    and not what.startswith(tuple(pasted))
                ):
                    self.say(
                        "declared",
                        name,
                        text[name].count("\n", 0, match.start(match.lastindex)) + 1,
                        f"nobody else uses {what}",
                    )

    def asked(self):
        """The recorder asks the MPI library about a handle of the program's by ASK, which looks at
        it first: OWN is for all else (OWNED)."""
        for name in self.sources("interpose"):
            owned = OWNED.get(name[len("interpose/") :], "").split()
            for number, line in enumerate(self.read(name).splitlines(), 1):
                for function in re.findall(r"\b(?:OWN|REAL)\((\w+)\)", line):
                    if function not in owned and owned != ["*"]:
                        self.say("asked", name, number, f"{function}: by ASK, or a row of OWNED")

    def assertions(self):
        """A room has half an assertion a function; a function begins with a brace that stands
        alone."""
        for rooms in ASSERTED:
            lines = [line for name in self.sources(*rooms) for line in self.read(name).splitlines()]
            functions = sum(line == "{" for line in lines)
            count = sum(
                len(re.findall(r"\b(?:CORE_CHECK(?:_HOT)?|_Static_assert)\(", line))
                for line in lines
                if not line.startswith("#define")
            )
            if 2 * count < functions:
                named = "+".join(rooms)
                self.say("assertions", named, 0, f"{count} assertions in {functions} functions")

    def formats(self):
        """A reader of spools that is apart from the product's, for tests, knows the version that is
        written: raised in one place only, it breaks every test that reads a spool."""
        versions = {}
        for name, pattern in VERSIONED.items():
            match = re.search(pattern, self.read(name), re.M) if name in self.files else None
            if match:
                versions[name] = match.group(1)
            elif name in self.files:
                self.say("formats", name, 0, "it names no version")
        if len(set(versions.values())) > 1:
            for name, version in versions.items():
                self.say("formats", name, 0, f"version {version} of spools, and another elsewhere")

    def bare(self):
        """A function has a name that a debugger, a profile and grep can tell from others: a static
        one begins with its file's, or has two words at least (BARE)."""
        definition = re.compile(r"^static (?:[\w*]+ +)*\**([a-z][a-z0-9]*)\(", re.M)
        for name in self.sources(*ROOMS):
            text = self.read(name)
            for match in definition.finditer(text):
                if match.group(1) not in BARE.get(name, "").split():
                    line = text.count("\n", 0, match.start()) + 1
                    self.say("bare", name, line, f"{match.group(1)} is one word")


RULES = [
    "includes",
    "calls",
    "readmes",
    "words",
    "clean",
    "paths",
    "banners",
    "openings",
    "columns",
    "declared",
    "asked",
    "assertions",
    "formats",
    "bare",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--root",
        default=os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
    )
    parser.add_argument("rule", nargs="*", help="of " + ", ".join(RULES))
    args = parser.parse_args()
    house = House(args.root)
    for rule in args.rule or RULES:
        getattr(house, rule)()
    print(f"{len(house.files)} files, {house.violations} violations")
    return 1 if house.violations else 0


if __name__ == "__main__":
    sys.exit(main())
