#!/usr/bin/python3
"""From calls.table and the installed mpi.h to wrappers, ids and descriptors.

    generate.py [--newer] [--also=FUNCTION]... TABLE OUT-FOLDER -- COMPILER FLAGS...

The compiler only preprocesses mpi.h. Writes interpose_calls.h (ids, types of the real functions),
interpose_calls.c (descriptors, wrappers), interpose_seldom.c (the wrappers that need not be fast),
call_meanings.h (of all rows, whatever the header has) and interpose_body.c (the list of all
wrappers, and of the functions that --also names); they are neither committed nor edited. A bad row
is refused with FILE:LINE; so is a function of mpi.h that has no row, unless the header is of a
newer MPI (--newer): then it is let through, and counted as not recorded.

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


def preprocessed(compiler, header, *options):
    """Empty if there is no such header."""
    done = subprocess.run(
        compiler
        + ["-E", *options, "-include", "mpi.h", "-include", header, "-x", "c", "/dev/null"],
        capture_output=True,
        text=True,
    )
    return re.sub(r"\"[^\"]*\"", "", done.stdout) if done.returncode == 0 else ""


def functions_of_header(compiler, header, prefix):
    """The functions that it declares: {name: (what it returns, its parameters)}."""
    found = re.findall(
        r"\b(int|double|void|MPI_\w+)\s+"
        + prefix
        + r"_([A-Z]\w*)\s*\(([^;{]*?)\)\s*(?:__attribute__[^;]*)?;",
        re.sub(r"\btypedef\b[^;{]*;", "", preprocessed(compiler, header, "-P")),
    )
    return {name: (returns, parameters) for returns, name, parameters in found}


def macros_of_header(compiler):
    return set(re.findall(r"^#define MPI_(\w+)\(", preprocessed(compiler, "mpi.h", "-dM"), re.M))


# What no program communicates with, and may be called without our seeing it.
APART = re.compile(r"T_|Aint_|Status_")


def parts(parameters):
    """The C types and names of a prototype's parameters."""
    for parameter in parameters.split(","):
        kind, name, array = re.fullmatch(
            r"\s*(.*?)\s*\b(\w+)\s*((?:\[\w*\])*)\s*", parameter, re.S
        ).groups()
        if name != "void" or kind:
            yield " ".join(kind.split()) + array, name


def row_of_prototype(name, returns, parameters):
    """The row of a function that the table does not know: it is let through, and counted."""
    words = [name, "other", "local", "unseen", "returns:" + returns]
    for kind, name in parts(parameters):
        words.append(f"raw({kind.replace(' ', '~')})={name}")
    return " ".join(words)


def large_forms(calls, lines, header):
    """Of the calls that have one, and no row of its own."""
    for call in [c for c in calls if c.name + "_c" in header and c.name + "_c" not in lines]:
        types = [kind for kind, _ in parts(header[call.name + "_c"][1])]
        if len(types) == len(call.params):
            lines[call.name + "_c"] = lines[call.name]
            yield call.large_form(types)


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
        "ARRAYS": table.ARRAYS,
        "BUFFERS": table.BUFFERS,
        "LISTS": table.LISTS,
        "STILL": table.STILL,
        "CLASSES": words.CLASSES,
        "TRAITS": words.TRAITS,
        "VERBS": words.VERBS,
    }


def main():
    if "--" not in sys.argv or sys.argv.index("--") < 3:
        sys.exit(__doc__)
    given = sys.argv[1 : sys.argv.index("--")]
    newer = "--newer" in given
    also = [word[len("--also=") :] for word in given if word.startswith("--also=")]
    path, folder = [word for word in given if not word.startswith("--")]
    compiler = sys.argv[sys.argv.index("--") + 1 :]
    calls, lines, errors = read(path)
    header = functions_of_header(compiler, "mpi.h", "MPI")
    ext = functions_of_header(compiler, "mpi-ext.h", "MPIX")
    for call in [c for c in calls if c.ext and c.name in header]:
        call.ext, call.full = False, "MPI_" + call.name  # since MPI 4
    absent = {c.name for c in calls if c.ext and c.name not in ext}
    absent |= {c.name for c in calls if c.newer and c.name not in header}
    absent |= macros_of_header(compiler) - set(header)  # handles may be Fortran's as they are
    rows_of_table = calls
    calls = [c for c in calls if c.name not in absent]
    for call in [c for c in calls if c.newer]:
        call.take_const([kind for kind, _ in parts(header[call.name][1])])
    calls += list(large_forms(calls, lines, header))
    unknown = sorted(n for n in set(header) - set(lines) if not APART.match(n))
    if newer:
        calls += [Call(row_of_prototype(n, *header[n])) for n in unknown]
        lines.update((n, 0) for n in unknown)
    else:
        errors += [f"{path}: no row for MPI_{n}, which mpi.h declares" for n in unknown]
    errors += [
        f"{path}:{lines[n]}: mpi.h declares no MPI_{n}"
        for n in sorted(set(lines) - set(header) - set(ext) - absent)
    ]
    if errors:
        sys.exit("\n".join(errors))
    fill = template.load(sorted(glob.glob(os.path.join(HERE, "*.c.tmpl"))), helpers())
    files = {
        "call_meanings.h": fill["call_meanings_h"](rows_of_table),
        "interpose_calls.h": fill["interpose_calls_h"](calls, ext),
        "interpose_calls.c": fill["interpose_calls_c"](calls, os.path.basename(path), lines),
        "interpose_seldom.c": fill["interpose_seldom_c"](calls),
        "interpose_body.c": fill["interpose_body_c"](calls, also),
    }
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
