#!/usr/bin/python3
"""Examines `crosswait run` with small generated programs: for each class of MPI error, each function and place it can occur in, one
program with the error and its correct twin.

    exam.py [--class=WORD] [--name=REGEX] [--each=N] [--seed=N] [--jobs=N] [--folder=F] [-v]
                                                     prints a table; exit status 1 if a case went wrong
    --each=N: N cases of each class only, chosen by the seed

Cases come from two places: uses.py (correct uses of functions; an argument is spoilt by its role in interpose/calls.table) and
cases_*.txt (whole bodies, in which «bad|good» marks what differs)."""
import glob, itertools, json, os, random, re, shutil, subprocess, sys, concurrent.futures
import uses

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("SOURCE", os.path.dirname(os.path.dirname(HERE)))
PRELUDE = """#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define W MPI_COMM_WORLD
#define ST MPI_STATUS_IGNORE
#define SS MPI_STATUSES_IGNORE
#define WIN MPI_Win_create(b, sizeof b, sizeof(int), MPI_INFO_NULL, W, &w)
#define OPEN MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f)
#define I MPI_INT
static int rank, size, o, k, b[4096], r[4096], cnt[4] = {4, 4, 4, 4}, dsp[4] = {0, 4, 8, 12}, one[1] = {0}, dims[2] = {2, 1}, per[2];
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
static void fun(void *a, void *b, int *n, MPI_Datatype *t) { for (int i = 0; i < *n; i++) ((int *)b)[i] += ((int *)a)[i]; (void)t; }
"""
START = """    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    o = rank ^ 1;
    for (int i = 0; i < 4; i++) tt[i] = MPI_INT;
    for (int i = 0; i < 64; i++) b[i] = rank * 100 + i;
"""


def program(body, raw):
    if raw:
        return PRELUDE + body
    return PRELUDE + "int main(int argc, char **argv)\n{\n    MPI_Init(&argc, &argv);\n" + START + "    " + body + "\n    MPI_Finalize();\n    return 0;\n}\n"


class Case:
    def __init__(self, klass, name, bad, good, rules, ranks=2, raw=False, unseen=False):
        self.unseen = unseen
        self.klass, self.name, self.rules, self.ranks = klass, name, rules, ranks
        self.bad, self.good = program(bad, raw), program(good, raw) if good else None


# --- arguments -----------------------------------------------------------------------------------------------------------------

TYPE = "MPI_Type_contiguous(1,MPI_INT,&t2);"
SPOIL = {  # role: (what, value, what runs before, after)
    "comm": [("null", "MPI_COMM_NULL", "", ""), ("freed", "c2", "MPI_Comm_dup(W,&c);c2=c;MPI_Comm_free(&c);", "")],
    "count": [("negative", "-1", "", "")],
    "type": [("null", "MPI_DATATYPE_NULL", "", ""), ("uncommitted", "t2", TYPE, "MPI_Type_free(&t2);"),
             ("freed", "t", TYPE + "MPI_Type_commit(&t2);t=t2;MPI_Type_free(&t2);", "")],
    "dest": [("size", "size", "", ""), ("negative", "-7", "", ""), ("any", "MPI_ANY_SOURCE", "", "")],
    "source": [("size", "size", "", ""), ("negative", "-7", "", "")],
    "target": [("size", "size", "", ""), ("negative", "-7", "", "")],
    "root": [("size", "size", "", ""), ("negative", "-7", "", "")],
    "tag": [("negative", "-7", "", "")],
    "op": [("null", "MPI_OP_NULL", "", ""), ("freed", "op", "MPI_Op op2; MPI_Op_create(fun,1,&op2);op=op2;MPI_Op_free(&op2);", "")],
    "sbuf": [("NULL", "NULL", "", "")], "rbuf": [("NULL", "NULL", "", "")], "iobuf": [("NULL", "NULL", "", "")],
    "req_out": [("NULL", "NULL", "", "")], "req_io": [("NULL", "NULL", "", "")], "comm_out": [("NULL", "NULL", "", "")],
    "reqs": [("NULL", "NULL", "", "")], "reqs_count": [("negative", "-1", "", "")],
    "comm_io": [("null", "&c2", "c2=MPI_COMM_NULL;", ""), ("predefined", "&c2", "c2=W;", "")],
    "group_io": [("null", "&g2", "g2=MPI_GROUP_NULL;", "")],
    "type_io": [("null", "&t2", "t2=MPI_DATATYPE_NULL;", "")],
    "op_io": [("null", "&op8", "MPI_Op op8=MPI_OP_NULL;", ""), ("predefined", "&op8", "MPI_Op op8=MPI_SUM;", "")],
    "win_io": [("null", "&w2", "MPI_Win w2=MPI_WIN_NULL;", "")], "file_io": [("null", "&f2", "MPI_File f2=MPI_FILE_NULL;", "")],
    "win": [("null", "MPI_WIN_NULL", "", ""), ("freed", "w2", "MPI_Win w1, w2; MPI_Win_create(r,64,4,MPI_INFO_NULL,W,&w1);w2=w1;MPI_Win_free(&w1);", "")],
    "file": [("null", "MPI_FILE_NULL", "", "")],
    "group": [("null", "MPI_GROUP_NULL", "", "")],
    "scounts": [("negative", "neg", "int neg[4]={4,-1,4,4};", ""), ("NULL", "NULL", "", "")],
    "rcounts": [("negative", "neg", "int neg[4]={4,-1,4,4};", ""), ("NULL", "NULL", "", "")],
    "msg_io": [("null", "&m2", "MPI_Message m2=MPI_MESSAGE_NULL;", "")],
    "offset": [("negative", "-8", "", "")],
    "info": [("freed", "i2", "MPI_Info i2; MPI_Info_create(&info);i2=info;MPI_Info_free(&info);", "")],
}
SAME = {"rcount": "count", "rtype": "type", "rsource": "source", "rtag": "tag", "rbuf1": "rbuf", "type_arg": "type"}
ALIAS = {"Reduce", "Allreduce", "Gather", "Scatter", "Allgather", "Alltoall", "Scan", "Exscan", "Reduce_scatter", "Reduce_scatter_block",
         "Alltoallv", "Ireduce", "Iallreduce", "Igather", "Iscatter", "Iallgather", "Ialltoall", "Iscan", "Iexscan", "Gatherv", "Scatterv", "Allgatherv"}


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
    """At ranks other than the root."""
    name = fn[1:].capitalize() if fn[0] == "I" and fn[1].islower() else fn
    return not (name.startswith("Gather") and role[0] == "r" and role != "root") and not (name.startswith("Scatter") and role in ("sbuf", "count", "type", "scounts", "sdispls")) and \
        not (name == "Reduce" and role == "rbuf")


def spoilt(what, role, param):
    role = SAME.get(role, role)
    if role == "int":
        return {"ndims": [("negative", "-1", "", "")], "count": [("negative", "-1", "", "")], "n": [("negative", "-1", "", "")],
                "blocklength": [("negative", "-1", "", "")], "lock_type": [("wrong", "12345", "", "")],
                "amode": [("wrong", "0", "", ""), ("both", "MPI_MODE_RDONLY|MPI_MODE_RDWR", "", "")],
                "disp_unit": [("negative", "-1", "", "")], "color": [("negative", "-7", "", "")]}.get(param, [])
    if role == "aint":
        return [("beyond", "99999", "", ""), ("negative", "-1", "", "")] if param == "target_disp" else \
            [("negative", "-8", "", "")] if param == "size" and what == "Win_create" else []
    if role == "ints":
        return {"dims": [("zero", "bd", "int bd[2]={0,2};", ""), ("negative", "bd", "int bd[2]={-1,2};", ""), ("large", "bd", "int bd[2]={2,2};", "")],
                "ranks": [("size", "bd", "int bd[1]={7};", "")], "array_of_blocklengths": [("negative", "bd", "int bd[2]={-1,2};", "")]}.get(param, [])
    found = SPOIL.get(role, [])
    if role == "type" and (what.startswith("Type") ):
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
            before, partner, after = ([x.strip() for x in rest.split("|")] + ["", "", ""])[:3] if "MODE" not in rest else (rest, "", "")
            fn, args = re.match(r"(\w+)\((.*)\)$", call).groups()
            args = re.split(r",(?![^()]*\))", args)
            body = lambda text: (f"{before};\n    " if before else "") + \
                (f"if (rank == 0) {{ {text}; }} else {{ {partner}; }}" if partner else f"{text};") + (f"\n    {after};" if after else "")
            full = lambda values: f"MPI_{fn}({','.join(values)})"
            good = body(full(args))
            yield Case("arguments: correct", fn, good, None, None)
            for i, (role, param) in enumerate(table[fn]):
                for what, value, pre, post in spoilt(fn, role, param):
                    values = args[:i] + [value] + args[i + 1:]
                    bad = (pre + "\n    " if pre else "") + body(full(values)) + (f"\n    {post}" if post else "")
                    kind = SAME.get(role, role)
                    if kind == "win" and pre: # behind the window that is used: else the library takes the freed one's address for it
                        bad = body(f"{{ {pre} {full(values)}; }}")
                    yield Case(f"argument {kind}", f"{fn}.{param}.{what}", bad, None, {"argument", "rma", "file"})
                    if not partner and not (kind == "win" and pre) and significant(fn, role) and what in ("null", "negative", "freed", "size"):
                        bad = (pre + "\n    " if pre else "") + body(f"if (rank == 1) {full(values)}; else {full(args)}") + (f"\n    {post}" if post else "")
                        if not (kind == "comm" and what == "freed" and False):
                            yield Case(f"argument {kind}", f"{fn}.{param}.{what}.one", bad, None, {"argument", "rma", "file"})
            if fn in ALIAS:
                names = [n for _, n in table[fn]]
                values = list(args)
                values[names.index("recvbuf")] = "b"
                values[names.index("sendbuf")] = "b"
                yield Case("argument alias", fn, body(full(values)), None, {"argument"})
            if fn in ("Send", "Isend", "Recv", "Bcast", "Sendrecv", "Ssend", "Irecv", "Ibcast"):
                values = ["MPI_IN_PLACE"] + args[1:]
                yield Case("argument in-place", fn, body(full(values)), None, {"argument"})


# --- whole bodies ----------------------------------------------------------------------------------------------------------------
# [CLASS] RULE,RULE          opens a class; then, a case a paragraph:
# NAME ranks=N raw unseen    (unseen: a blind spot, everywhere or where the kernel has no watchpoints) and its body, in which «bad|good» marks what differs, and {x:A,B,C} makes a case for each of A, B, C (=x=)

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
            body = "\n".join([l for l in lines[1:] if l.startswith("#define")] + [l for l in lines[1:] if not l.startswith("#define")])
            if body.startswith("#"):
                body = "\n" + body
            loops = re.findall(r"\{(\w+):([^{}]*)\}", body)
            for combination in itertools.product(*[v.split(",") for _, v in loops]):
                text, label = body, words[0].split(".{")[0]
                for (key, values), value in zip(loops, combination):
                    value = value.replace(";;", "\0").replace("; ", "\0 ").replace(";", ",").replace("\0", ";")
                    text = text.replace("{%s:%s}" % (key, values), value).replace("{%s}" % key, value)
                    label += "." + value
                bad = re.sub(r"«([^|«»]*(?:\|\|[^|«»]*)*)\|([^«»]*)»", r"\1", text)
                good = re.sub(r"«([^|«»]*(?:\|\|[^|«»]*)*)\|([^«»]*)»", r"\2", text)
                yield Case(klass, label, bad, good if good != bad else None, set(expected.split(",")) if expected != "-" else None,
                           ranks, "raw" in words, "unseen" in words)


# --- running -----------------------------------------------------------------------------------------------------------------------

os.environ.pop("OMPI_MCA_btl_vader_single_copy_mechanism", None) # without it Open MPI has no one-sided communication here


def run(job):
    case, kind, folder, verbose = job
    code = case.bad if kind == "bad" else case.good
    base = os.path.join(folder, re.sub(r"[^\w.]", "_", f"{case.klass}.{case.name}")[:150] + "." + kind)
    shutil.rmtree(base, ignore_errors=True)
    os.makedirs(base)
    with open(base + "/prog.c", "w") as out:
        out.write(code)
    built = subprocess.run(["mpicc", "-g", "-w", "-pthread", "-o", base + "/prog", base + "/prog.c"], capture_output=True, text=True)
    if built.returncode:
        return case, kind, None, None, built.stderr[:600]
    try:
        did = subprocess.run(["timeout", "-k", "5", "25", "crosswait", "run", "-o", base + "/T.db", "--", "mpirun", "-n", str(case.ranks), "./prog"],
                             cwd=base, capture_output=True, text=True, stdin=subprocess.DEVNULL, errors="replace")
    except OSError as e:
        return case, kind, None, None, str(e)
    with open(base + "/out.txt", "w") as out:
        out.write(did.stdout + did.stderr + f"\nexit {did.returncode}\n")
    told = subprocess.run(["crosswait", "report", "--format=json", base + "/T.db"], capture_output=True, text=True)
    try:
        found = [(x["rule"], x["severity"], x["title"]) for x in json.loads(told.stdout)["findings"]]
    except (ValueError, KeyError):
        found = []
    return case, kind, did.returncode, found, base


def main():
    option = dict((a.lstrip("-").split("=") + ["1"])[:2] for a in sys.argv[1:])
    cases = [c for c in itertools.chain(argument_cases(), text_cases()) if option.get("class", "") in c.klass and re.search(option.get("name", ""), c.name)]
    if "each" in option:
        random.Random(int(option.get("seed", 1))).shuffle(cases)
        count = {}
        for case in cases:
            count.setdefault(case.klass, []).append(case)
        cases = [case for some in count.values() for case in some[:int(option["each"])]]
    folder = os.path.abspath(option.get("folder", "exam.work"))
    jobs = [(c, kind, folder, False) for c in cases for kind in ("bad", "good") if kind == "bad" or c.good]
    table, wrong, unseen = {}, [], []
    with concurrent.futures.ThreadPoolExecutor(int(option.get("jobs", 2))) as pool:
        for case, kind, code, found, where in pool.map(run, jobs):
            row = table.setdefault(case.klass, [0, 0, 0, 0, 0])
            told = [f for f in found or [] if f[1] != "note"]
            if kind == "bad" and case.rules is not None:
                row[1] += 1
                # what was freed may send the library astray for ever: the job is then ended from outside, and the report still tells why
                hit = code in (1, 124) and any(f[0] in case.rules for f in told)
                row[0] += hit
                row[4] += code == 1
                if not hit and case.unseen:
                    unseen.append(f"{case.klass}: {case.name}")
                elif not hit:
                    wrong.append((case.klass, case.name, "missed", code, told, where))
            else:
                row[3] += 1
                silent = code == 0
                row[2] += silent
                if not silent:
                    wrong.append((case.klass, case.name, "blamed", code, told, where))
    for klass, (hit, bad, silent, good, any_) in sorted(table.items()):
        print(f"{klass:36} found {hit:4}/{bad:<4} (exit 1: {any_:4})  silent {silent:4}/{good:<4}")
    print(f"{'all':36} found {sum(r[0] for r in table.values()):4}/{sum(r[1] for r in table.values()):<4}"
          f" (exit 1: {sum(r[4] for r in table.values()):4})  silent {sum(r[2] for r in table.values()):4}/{sum(r[3] for r in table.values()):<4}")
    for name in unseen:
        print(f"known not to be seen: {name}")
    if "v" in option or "each" in option:
        for w in wrong:
            print(f"{w[2]}: {w[0]} / {w[1]}: exit {w[3]}, {[(f[0], f[2][:90]) for f in w[4]]}" + (f" {w[5]}" if w[3] is None else ""))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
