#!/usr/bin/python3
"""What a shim is made of, from the mpi.h of Open MPI and the constants of another ABI.

    generate.py CONSTANTS TABLE OUT-FOLDER -- COMPILER FLAGS...

CONSTANTS is a header with the other ABI's constants and predefined handles. Writes:
mpi.h            Open MPI's, but with the other ABI's statuses and constants; of functions that take
                 handles, the names begin with WORLD_ there
shim_handles.h   the other ABI's predefined handles beside ours
shim_calls.c     the functions that take handles, as a program of the other ABI calls them
shim_missing.c   functions of TABLE (calls.table) that worlds lack, for Fortran's library
rank_missing.c   the same for programs of Open MPI, by both names where mpi.h has them: what loads
                 such a program may ask for each function that it names

The compiler only preprocesses mpi.h. See README.md."""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, at) for at in ("../../interpose/generate", "../newer")]
import generate
import newer
import table

KINDS = {
    "Comm": "COMM",
    "Group": "GROUP",
    "Datatype": "TYPE",
    "Op": "OP",
    "Errhandler": "ERRHANDLER",
    "Info": "INFO",
    "Request": "REQUEST",
    "Message": "MESSAGE",
    "Win": "WIN",
    "File": "FILE",
    "Session": "SESSION",
}
HANDLE = re.compile(r"MPI_(%s)\b" % "|".join(KINDS))
# Those that world/ranks/missing.c stands for.
NOT_OURS = ("Comm_join", "Comm_spawn", "Comm_spawn_multiple")
# Macros of Open MPI's: shim.c has them.
MACROS = ("Aint_add", "Aint_diff")
# Older and newer names of one handle: Open MPI's header has none, or removed it.
MORE_HANDLES = {
    "MPI_LB": ("TYPE", "&ompi_mpi_lb"),
    "MPI_UB": ("TYPE", "&ompi_mpi_ub"),
    "MPI_INTEGER16": ("TYPE", "&ompi_mpi_integer16"),
    "MPI_ERRORS_ABORT": ("ERRHANDLER", "MPI_ERRORS_ARE_FATAL"),
    "MPI_SESSION_NULL": ("SESSION", "&ompi_mpi_instance_null"),
}
# Fortran's compilers here have no such types, and worlds neither.
LACKED_HANDLES = {"MPI_REAL2", "MPI_COMPLEX4", "MPI_LOGICAL16"}
# A NULL status is what world/ takes for one to ignore; a program's version is the world's.
KEPT = {"MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE", "MPI_VERSION", "MPI_SUBVERSION", "MPI_Fint"}
CALLBACK = re.compile(r"_FN$|_FN_NULL$")


def words(text):
    return set(re.findall(r"\bMPI_\w+", text))


def is_handle(macro):
    return "PREDEFINED_GLOBAL" in macro


def kind_of(name, macro):
    return KINDS[HANDLE.search(macro).group(1)]


# --- the header -----------------------------------------------------------------------------------


def path_of_header(compiler):
    command = compiler + ["-E", "-include", "mpi.h", "-x", "c", "/dev/null"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.search(r'^# 1 "(.*/mpi\.h)"', text, re.M).group(1)


def header(compiler, constants, functions, macros, enumerators):
    with open(path_of_header(compiler)) as f:
        text = f.read()
    text, found = re.subn(
        r"^struct ompi_status_public_t \{.*?^\};",
        '#include "world/shims/status.h"',
        text,
        flags=re.M | re.S,
    )
    assert found == 1, "mpi.h has no status as Open MPI has it"
    known = words(constants)
    own = {n for n, m in macros.items() if not is_handle(m) and not CALLBACK.search(n)}
    taken = sorted(((own | enumerators) & known) - KEPT)
    return "\n".join(
        [f"#define MPI_{f} WORLD_{f}" for f in functions]
        + [text, re.sub(r"\bMPI_(?=\w)", "SHIM_MPI_", constants)]
        + [f"#undef {n}\n#define {n} SHIM_{n}" for n in (*taken, *newer_constants(known))]
        + ['#include "world_newer.h"']
    )


def newer_constants(known):
    """Returns the other ABI's constants that Open MPI's header may lack."""
    with open(os.path.join(HERE, "../newer/constants.h")) as f:
        own = set(re.findall(r"^#ifndef (MPI_\w+)", f.read(), re.M))
    return sorted(((own - {"MPI_SESSION_NULL"}) | {"MPI_BUFFER_AUTOMATIC"}) & known)


def handles(constants, macros):
    """Rows of the table in world/local/fortran.c."""
    known = words(constants)
    # Open MPI 5's null session is of no kind that worlds have.
    ours = {n: m for n, m in macros.items() if is_handle(m) and HANDLE.search(m)}
    rows = {n: (kind_of(n, m), n) for n, m in ours.items()}
    rows.update(MORE_HANDLES)
    return "\n".join(
        f"{{HANDLE_{kind}, (MPI_Fint)(intptr_t)SHIM_{n}, {handle}}},"
        for n, (kind, handle) in rows.items()
        if n in known - LACKED_HANDLES
    )


# --- the functions --------------------------------------------------------------------------------


class Param:
    """A parameter: what it is for the program, what stands before and behind the call, and what
    the call gets."""

    def __init__(self, ctype, name, names):
        self.before, self.after, self.given = [], [], name
        base, array = re.fullmatch(r"(.*?)((?:\[\w*\])*)", ctype).groups()
        self.declared = f"{base} {name}{array}"
        found = HANDLE.search(ctype)
        if "MPI_Status" in ctype:
            self.given = f"shim_status({name})"
        if not found or "_function" in ctype or "spawn" in ctype:
            return
        kind = KINDS[found.group(1)]
        own, theirs = found.group(0), "void *" if kind == "FILE" else "shim_handle "
        rest = re.sub(r"const |\[\w*\]", "", ctype[found.end() :]).strip()
        if ctype.removeprefix("const ") == own:
            self.declared, self.given = f"{theirs}{name}", f"shim_object(HANDLE_{kind}, {name})"
        elif rest == "*":
            self.pointer(kind, own, theirs, name)
        elif ctype.startswith("const ") and re.match("sendtypes|recvtypes", name):
            self.partners(name, names)
        else:
            self.list(kind, own, name, names)

    def pointer(self, kind, own, theirs, name):
        """A handle that the call may read, and may change."""
        self.declared = f"{theirs}*{name}"
        self.before = [
            f"{own} own_{name} = {name} ? shim_object(HANDLE_{kind}, *{name}) : NULL;",
            f"{own} old_{name} = own_{name};",
        ]
        self.given = f"{name} ? &own_{name} : NULL"
        self.after = [
            f"if ({name} && own_{name} != old_{name})",
            f"    *{name} = shim_{'file' if kind == 'FILE' else 'number'}(own_{name});",
        ]

    def partners(self, name, names):
        """A datatype for each partner, which a nonblocking collective keeps."""
        buffer, sends = ("sendbuf", "true") if name == "sendtypes" else ("recvbuf", "false")
        self.declared = f"const shim_handle *{name}"
        self.given = f"shim_types({buffer}, {name}, shim_partners(comm, NEIGHBOR, {sends}))"
        assert buffer in names

    def list(self, kind, own, name, names):
        count = next(n for n in ("count", "incount", "max_datatypes") if n in names)
        made = "NONE" if count == "max_datatypes" else kind
        self.declared = f"shim_handle *{name}"
        self.before = [
            f"struct shim_list list;",
            f"shim_list_begin(&list, HANDLE_{made}, {count}, {name});",
        ]
        self.given = f"({own} *)list.object"
        self.after = [f"shim_list_end(&list, {count}, {name});"]


def function(name, returns, parameters):
    given = [(kind, n) for kind, n in generate.parts(parameters)]
    names = [n for _, n in given]
    params = [Param(kind, n, names) for kind, n in given]
    call = f"MPI_{name}({', '.join(p.given for p in params)})"
    call = call.replace("NEIGHBOR", "true" if "eighbor" in name else "false")
    if HANDLE.fullmatch(returns):
        call = f"shim_{'file' if returns == 'MPI_File' else 'number'}({call})"
        returns = "void *" if returns == "MPI_File" else "shim_handle"
    before = [line for p in params for line in p.before]
    after = [line for p in params for line in p.after]
    declared = f"{returns} shim_{name}({', '.join(p.declared for p in params) or 'void'})"
    body = [f"    {line}" for line in before]
    if after:
        body += [f"    {returns} returned = {call};"] + [f"    {line}" for line in after]
        body += ["    return returned;"]
    else:
        body += [f"    return {call};"]
    return "\n".join(
        [
            f'{declared} __asm__("MPI_{name}");',
            declared,
            "{",
            f'    ALONE("MPI_{name}")',
            *body,
            "}",
        ]
    )


def stubs(functions):
    """Functions by their names and those that are told."""
    return '#include "world/ranks/missing.h"\n\n' + "\n".join(
        f"WORLD_MISSING({n})\n{{\n    rank_missing_called(\"{told}\");\n}}" for n, told in functions
    )


def main():
    at = sys.argv.index("--") if "--" in sys.argv else 0
    if at != 4:
        sys.exit(__doc__)
    path, rows, folder = sys.argv[1:at]
    compiler = sys.argv[at + 1 :]
    with open(path) as f:
        constants = f.read()
    calls, lines, errors = generate.read(rows)
    assert not errors
    # A newer Open MPI's header has functions that worlds lack, and forms for large counts.
    generate.all_forms(calls, lines)
    kept, in_header, _ = newer.read(rows, compiler)
    declared = {n: prototype for n, prototype in in_header.items() if n in kept or n in NOT_OURS}
    for call in kept.values():
        if call.name in MACROS or not (call.newer or call.ext or call.small):
            continue
        given = ", ".join(newer.parameter(p.ctype, p.name) for p in call.params)
        declared[call.name] = (call.returns, given)
    macros = dict(
        re.findall(
            r"^#define (MPI_\w+) (.*)$", generate.preprocessed(compiler, "mpi.h", "-dM"), re.M
        )
    )
    enumerators = set()
    for body in re.findall(
        r"\benum\b[^{;]*\{([^}]*)\}", generate.preprocessed(compiler, "mpi.h", "-P")
    ):
        enumerators |= words(body)
    functions = [
        n
        for n, (returns, parameters) in declared.items()
        if n not in NOT_OURS and (HANDLE.search(parameters) or HANDLE.search(returns))
    ]
    missing = [table.full_name(c.name) for c in calls if c.name not in (*declared, *MACROS)]
    ours = {f"MPIX_{c.name}" for c in kept.values() if c.ext}
    lacked = [n for n in missing if n not in ours]
    files = {
        "mpi.h": header(compiler, constants, functions, macros, enumerators),
        "shim_handles.h": handles(constants, macros),
        "shim_calls.c": '#include "world/shims/shim.h"\n\n' + "\n\n".join(
            function(n, *declared[n]) for n in functions
        ),
        "shim_missing.c": stubs((f"P{n}", n) for n in missing),
        # pmpi.sh gives MPI_NAME its second name.
        "rank_missing.c": stubs(
            [(n if n.removeprefix("MPI_") in in_header else f"P{n}", n) for n in lacked]
            + [(n, n) for n in lacked if n.startswith("MPIX_")]
        ),
    }
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text + "\n")


if __name__ == "__main__":
    main()
