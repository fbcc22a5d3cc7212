#!/usr/bin/python3
"""From calls.table and the installed mpi.h to wrappers, ids and descriptors.

    generate.py TABLE OUT-FOLDER -- COMPILER FLAGS...     (the compiler only preprocesses mpi.h)

Writes interpose_calls.h (ids, types of the real functions), interpose_calls.c (descriptors,
wrappers), call_meanings.h and interpose.map (what the library exports); they are neither committed
nor edited. A bad row is refused with FILE:LINE; so is a function of mpi.h that has no row.

table.py reads and refuses rows, words.py the words that they may use. What is written stands in the
templates beside this file (template.py says how they are read): wrapper.c.tmpl is a wrapper,
before.c.tmpl what it does before the real call, after.c.tmpl after it, misuse.c.tmpl and
buffers.c.tmpl what they check; files.c.tmpl are the files as a whole."""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import table
import template
import words
from table import Bad, Call

HERE = os.path.dirname(os.path.abspath(__file__))


def functions_of_header(compiler, header, prefix):
    """Empty if there is no such header."""
    done = subprocess.run(compiler + ["-E", "-P", "-include", "mpi.h", "-include", header,
                                      "-x", "c", "/dev/null"], capture_output=True, text=True)
    text = re.sub(r"\"[^\"]*\"", "", done.stdout) if done.returncode == 0 else ""
    return set(re.findall(r"\b" + prefix + r"_([A-Z]\w*)\s*\(", text))


def rows(path):
    """The rows of a table and the lines where they start; one that ends in \\ goes on."""
    with open(path) as f:
        pending, start = "", 0
        for number, line in enumerate(f, 1):
            line = line.split("#")[0].rstrip()
            start = start or number
            if line.endswith("\\"):
                pending += line[:-1] + " "
                continue
            if (pending + line).strip():
                yield start, pending + line
            pending, start = "", 0


def read(path):
    """The calls of a table, the lines of their names, and what is wrong with them."""
    calls, lines, errors = [], {}, []
    for at, row in rows(path):
        try:
            call = Call(row)
            if call.name in lines:
                raise Bad(f"second row for '{call.name}', the first is in line {lines[call.name]}")
            lines[call.name] = at
            calls.append(call)
        except Bad as e:
            lines.setdefault(row.split()[0], at)
            errors.append(f"{path}:{at}: {e}")
    return calls, lines, errors


def helpers():
    """What the templates may use besides a call."""
    return {
        "when": lambda condition: f"if ({condition}) " if condition else "",
        "truth": lambda value: "true" if value else "false",
        "LISTS": table.LISTS, "STILL": table.STILL,
        "CLASSES": words.CLASSES, "TRAITS": words.TRAITS, "VERBS": words.VERBS,
    }


def main():
    if "--" not in sys.argv or len(sys.argv) < 5:
        sys.exit(__doc__)
    path, folder = sys.argv[1:3]
    compiler = sys.argv[sys.argv.index("--") + 1:]
    calls, lines, errors = read(path)
    header = functions_of_header(compiler, "mpi.h", "MPI")
    ext = functions_of_header(compiler, "mpi-ext.h", "MPIX")
    calls = [c for c in calls if not c.ext or c.name in ext]
    for name in [n for n in lines if n.endswith("_init") and n not in header and n not in ext]:
        del lines[name]  # rows of an extension that is not installed
    errors += [f"{path}: no row for MPI_{n}, which mpi.h declares"
               for n in sorted(header - set(lines))]
    errors += [f"{path}:{lines[n]}: mpi.h declares no MPI_{n}"
               for n in sorted(set(lines) - header - ext)]
    if errors:
        sys.exit("\n".join(errors))
    fill = template.load(sorted(glob.glob(os.path.join(HERE, "*.c.tmpl"))), helpers())
    files = {
        "call_meanings.h": fill["call_meanings_h"](calls),
        "interpose_calls.h": fill["interpose_calls_h"](calls, ext),
        "interpose_calls.c": fill["interpose_calls_c"](calls, os.path.basename(path), lines),
        "interpose.map": fill["interpose_map"](calls),
    }
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
