#!/usr/bin/python3
"""Every numbered invariant is asserted or tested: invariants.py [--root=FOLDER] [--list]. Prints
each that nothing cites, then `N invariants, M without a citation`; exit status 1 if there is any.
Invariants stand as `N. text` at a file's head, or in a room's README under the word "Invariants".
What cites one is a comment of C, Python or shell:
    invariant 3             in the file itself, or in the .c of its .h
    match.h invariant 3     anywhere else, by the file's name
    core invariant 3        one of core/README.md (a folder of a room by its path)"""
import argparse
import os
import re
import subprocess
import sys

CITATION = re.compile(r"(?:([\w./]+)[ ,]+)?[Ii]nvariants? (\d+(?:(?:, | and |, and )\d+)*)")


def files_of(root):
    listed = subprocess.run(
        ["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True
    ).stdout
    return [f for f in listed.splitlines() if os.path.isfile(os.path.join(root, f))]


def read(root, name):
    with open(os.path.join(root, name), errors="replace") as f:
        return f.read()


def stated(name, text):
    """The numbers of a file's invariants, and where the text after them begins."""
    if name.endswith((".c", ".h")):
        head = re.match(r"/\*.*?\*/", text, re.S)
        found = head and re.search(
            r"\bInvariants\b[^.\n]*?(?::|\n)|^(?= \*\s+1\. )", head.group(), re.M
        )
        end = head.end() if head else 0
        item = re.compile(r"(?:^ \*\s+|[.:] |: )(\d+)\. (?=\S)", re.M)
    elif os.path.basename(name) == "README.md":
        found = re.search(r"^(?:#+ )?Invariants\b.*\n", text, re.M)
        end = (
            (re.search(r"\n\n(?!\d+\. )|\Z", text[found.end() :]).start() + found.end())
            if found
            else 0
        )
        item = re.compile(r"^(\d+)\. ", re.M)
    else:
        return [], 0
    if not found:
        return [], 0
    numbers = []
    for match in item.finditer(
        text, found.start() if name.endswith((".c", ".h")) else found.end(), end
    ):
        if int(match.group(1)) == len(numbers) + 1:
            numbers.append(len(numbers) + 1)
    return numbers, end


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=".")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    names = [
        f for f in files_of(options.root) if f.endswith((".c", ".h", ".py", ".sh", "README.md"))
    ]
    texts = {name: read(options.root, name) for name in names}
    invariants = {}
    for name in names:
        numbers, end = stated(name, texts[name])
        if numbers:
            invariants[name] = (numbers, end)
    cited = set()
    for name in names:
        if name.endswith(".md") or name.startswith("tests/house/"):
            continue
        # a citation may stand on two lines of a comment
        said = re.sub(
            r"\n *(?:#|\*(?!/)|//)? *", " ", texts[name][invariants.get(name, (0, 0))[1] :]
        )
        for match in CITATION.finditer(said):
            where = match.group(1)
            for number in map(int, re.findall(r"\d+", match.group(2))):
                if where and (
                    where.endswith((".c", ".h")) or os.path.isdir(os.path.join(options.root, where))
                ):
                    cited |= {
                        (f, number)
                        for f in invariants
                        if f.endswith("/" + where) or f == where or f == where + "/README.md"
                    }
                else:
                    cited |= {(f, number) for f in (name, name[:-1] + "h") if f in invariants}
    missing = 0
    total = 0
    for name in sorted(invariants):
        for number in invariants[name][0]:
            total += 1
            if (name, number) in cited:
                continue
            print(f"{name}: invariant {number} is neither asserted nor tested (nothing cites it)")
            missing += 1
    print(f"{total} invariants, {missing} without a citation")
    return missing > 0


sys.exit(main())
