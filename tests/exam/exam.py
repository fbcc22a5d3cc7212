#!/usr/bin/python3
"""Examines `crosswait run` with small generated programs: for each class of MPI error, each
function and place it can occur in, one program with the error and its correct twin.

    exam.py [--class=REGEX] [--name=REGEX] [--language=NAME,...] [--each=N] [--every=N] [--seed=N]
            [--jobs=N] [--folder=F] [-v]   prints a table; exit status 1 if a case went wrong
    --each=N: N cases of each class only, each in one language, chosen by the seed
    --every=N: with --each, of every Nth class only

Cases come from two places: uses.py (correct uses of functions; an argument is spoilt by its role in
interpose/calls.table) and cases_*.txt (whole bodies, in which «bad|good» marks what differs). Each
is rendered in several languages, as far as it can be (LANGUAGES)."""
import glob, itertools, json, os, random, re, shutil, subprocess, sys, zlib, concurrent.futures
import fortran, uses

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("SOURCE", os.path.dirname(os.path.dirname(HERE)))
PRELUDE = """#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if OMPI_MAJOR_VERSION < 5
# define PT2PT setenv("OMPI_MCA_osc", "pt2pt", 1) /* windows over messages, which 5 has not */
#else
# define PT2PT
#endif
#define W MPI_COMM_WORLD
#define ST MPI_STATUS_IGNORE
#define SS MPI_STATUSES_IGNORE
#define WIN MPI_Win_create(b, sizeof b, sizeof(int), MPI_INFO_NULL, W, &w)
#define OPEN MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f)
#define I MPI_INT
static int rank, size, o, k, b[4096], r[4096], cnt[4] = {4, 4, 4, 4};
static int dsp[4] = {0, 4, 8, 12}, one[1] = {0}, dims[2] = {2, 1}, per[2];
static char big[1 << 16], name[] = "exam.dat";
static void *p;
static MPI_Request q, q2, qq[4];
static MPI_Status s, ss[4];
static MPI_Message m;
static MPI_Comm c, c2;
static MPI_Group g, g2;
static MPI_Datatype t, t2, tt[4];
static MPI_Op op;
static MPI_Win w;
static MPI_File f;
static MPI_Info info;
static MPI_Errhandler eh;
static MPI_Aint aint[4];
static int neg[4] = {-1, -1, -1, -1};
static void ehf(MPI_Comm *c, int *e, ...) { (void)c; (void)e; }
static void fun(void *a, void *b, int *n, MPI_Datatype *t)
{ for (int i = 0; i < *n; i++) ((int *)b)[i] += ((int *)a)[i]; (void)t; }
/* True in n processes that this one and the others of its world start, with c between the two. */
static int spawned(char **argv, int n)
{
    MPI_Comm_get_parent(&c);
    if (c != MPI_COMM_NULL) return 1;
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, n, MPI_INFO_NULL, 0, W, &c, MPI_ERRCODES_IGNORE);
    return 0;
}
/* Two threads wait for each other. */
static void meet(void)
{
    static int met;
    int mine = __atomic_add_fetch(&met, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&met, __ATOMIC_SEQ_CST) < mine + mine % 2) usleep(100);
}
"""
INIT = {
    False: "MPI_Init(&argc, &argv);",
    True: "MPI_Init_thread(&argc, &argv, LEVEL, &k);",
}  # key: whether the body defines LEVEL
START = """
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    o = rank ^ 1;
    for (int i = 0; i < 4; i++) tt[i] = MPI_INT;
    for (int i = 0; i < 64; i++) b[i] = rank * 100 + i;
"""
MAIN = re.compile(r"int main\(int argc, char \*\*argv\) \{(.*) return 0; \}\s*$", re.S)
LANGUAGES = {  # how a program is built
    "c": ["mpicc", "-g", "-w", "-pthread"],
    "omp": ["mpicc", "-g", "-w", "-fopenmp"],  # threads of POSIX, of OpenMP
    "mpi": ["mpifort"],
    "mpif": ["mpifort"],
    "f08": ["mpifort"],
}
# gold of binutils, which Debian 13 drops, takes half of the usual linker's time.
LINKER = ["-fuse-ld=gold" if shutil.which("ld.gold") else "-fuse-ld=lld"]
FORTRAN = [
    "-g",
    "-w",
    "-fopenmp",
    "-ffree-line-length-none",
    "-std=legacy",
    "-fallow-argument-mismatch",
]
CALLS = {}


def threads_in_c(body, openmp):
    """Expands THREADS { A } { B }: two threads run A and B at the same time, the main thread A."""
    before = ""
    while "THREADS" in body:
        start = end = body.index("THREADS")
        parts = []
        for _ in range(2):
            opened = at = body.index("{", end)
            depth = 1
            while depth:
                at += 1
                depth += {"{": 1, "}": -1}.get(body[at], 0)
            parts.append(body[opened : at + 1])
            end = at + 1
        if openmp:
            text = (
                '_Pragma("omp parallel num_threads(2)")\n    if (omp_get_thread_num() == 0)'
                f' {parts[0]}\n    else {parts[1]}'
            )
        else:
            n = before.count("thread_")
            before += f"static void *thread_{n}(void *x)\n{{\n    {parts[1]}\n    return x;\n}}\n"
            text = (
                f"{{ pthread_t th; pthread_create(&th, 0, thread_{n}, 0);\n    {parts[0]}\n   "
                " pthread_join(th, 0); }"
            )
        body = body[:start] + text + body[end:]
    return before, body


def program(body, raw, language, errors, own_fortran=False):
    """Raises fortran.NotFortran."""
    if "THREADS" in body and "#define LEVEL" not in body:
        body = "#define LEVEL MPI_THREAD_MULTIPLE\n" + body
    level = "#define LEVEL" in body
    if language in ("c", "omp"):
        if raw:
            return PRELUDE + body
        defines = "".join(l + "\n" for l in body.splitlines() if l.startswith("#define"))
        functions, body = threads_in_c(
            "\n".join(l for l in body.splitlines() if not l.startswith("#define")),
            language == "omp",
        )
        return (
            PRELUDE
            + ("#include <omp.h>\n" if language == "omp" else "")
            + defines
            + functions
            + "int main(int argc, char **argv)\n{\n    "
            + INIT[level]
            + START
            + "    "
            + body
            + "\n    MPI_Finalize();\n    return 0;\n}\n"
        )
    macros = fortran.define(l for l in PRELUDE.splitlines() if l.startswith("#define"))
    if own_fortran:
        return fortran.whole(body, language, CALLS, macros, "" if raw else INIT[level] + START)
    if not raw:
        return fortran.program(
            body + "\nMPI_Finalize();", language, CALLS, macros, INIT[level] + START, errors
        )
    main = MAIN.match(body.strip())
    if not main:
        raise fortran.NotFortran("a body of more than main")
    return fortran.program(main[1], language, CALLS, macros, "", errors)


class Case:
    def __init__(self, klass, name, bad, good, rules, ranks=2, words=()):
        self.unseen, self.slow = "unseen" in words, "slow" in words
        self.klass, self.name, self.rules, self.ranks = klass, name, rules, ranks
        self.bad, self.good, self.raw, self.threads, self.fortran = (
            bad,
            good,
            "raw" in words,
            "THREADS" in bad,
            "fortran" in words,
        )
        self.c, self.any = "c" in words, "any" in words
        self.dynamic = klass.startswith("dynamic")
        self.chance = zlib.crc32((klass + name).encode())

    def wanted(self):
        """The first language can write all cases; the others get a share each, and their own."""
        if self.fortran:
            return ["mpi", "mpif", "f08"]
        if self.c:
            return ["c"]
        if self.any:
            return ["c", ["mpi", "mpif", "f08"][self.chance // 7 % 3]]
        if self.threads:
            return list(LANGUAGES)
        return ["c", "mpi"] + {0: ["f08"], 1: ["mpif"], 4: ["f08"]}.get(self.chance % 8, [])

    def renderings(self):
        """Returns {language: {kind: text}} for all languages that can express the whole case."""
        done = {}
        for language in self.wanted():
            try:
                done[language] = {
                    kind: program(body, self.raw, language, self.chance % 8 == 0, self.fortran)
                    for kind, body in (("bad", self.bad), ("good", self.good))
                    if body
                }
            except fortran.NotFortran:
                pass
        return done


# --- arguments ------------------------------------------------------------------------------------

TYPE = "MPI_Type_contiguous(1,MPI_INT,&t2);"
SPOIL = {  # role: (what, value, what runs before, after)
    "comm": [
        ("null", "MPI_COMM_NULL", "", ""),
        ("freed", "c2", "MPI_Comm_dup(W,&c);c2=c;MPI_Comm_free(&c);", ""),
    ],
    "count": [("negative", "-1", "", "")],
    "type": [
        ("null", "MPI_DATATYPE_NULL", "", ""),
        ("uncommitted", "t2", TYPE, "MPI_Type_free(&t2);"),
        ("freed", "t", TYPE + "MPI_Type_commit(&t2);t=t2;MPI_Type_free(&t2);", ""),
    ],
    "dest": [
        ("size", "size", "", ""),
        ("negative", "-7", "", ""),
        ("any", "MPI_ANY_SOURCE", "", ""),
    ],
    "source": [("size", "size", "", ""), ("negative", "-7", "", "")],
    "target": [("size", "size", "", ""), ("negative", "-7", "", "")],
    "root": [("size", "size", "", ""), ("negative", "-7", "", "")],
    "tag": [("negative", "-7", "", "")],
    "op": [
        ("null", "MPI_OP_NULL", "", ""),
        ("freed", "op", "MPI_Op op2; MPI_Op_create(fun,1,&op2);op=op2;MPI_Op_free(&op2);", ""),
    ],
    "sbuf": [("NULL", "NULL", "", "")],
    "rbuf": [("NULL", "NULL", "", "")],
    "iobuf": [("NULL", "NULL", "", "")],
    "req_out": [("NULL", "NULL", "", "")],
    "req_io": [("NULL", "NULL", "", "")],
    "comm_out": [("NULL", "NULL", "", "")],
    "reqs": [("NULL", "NULL", "", "")],
    "reqs_count": [("negative", "-1", "", "")],
    "comm_io": [("null", "&c2", "c2=MPI_COMM_NULL;", ""), ("predefined", "&c2", "c2=W;", "")],
    "group_io": [("null", "&g2", "g2=MPI_GROUP_NULL;", "")],
    "type_io": [("null", "&t2", "t2=MPI_DATATYPE_NULL;", "")],
    "op_io": [
        ("null", "&op8", "MPI_Op op8=MPI_OP_NULL;", ""),
        ("predefined", "&op8", "MPI_Op op8=MPI_SUM;", ""),
    ],
    "win_io": [("null", "&w2", "MPI_Win w2=MPI_WIN_NULL;", "")],
    "file_io": [("null", "&f2", "MPI_File f2=MPI_FILE_NULL;", "")],
    "win": [
        ("null", "MPI_WIN_NULL", "", ""),
        (
            "freed",
            "w2",
            "MPI_Win w1, w2; MPI_Win_create(r,64,4,MPI_INFO_NULL,W,&w1);w2=w1;MPI_Win_free(&w1);",
            "",
        ),
    ],
    "file": [("null", "MPI_FILE_NULL", "", "")],
    "group": [("null", "MPI_GROUP_NULL", "", "")],
    "scounts": [("negative", "neg", "int neg[4]={4,-1,4,4};", ""), ("NULL", "NULL", "", "")],
    "rcounts": [("negative", "neg", "int neg[4]={4,-1,4,4};", ""), ("NULL", "NULL", "", "")],
    "msg_io": [("null", "&m2", "MPI_Message m2=MPI_MESSAGE_NULL;", "")],
    "offset": [("negative", "-8", "", "")],
    "info": [
        ("freed", "i2", "MPI_Info i2; MPI_Info_create(&info);i2=info;MPI_Info_free(&info);", "")
    ],
}
SAME = {
    "rcount": "count",
    "rtype": "type",
    "rsource": "source",
    "rtag": "tag",
    "rbuf1": "rbuf",
    "type_arg": "type",
}
ALIAS = {
    "Reduce",
    "Allreduce",
    "Gather",
    "Scatter",
    "Allgather",
    "Alltoall",
    "Scan",
    "Exscan",
    "Reduce_scatter",
    "Reduce_scatter_block",
    "Alltoallv",
    "Ireduce",
    "Iallreduce",
    "Igather",
    "Iscatter",
    "Iallgather",
    "Ialltoall",
    "Iscan",
    "Iexscan",
    "Gatherv",
    "Scatterv",
    "Allgatherv",
}


def roles():
    table = {}
    with open(os.path.join(SOURCE, "interpose/calls.table")) as rows:
        for line in rows:
            words = line.split("#")[0].split()
            params = [w.rpartition("=") for w in words[2:] if "=" in w]
            if words:
                table[words[0]] = [(re.sub(r"\(.*\)$", "", role), name) for role, _, name in params]
    return table


def significant(fn, role):
    """Tells whether the argument matters at ranks other than the root."""
    name = fn[1:].capitalize() if fn[0] == "I" and fn[1].islower() else fn
    return (
        not (name.startswith("Gather") and role[0] == "r" and role != "root")
        and not (
            name.startswith("Scatter") and role in ("sbuf", "count", "type", "scounts", "sdispls")
        )
        and not (name == "Reduce" and role == "rbuf")
    )


def spoilt(what, role, param):
    role = SAME.get(role, role)
    if role == "int":
        return {
            "ndims": [("negative", "-1", "", "")],
            "count": [("negative", "-1", "", "")],
            "n": [("negative", "-1", "", "")],
            "blocklength": [("negative", "-1", "", "")],
            "lock_type": [("wrong", "12345", "", "")],
            "amode": [("wrong", "0", "", ""), ("both", "MPI_MODE_RDONLY|MPI_MODE_RDWR", "", "")],
            "disp_unit": [("negative", "-1", "", "")],
            "color": [("negative", "-7", "", "")],
        }.get(param, [])
    if role == "aint":
        return (
            [("beyond", "99999", "", ""), ("negative", "-1", "", "")]
            if param == "target_disp"
            else [("negative", "-8", "", "")] if param == "size" and what == "Win_create" else []
        )
    if role == "ints":
        return {
            "dims": [
                ("zero", "bd", "int bd[2]={0,2};", ""),
                ("negative", "bd", "int bd[2]={-1,2};", ""),
                ("large", "bd", "int bd[2]={2,2};", ""),
            ],
            "ranks": [("size", "bd", "int bd[1]={7};", "")],
            "array_of_blocklengths": [("negative", "bd", "int bd[2]={-1,2};", "")],
        }.get(param, [])
    found = SPOIL.get(role, [])
    if role == "type" and (what.startswith("Type")):
        found = [x for x in found if x[0] != "uncommitted"]
    if role == "type" and what in ("File_set_view",):
        return found
    if role == "comm" and what.startswith("File_open"):
        return found
    return found


def argument_cases():
    table = roles()
    for group in (uses.P2P, uses.COLLECTIVE, uses.OBJECTS, uses.RMA, uses.IO):
        for line in group.strip().splitlines():
            call, _, rest = line.partition(" @")
            before, partner, after = (
                ([x.strip() for x in rest.split("|")] + ["", "", ""])[:3]
                if "MODE" not in rest
                else (rest, "", "")
            )
            fn, args = re.match(r"(\w+)\((.*)\)$", call).groups()
            args = re.split(r",(?![^()]*\))", args)
            body = (
                lambda text: (f"{before};\n    " if before else "")
                + (f"if (rank == 0) {{ {text}; }} else {{ {partner}; }}" if partner else f"{text};")
                + (f"\n    {after};" if after else "")
            )
            full = lambda values: f"MPI_{fn}({','.join(values)})"
            good = body(full(args))
            yield Case("arguments: correct", fn, good, None, None)
            for i, (role, param) in enumerate(table[fn]):
                for what, value, pre, post in spoilt(fn, role, param):
                    values = args[:i] + [value] + args[i + 1 :]
                    bad = (
                        (pre + "\n    " if pre else "")
                        + body(full(values))
                        + (f"\n    {post}" if post else "")
                    )
                    kind = SAME.get(role, role)
                    # after the window in use is made: else it gets the address of the freed one
                    if kind == "win" and pre:
                        bad = body(f"{{ {pre} {full(values)}; }}")
                    yield Case(
                        f"argument {kind}",
                        f"{fn}.{param}.{what}",
                        bad,
                        None,
                        {"argument", "rma", "file"},
                    )
                    if (
                        not partner
                        and not (kind == "win" and pre)
                        and significant(fn, role)
                        and what in ("null", "negative", "freed", "size")
                    ):
                        bad = (
                            (pre + "\n    " if pre else "")
                            + body(f"if (rank == 1) {full(values)}; else {full(args)}")
                            + (f"\n    {post}" if post else "")
                        )
                        if not (kind == "comm" and what == "freed" and False):
                            yield Case(
                                f"argument {kind}",
                                f"{fn}.{param}.{what}.one",
                                bad,
                                None,
                                {"argument", "rma", "file"},
                            )
            if fn in ALIAS:
                names = [n for _, n in table[fn]]
                values = list(args)
                values[names.index("recvbuf")] = "b"
                values[names.index("sendbuf")] = "b"
                yield Case("argument alias", fn, body(full(values)), None, {"argument"})
            if fn in ("Send", "Isend", "Recv", "Bcast", "Sendrecv", "Ssend", "Irecv", "Ibcast"):
                values = ["MPI_IN_PLACE"] + args[1:]
                yield Case("argument in-place", fn, body(full(values)), None, {"argument"})


# --- whole bodies ---------------------------------------------------------------------------------
# [CLASS] RULE,RULE          opens a class; each case is a paragraph:
# NAME ranks=N raw wrong unseen slow c any fortran and its body, in which «bad|good» marks the
# difference, and {x:A,B,C} makes a case for each of A, B, C (=x=).
#                            A body without marks is correct, unless the case has `wrong`.
# unseen: crosswait cannot see it, everywhere or if the kernel has no watchpoints; slow: the job
# hangs and nothing proves it, so that samples leave it out; c: in C only; any: in C and in one form
# of Fortran; fortran: in Fortran, not in C


def text_cases():
    for path in sorted(glob.glob(os.path.join(HERE, "cases_*.txt"))):
        klass = rules = None
        for paragraph in re.split(r"\n\s*\n", open(path).read()):
            lines = [l for l in paragraph.splitlines() if not l.startswith("# ")]
            while lines and lines[0].startswith("["):
                klass, rules = re.match(r"\[(.*?)\]\s*(.*)", lines.pop(0)).groups()
            if not lines:
                continue
            words, body = lines[0].split(), "\n".join(lines[1:])
            ranks = next((int(x[6:]) for x in words if x.startswith("ranks=")), 2)
            expected = next((x[6:] for x in words if x.startswith("rules=")), rules)
            body = "\n".join(
                [l for l in lines[1:] if l.startswith("#define")]
                + [l for l in lines[1:] if not l.startswith("#define")]
            )
            if body.startswith("#"):
                body = "\n" + body
            loops = re.findall(r"\{(\w+):([^{}]*)\}", body)
            for combination in itertools.product(*[v.split(",") for _, v in loops]):
                text, label = body, words[0].split(".{")[0]
                for (key, values), value in zip(loops, combination):
                    value = (
                        value.replace(";;", "\0")
                        .replace("; ", "\0 ")
                        .replace(";", ",")
                        .replace("\0", ";")
                    )
                    text = text.replace("{%s:%s}" % (key, values), value).replace(
                        "{%s}" % key, value
                    )
                    label += "." + value
                bad = re.sub(r"«([^|«»]*(?:\|\|[^|«»]*)*)\|([^«»]*)»", r"\1", text)
                good = re.sub(r"«([^|«»]*(?:\|\|[^|«»]*)*)\|([^«»]*)»", r"\2", text)
                faulty = expected != "-" and (good != bad or "wrong" in words)
                yield Case(
                    klass,
                    label,
                    bad,
                    good if good != bad else None,
                    set(expected.split(",")) if faulty else None,
                    ranks,
                    words,
                )


# --- running --------------------------------------------------------------------------------------

# Open MPI's shared memory does not connect worlds.
ACROSS = {"OMPI_MCA_btl": "self,vader,tcp", "OMPI_MCA_btl_tcp_if_include": "lo"}


def misplaced(finding, source, lines):
    """Returns the finding's first call whose place is not at or next to a line with this call:
    gfortran gives some calls the line of a neighbour."""
    for call in finding["calls"]:
        for what, where in (("call", "site"), ("subject", "subject_site")):
            name, at = re.match(r"MPI_\w+|", call.get(what) or "")[0], (
                call.get(where) or ""
            ).split(":")
            if name and (
                at[0] != source
                or len(at) != 2
                or (
                    source == "prog.f90"
                    and name.lower()
                    not in "".join(lines[max(int(at[1]) - 7, 0) : int(at[1]) + 3]).lower()
                )
            ):
                return f"{name} at {call.get(where)}"
    return None


def run(job):
    case, language, kind, code, folder = job
    base = os.path.join(
        folder, re.sub(r"[^\w.]", "_", f"{case.klass}.{case.name}")[:150] + f".{language}.{kind}"
    )
    source = "prog.c" if language in ("c", "omp") else "prog.f90"
    shutil.rmtree(base, ignore_errors=True)
    os.makedirs(base)
    with open(f"{base}/{source}", "w") as out:
        out.write(code)
    built = subprocess.run(
        LANGUAGES[language]
        + (FORTRAN if source == "prog.f90" else [])
        + LINKER
        + ["-o", base + "/prog", f"{base}/{source}"],
        capture_output=True,
        text=True,
        cwd=base,
    )
    if built.returncode:
        return case, language, kind, None, None, built.stderr[-600:]
    # Bodies use the arrays of the prelude as memory of any type.
    rules = ["--ignore=buffer-type"] if "buffer-type" not in (case.rules or "") else []
    try:
        did = subprocess.run(
            [
                "timeout",
                "-k",
                "10",
                "60",
                "crosswait",
                "run",
                "--stall=12",
                *rules,
                "-o",
                base + "/T.db",
                "--",
                "mpirun",
                "-n",
                str(case.ranks),
                "./prog",
            ],
            cwd=base,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            errors="replace",
            env=dict(os.environ, TMPDIR=base, **(ACROSS if case.dynamic else {})),
        )  # mpirun removes the folder of its sessions, also under another mpirun
    except OSError as e:
        return case, language, kind, None, None, str(e)
    with open(base + "/out.txt", "w") as out:
        out.write(did.stdout + did.stderr + f"\nexit {did.returncode}\n")
    found = []
    for trace in sorted(glob.glob(base + "/T*.db")):  # one of each world of processes
        told = subprocess.run(
            ["crosswait", "report", "--format=json", trace], capture_output=True, text=True
        )
        try:
            found += [
                (x["rule"], x["severity"], x["title"], misplaced(x, source, code.splitlines()))
                for x in json.loads(told.stdout)["findings"]
            ]
        except (ValueError, KeyError):
            pass
    # If a correct program gets this, our MPI is wrong.
    if "in a world the program ends differently" in did.stdout:
        found.append(("world", "error", did.stdout.splitlines()[-1], None))
    return case, language, kind, did.returncode, found, base


class Row:
    def __init__(self):
        self.bad = self.found = self.told = self.good = self.silent = 0

    def __str__(self):
        return (
            f"found {self.found:4}/{self.bad:<4} (exit 1: {self.told:4})  silent"
            f" {self.silent:4}/{self.good:<4}"
        )


def drawn(cases, count, every, seed):
    """Returns `count` cases of every Nth class. The cases of one class do not affect those of
    another."""
    classes = {}
    for case in cases:
        if not case.slow and not case.unseen:
            classes.setdefault(case.klass, []).append(case)
    return [
        case
        for klass, some in list(classes.items())[::every]
        for case in random.Random(f"{seed} {klass}").sample(some, min(count, len(some)))
    ]


OPTIONS = {"class", "name", "language", "each", "every", "seed", "jobs", "folder", "v"}


def main():
    option = dict((a.lstrip("-").split("=", 1) + ["1"])[:2] for a in sys.argv[1:])
    if option.keys() - OPTIONS:
        print(__doc__)
        sys.exit(0 if option.keys() <= {"h", "help"} else 2)
    CALLS.update(roles())
    cases = [
        c
        for c in itertools.chain(argument_cases(), text_cases())
        if re.search(option.get("class", ""), c.klass) and re.search(option.get("name", ""), c.name)
    ]
    if "each" in option:
        cases = drawn(
            cases, int(option["each"]), int(option.get("every", 1)), option.get("seed", "1")
        )
    folder = os.path.abspath(option.get("folder", "exam.work"))
    jobs = []
    for case in cases:
        texts = {
            l: t
            for l, t in case.renderings().items()
            if "language" not in option or l in option["language"].split(",")
        }
        if "each" in option and texts:
            chosen = random.Random(f"{option.get('seed', '1')} {case.klass} {case.name}").choice(
                list(texts)
            )
            texts = {chosen: texts[chosen]}
        jobs += [
            (case, language, kind, text, folder)
            for language, kinds in texts.items()
            for kind, text in kinds.items()
        ]
    classes, languages, all_, wrong, unseen = {}, {l: Row() for l in LANGUAGES}, Row(), [], []
    with concurrent.futures.ThreadPoolExecutor(int(option.get("jobs", 2))) as pool:
        for case, language, kind, code, found, where in pool.map(run, jobs):
            rows = classes.setdefault(case.klass, Row()), languages[language], all_
            told = [f for f in found or [] if f[1] != "note"]
            problem = None
            if kind == "bad" and case.rules is not None:
                # a freed object can make the library loop for ever: then the time limit ends the
                # job, and the report must still say why
                hit = code in (1, 124) and any(f[0] in case.rules for f in told)
                for row in rows:
                    row.bad += 1
                    row.found += hit
                    row.told += code == 1
                if not hit and (
                    case.unseen
                    or (language not in ("c", "omp") and fortran.UNSEEN.search(case.bad))
                ):
                    unseen.append(f"{case.klass}: {case.name} ({language})")
                elif not hit:
                    problem = "missed"
                elif any(f[3] for f in told):
                    problem = "misplaced"
            else:
                for row in rows:
                    row.good += 1
                    row.silent += code == 0
                problem = "blamed" if code != 0 or any(f[0] == "world" for f in told) else None
            if problem:
                wrong.append(
                    f"{problem} ({language}): {case.klass} / {case.name}: exit {code}, "
                    f"{[(f[0], f[2][:90]) + (f[3:] if f[3] else ()) for f in told]}"
                    + (f" {where}" if code is None else "")
                )
                if "v" in option:
                    print(wrong[-1], flush=True)
    for name, row in sorted(classes.items()) + [*languages.items(), ("all", all_)]:
        if row.bad or row.good:
            print(f"{name:36} {row}")
    for name in unseen:
        print(f"known not to be seen: {name}")
    if "v" not in option:
        print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
