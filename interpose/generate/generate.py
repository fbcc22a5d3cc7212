#!/usr/bin/python3
"""Generates wrappers, ids and descriptors from calls.table and the installed mpi.h.

    generate.py [--newer] [--also=FUNCTION]... TABLE OUT-FOLDER -- COMPILER FLAGS...

The compiler only preprocesses mpi.h. Writes interpose_calls.h (ids, types of the real functions),
interpose_rows.h (asserts that the rows agree with the header), interpose_calls.c (descriptors,
wrappers), interpose_seldom.c (the wrappers that need not be fast), call_meanings.h and
interpose_body.c (the list of all wrappers, and of the functions that --also names); they are
neither committed nor edited. Each row gets wrappers, even if the header lacks the function. A bad
row is refused with FILE:LINE; so is a function of mpi.h without a row, unless the header is of a
newer MPI (--newer): then only its name is known, and its calls are counted.

table.py reads and checks rows, words.py lists the words that they may use. The output's text is in
the templates beside this file (template.py describes their syntax): wrapper.c.tmpl has the
wrapper, before.c.tmpl its part before the real call, after.c.tmpl the part after it, misuse.c.tmpl
and buffers.c.tmpl the checks of both, files.c.tmpl the files as a whole."""
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
    """Returns the preprocessed header; empty if there is none."""
    done = subprocess.run(
        compiler
        + ["-E", *options, "-include", "mpi.h", "-include", header, "-x", "c", "/dev/null"],
        capture_output=True,
        text=True,
    )
    return re.sub(r"\"[^\"]*\"", "", done.stdout) if done.returncode == 0 else ""


def functions_of_header(compiler, header):
    """Returns the functions that the header declares: {name: (returned type, parameters)}."""
    found = re.findall(
        r"\b(int|double|void|MPI_\w+)[\s*]+MPI((?:X_|_)[A-Z]\w*)\s*\(([^;{]*?)\)"
        r"\s*(?:__attribute__[^;]*)?;",
        re.sub(r"\btypedef\b[^;{]*;", "", preprocessed(compiler, header, "-P")),
    )
    return {name.lstrip("_"): (returns, parameters) for returns, name, parameters in found}


def words_of_header(compiler, header):
    """Returns the header's identifiers and macro names."""
    text = preprocessed(compiler, header, "-P") + preprocessed(compiler, header, "-dM")
    return set(re.findall(r"\bMPIX?_\w+|\bOPEN_MPI\b", text))


def parts(parameters):
    """Yields the C types and names of a prototype's parameters."""
    for parameter in parameters.replace(", ...", "").split(","):
        kind, name, array = re.fullmatch(
            r"\s*(.*?)\s*\b(\w+)\s*((?:\[\w*\])*)\s*", parameter, re.S
        ).groups()
        if name != "void" or kind:
            yield " ".join(kind.split()) + array, name


def row_of_prototype(name, returns, parameters):
    """Returns a row for a function that the table lacks."""
    count = len(list(parts(parameters)))
    return f"{name} other unknown words:{count} returns:{returns}"


def rows(path):
    """Yields a table's rows with their first lines; a line that ends in \\ is continued."""
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
    """Returns the calls of a table, the lines of their names, and error messages."""
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
    """Returns names that the templates may use besides a call."""
    return {
        "when": lambda condition: f"if ({condition}) " if condition else "",
        "truth": lambda value: "true" if value else "false",
        "ARRAYS": table.ARRAYS,
        "BUFFERS": table.BUFFERS,
        "LISTS": table.LISTS,
        "NAMED_LISTS": table.NAMED_LISTS,
        "STILL": table.STILL,
        "CLASSES": words.CLASSES,
        "TRAITS": words.TRAITS,
        "VERBS": words.VERBS,
    }


def all_forms(calls, lines):
    """Adds the large-count forms, and Open MPI 4's names that begin with MPIX_."""
    for call in list(calls):
        if call.large_names is not None:
            calls.append(call.large_form())
            lines[calls[-1].name] = lines[call.name]
        if call.ext:
            calls.append(call.other_name())
            lines[calls[-1].name] = lines[call.name]


SPARES, SPARE_WORDS = 32, 12


def spares():
    """Yields wrappers for functions that only the running library has."""
    for i in range(SPARES):
        call = Call(f"spare_{i} other unknown words:{SPARE_WORDS} returns:intptr_t")
        call.spare = True
        yield call


def lacking(calls, header_words):
    """Returns the types of calls that the header lacks."""
    types = " ".join([p.ctype for c in calls for p in c.params] + [c.returns for c in calls])
    return sorted(set(re.findall(r"\bMPIX?_\w+", types)) - header_words)


def whole_table(path, compiler, newer):
    """Returns all calls of a table as a compiler's header declares them, the lines of their names,
    what mpi-ext.h adds, and the types that the header lacks. Ends the program if a row is bad."""
    calls, lines, errors = read(path)
    all_forms(calls, lines)
    ext = functions_of_header(compiler, "mpi-ext.h")
    header = {**ext, **functions_of_header(compiler, "mpi.h")}
    unknown = sorted(set(header) - set(lines))
    if newer:
        calls += [Call(row_of_prototype(n, *header[n])) for n in unknown]
        lines.update((n, 0) for n in unknown)
    else:
        names = map(table.full_name, unknown)
        errors += [f"{path}: no row for {n}, which mpi.h declares" for n in names]
    if errors:
        sys.exit("\n".join(errors))
    for call in [c for c in calls if c.name in header]:
        call.take_declared([kind for kind, _ in parts(header[call.name][1])])
    calls += spares()
    return calls, lines, ext, lacking(calls, words_of_header(compiler, "mpi.h"))


def templates():
    return template.load(sorted(glob.glob(os.path.join(HERE, "*.c.tmpl"))), helpers())


def main():
    if "--" not in sys.argv or sys.argv.index("--") < 3:
        sys.exit(__doc__)
    given = sys.argv[1 : sys.argv.index("--")]
    also = [word[len("--also=") :] for word in given if word.startswith("--also=")]
    path, folder = [word for word in given if not word.startswith("--")]
    compiler = sys.argv[sys.argv.index("--") + 1 :]
    calls, lines, ext, lacks = whole_table(path, compiler, "--newer" in given)
    fill = templates()
    files = {
        "call_meanings.h": fill["call_meanings_h"](calls),
        "interpose_calls.h": fill["interpose_calls_h"](calls, ext, lacks),
        "interpose_rows.h": fill["interpose_rows_h"](calls, os.path.basename(path), lines),
        "interpose_calls.c": fill["interpose_calls_c"](calls),
        "interpose_seldom.c": fill["interpose_seldom_c"](calls),
        "interpose_body.c": fill["interpose_body_c"](calls, also),
    }
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
