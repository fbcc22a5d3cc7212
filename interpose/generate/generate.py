#!/usr/bin/python3
"""From calls.table and the installed mpi.h to wrappers, ids and descriptors. Its output is neither committed nor edited.

    generate.py TABLE OUT-FOLDER -- COMPILER FLAGS...     (the compiler only preprocesses mpi.h)

Writes interpose_calls.h (ids, types of the real functions), interpose_calls.c (descriptors, wrappers) and interpose.map (what the
library exports). A bad row is refused with FILE:LINE; so is a function of mpi.h that has no row."""
import os, re, subprocess, sys

CLASSES = """other init finalize abort send isend send_init recv irecv recv_init sendrecv start wait waitall waitany
waitsome test testall testany testsome request_status probe iprobe mprobe improbe mrecv imrecv cancel request_free buffer coll
icoll coll_init comm_create comm_icreate comm_free comm group topo type type_free op op_free group_free win_create win_free rma
rma_fence rma_post rma_start rma_complete rma_wait rma_test rma_lock rma_unlock rma_flush win file file_coll spawn tool""".split()
MODES = ["none", "standard", "buffered", "synchronous", "ready"]
# Calls by which a rank gets on with its communication; polling and asking is no progress.
STILL = {"other", "comm", "group", "topo", "type", "op", "tool", "win", "request_status"}

# role: C type. What is recorded of it is in Call.prepare and Call.finish below.
ROLES = {
    "sbuf": "const void *", "rbuf": "void *", "rbuf1": "void *", "iobuf": "void *",
    "count": "int", "rcount": "int", "type": "MPI_Datatype", "rtype": "MPI_Datatype", "type_arg": "MPI_Datatype",
    "dest": "int", "source": "int", "root": "int", "target": "int", "rsource": "int", "tag": "int", "rtag": "int",
    "comm": "MPI_Comm", "comm_arg": "MPI_Comm", "op": "MPI_Op", "group": "MPI_Group", "win": "MPI_Win", "file": "MPI_File",
    "req": "MPI_Request", "req_io": "MPI_Request *", "req_out": "MPI_Request *", "reqs": "MPI_Request[]", "reqs_count": "int",
    "msg_io": "MPI_Message *", "msg_out": "MPI_Message *",
    "status": "MPI_Status *", "statuses": "MPI_Status[]", "cstatus": "const MPI_Status *",
    "comm_out": "MPI_Comm *", "comm_io": "MPI_Comm *", "group_out": "MPI_Group *", "group_io": "MPI_Group *",
    "type_out": "MPI_Datatype *", "type_io": "MPI_Datatype *", "type_get": "MPI_Datatype *", "op_out": "MPI_Op *", "op_io": "MPI_Op *",
    "win_out": "MPI_Win *", "win_io": "MPI_Win *", "file_out": "MPI_File *", "file_io": "MPI_File *",
    "int": "int", "aint": "MPI_Aint", "offset": "MPI_Offset", "count64": "MPI_Count", "info": "MPI_Info",
    "int_out": "int *", "aint_out": "MPI_Aint *", "offset_out": "MPI_Offset *", "count64_out": "MPI_Count *",
    "str": "const char *", "str_out": "char *",
    "scounts": "const int[]", "sdispls": "const int[]", "rcounts": "const int[]", "rdispls": "const int[]",
    "sdispls_a": "const MPI_Aint[]", "rdispls_a": "const MPI_Aint[]",
    "stypes": "const MPI_Datatype[]", "rtypes": "const MPI_Datatype[]",
}
# role(LENGTH): arrays of a length that is a C expression in the call's parameters
ARRAYS = {
    "ints": "const int[]", "ncints": "int[]", "weights": "const int[]", "outs": "int[]", "aints": "const MPI_Aint[]",
    "ncaints": "MPI_Aint[]", "types": "const MPI_Datatype[]", "nctypes": "MPI_Datatype[]", "ranges": "int[][3]",
}
CONSTANTS = ("lock", "assert", "amode", "whence")  # int(KIND): recorded by recorder_constant_KIND
LISTS = {"scounts": "SEND_COUNTS", "sdispls": "SEND_DISPLS", "sdispls_a": "SEND_DISPLS", "stypes": "SEND_TYPES",
         "rcounts": "RECV_COUNTS", "rdispls": "RECV_DISPLS", "rdispls_a": "RECV_DISPLS", "rtypes": "RECV_TYPES"}
RETURNS = {"int": "int", "double": "double", "MPI_Fint": "MPI_Fint"}


HERE = os.path.dirname(os.path.abspath(__file__))
TRAITS, VERBS = (dict(re.findall(r"X\((\w+), +\"(\w+)\"\)", part.replace("\\\n", "")))
                 for part in open(os.path.join(HERE, "../../core/trace/traits.h")).read().split("#define TRAITS(X)")[1].split("#define VERBS(X)"))
TRAITS, VERBS = ({text: name for name, text in words.items()} for words in (TRAITS, VERBS))


class Bad(Exception):
    pass


def declare(ctype, name):
    m = re.match(r"(.*?)((?:\[\d*\])+)$", ctype)
    return f"{m.group(1)} {name}{m.group(2)}" if m else f"{ctype}{'' if ctype.endswith('*') else ' '}{name}"


class Call:
    def __init__(self, line):
        words = line.split()
        if len(words) < 3:
            raise Bad("a row needs a name, a class and traits")
        self.name, klass = words[:2]
        self.klass, _, mode = klass.partition(":")
        if self.klass not in CLASSES:
            raise Bad(f"no such class: '{self.klass}'")
        sends = self.klass in ("send", "isend", "send_init", "sendrecv")
        self.mode = mode or ("standard" if sends else "none")
        if self.mode not in MODES:
            raise Bad(f"no such mode: '{mode}'")
        self.traits = {t for t in words[2].split(",") if t in TRAITS}
        verbs = [t for t in words[2].split(",") if t in VERBS]
        for t in words[2].split(","):
            if t not in TRAITS and t not in VERBS:
                raise Bad(f"no such trait or verb: '{t}'")
        if len(verbs) > 1:
            raise Bad(f"a second verb: '{verbs[1]}'")
        self.verb = verbs[0] if verbs else "none"
        self.special, self.returns, self.origin, self.sides, self.null = False, "int", None, None, None
        self.variadic = self.glue = self.aid = self.ext = self.poll = False
        self.params = []  # (role, length, C type, name)
        for word in words[3:]:
            if word in ("special", "variadic", "glue", "aid", "ext", "poll"):
                setattr(self, word, True)
            elif word.startswith("returns:"):
                self.returns = word[8:]
            elif word.startswith("origin:"):
                self.origin = word[7:].upper()
            elif word.startswith("sides:"):
                self.sides = word[6:]
                if self.sides not in ("gather", "scatter"):
                    raise Bad(f"no such sides: '{self.sides}'")
            elif word.startswith("null:"):
                self.null = word[5:]
            else:
                role, _, name = word.rpartition("=")
                if not role or not re.fullmatch(r"[A-Za-z_]\w*", name):
                    raise Bad(f"neither an attribute nor role=parameter: '{word}'")
                m = re.match(r"(\w+)(?:\((.*)\))?$", role)
                base, length = m.groups() if m else (role, None)
                if base == "raw" and length:
                    ctype = length.replace("~", " ")
                elif base in ARRAYS and length:
                    ctype = ARRAYS[base]
                elif base in ROLES and (length is None or base == "int" and length in CONSTANTS):
                    ctype = ROLES[base]
                else:
                    raise Bad(f"no such role: '{role}'")
                if any(p[3] == name for p in self.params):
                    raise Bad(f"parameter twice: '{name}'")
                self.params.append((base, length, ctype, name))
        self.full = ("MPIX_" if self.ext else "MPI_") + self.name
        for role in ("comm", "count", "type", "tag", "req_out", "status"):
            if len(self.all(role)) > 1:
                raise Bad(f"role twice: '{role}'")
        if self.klass in ("comm_create", "comm_icreate", "spawn") and self.all("comm_out") and not self.origin:
            raise Bad("a call that makes a communicator says how: origin:parent, copy, group, inter, merge, spawn")

        self.agree()

    # What a trait says of the roles of its row, and they of it.
    ROLES_OF_TRAITS = {
        "makes_request": ("req_out",), "sends": ("dest",), "matched": ("msg_io", "msg_out"), "makes_message": ("msg_out",),
        "window": ("win", "win_io", "win_out"), "file": ("file", "file_io", "file_out"), "takes_op": ("op",), "per_rank": ("scounts", "rcounts"),
        "per_type": ("stypes", "rtypes"),
        **{f"makes_{kind}": (f"{kind}_out",) for kind in ("comm", "group", "type", "op", "win", "file")},
        **{f"frees_{kind}": (f"{kind}_io",) for kind in ("comm", "group", "op", "win", "file")},
    }
    NEEDS = {
        "receives": ("source", "rsource", "msg_io"), "probes": ("source",), "completes_one": ("req", "req_io"), "completes_any": ("reqs",),
        "completes_some": ("reqs",), "completes_all": ("reqs",), "starts": ("req_io", "reqs"), "cancels": ("req_io",), "frees_request": ("req_io",),
        "frees_type": ("type_io",), "polls": ("int_out",), "over_made": ("comm_out",),
        "neighbor": ("comm",), "persistent": ("req_out",), "at_origin": ("win",),
    }
    TELLS = ("sends", "receives", "probes", "collective", "dynamic", "starts", "completes_one", "completes_any", "completes_some", "completes_all")

    def agree(self):
        """Whether traits and roles say the same."""
        for trait, roles in self.ROLES_OF_TRAITS.items():
            if (trait in self.traits) != bool(self.all(*roles)):
                raise Bad(f"'{trait}' without a role {' or '.join(roles)}" if trait in self.traits else
                          f"a role {' or '.join(roles)} without '{trait}'")
        if bool(self.traits & {"from_root", "to_root"}) != bool(self.all("root")):
            raise Bad("a role root, and neither 'from_root' nor 'to_root'" if self.all("root") else "'from_root' or 'to_root' without a role root")
        for trait, roles in self.NEEDS.items():
            if trait in self.traits and not self.all(*roles):
                raise Bad(f"'{trait}' without a role {' or '.join(roles)}")
        for trait in self.TELLS:
            if trait in self.traits and "local" in self.traits:
                raise Bad(f"'{trait}' and 'local'")
        if self.mode != "none" and "sends" not in self.traits:
            raise Bad("a mode without 'sends'")

    def all(self, *roles):
        return [p[3] for p in self.params if p[0] in roles]

    def meaning(self):
        return f"VERB_{VERBS[self.verb]}, " + (" | ".join(f"TRAIT_BIT({TRAITS[t]})" for t in TRAITS if t in self.traits) or "0")

    def one(self, *roles):
        names = self.all(*roles)
        return names[0] if names else None

    # --- pieces of C ---
    def parameters(self):
        return ", ".join(declare(c, n) for _, _, c, n in self.params) + (", ..." if self.variadic else "") or "void"

    def names(self):
        return ", ".join(p[3] for p in self.params)

    def held(self, name, kind):
        """What a handle's variable holds. A null pointer is the program's mistake: the library's to judge, not ours to die of."""
        there = f"{name} && flag" if self.klass == "test" else name if self.klass == "wait" else f"recorder_seen({name}, sizeof *{name})"
        return f"({there} ? *{name} : recorder_handle.{kind}_null)"

    def lengths(self):
        """Names of arrays that are read: (C type of an element, how many)."""
        out, ranks = {}, dict(self.list_lengths())
        for role, length, ctype, name in self.params:
            if role in LISTS or role in ARRAYS and role != "outs":
                out[name] = ("int[3]" if role == "ranges" else ctype[:-2].replace("const ", ""), ranks.get(name, length))
        return out

    def seen(self, text):
        """C in which the arrays are what we may read of them; @NAME is what the program gave."""
        arrays = self.lengths()
        return re.sub(r'"[^"]*"|(?<![.>])@?\b[A-Za-z_]\w*\b',
                      lambda m: m.group(0) + "_" if m.group(0) in arrays else m.group(0).lstrip("@"), text)

    def seen_first(self, sides):
        """Of an array that MPI would not read either, as another argument is wrong, we may read nothing: NULL."""
        out = []
        for role, _, _, name in self.params:
            if name in self.lengths():
                element, n = self.lengths()[name]
                variable = f"const {element.replace('[3]', '')} {f'(*{name}_)[3]' if '[3]' in element else f'*{name}_'}"
                guard = f"!(sides & SIDE_{'SEND' if role[0] == 's' else 'RECV'}) ? NULL : " if sides and role in LISTS else ""
                out.append(f"{variable} = {guard}recorder_seen(@{name}, (int64_t)({n}) * (int64_t)sizeof *{name}_);".replace(f"{name}__", f"{name}_"))
        return out

    def position(self, name):
        return [p[3] for p in self.params].index(name)

    def args_in(self):
        out = []
        for role, length, ctype, name in self.params:
            value = {"int": f"recorder_constant_{length}({name})" if length else name, "aint": name, "offset": name, "count64": name,
                     "comm_arg": f"recorder_comm(lane, {name})", "group": f"recorder_group(lane, {name})",
                     "type_arg": f"recorder_type(lane, {name})"}.get(role)
            if role == "msg_io" and self.klass == "imrecv":
                value = "message_in.id"
            if role in ("tag", "root") and self.klass in ("comm_create", "spawn"):
                value = None
            if role == "op" and self.one("tag"):
                value = f"recorder_op(lane, {name})"
            if value:
                out.append((name, value))
        return out

    def args_out(self):
        out = []
        for role, _, ctype, name in self.params:
            if role in ("int_out", "aint_out", "offset_out", "count64_out"):
                out.append((name, f"{name} ? (int64_t)*{name} : 0"))
            if role == "comm_out" and self.one("req_out"):
                out.append((name, "made"))
            if role == "type_get":
                out.append((name, f"{name} ? recorder_type(lane, *{name}) : 0"))
        return out

    def arg_names(self):
        """Scalars in the order of their values; what holds an id says of what (core/spool/spool.h)."""
        kind = {"comm_arg": ":comm", "comm_out": ":comm", "group": ":group", "type_arg": ":type", "type_get": ":type", "op": ":op"}
        role = {p[3]: p[0] for p in self.params}
        return ",".join(n + kind.get(role[n], "") for n, _ in self.args_in() + self.args_out())

    def prepare(self):
        """Statements before the real call, and the seven fields of the event."""
        c = []
        one = self.one
        comm, peer, tag, typ, count, request = "0", "EVENT_NONE", "EVENT_NONE", "0", "EVENT_NONE", "0"
        if one("comm"):
            comm = f"recorder_comm(lane, {one('comm')})"
        if one("win"):
            comm = f"recorder_win(lane, {one('win')})"
        if one("file"):
            comm = f"recorder_file(lane, {one('file')})"
        for role, maker in (("comm_io", "comm"), ("win_io", "win"), ("file_io", "file")):
            if one(role):
                comm = f"recorder_{maker}(lane, {self.held(one(role), maker)})"
        if one("dest", "source", "root", "target"):
            peer = f"recorder_peer({one('dest', 'source', 'root', 'target')})"
        if one("tag"):
            tag = f"recorder_tag({one('tag')})"
        elif one("op") and (self.klass != "other" or self.name == "Reduce_local"):
            tag = f"(int32_t)recorder_op(lane, {one('op')})"
        if one("type"):
            typ = f"recorder_type(lane, {one('type')})"
        if one("count"):
            count = one("count")
        sides = None
        two = one("rtype") is not None and self.klass in ("coll", "icoll", "coll_init", "sendrecv")
        if self.sides:
            c.append(f"unsigned sides = recorder_sides_{self.sides}(lane, {one('comm')}, {one('root')});")
            sides = "sides"
        elif self.klass in ("coll", "icoll", "coll_init") and (two or one("stypes")):
            c.append("unsigned sides = SIDE_SEND | SIDE_RECV;")
            sides = "sides"
        c += self.seen_first(sides)
        if sides and one("sbuf"):
            c.append(f"if ({one('sbuf')} == MPI_IN_PLACE) sides &= ~(unsigned)SIDE_SEND;")
        if sides and one("rbuf"):
            c.append(f"if ({one('rbuf')} == MPI_IN_PLACE) sides &= ~(unsigned)SIDE_RECV;")
        if sides and one("type"):
            typ = f"(sides & SIDE_SEND) ? {typ} : 0"
        if sides and one("count"):
            count = f"(sides & SIDE_SEND) ? {count} : EVENT_NONE"
        if one("req"):
            c.append(f"struct request_info request_in = recorder_request_find({one('req')}, NULL);")
            request = "request_in.id"
        if one("req_io"):
            c.append(f"struct request_info request_in = recorder_request_find({self.held(one('req_io'), 'request')}, {one('req_io')});")
            request = "request_in.id"
        if one("msg_io"):
            c.append(f"struct request_info message_in = recorder_request_find((MPI_Request){self.held(one('msg_io'), 'message')}, NULL);")
            request = "message_in.id" if self.klass == "mrecv" else "0"
        for role in ("type_io", "group_io", "op_io"):
            if one(role):
                request = f"recorder_{role[:-3]}(lane, {self.held(one(role), role[:-3])})"
        c.append(f"recorder_fields(e, {comm}, {peer}, {tag}, {typ}, {count}, {request});")
        # the receive side
        if two or (self.klass == "rma" and one("rtype")) or (self.klass == "sendrecv"):
            rpeer = f"recorder_peer({one('rsource')})" if one("rsource") else "EVENT_NONE"
            rtag = f"recorder_tag({one('rtag')})" if one("rtag") else "EVENT_NONE"
            rtype = one("rtype") or one("type")
            rcount = one("rcount") or (one("count") if not one("rcounts") and self.klass == "sendrecv" else "EVENT_NONE")
            leg = f"recorder_leg(lane, e->seq, {rpeer}, {rtag}, recorder_type(lane, {rtype}), {rcount});"
            c.append(f"if (sides & SIDE_RECV) {leg}" if sides else leg)
        # arrays
        for position, (role, length, ctype, name) in enumerate(self.params):
            if role in LISTS:
                side = "SEND" if role[0] == "s" else "RECV"
                neighbor = "eighbor" in self.name
                n = (f"recorder_neighbors_{'out' if role[0] == 's' else 'in'}(lane, {one('comm')})" if neighbor else
                     f"recorder_comm_local_size(lane, {one('comm')})" if "educe_scatter" in self.name else
                     f"recorder_comm_size(lane, {one('comm')})")
                what = f"SPOOL_LIST_{LISTS[role]}"
                if role in ("stypes", "rtypes"):
                    text = f"recorder_list_types(lane, e->seq, {position}, {what}, {n}, {name});"
                else:
                    text = f"recorder_list(lane, e->seq, {position}, {what}, {8 if role.endswith('_a') else 4}, {n}, {name});"
                c.append(f"if (sides & SIDE_{side}) {text}" if sides else text)
            elif role in ("ints", "ncints"):
                c.append(f"recorder_list(lane, e->seq, {position}, SPOOL_LIST_OTHER, 4, {length}, {name});")
            elif role == "weights":
                c.append(f"if ({name} != MPI_UNWEIGHTED && {name} != MPI_WEIGHTS_EMPTY) "
                         f"recorder_list(lane, e->seq, {position}, SPOOL_LIST_OTHER, 4, {length}, {name});")
            elif role in ("aints", "ncaints"):
                c.append(f"recorder_list(lane, e->seq, {position}, SPOOL_LIST_OTHER, 8, {length}, {name});")
            elif role in ("types", "nctypes"):
                c.append(f"recorder_list_types(lane, e->seq, {position}, SPOOL_LIST_TYPES, {length}, {name});")
            elif role == "ranges":
                c.append(f"recorder_list(lane, e->seq, {position}, SPOOL_LIST_OTHER, 4, 3 * (int64_t)({length}), {name});")
            elif role == "str":
                c.append(f"recorder_text(lane, e->seq, {position}, memory_text({name}));")
        ins = self.args_in()
        if ins:
            c.append("const int64_t in[] = {" + ", ".join(f"(int64_t)({v})" for _, v in ins) + "};")
            c.append(f"recorder_args(lane, e->seq, 0, {len(ins)}, in);")
        c += self.used_before()
        # what is about to vanish
        for role, kind in (("comm_io", "COMM"), ("win_io", "WIN"), ("file_io", "FILE"), ("type_io", "TYPE"),
                           ("group_io", "GROUP"), ("op_io", "OP")):
            if one(role) and self.klass != "type":
                c.append(f"if ({one(role)}) recorder_forget(OBJECT_{kind}, *{one(role)});")
        if one("status") and self.klass != "other":
            c.append("MPI_Status own = {0};")
            c.append(f"if ({one('status')} == MPI_STATUS_IGNORE) {one('status')} = &own;")
        return c

    # --- misuse (usage.h) ---
    OBJECTS = {"MPI_Info*": "INFO", "MPI_Errhandler*": "ERRHANDLER"}
    LEAST = {"ndims": 0, "maxdims": 0, "nnodes": 1, "blocklength": 0, "count": 0, "n": 0, "incount": 0, "outcount": 0, "insize": 0, "indegree": 0,
             "outdegree": 0, "maxindegree": 0, "maxoutdegree": 0, "disp_unit": 1, "nnodes": 0, "valuelen": 0, "maxprocs": 0, "outsize": 0}

    def used_before(self):
        """Checks of the arguments, before the call is made."""
        if self.glue or self.klass in ("init", "finalize", "abort") or self.name.startswith("T_"):
            return []
        c, one = [], self.one
        say = lambda what, *args: c.append(f"usage_{what}(lane, e->seq, {', '.join(args)});")
        q = lambda name: f'"{name}"'
        moves = self.klass in ("send", "isend", "send_init", "recv", "irecv", "recv_init", "sendrecv", "mrecv", "imrecv", "coll", "icoll", "coll_init",
                               "rma") or (self.klass in ("file", "file_coll") and one("sbuf", "rbuf1"))
        sides = self.sides or (self.klass in ("coll", "icoll", "coll_init") and (one("rtype") or one("stypes")))
        guard = lambda role: f"if (sides & SIDE_{'RECV' if role[0] == 'r' else 'SEND'}) " if sides else \
            f"if ({self.ignored(role)}) " if self.ignored(role) else ""
        for role, length, ctype, name in self.params:
            ctype = length.replace("~", " ") if role == "raw" else ctype
            if role in ("comm", "win", "file"):
                null = "true" if self.null == role else "false"
                c.append(f"if (UNLIKELY(!e->comm)) usage_handle(lane, e->seq, OBJECT_{role.upper()}, {name}, {q(name)}, {null});")
            elif role == "comm_arg" and self.name != "Intercomm_create":
                say("handle", "OBJECT_COMM", name, q(name), "false")
            elif role == "group":
                say("handle", "OBJECT_GROUP", name, q(name), "false")
            elif role == "op":
                test = "!e->tag" if not one("tag") else "!recorder_op(lane, %s)" % name
                c.append(guard("op") + f"if (UNLIKELY({test})) usage_handle(lane, e->seq, OBJECT_OP, {name}, {q(name)}, false);")
                if one("type") and self.klass in ("coll", "icoll", "coll_init", "rma") and self.name not in ("Get_accumulate", "Rget_accumulate"):
                    c.append(guard("op") + f"usage_op_type(lane, e->seq, {name}, {one('type')}, {q(name)}, {'true' if self.klass == 'rma' else 'false'});")
            elif role == "info":
                null = "false" if self.name.startswith("Info_") or self.name in ("Comm_set_info", "Win_set_info") else "true"
                say("handle", "OBJECT_INFO", name, q(name), null)
            elif role == "raw" and ctype == "MPI_Errhandler":
                say("handle", "OBJECT_ERRHANDLER", name, q(name), "false")
            elif role in ("type", "rtype", "type_arg"):
                if self.name in ("Type_match_size", "Status_set_elements", "Status_set_elements_x"):
                    continue
                committed = "true" if moves or self.name == "File_set_view" else "false"
                c.append(guard(role) + f"usage_type(lane, e->seq, {name}, {q(name)}, {committed});")
            elif role in ("count", "rcount", "reqs_count"):
                if name != "count" or self.klass != "other" or self.name in ("Pack", "Grequest_start"):
                    c.append(guard(role) + f"usage_least(lane, e->seq, {name}, {q(name)}, 0);")
            elif role == "int" and name in self.LEAST:
                say("least", name, q(name), str(self.LEAST[name]))
            elif role == "aint" and name in ("size",) and self.klass in ("win_create", "win", "other"):
                say("least", name, q(name), "0")
            elif role == "aint" and name == "target_disp":
                c.append(f"if ({one('target')} != MPI_PROC_NULL) usage_least(lane, e->seq, {name}, {q(name)}, 0);")
            elif role == "offset" and name == "offset" and self.name.startswith("File") and "seek" not in self.name:
                say("least", name, q(name), "0")
            elif role in ("dest", "source", "rsource", "root"):
                what = {"dest": "DEST", "root": "ROOT"}.get(role, "SOURCE")
                c.append(f"if (LIKELY(e->comm)) usage_peer(lane, e->seq, {one('comm')}, {name}, {q(name)}, USAGE_{what});")
            elif role == "target":
                say("target", one("win"), name, q(name))
            elif role in ("tag", "rtag"):
                any_ = "true" if role == "rtag" or self.klass in ("recv", "irecv", "recv_init", "probe", "iprobe", "mprobe", "improbe") else "false"
                say("tag", name, q(name), any_)
            elif role in ("scounts", "rcounts"):
                length = [l for l in self.list_lengths() if l[0] == name][0][1]
                c.append(guard(role) + f"usage_counts(lane, e->seq, @{name}, {name}, {length}, {q(name)});")
            elif role in ("stypes", "rtypes"):
                length = [l for l in self.list_lengths() if l[0] == name][0][1]
                counts = one("scounts" if role == "stypes" else "rcounts")
                c.append(guard(role) + f"usage_types(lane, e->seq, @{name}, {name}, {counts}, {length}, {q(name)}, true);")
            elif role in ("types", "nctypes"):
                say("types", "@" + name, name, "NULL", length, q(name), "false")
            elif role in ("ints", "ncints") and "blocklengths" in name or name == "array_of_block_lengths":
                say("counts", "@" + name, name, length, q(name))
            elif role in ("ints", "aints", "ncaints", "ncints") and name != "coords":
                say("pointer", f"({length}) > 0 ? (const void *)@{name} : \"\"", q(name))
            elif role in ("req_out", "req_io", "comm_out", "group_out", "type_out", "op_out", "win_out", "file_out", "comm_io", "group_io", "type_io",
                          "op_io", "win_io", "file_io", "msg_io", "msg_out") or (role == "raw" and ctype in self.OBJECTS):
                say("pointer", name, q(name))
            elif role == "int_out" and name in ("rank", "size", "flag", "index", "comm_keyval", "win_keyval", "type_keyval", "keyval", "result", "newrank"):
                say("pointer", name, q(name))
            elif role == "int" and name in ("comm_keyval", "win_keyval", "type_keyval", "keyval") and self.name not in ("Keyval_free",):
                say("keyval", name, q(name), "false" if "set_attr" in self.name or self.name == "Attr_put" else "true")
        if self.klass == "start":
            c.append("recorder_request_starting(lane, e->seq, request_in);")
        elif self.klass in ("wait", "test"):
            c.append("if (UNLIKELY(recorder_persistent || !request_in.id)) recorder_request_waiting(lane, e->seq, request_in);")
        elif self.klass == "cancel":
            c.append("recorder_request_cancelling(request_in);")
        elif self.klass == "request_free":
            c.append("recorder_request_freeing(lane, e->seq, request_in);")
        elif self.klass in ("mrecv", "imrecv"):
            c.append(f"if (UNLIKELY(!message_in.id) && {one('msg_io')} && *{one('msg_io')} != recorder_handle.message_no_proc) "
                     f'usage_say(lane, e->seq, MISUSE_NO_MESSAGE, "message", 0);')
        for role, kind in (("comm_io", "COMM"), ("win_io", "WIN"), ("file_io", "FILE"), ("type_io", "TYPE"), ("group_io", "GROUP"), ("op_io", "OP")):
            if one(role):
                check = f"usage_freeing(lane, e->seq, OBJECT_{kind}, *{one(role)}, {q(one(role))});" if self.klass != "type" else \
                    f"usage_handle(lane, e->seq, OBJECT_TYPE, *{one(role)}, {q(one(role))}, false);"
                c.append(f"void *gone = {one(role)} ? (void *)*{one(role)} : NULL;\n    if ({one(role)}) {check}")
        for role, length, ctype, name in self.params:
            ctype = length.replace("~", " ") if role == "raw" else ctype
            if self.name in ("Info_free", "Errhandler_free") and role == "raw":
                c.append(f"void *gone = {name} ? (void *)*{name} : NULL;\n    "
                         f"if ({name}) usage_freeing(lane, e->seq, OBJECT_{self.OBJECTS[ctype]}, *{name}, {q(name)});")
            if "keyval" in name and self.klass == "tool" and self.name.lower().endswith(("free_keyval", "keyval_free")):
                c.append(f"int gone = {name} ? *{name} : 0;\n    if ({name}) usage_keyval(lane, e->seq, gone, {q(name)}, false);")
        special = {"Cart_create": "usage_cart(lane, e->seq, old_comm, ndims, dims);",
                   "Group_incl": 'usage_ranks(lane, e->seq, group, n, ranks, "ranks", true);',
                   "Group_excl": 'usage_ranks(lane, e->seq, group, n, ranks, "ranks", true);',
                   "Group_translate_ranks": f'usage_ranks(lane, e->seq, {one("group")}, n, {"ranks1" if self.all("ints") else "NULL"}, "ranks1", false);',
                   "Cart_coords": 'usage_in_cart(lane, e->seq, comm, rank, "rank", false);',
                   "Cart_shift": 'usage_in_cart(lane, e->seq, comm, direction, "direction", true);',
                   "Win_lock": 'const int locks[] = {MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE};\n    usage_one_of(lane, e->seq, lock_type, "lock_type", 2, locks);',
                   "Comm_split": 'if (color != MPI_UNDEFINED) usage_least(lane, e->seq, color, "color", 0);',
                   "File_open": 'usage_amode(lane, e->seq, amode, "amode");',
                   "Buffer_attach": 'usage_least(lane, e->seq, size, "size", 0);\n    usage_pointer(lane, e->seq, size > 0 ? buffer : "", "buffer");',
                   "File_set_view": 'if (disp != MPI_DISPLACEMENT_CURRENT) usage_least(lane, e->seq, disp, "disp", 0);',
                   "File_seek": 'const int ways[] = {MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END};\n    usage_one_of(lane, e->seq, whence, "whence", 3, ways);'}
        if self.name in special:
            c.append(special[self.name])
        if self.mode == "buffered":
            c.append(f"if ({one('dest')} != MPI_PROC_NULL) usage_bsend(lane, e->seq, recorder_bytes({one('count')}, {one('type')}));"
                     if self.klass != "send_init" else "")
        return c + self.spans()

    def ignored(self, role):
        """When arguments of this role mean something, in C; None: always."""
        if self.name in ("Get_accumulate", "Rget_accumulate") and role in ("count", "type"):
            return f"{self.one('op')} != recorder_handle.op_no_op"
        if self.klass in ("coll", "icoll", "coll_init") and self.one("root") and role in ("count", "type", "op"):
            return f"{self.one('root')} != MPI_PROC_NULL"
        return None

    def list_lengths(self):
        """(name, C expression) of the arrays that have an element a rank."""
        comm, out = self.one("comm"), []
        for role, _, _, name in self.params:
            if role in LISTS:
                out.append((name, f"recorder_neighbors_{'out' if role[0] == 's' else 'in'}(lane, {comm})" if "eighbor" in self.name else
                            f"recorder_comm_local_size(lane, {comm})" if "educe_scatter" in self.name else f"recorder_comm_size(lane, {comm})"))
        return out

    def spans(self):
        """The buffers that the call reads and writes, and whether they are in each other's way."""
        one = self.one
        if not (self.one("sbuf", "rbuf", "iobuf", "rbuf1")):
            return []
        if self.klass not in ("send", "isend", "send_init", "recv", "irecv", "recv_init", "sendrecv", "mrecv", "imrecv", "coll", "icoll", "coll_init",
                              "rma", "file", "file_coll"):
            return []
        c = ["struct usage_buffers buffers;", "buffers.count = 0;"]
        n = self.name.replace("_init", "") if self.klass == "coll_init" else self.name
        n = n[1:].capitalize() if self.klass == "icoll" else n
        neighbor = "eighbor" in n
        size = f"recorder_comm_size(lane, {one('comm')})" if one("comm") else "1"
        lengths = dict(self.list_lengths())
        coll = self.klass in ("coll", "icoll", "coll_init")
        types = {"s": one("type"), "r": one("rtype") or one("type")}
        sided = coll and (self.sides or one("rtype") or one("stypes"))
        peer = one("dest", "source", "target") if self.klass not in ("sendrecv", "mrecv", "imrecv") else None
        for role, _, _, name in self.params:
            if role not in ("sbuf", "rbuf", "rbuf1", "iobuf"):
                continue
            side = "r" if role[0] == "r" else "s"
            access = "USAGE_WRITE" if side == "r" or self.name == "Sendrecv_replace" else "USAGE_READ"
            place = "USAGE_NOT_IN_PLACE"
            when = []
            if sided:
                in_place = f"{name} == MPI_IN_PLACE"
                root_only = n in ("Gather", "Gatherv", "Scatter", "Scatterv")
                allowed = not neighbor and ((side == "s" and n in ("Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw")) or
                                            (side == "s" and n.startswith("Gather")) or (side == "r" and n.startswith("Scatter")))
                if allowed and root_only:
                    place = f"recorder_comm_is(lane, {one('comm')}, {one('root')}) ? USAGE_MAY_BE_IN_PLACE : USAGE_NOT_IN_PLACE"
                elif allowed:
                    place = "USAGE_MAY_BE_IN_PLACE"
                when.append(f"((sides & SIDE_{'RECV' if side == 'r' else 'SEND'}) || {in_place})")
            elif coll and n == "Reduce":
                root = f"recorder_comm_is(lane, {one('comm')}, {one('root')})"
                if side == "s":
                    place = f"{root} ? USAGE_MAY_BE_IN_PLACE : USAGE_NOT_IN_PLACE"
                    when.append(f"{one('root')} != MPI_PROC_NULL && {one('root')} != MPI_ROOT")
                else:
                    when.append(root)
            elif coll and n == "Bcast":
                access = f"recorder_comm_is(lane, {one('comm')}, {one('root')}) ? USAGE_READ : USAGE_WRITE"
                when.append(f"{one('root')} != MPI_PROC_NULL")
            elif coll and side == "s":
                place = "USAGE_MAY_BE_IN_PLACE"
            if self.name in ("Get", "Rget") and side == "s":
                access = "USAGE_WRITE"
            if self.klass == "sendrecv":
                when.append(f"{one('dest' if side == 's' else 'rsource')} != MPI_PROC_NULL")
            elif peer:
                when.append(f"{peer} != MPI_PROC_NULL")
            if self.name in ("Get_accumulate", "Rget_accumulate", "Fetch_and_op") and side == "s":
                when.append(f"{one('op')} != recorder_handle.op_no_op")
            counts, displs = one(side + "counts"), one(side + "displs")
            typ = f"recorder_type(lane, {types[side]})" if types[side] else "0"
            if (n == "Reduce_scatter") and coll:
                count = f"recorder_sum({lengths[one('rcounts')]}, {one('rcounts')})" if side == "s" else f"recorder_own(lane, {one('comm')}, {one('rcounts')})"
                line = f"usage_buffer(lane, e->seq, &buffers, \"{name}\", {name}, {count}, {typ}, {access}, {place});"
            elif counts and one(side + "types"):
                line = f"usage_buffer_w(lane, e->seq, \"{name}\", {name}, {lengths[counts]}, {counts}, {one(side + 'types')});"
            elif counts:
                line = (f"usage_buffer_v(lane, e->seq, &buffers, \"{name}\", {name}, {lengths[counts]}, {counts}, {displs}, {typ}, {access}, {place});")
            else:
                count = (one("rcount") or one("count")) if side == "r" else one("count")
                count = "1" if self.name in ("Fetch_and_op", "Compare_and_swap") else count or "0"
                if self.name in ("Get_accumulate", "Rget_accumulate") and side == "r":
                    count, typ = "result_count", "recorder_type(lane, result_datatype)"
                elif self.name in ("Get", "Rget"):
                    count, typ = one("count"), f"recorder_type(lane, {one('type')})"
                if coll:
                    many = (f"recorder_neighbors_{'out' if side == 's' else 'in'}(lane, {one('comm')})" if neighbor else size)
                    if neighbor and n == "Neighbor_allgather" and side == "s" or neighbor and n == "Neighbor_allgatherv":
                        many = "1"
                    blocks = neighbor or (n in ("Alltoall", "Scatter", "Reduce_scatter_block") if side == "s" else n in ("Alltoall", "Gather", "Allgather"))
                    if blocks and many != "1":
                        count = f"(int64_t){many} * {count}"
                line = f"usage_buffer(lane, e->seq, &buffers, \"{name}\", {name}, {count}, {typ}, {access}, {place});"
            c.append((f"if ({' && '.join(when)}) " if when else "") + line)
        c.append(f"usage_compare(lane, e->seq, &buffers, {'true' if self.holds() else 'false'});")
        return c[:2] + ["if (UNLIKELY(recorder.buffers)) {"] + c[2:] + ["}"]

    def not_gone(self):
        """A group may be given back as it was: one that had been freed is still none."""
        given = [f"(*{self.one('group_out')} == {g} && !recorder_group(lane, {g}))" for g in self.all("group")]
        return f"if (!{' && !'.join(given)}) " if given else ""

    def holds(self):
        """Whether its buffers are MPI's just until it returns."""
        return not self.one("req_out") and self.klass != "rma" and not self.name.endswith("_begin")

    def used_after(self):
        """What objects and buffers became of a call that succeeded."""
        if self.glue or self.name.startswith("T_"):
            return []
        c, one = [], self.one
        c += {"Win_create": ["usage_window(lane, *win, base, size, e->seq);"], "Win_allocate": ["usage_window(lane, *win, *(void **)baseptr, size, e->seq);"],
              "Win_allocate_shared": ["usage_window(lane, *win, *(void **)baseptr, size, e->seq);"], "Win_free": ["usage_window_gone(lane, gone);"]}.get(self.name, [])
        c += {"Buffer_attach": ["usage_attached(lane, e->seq, buffer, size);"], "Buffer_detach": ["usage_detached(lane);"],
              "Alloc_mem": ["usage_made(lane, OBJECT_MEMORY, *(void **)baseptr, e->seq);"],
              "Type_get_contents": ["usage_contents(lane, mtype, e->seq, array_of_datatypes);"],
              "Comm_set_attr": ["usage_attribute(comm);"], "Attr_put": ["usage_attribute(comm);"],
              "Free_mem": ["usage_gone(lane, OBJECT_MEMORY, base);"]}.get(self.name, [])
        for role, kind in (("comm_out", "COMM"), ("group_out", "GROUP"), ("op_out", "OP"), ("win_out", "WIN"), ("file_out", "FILE")):
            if one(role) and self.name not in ("Comm_get_parent",):
                c.append(f"{self.not_gone() if role == 'group_out' else ''}usage_made(lane, OBJECT_{kind}, *{one(role)}, e->seq);")
        if self.name == "Comm_get_parent":
            c.append(f"usage_given(lane, OBJECT_COMM, *{one('comm_out')});")
        if one("type_out") and ("f90" in self.name or self.name == "Type_match_size"):
            c.append(f"usage_given(lane, OBJECT_TYPE, *{one('type_out')});")
        elif one("type_out"):
            c.append(f"usage_type_made(lane, *{one('type_out')}, e->seq, {one('type') if self.name == 'Type_dup' else 'NULL'});")
        for role, length, ctype, name in self.params:
            ctype = length.replace("~", " ") if role == "raw" else ctype
            if role == "raw" and ctype in self.OBJECTS and not self.name.endswith("_free"):
                c.append(f"usage_made(lane, OBJECT_{self.OBJECTS[ctype]}, *{name}, e->seq);")
            elif role == "raw" and ctype in self.OBJECTS:
                c.append(f"usage_gone(lane, OBJECT_{self.OBJECTS[ctype]}, gone);")
            elif role == "int" and "keyval" in name and ("set_attr" in self.name or self.name == "Attr_put"):
                c.append(f"usage_keyval_used(lane, {name});")
            elif role == "int_out" and "keyval" in name and "create" in self.name.lower():
                c.append(f"usage_keyval_made(lane, *{name}, e->seq);")
            elif role == "int_out" and "keyval" in name and "free" in self.name.lower():
                c.append("usage_keyval_gone(lane, gone);")
        for role, kind in (("comm_io", "COMM"), ("win_io", "WIN"), ("file_io", "FILE"), ("type_io", "TYPE"), ("group_io", "GROUP"), ("op_io", "OP")):
            if one(role):
                c.append(f"usage_gone(lane, OBJECT_{kind}, gone);" if self.klass != "type" else f"usage_committed(lane, gone);")
        return c

    def used_last(self):
        """Once the request has its id."""
        c, one = [], self.one
        if one("req_out") and not self.glue:
            c.append(f"recorder_request_owned(e->request, e->seq, {'true' if self.klass.endswith('_init') else 'false'});")
        if one("msg_out"):
            c.append("recorder_request_owned(e->request, e->seq, false);")
        if "struct usage_buffers buffers;" in self.spans():
            if self.klass == "rma":
                c.append(f"if (UNLIKELY(recorder.buffers)) usage_fly_window(lane, e->seq, {one('win')}, {one('target')}, {'e->request' if one('req_out') else '0'}, &buffers);")
            elif one("req_out"):
                if self.klass in ("file", "file_coll") and one("rbuf1"):
                    c.append("usage_any_time(&buffers);")
                c.append(f"if (UNLIKELY(recorder.buffers)) usage_fly(lane, e->seq, e->request, &buffers, {'true' if self.klass.endswith('_init') else 'false'});")
        target = one("target") or "-1"
        if self.klass in ("rma_fence", "rma_complete", "rma_unlock", "rma_flush"):
            c.append(f"usage_landed_window(lane, e->seq, {one('win')}, {target});")
        return c

    def finish(self):
        c = []
        one = self.one
        flag = "flag" if "flag" in self.all("int_out") else None
        kind = {"isend": "SEND", "send_init": "SEND", "irecv": "RECV", "recv_init": "RECV", "imrecv": "RECV",
                "icoll": "COLL", "coll_init": "COLL"}.get(self.klass, "OTHER")
        good = self.used_after()
        if one("comm_out"):
            target = "uint32_t made =" if one("req_out") else "e->request ="
            parent = one("comm") or "recorder_handle.comm_null"
            tag = one("tag") or "0"
            good.append(f"{target} recorder_comm_made(lane, *{one('comm_out')}, {parent}, COMM_ORIGIN_{self.origin}, {tag});")
        if one("req_out"):
            good.append(f"e->request = recorder_request_new(*{one('req_out')}, {one('req_out')}, REQUEST_{kind});")
        if one("msg_out"):
            text = f"e->request = recorder_request_new((MPI_Request)*{one('msg_out')}, NULL, REQUEST_MESSAGE);"
            good.append(f"if (*{flag}) {text}" if flag else text)
        if one("msg_io"):
            good.append("recorder_request_forget(message_in);")
        if one("type_out"):
            good.append(f"e->request = recorder_type(lane, *{one('type_out')});")
        if one("group_out"):
            good.append(f"{self.not_gone()}e->request = recorder_group(lane, *{one('group_out')});")
        if one("op_out"):
            good.append(f"e->request = recorder_op_made(lane, *{one('op_out')}, commute);")
        if one("win_out"):
            size = "size" if "size" in self.all("aint") else "0"
            good.append(f"e->comm = recorder_win_made(lane, *{one('win_out')}, {one('comm')}, {size});")
        if one("file_out"):
            good.append(f"e->comm = recorder_file_made(lane, *{one('file_out')}, {one('comm')}, memory_text({one('str')}));")
        if self.klass == "request_free":
            good.append(f"recorder_request_forget(request_in);")
        outs = self.args_out()
        if outs:
            good.append("const int64_t out[] = {" + ", ".join(f"(int64_t)({v})" for _, v in outs) + "};")
            good.append(f"recorder_args(lane, e->seq, {len(self.args_in())}, {len(outs)}, out);")
        if one("str_out"):
            written = f"if ({flag} && *{flag}) " if flag else ""
            good += [f"{written}recorder_text(lane, e->seq, {self.position(n)}, memory_text({n}));" for n in self.all("str_out")
                     if not self.name.startswith("T_")]
        for position, (role, length, ctype, name) in enumerate(self.params):
            if role == "outs":
                good.append(f"recorder_list(lane, e->seq, {position}, SPOOL_LIST_OTHER, 4, {length}, recorder_seen({name}, 4 * (int64_t){length}));")
        good += self.used_last()
        if good and self.returns == "int":
            c.append("if (returned == MPI_SUCCESS) {\n        " + "\n        ".join(good) + "\n    }")
        elif good:
            c += good
        if self.klass == "coll": # it was not refused, but failed on its way (core/event.h, event_refused)
            c.append("if (UNLIKELY(returned == MPI_ERR_TRUNCATE))\n"
                     "        recorder_status(lane, e->seq, 0, MPI_STATUS_IGNORE, returned);")
        if one("status") and self.klass in ("wait", "test", "request_status"):
            variable = one("req_io") or "NULL"
            text = f"recorder_done(lane, e->seq, 0, request_in, {variable}, {one('status')}, returned);"
            c.append(f"if ({flag} && *{flag}) {text}" if flag else text)
        elif one("status") and self.klass != "other":
            message = "e->request" if self.klass in ("mprobe", "improbe") else "0"
            text = f"recorder_status(lane, e->seq, {message}, {one('status')}, returned);"
            c.append(f"if ({flag} && *{flag}) {text}" if flag else text)
        return c

    BUFFERED = ("send", "isend", "send_init", "recv", "irecv", "recv_init", "sendrecv", "mrecv", "imrecv", "coll", "icoll", "coll_init", "rma",
                "file", "file_coll")

    def buffers(self):
        """What is sent and what is received, as C initialisers of a struct payload_side; None where there is none."""
        one = self.one
        if self.klass not in self.BUFFERED:
            return None, None
        if self.klass in ("coll", "icoll", "coll_init"):
            return self.buffers_coll()
        kind = lambda name: f"recorder_type(lane, {one(name)})"
        plain = lambda at, count, kind: f".at = {at}, .count = {count}, .type = {kind}" if at else None
        if self.klass == "rma":
            if not one("type"):
                return None, None
            count = one("count") or "1"
            sent = plain(one("sbuf"), count, f"{one('op')} == recorder_handle.op_no_op ? 0 : {kind('type')}" if one("op") else kind("type"))
            result = plain(one("rbuf"), "result_count" if "result_count" in self.all("int") else count, kind("type_arg" if one("type_arg") else "type"))
            return sent, result or plain(one("rbuf1"), count, kind("type"))
        if self.klass in ("file", "file_coll"):
            if not one("type") or not one("count"):
                return None, None
            return plain(one("sbuf"), one("count"), kind("type")), plain(one("rbuf1"), one("count"), kind("type"))
        both = one("iobuf")
        send = plain(one("sbuf") or both, one("count"), kind("type")) if "send" in self.klass else None
        receive = (plain(one("rbuf") or both, one("rcount") or one("count"), kind("rtype" if one("rtype") else "type"))
                   if "recv" in self.klass else None)
        return send, receive

    def buffers_coll(self):
        one = self.one
        base = self.name[:-5] if self.klass == "coll_init" else self.name.replace("I", "", 1).capitalize() if self.klass == "icoll" else self.name
        comm = one("comm")
        if not (one("sbuf") or one("iobuf")):
            return None, None
        stype = one("type") and f"recorder_type(lane, {one('type')})"
        if base == "Bcast":
            root = f"({one('root')} == MPI_ROOT || recorder_comm_is(lane, {comm}, {one('root')}))"
            fields = f".at = {one('iobuf')}, .count = {one('count')}, .type = {root} ? "
            return fields + f"{stype} : 0", fields + f"0 : {stype}"
        rtype = f"recorder_type(lane, {one('rtype')})" if one("rtype") else stype
        neighbor = base.startswith("Neighbor_")
        many = {side: f"(int64_t){'recorder_neighbors_' + side if neighbor else 'recorder_comm_size'}(lane, {comm})" for side in ("out", "in")}
        sided = self.sides or one("rtype") or one("stypes")

        def blocks(prefix, at, side, kind, mask):
            types = one(prefix + "types")
            present = "1" if types else kind
            wide = one(prefix + "displs_a")
            return (f".at = {at}, .type = (sides & {mask}) ? {present} : 0, .blocks = (int){many[side]}, .counts = {one(prefix + 'counts')}, "
                    + (f".displs_wide = {wide}" if wide else f".displs = {one(prefix + 'displs')}") + (f", .types = {types}" if types else ""))

        def plain(at, count, kind, mask):
            return f".at = {at}, .count = {count}, .type = " + (f"(sides & {mask}) ? {kind} : 0" if sided else kind)

        if base == "Reduce_scatter":
            counts, size = one("rcounts"), f"recorder_comm_local_size(lane, {comm})"
            return (plain(one("sbuf"), f"recorder_sum({size}, {counts})", stype, "SIDE_SEND"),
                    plain(one("rbuf"), f"{counts} ? {counts}[recorder_comm_own(lane, {comm})] : 0", stype, "SIDE_RECV"))
        if one("scounts"):
            send = blocks("s", one("sbuf"), "out", stype, "SIDE_SEND")
        else:
            times = f"{many['out']} * " if base in ("Alltoall", "Scatter", "Reduce_scatter_block", "Neighbor_alltoall") else ""
            send = plain(one("sbuf"), times + one("count"), stype, "SIDE_SEND")
        if one("rcounts"):
            return send, blocks("r", one("rbuf"), "in", rtype, "SIDE_RECV")
        times = f"{many['in']} * " if base in ("Alltoall", "Gather", "Allgather", "Neighbor_allgather", "Neighbor_alltoall") else ""
        receive = plain(one("rbuf"), times + (one("rcount") or one("count")), rtype, "SIDE_RECV")
        if base == "Reduce":
            receive = plain(one("rbuf"), one("count"), f"recorder_comm_is(lane, {comm}, {one('root')}) ? {rtype} : 0", "SIDE_RECV")
        return send, receive

    @staticmethod
    def side(fields):
        return f"&(struct payload_side){{{fields}}}" if fields else "NULL"

    def payload_before(self):
        send, _ = self.buffers()
        if self.klass == "start":
            return ["if (UNLIKELY((request_in.kind & REQUEST_KIND_MASK) == REQUEST_COLL) && recorder.layer) "
                    "layer_restarted(request_in.id, e->seq);",
                    "if (UNLIKELY(recorder.payload)) payload_started(lane, request_in.id, e->seq);"]
        if not send or self.klass in ("send_init", "coll_init"):
            return []
        return [f"if (UNLIKELY(recorder.payload)) payload_send(lane, e->seq, {self.side(send)});"]

    def payload_after(self):
        send, receive = self.buffers()
        condition = "if (UNLIKELY(recorder.payload) && returned == MPI_SUCCESS)\n        "
        if self.klass in ("rma_fence", "rma_complete", "rma_unlock", "rma_flush"):
            return [f"{condition}payload_epoch(lane, e->comm, {self.one('target') or -1});"]
        if not send and not receive:
            return []
        sides = f"{self.side(send)}, {self.side(receive)}"
        if self.one("req_out"):
            return [f"{condition}payload_hold(lane, e->request, e->seq, {sides});"]
        if self.klass == "rma":
            return [f"{condition}payload_origin(lane, e->comm, {self.one('target')}, e->seq, {sides});"]
        if not receive:
            return []
        received = f"{self.one('status')}->_ucount" if self.one("status") else "UINT64_MAX"
        if self.klass in ("file", "file_coll") and not self.one("status"):
            return []  # the first half of a split read: nothing is there yet
        return [f"{condition}payload_received(lane, e->seq, {self.side(receive)}, {received});"]

    def perturb(self):
        """Statements before the call when a live policy is set."""
        one, c = self.one, []
        if self.klass in STILL or self.special:
            return c
        c.append("perturb_before(lane, e);")
        sends = self.klass in ("send", "isend", "send_init") and self.mode == "standard"
        if sends or self.klass == "sendrecv":
            condition = f"perturb_send(lane, e, {one('dest')}, recorder_bytes({one('count')}, {one('type')}), {one('comm')})"
            if self.name == "Sendrecv":
                c.append(f"if ({condition}) real = perturb_sendrecv;")
            elif sends:
                other = {"Send": "Ssend", "Isend": "Issend", "Send_init": "Ssend_init"}[self.name]
                c.append(f"if ({condition}) real = ({self.name}_fn)recorder_real(REAL_PMPI, CALL_{other});")
            else:
                c.append(f"(void){condition};")
        if self.klass in ("recv", "irecv", "recv_init", "probe", "mprobe", "sendrecv"):
            source = one("source", "rsource")
            c.append(f"{source} = perturb_source(lane, e, {source}, {one('comm')});")
        if self.klass in ("iprobe", "improbe"):
            c.append(f"source = perturb_poll(lane, e, source, {one('comm')});")
        return ["if (UNLIKELY(recorder.perturb)) {\n        " + "\n        ".join(c) + "\n    }"]

    def moved(self):
        if self.klass in STILL:
            return "false"
        if "flag" in self.all("int_out") and self.klass in ("test", "iprobe", "improbe", "rma_test"):
            return "returned != MPI_SUCCESS || *flag"
        return "true"

    def body(self):
        n, args = self.name, self.names()
        ret = self.returns
        call_args = f"real, cfa{', ' if args else ''}{args}"
        fixed = ", ".join(declare(c, p) for _, _, c, p in self.params)
        head = f"{ret} special_{n}({n}_fn real, void **cfa{', ' + fixed if fixed else ''})"
        text = ""
        if self.special:
            inner = f"special_{n}({call_args})"
        else:
            inner = f"body_{n}({call_args})"
            text += f"static __attribute__((noinline)) {head.replace('special_', 'body_')}\n{{\n"
            lines = []
            if self.glue:  # the language bindings call it for themselves
                lines += [f"if (recorder_in_binding(cfa[-1])) {{\n        if (UNLIKELY(!recorder.on))\n            usage_outside(CALL_{n}, cfa);\n"
                          f"        return real({args});\n    }}"]
            call = f"CALL_{n}"
            if self.aid:
                call = "call"
                lines += [f"unsigned call = CALL_{n};",
                          f"if (UNLIKELY(recorder_in_binding(cfa[-1])) && (call = recorder_bound_call(cfa[-1])) != CALL_{n} &&\n"
                          f"        (call == CALL_COUNT || usage_good(OBJECT_COMM, {self.one('comm')})))\n        return real({args});"]
            lines += ["struct lane *lane = recorder_lane();",
                     f"if (UNLIKELY(!lane)) {{\n        usage_outside(CALL_{n}, cfa);\n        return real({args});\n    }}",
                     f"if (UNLIKELY(recorder.filter) && filter_out(lane, CALL_{n}, {self.one('comm') or 'NULL'})) {{\n"
                     f"        recorder_mute();\n        {ret} unseen = real({args});\n        recorder_unmute(lane);\n"
                     f"        return unseen;\n    }}",
                     f"struct spool_event *e = recorder_{'poll_' if self.poll else ''}enter(lane, {call}, cfa);"]
            lines += [self.seen(line) for line in self.prepare() + self.payload_before()] + self.perturb()
            starts = self.klass in ("icoll", "coll_init", "comm_icreate") and self.one("comm")
            if starts:
                lines.append(f"int tag_before = recorder.layer ? layer_tag({self.one('comm')}) : 0;")
            if self.poll:
                lines.append("recorder_poll_expect(lane, e, 0);")
            kinds = {"Comm_create_keyval": "comm", "Keyval_create": "comm", "Win_create_keyval": "win", "Type_create_keyval": "type"}
            if n in kinds:
                function = [a for _, _, _, a in self.params if a.endswith("_fn")]
                lines.append(f"callback_{kinds[n]}(&{function[0]}, &{function[1]}, &extra_state);")
            lines += ["recorder_open(lane, e);", f"{ret} returned = real({args});", "recorder_back(e);"]
            if self.spans() and self.holds():
                lines.append("if (UNLIKELY(recorder.threads) && recorder.buffers) usage_landed_call(lane, e->seq);")
            if starts:
                lines.append(f"if (recorder.layer) layer_started({self.one('comm')}, tag_before, e->seq);")
                if self.klass == "comm_icreate":
                    lines.append(f"if (recorder.layer && returned == MPI_SUCCESS) layer_making({self.one('comm')}, e->comm, e->seq);")
            if self.poll:
                nothing = "returned == MPI_SUCCESS && flag && !*flag" if "flag" in self.all("int_out") else "true"
                if self.klass in ("iprobe", "improbe"):
                    lines.append("if (UNLIKELY(recorder.perturb) && returned == MPI_SUCCESS && *flag)\n        perturb_found();")
                lines += [f"bool nothing = {nothing};", "if (recorder_poll_again(lane, e, cfa, nothing))\n        return returned;"]
            lines += self.finish() + [self.seen(line) for line in self.payload_after()]
            if self.klass == "coll_init":
                lines.append("if (recorder.layer && returned == MPI_SUCCESS) layer_persistent(e->seq, e->request);")
            error = "returned" if ret == "int" else "0"
            lines += [f"recorder_poll_leave(lane, e, 0, {error}, {self.moved()}, nothing);" if self.poll else
                      f"recorder_leave(lane, e, {error}, {self.moved()});", "return returned;"]
            text += "    " + "\n    ".join(lines) + "\n}\n"
        for prefix, which in (("", "REAL_MPI"), ("P", "REAL_PMPI")):
            text += (f"{ret} {prefix}{self.full}({self.parameters()})\n{{\n"
                     f"    {n}_fn real = ({n}_fn)recorder_real({which}, CALL_{n});\n"
                     f"    void **cfa = __builtin_dwarf_cfa();\n    return {inner};\n}}\n")
        return text, head

    def type(self):
        return f"typedef {self.returns} (*{self.name}_fn)({self.parameters()});"


def functions_of_header(compiler, header, prefix):
    """Empty if there is no such header."""
    done = subprocess.run(compiler + ["-E", "-P", "-include", "mpi.h", "-include", header, "-x", "c", "/dev/null"], capture_output=True,
                          text=True)
    return set(re.findall(r"\b" + prefix + r"_([A-Z]\w*)\s*\(", re.sub(r"\"[^\"]*\"", "", done.stdout))) if done.returncode == 0 else set()


def main():
    if "--" not in sys.argv or len(sys.argv) < 5:
        sys.exit(__doc__)
    table, folder = sys.argv[1:3]
    calls, seen, errors = [], {}, []
    with open(table) as f:
        pending, start = "", 0
        for number, line in enumerate(f, 1):
            line = line.split("#")[0].rstrip("\n")
            start = start or number
            if line.rstrip().endswith("\\"):
                pending += line.rstrip()[:-1] + " "
                continue
            line, at = pending + line, start
            pending, start = "", 0
            if not line.strip():
                continue
            try:
                call = Call(line)
                if call.name in seen:
                    raise Bad(f"second row for '{call.name}', the first is in line {seen[call.name]}")
                seen[call.name] = at
                calls.append(call)
            except Bad as e:
                seen.setdefault(line.split()[0], at)
                errors.append(f"{table}:{at}: {e}")
    compiler = sys.argv[sys.argv.index("--") + 1:]
    header, ext = functions_of_header(compiler, "mpi.h", "MPI"), functions_of_header(compiler, "mpi-ext.h", "MPIX")
    calls = [c for c in calls if not c.ext or c.name in ext]
    for name in [n for n in seen if n.endswith("_init") and n not in header and n not in ext]:
        del seen[name]  # rows of an extension that is not installed
    errors += [f"{table}: no row for MPI_{n}, which mpi.h declares" for n in sorted(header - set(seen))]
    errors += [f"{table}:{seen[n]}: mpi.h declares no MPI_{n}" for n in sorted(set(seen) - header - ext)]
    if errors:
        sys.exit("\n".join(errors))
    h = ["/* Generated by interpose/generate/generate.py from interpose/calls.table: do not edit. */", "#ifndef INTERPOSE_CALLS_H",
         "#define INTERPOSE_CALLS_H", "#include <mpi.h>", "#include <mpi-ext.h>" if ext else "", "#include <stdint.h>", "enum interpose_call {"]
    h += [f"    CALL_{c.name}," for c in calls] + ["    CALL_COUNT", "};"]
    h += ["struct call_description { const char *name; const char *names; uint8_t class, mode, verb; uint64_t traits; };",
          "extern const struct call_description call_description[CALL_COUNT];"]
    h += [c.type() for c in calls]
    body = ["/* Generated by interpose/generate/generate.py from interpose/calls.table: do not edit. */", '#include "interpose/misuse/usage.h"',
            '#include "core/trace/event.h"', '#include "core/trace/traits.h"', "const struct call_description call_description[CALL_COUNT] = {"]
    for c in calls:
        body.append(f'    {{"{c.full}", "{c.arg_names()}", EVENT_CLASS_{c.klass.upper()}, EVENT_MODE_{c.mode.upper()}, {c.meaning()}}},')
    body.append("};")
    for c in calls:
        body.append(f"_Static_assert(__builtin_types_compatible_p(__typeof__(&{c.full}), {c.name}_fn), "
                    f'"{os.path.basename(table)}:{seen[c.name]}: the row of {c.name} differs from mpi.h");')
    for c in calls:
        text, head = c.body()
        body.append(text)
        if c.special:
            h.append(head + ";")
    h.append("#endif")
    os.makedirs(folder, exist_ok=True)
    exports = "{\n  global:\n" + "".join(f"    {c.full};\n    P{c.full};\n" for c in calls) + "    __asan_default_options;\n  local: *;\n};\n"
    meanings = ["/* Generated by interpose/generate/generate.py from interpose/calls.table: do not edit. */", '#include "core/trace/event.h"',
                '#include "core/trace/traits.h"', "static const struct call_meaning {", "    const char *name;", "    uint8_t class, mode, verb;",
                "    uint64_t traits;", "} call_meanings[] = {"]
    meanings += [f'    {{"{c.full}", EVENT_CLASS_{c.klass.upper()}, EVENT_MODE_{c.mode.upper()}, {c.meaning()}}},' for c in calls] + ["};"]
    for name, text in (("call_meanings.h", "\n".join(meanings) + "\n"), ("interpose_calls.h", "\n".join(h) + "\n"), ("interpose_calls.c", "\n".join(body) + "\n"),
                       ("interpose.map", exports)):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
