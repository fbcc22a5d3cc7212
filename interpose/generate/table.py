"""Reads a row of calls.table, and refuses it if it is bad or its traits contradict its roles."""
import collections
import copy
import re

from words import CLASSES, TRAITS, VERBS

MODES = ["none", "standard", "buffered", "synchronous", "ready"]

# role: C type. before.c.tmpl and after.c.tmpl define what is recorded for each role.
ROLES = {
    "sbuf": "const void *",
    "rbuf": "void *",
    "rbuf1": "void *",
    "iobuf": "void *",
    "count": "int",
    "rcount": "int",
    "reqs_count": "int",
    "type": "MPI_Datatype",
    "rtype": "MPI_Datatype",
    "type_arg": "MPI_Datatype",
    "dest": "int",
    "source": "int",
    "root": "int",
    "target": "int",
    "rsource": "int",
    "tag": "int",
    "rtag": "int",
    "comm": "MPI_Comm",
    "comm_arg": "MPI_Comm",
    "op": "MPI_Op",
    "group": "MPI_Group",
    "win": "MPI_Win",
    "file": "MPI_File",
    "req": "MPI_Request",
    "req_io": "MPI_Request *",
    "req_out": "MPI_Request *",
    "reqs": "MPI_Request[]",
    "creqs": "const MPI_Request[]",
    "msg_io": "MPI_Message *",
    "msg_out": "MPI_Message *",
    "status": "MPI_Status *",
    "statuses": "MPI_Status[]",
    "cstatus": "const MPI_Status *",
    "comm_out": "MPI_Comm *",
    "comm_io": "MPI_Comm *",
    "group_out": "MPI_Group *",
    "group_io": "MPI_Group *",
    "type_out": "MPI_Datatype *",
    "type_io": "MPI_Datatype *",
    "type_get": "MPI_Datatype *",
    "op_out": "MPI_Op *",
    "op_io": "MPI_Op *",
    "win_out": "MPI_Win *",
    "win_io": "MPI_Win *",
    "file_out": "MPI_File *",
    "file_io": "MPI_File *",
    "address": "void *",
    "caddress": "const void *",
    "int": "int",
    "aint": "MPI_Aint",
    "offset": "MPI_Offset",
    "count64": "MPI_Count",
    "info": "MPI_Info",
    "errhandler": "MPI_Errhandler",
    "str": "const char *",
    "path": "const char *",  # a text that names a file; recorder_named identifies that file
    "str_out": "char *",
    "int_out": "int *",
    "int_io": "int *",
    "aint_out": "MPI_Aint *",
    "aint_io": "MPI_Aint *",
    "offset_out": "MPI_Offset *",
    "count64_out": "MPI_Count *",
    "scounts": "const int[]",
    "sdispls": "const int[]",
    "sdispls_a": "const MPI_Aint[]",
    "rcounts": "const int[]",
    "rdispls": "const int[]",
    "rdispls_a": "const MPI_Aint[]",
    "stypes": "const MPI_Datatype[]",
    "rtypes": "const MPI_Datatype[]",
}
# role(LENGTH): arrays; LENGTH is a C expression in the call's parameters
ARRAYS = {
    "ints": "const int[]",
    "ncints": "int[]",
    "weights": "const int[]",
    "outs": "int[]",
    "aints": "const MPI_Aint[]",
    "ncaints": "MPI_Aint[]",
    "types": "const MPI_Datatype[]",
    "nctypes": "MPI_Datatype[]",
    "ranges": "int[][3]",
}
# counts_of(PARTITIONS): elements per partition; the event has the total.
PARTITIONED = {"counts_of": "MPI_Count"}
# Arrays with an element per rank, and the list as which they are recorded.
LISTS = {
    "scounts": "SEND_COUNTS",
    "sdispls": "SEND_DISPLS",
    "sdispls_a": "SEND_DISPLS",
    "rcounts": "RECV_COUNTS",
    "rdispls": "RECV_DISPLS",
    "rdispls_a": "RECV_DISPLS",
    "stypes": "SEND_TYPES",
    "rtypes": "RECV_TYPES",
}
# Other lists, and texts: recorded under their own names.
NAMED_LISTS = (
    *("ints", "ncints", "aints", "ncaints", "weights", "ranges", "types", "nctypes", "str", "path"),
)
CONSTANTS = ("lock", "assert", "amode", "whence")  # int(KIND): recorded by recorder_constant_KIND
# check:WORD, for misuse.c.tmpl: distinguishes calls with the same roles and traits
CHECKS = (
    *("ranks", "translated", "node", "direction", "coords", "attribute", "contents", "subarray"),
    *("darray", "ranges", "inter", "datarep", "shared", "external", "dims"),
    *("packs", "unpacks", "generalized", "makes_generalized"),
)
TOPOLOGIES = ("cart", "graph", "dist_graph")
# Roles that are always wider in large-count forms, with their types; large:NAME,... adds others.
WIDER = {
    **dict.fromkeys(("count", "rcount", "scounts", "rcounts"), "MPI_Count"),
    **dict.fromkeys(("sdispls", "rdispls"), "MPI_Aint"),
}

# A trait, and roles one of which implies it: a row has both or neither.
BOTH = {
    "makes_request": ("req_out",),
    "sends": ("dest",),
    "matched": ("msg_io", "msg_out"),
    "makes_message": ("msg_out",),
    "takes_op": ("op",),
    "window": ("win", "win_io", "win_out"),
    "file": ("file", "file_io", "file_out"),
    "per_rank": ("scounts", "rcounts"),
    "per_type": ("stypes", "rtypes"),
    **{f"makes_{kind}": (f"{kind}_out",) for kind in "comm group type op win file".split()},
    **{f"frees_{kind}": (f"{kind}_io",) for kind in "comm group op win file".split()},
}
# A trait, and roles one of which it needs.
NEEDS = {
    "receives": ("source", "rsource", "msg_io"),
    "probes": ("source",),
    "completes_one": ("req", "req_io"),
    "completes_any": ("reqs", "creqs"),
    "completes_some": ("reqs", "creqs"),
    "completes_all": ("reqs", "creqs"),
    "starts": ("req_io", "reqs"),
    "cancels": ("req_io",),
    "frees_request": ("req_io",),
    "frees_type": ("type_io",),
    "polls": ("int_out",),
    "over_made": ("comm_out",),
    "neighbor": ("comm",),
    "partitioned": ("counts_of", "req"),
    "persistent": ("req_out",),
    "at_origin": ("win",),
}
# Traits that no local call has.
TELLS = (
    "sends",
    "receives",
    "probes",
    "collective",
    "dynamic",
    "starts",
    "completes_one",
    "completes_any",
    "completes_some",
    "completes_all",
)

COLL = ("coll", "icoll", "coll_init")
BUFFERS = ("sbuf", "rbuf", "rbuf1", "iobuf")
# Classes of calls that are no progress in a rank's communication; all others are.
STILL = ("other", "comm", "group", "topo", "type", "op", "tool", "win", "request_status")
# Calls that make, free and describe objects, or open and close files; all are infrequent.
SELDOM = (
    *("tool", "group", "topo", "type", "type_free", "op", "op_free", "win", "win_create"),
    *("win_free", "comm_create", "comm_icreate", "comm_free", "group_free", "spawn", "buffer"),
    *("file", "file_coll", "coll_init", "init", "finalize"),
)

Param = collections.namedtuple("Param", "role length ctype name")


def differ_little(param, declared):
    """Tells whether only const differs, or the pointer type of an argument that is not read."""
    row, header = squeeze(param.ctype), squeeze(declared)
    if row == header:
        return param.ctype.replace(" ", "") != declared.replace(" ", "")
    return row == "void*" and param.role == "raw" and declared[-1] in "*]"


def wider(ctype, number):
    """Returns the type of a number, array or function in a large-count form."""
    if ctype.endswith("_function*"):
        return ctype.replace("_function", "_function_c")
    return re.sub(r"\b(int|MPI_Aint)\b", number, ctype)


class Bad(Exception):
    pass


def full_name(name):
    """Returns a call's name in MPI; X_NAME is MPIX_NAME."""
    return ("MPI" if name.startswith("X_") else "MPI_") + name


def squeeze(ctype):
    return ctype.replace("const ", "").replace(" ", "")


class Call:
    FLAGS = ("special", "variadic", "glue", "aid", "ext", "newer", "poll", "steady")
    VALUES = ("returns", "origin", "sides", "null", "unjudged", "check", "topology", "since")

    def __init__(self, line):
        words = line.split()
        if len(words) < 3:
            raise Bad("a row needs a name, a class and traits")
        self.name = words[0]
        self.read_class(words[1])
        self.read_traits(words[2].split(","))
        for flag in self.FLAGS:
            setattr(self, flag, False)
        self.origin = self.sides = self.null = self.unjudged = self.check = self.topology = None
        self.returns = "int"
        self.since = 0  # 401: MPI 4.1
        self.small = self.large = None  # forms for small and large counts (MPI 4)
        self.large_names = self.words = None
        self.declared = False  # the header declares it
        self.spare = False  # a function whose name only the running library knows
        self.params = []
        for word in words[3:]:
            key, _, value = word.partition(":")
            if word in self.FLAGS:
                setattr(self, word, True)
            elif key == "large":
                self.large_names = value.split(",") if value else []
            elif key == "words":
                self.words = int(value)
                self.params += [Param("raw", "", "intptr_t", f"word{i}") for i in range(self.words)]
            elif key in self.VALUES:
                setattr(self, key, value)
            else:
                self.params.append(self.read_parameter(word))
        self.by_hand = self.params
        self.full = full_name(self.name)
        if self.sides not in (None, "gather", "scatter"):
            raise Bad(f"no such sides: '{self.sides}'")
        if self.check not in (None, *CHECKS):
            raise Bad(f"no such check: '{self.check}'")
        if self.topology not in (None, *TOPOLOGIES):
            raise Bad(f"no such topology: '{self.topology}'")
        if self.since:
            if not re.fullmatch(r"\d\.\d", self.since) or not self.null:
                raise Bad(f"no version of MPI since which a handle may be null: '{self.since}'")
            self.since = int(self.since.replace(".", "0"))
        for role in (self.null, self.unjudged):
            if role and not self.all(role):
                raise Bad(f"no parameter has the role '{role}'")
        self.agree()

    def read_class(self, word):
        self.klass, _, mode = word.partition(":")
        if self.klass not in CLASSES:
            raise Bad(f"no such class: '{self.klass}'")
        sends = self.klass in ("send", "isend", "send_init", "sendrecv")
        self.mode = mode or ("standard" if sends else "none")
        if self.mode not in MODES:
            raise Bad(f"no such mode: '{mode}'")

    def read_traits(self, words):
        for word in words:
            if word not in TRAITS and word not in VERBS:
                raise Bad(f"no such trait or verb: '{word}'")
        self.traits = [t for t in TRAITS if t in words]
        verbs = [v for v in words if v in VERBS]
        if len(verbs) > 1:
            raise Bad(f"a second verb: '{verbs[1]}'")
        self.verb = verbs[0] if verbs else "none"

    def read_parameter(self, word):
        role, _, name = word.rpartition("=")
        if not role or not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise Bad(f"neither an attribute nor role=parameter: '{word}'")
        m = re.match(r"(\w+)(?:\((.*)\))?$", role)
        base, length = m.groups() if m else (role, None)
        if base == "raw" and length:
            ctype = length.replace("~", " ")
        elif base in ARRAYS and length:
            ctype = ARRAYS[base]
        elif base in PARTITIONED and length:
            ctype = PARTITIONED[base]
        elif base in ROLES and (length is None or base == "int" and length in CONSTANTS):
            ctype = ROLES[base]
        else:
            raise Bad(f"no such role: '{role}'")
        if any(p.name == name for p in self.params):
            raise Bad(f"parameter twice: '{name}'")
        return Param(base, length, ctype, name)

    def agree(self):
        """Refuses a row whose class, traits and roles contradict each other."""
        for role in ("comm", "count", "type", "tag", "req_out", "status"):
            if len(self.all(role)) > 1:
                raise Bad(f"role twice: '{role}'")
        if self.one("comm_out") and not self.origin:
            raise Bad(
                "a call that makes a communicator says how: "
                "origin:parent, dist_graph, copy, group, inter, merge, spawn"
            )
        for trait, roles in BOTH.items():
            if self.does(trait) and not self.all(*roles):
                raise Bad(f"'{trait}' without a role {' or '.join(roles)}")
            if not self.does(trait) and self.all(*roles):
                raise Bad(f"a role {' or '.join(roles)} without '{trait}'")
        if self.one("root") and not self.does("from_root", "to_root"):
            raise Bad("a role root, and neither 'from_root' nor 'to_root'")
        if self.does("from_root", "to_root") and not self.one("root"):
            raise Bad("'from_root' or 'to_root' without a role root")
        for trait, roles in NEEDS.items():
            if self.does(trait) and not self.all(*roles):
                raise Bad(f"'{trait}' without a role {' or '.join(roles)}")
        for trait in TELLS:
            if self.does(trait, "local") > 1:
                raise Bad(f"'{trait}' and 'local'")
        if self.mode != "none" and not self.does("sends"):
            raise Bad("a mode without 'sends'")

    def large_form(self):
        """Returns MPI 4's form for large counts."""
        large = copy.copy(self)
        large.name, large.full = self.name + "_c", self.full + "_c"
        large.params = [
            (
                p._replace(
                    ctype=wider(
                        p.ctype,
                        "MPI_Aint" if p.name == "disp_unit" else WIDER.get(p.role, "MPI_Count"),
                    )
                )
                if p.role in WIDER or p.name in self.large_names
                else p
            )
            for p in self.params
        ]
        large.by_hand = large.params
        large.small, self.large = self, large
        return large

    def other_name(self):
        """Returns the same call as MPIX_NAME."""
        other = copy.copy(self)
        other.name = "X_" + self.name
        other.full = full_name(other.name)
        other.large = other.small = None
        return other

    def take_declared(self, parameters):
        """Takes const, and pointers to unread data, from the header, since libraries differ in
        both. Functions written by hand have one form, in which the row decides about const."""
        self.declared = True
        if self.words is None and len(parameters) == len(self.params):
            row = self.params
            self.params = [
                p._replace(ctype=t) if differ_little(p, t) else p
                for p, t in zip(self.params, parameters)
            ]
            self.by_hand = [
                r if r.ctype.startswith("const ") and squeeze(r.ctype) == squeeze(p.ctype) else p
                for r, p in zip(row, self.params)
            ]

    # --- queries of the templates ---
    def does(self, *traits):
        """Returns how many of these traits the call has."""
        return sum(trait in self.traits for trait in traits)

    def all(self, *roles):
        """Returns the names of parameters with one of the roles; for the count of a partitioned
        call `total`, the wrapper's sum over all partitions."""
        if "count" in roles and any(p.role in PARTITIONED for p in self.params):
            return ["total"]
        return [p.name for p in self.params if p.role in roles]

    def one(self, *roles):
        return next(iter(self.all(*roles)), None)

    def position(self, param):
        return self.params.index(param)

    def names(self):
        return ", ".join(p.name for p in self.params)

    def named(self):
        """Returns the fields that identify the file of a path (struct recorder_named)."""
        return ["place", "device", "inode"] if self.one("path") else []

    def arrays(self):
        """Returns the arrays that the call reads."""
        return [p for p in self.params if p.role in LISTS or p.role in ARRAYS and p.role != "outs"]

    def seen(self, text):
        """Returns C text with arrays replaced by their readable parts; @NAME stays the argument."""
        arrays = [p.name for p in self.arrays()]
        return re.sub(
            r'"[^"]*"|(?<![.>])@?\b[A-Za-z_]\w*\b',
            lambda m: m.group(0) + "_" if m.group(0) in arrays else m.group(0).lstrip("@"),
            text,
        )

    def flag(self):
        """Returns the parameter that says whether the call found something."""
        return "flag" if "flag" in self.all("int_out") else None

    def coll(self):
        return self.klass in COLL

    def sided(self):
        """Tells whether one of the call's sides may have no meaning: at ranks other than the root,
        or with MPI_IN_PLACE."""
        return bool(self.sides or self.coll() and self.one("rtype", "stypes"))

    def seldom(self):
        """Tells whether the wrapper need not be fast: a large-count form only passes on its
        arguments. Bindings convert handles in each call, and file data may move often."""
        return self.small or self.klass in SELDOM and not self.glue and not self.moves()

    def tooling(self):
        """Tells whether the call is part of MPI_T."""
        return self.klass == "tool" and self.does("any_thread")

    def buffered(self):
        """Tells whether the call has data buffers."""
        return self.one(*BUFFERS)

    def moves(self):
        """Tells whether data moves between the buffers and other ranks, windows or files."""
        return self.buffered() and not self.does("local")

    def holds(self):
        """Tells whether MPI owns the buffers only until the call returns."""
        return self.klass != "rma" and not self.does("makes_request", "begins")
