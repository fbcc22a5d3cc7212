#!/usr/bin/python3
"""Reads spools for tests, independently of store: `spool.py FOLDER` prints every event;
read(FOLDER) returns the ranks with their events."""
import glob, os, re, struct, sys

KINDS = (
    "PAD EVENT LIST DONE LEG ARGS TEXT DIGEST PAYLOAD STACK DEF_CALL DEF_SITE DEF_MODULE DEF_COMM"
    " DEF_GROUP DEF_NEIGHBORS DEF_TYPE DEF_OP DEF_WIN DEF_FILE DEF_HINT LOST CLOCK REPEAT MISUSE"
    " THREAD MEMORY EVENT_AGAIN DONE_AGAIN LIST_AGAIN LIST_SAME BASE LOOP NEXT NEXT_PARTS"
).split()
VERSION = 32  # of core/spool/spool.h; lane() has the layout of its struct spool_header
STATES = ["running", "finalized", "exited", "aborted", "signalled"]


class Rank:
    def __init__(self):
        self.events, self.calls, self.sites, self.modules, self.comms, self.types, self.ops = (
            [],
            {},
            {},
            {},
            {},
            {},
            {},
        )
        (
            self.lists,
            self.done,
            self.recv_halves,
            self.args,
            self.texts,
            self.digests,
            self.stacks,
        ) = (
            {},
            {},
            {},
            {},
            {},
            {},
            {},
        )
        self.payloads, self.groups, self.wins, self.clocks, self.notes, self.repeats = (
            {},
            {},
            {},
            [],
            [],
            {},
        )
        self.layer = self.unread = self.folded = 0
        self.open, self.lanes, self.state, self.lost, self.stopped, self.note, self.code = (
            [],
            0,
            None,
            0,
            0,
            "",
            0,
        )


class Event:
    pass


class Again:
    """Expands compressed records (core/spool/spool_delta.h) from the complete ones before them."""

    EVENT, DONE, LIST = "<4HQQQIIIiiIiI", "<4HQIIiiQ", "<4HQIIII"

    def __init__(self):
        self.seq = self.t = 0
        self.events, self.dones, self.lists, self.same = {}, {}, {}, {}

    @staticmethod
    def same_slot(f, values):
        middle, last = struct.unpack_from("<I", values, len(values) // 8 * 4)[0], values[-4:]
        (last,) = struct.unpack("<I", last)
        hashed = ((f[5] ^ f[7] << 4 ^ f[2] << 8) & 0xFFFFFFFF) * 0x9E3779B1
        hashed += (middle ^ f[8] << 16 & 0xFFFFFFFF) * 0x85EBCA6B + last * 0xC2B2AE35
        return (hashed & 0xFFFFFFFF) >> 28

    @staticmethod
    def slot(near, *terms):
        factors = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35)
        return (near + ((sum(t * f for t, f in zip(terms, factors)) & 0xFFFFFFFF) >> 25)) % 128

    def step(self, a, bits, b):
        """Returns the slot, the number, and the distance of the request to that of the slot."""
        self.seq += (a >> bits) - (1 << (15 - bits))
        return a & ((1 << bits) - 1), self.seq, b - (b >> 15 << 16)

    def whole(self, kind, d):
        """Returns the record's kind and its complete bytes."""
        if kind == "EVENT":
            f = struct.unpack(self.EVENT, d)
            self.events[self.slot(f[8], f[10], f[11], f[2])] = f
            self.seq, self.t = f[4], f[6]
        elif kind == "DONE":
            f = struct.unpack(self.DONE, d)
            self.dones[self.slot(f[5], f[7], f[8])] = f
            self.seq = f[4]
        elif kind == "LIST":
            f = struct.unpack_from(self.LIST, d)
            if f[2] == 1 and f[3] == 4 and f[7] == 0 and f[8] == f[6] and 0 < f[8] <= 8:
                self.lists[f[8] - 1] = f, struct.unpack_from(f"<{f[8]}I", d, 32)
                self.seq = f[4]
            elif 32 <= f[8] * f[3] <= 4096:
                values = d[32 : 32 + f[8] * f[3]]
                self.same[self.same_slot(f, values)] = f, values
                self.seq = f[4]
        elif kind == "EVENT_AGAIN":
            _, _, a, b, gap, lasted = struct.unpack("<4HiI", d)
            slot, seq, more = self.step(a, 7, b)
            f = self.events[slot]
            enter = self.t + gap
            self.t = enter + lasted
            f = self.events[slot] = f[:4] + (seq, enter, self.t) + f[7:14] + (f[14] + more,)
            return "EVENT", struct.pack(self.EVENT, *f)
        elif kind == "DONE_AGAIN":
            _, _, a, b = struct.unpack("<4H", d)
            slot, seq, more = self.step(a, 7, b)
            f = self.dones[slot]
            f = self.dones[slot] = f[:4] + (seq, f[5], f[6] + more) + f[7:]
            return "DONE", struct.pack(self.DONE, *f)
        elif kind == "LIST_AGAIN":
            _, _, a, b = struct.unpack("<4H", d)
            slot, seq, more = self.step(a, 3, b)
            f, values = self.lists[slot]
            f, values = f[:4] + (seq,) + f[5:], tuple(v + more for v in values)
            self.lists[slot] = f, values
            return "LIST", struct.pack(self.LIST, *f) + struct.pack(f"<{f[8]}I", *values)
        elif kind == "LIST_SAME":
            _, _, slot, _, self.seq = struct.unpack("<4HQ", d)
            f, values = self.same[slot]
            return "LIST", struct.pack(self.LIST, *f[:4], self.seq, *f[5:]) + values
        return kind, d


class Loop:
    """Expands items that repeat in each round (core/spool/spool_loop.h)."""

    NUMBER, TIMES = 4, 5
    FIXED = {  # the formats of items, and which fields have steps
        "EVENT": ("<4HQQQIIIiiIiI", (4, 14, 11)),
        "DONE": ("<4HQIIiiQ", (4, 6, 8)),
        "LEG": ("<4HQiiIi", (4, 6)),
        "REPEAT": ("<4HQQ", (4,)),
        "ARGS": ("<4HQ", (4,)),
        "LIST": ("<4HQIIII", (4,)),
    }

    def __init__(self):
        self.items, self.steps, self.count, self.next, self.goes = [], [], 0, 0, False

    def open(self, count):
        self.__init__()
        self.count = count

    @staticmethod
    def format(kind, d):
        form, steps = Loop.FIXED[kind]
        fixed = len(struct.unpack_from(form, d))
        count, letter = 0, "Q"
        if kind == "ARGS":
            (count,) = struct.unpack_from("<H", d, 4)
        elif kind == "LIST":
            letter = "I" if struct.unpack_from("<H", d, 6)[0] == 4 else "Q"
            (count,) = struct.unpack_from("<I", d, 28)
        return form + letter * count, steps + tuple(range(fixed, fixed + count))

    def feed(self, kind, d):
        """Follows a record that is written completely."""
        if kind not in self.FIXED or not self.count:
            return
        form, steps = self.format(kind, d)
        fields = list(struct.unpack_from(form, d))
        if self.goes:
            self.count, self.goes = 0, False
        elif len(self.items) < self.count:
            self.items.append((kind, form, fields))
        else:
            was = self.items[self.next]
            more = {i: fields[i] - was[2][i] for i in steps} if was[:2] == (kind, form) else {}
            same = [i for i in range(len(fields)) if i not in steps]
            if kind == "EVENT":
                same = [i for i in same if i not in (self.TIMES, self.TIMES + 1)]
            strays = bool(self.steps) and more and self.steps[0][self.NUMBER] != more[self.NUMBER]
            if not more or strays or any(fields[i] != was[2][i] for i in same):
                self.count = 0
                return
            self.items[self.next] = kind, form, fields
            self.steps.append(more)
            self.next = (self.next + 1) % self.count
            self.goes = not self.next

    def come(self, parts, gap, lasted, again):
        """Expands so many items, or (0) those up to the next event."""
        assert self.goes
        while True:
            kind, form, fields = self.items[self.next]
            for i, step in self.steps[self.next].items():
                letter = form[i - 1]  # of "<4HQ...", whose 4H are fields 0 to 3
                bits = struct.calcsize("<" + letter) * 8
                fields[i] = fields[i] + step & (1 << bits) - 1
                if letter in "iq" and fields[i] >> bits - 1:
                    fields[i] -= 1 << bits
            self.next = (self.next + 1) % self.count
            again.seq = fields[self.NUMBER]
            if kind == "EVENT":
                fields[self.TIMES] = again.t + gap
                again.t = fields[self.TIMES + 1] = fields[self.TIMES] + lasted
            yield kind, struct.pack(form, *fields)
            parts -= 1
            if not parts or kind == "EVENT":
                return


def times(d):
    """Reads a record NEXT."""
    _, words, gap, lasted = struct.unpack_from("<4H", d)
    return (gap, lasted) if words == 1 else struct.unpack_from("<iI" if words == 2 else "<qQ", d, 8)


def event(data, offset=0):
    e = Event()
    (
        _,
        _,
        e.call,
        e.error,
        e.seq,
        e.t_enter,
        e.t_leave,
        e.parent,
        e.site,
        e.comm,
        e.peer,
        e.tag,
        e.type,
        e.count,
        e.request,
    ) = struct.unpack_from("<4HQQQIIIiiIiI", data, offset)
    e.parent = e.seq - e.parent if e.parent else 0
    return e


def lane(path, rank):
    with open(path, "rb") as f:
        ring = f.read()
    magic, version, header, ring_bytes, r, size, index, pid, tid, level = struct.unpack_from(
        "<8sIIQiiIiii", ring, 0
    )
    assert magic == b"CWSPOOL\0", path
    assert version == VERSION, f"{path}: version {version}, and tests/spool.py reads {VERSION}"
    at = 8 + 8 + 8 + 24
    rank.host = ring[at : at + 64].split(b"\0")[0].decode()
    at += 64 + 40 + 64 + 128
    rank.tick_hz, rank.start, rank.realtime, layer, flags, _, _ = struct.unpack_from(
        "<QQQIIII", ring, at
    )
    at += 40
    committed, drained, lost, unread, _, state, code, stopped, depth = struct.unpack_from(
        "<5QIiII", ring, at
    )
    at += 56
    rank.note = ring[at : at + 256].split(b"\0")[0].decode()
    rank.layer |= layer
    newest = flags & 1
    rank.rank, rank.size, rank.level = r, size, level
    rank.state, rank.code, rank.stopped = STATES[state], code, stopped
    rank.lost += lost
    rank.unread += unread
    rank.lanes += 1
    data = b""
    if not newest:
        with open(path[:-4] + "spool", "rb") as f:
            data = f.read(drained)
        assert len(data) == drained, (path, len(data), drained)
    at0 = 4096
    position = drained
    while position < committed:
        o = position % ring_bytes
        n = min(committed - position, ring_bytes - o)
        data += ring[at0 + o : at0 + o + n]
        position += n
    o = 0
    seen = set()
    again, loop = Again(), Loop()
    while o < len(data):
        kind, words, a = struct.unpack_from("<3H", data, o)
        assert 1 <= kind <= len(KINDS) and words, (path, o, kind, words)
        kind, d = again.whole(KINDS[kind - 1], data[o : o + words * 8])
        told = [(kind, d)]
        if kind == "LOOP":
            loop.open(a)
        elif kind == "NEXT":
            told = loop.come(0, *times(d), again)
            rank.folded += 1
        elif kind == "NEXT_PARTS":
            told = loop.come(a, 0, 0, again)
        else:
            loop.feed(kind, d)
        for kind, d in told:
            record(kind, d, *struct.unpack_from("<2H", d, 4), rank, seen, index)
        o += words * 8
    assert o == len(data), path
    base = at + 256
    polls = base + 16 * 64 + 8
    for i in range(struct.unpack_from("<I", ring, polls + 8 * 72)[0]):
        e = event(ring, polls + 72 * i)
        e.lane = index
        if e.seq > max(seen, default=0):
            seen.add(e.seq)
            rank.events.append(e)
            (rank.repeats[e.seq],) = struct.unpack_from("<Q", ring, polls + 72 * i + 64)
    for i in range(min(depth, 16)):
        e = event(ring, base + 64 * i)
        e.lane = index
        if e.seq not in seen and not e.t_leave:
            rank.open.append(e)


def record(kind, d, a, b, rank, seen, index):
    if kind == "EVENT":
        e = event(d)
        e.lane = index
        seen.add(e.seq)
        rank.events.append(e)
    elif kind == "LIST":
        seq, argument, total, first, count = struct.unpack_from("<QIIII", d, 8)
        values = struct.unpack_from(f"<{count}{'i' if b == 4 else 'q'}", d, 32)
        rank.lists.setdefault(seq, {}).setdefault((argument, a), []).extend(values)
    elif kind == "DONE":
        seq, i, request, source, tag, size = struct.unpack_from("<QIIiiQ", d, 8)
        rank.done.setdefault(seq, []).append(
            dict(index=i, request=request, source=source, tag=tag, bytes=size, error=b, cancelled=a)
        )
    elif kind == "LEG":
        seq, peer, tag, typ, count = struct.unpack_from("<QiiIi", d, 8)
        rank.recv_halves[seq] = dict(peer=peer, tag=tag, type=typ, count=count)
    elif kind == "ARGS":
        (seq,) = struct.unpack_from("<Q", d, 8)
        rank.args.setdefault(seq, {}).update(
            {(b & 0x7FFF) + i: v for i, v in enumerate(struct.unpack_from(f"<{a}q", d, 16))}
        )
    elif kind == "TEXT":
        (seq,) = struct.unpack_from("<Q", d, 8)
        text = d[16 : 16 + a].decode(errors="replace")
        (
            rank.notes.append(text)
            if b == 65535
            else rank.texts.setdefault(seq, {}).update({b: text})
        )
    elif kind == "DIGEST":
        seq, digest, size = struct.unpack_from("<QQQ", d, 8)
        rank.digests.setdefault(seq, []).append((a, b, digest, size))
    elif kind == "PAYLOAD":
        seq, offset, count = struct.unpack_from("<QQI", d, 8)
        rank.payloads.setdefault((seq, a, b), []).append((offset, d[32 : 32 + count]))
    elif kind == "STACK":
        (seq,) = struct.unpack_from("<Q", d, 8)
        rank.stacks[seq] = struct.unpack_from(f"<{a}I", d, 16)
    elif kind == "DEF_CALL":
        mode, n, m = struct.unpack_from("<HHH", d, 8)
        names = d[24 + n : 24 + n + m].decode()
        rank.calls[a] = (
            d[24 : 24 + n].decode(),
            b,
            mode,
            [n.split(":")[0] for n in names.split(",")] if names else [],
        )
    elif kind == "DEF_SITE":
        i, module, address = struct.unpack_from("<IIQ", d, 8)
        rank.sites[i] = (module, address)
        if b == 2:  # one of several callers: none of the tests here has bindings but the first
            rank.sites[i] = rank.sites[struct.unpack_from("<I", d, 24)[0]]
    elif kind == "DEF_MODULE":
        i, _, base = struct.unpack_from("<IIQ", d, 8)
        rank.modules[i] = d[24 : 24 + a].decode()
    elif kind == "DEF_COMM":
        glob, i, parent, me, size, remote, first, count, topology = struct.unpack_from(
            "<QIIiIIIII", d, 8
        )
        c = rank.comms.setdefault(i, dict(members=[]))
        c.update(
            id=i,
            parent=parent,
            rank=me,
            size=size,
            remote=remote,
            topology=topology,
            inter=a,
            **{"global": glob},
        )
        c["members"] += struct.unpack_from(f"<{count}i", d, 48)
        if first == 0:
            o = 48 + (count * 4 + 7) // 8 * 8
            c["name"] = d[o : o + b].decode()
    elif kind == "DEF_GROUP":
        i, size, first, count = struct.unpack_from("<IIII", d, 8)
        rank.groups.setdefault(i, []).extend(struct.unpack_from(f"<{count}i", d, 24))
    elif kind == "DEF_TYPE":
        i, count = struct.unpack_from("<II", d, 8)
        size, lb, extent, signature = struct.unpack_from("<qqqQ", d, 16)
        known = count != 0xFFFFFFFF
        segments = (
            [struct.unpack_from("<qII", d, 48 + 16 * k) for k in range(count)] if known else None
        )
        o = 48 + 16 * (count if known else 0)
        rank.types[i] = dict(
            combiner=a,
            size=size,
            lb=lb,
            extent=extent,
            signature=signature,
            map=segments,
            name=d[o : o + b].decode(),
        )
    elif kind == "DEF_OP":
        i, site = struct.unpack_from("<II", d, 8)
        rank.ops[i] = (d[16 : 16 + b].decode(), a, site)
    elif kind in ("DEF_WIN", "DEF_FILE"):
        glob, i, comm, size = struct.unpack_from("<QIIQ", d, 8)
        rank.wins[kind, i] = (glob, comm, size, d[32 : 32 + b].decode())
    elif kind == "REPEAT":
        seq, calls = struct.unpack_from("<QQ", d, 8)
        rank.repeats[seq] = calls
    elif kind == "CLOCK":
        rank.clocks.append((a,) + struct.unpack_from("<QQ", d, 8))


def job(folder):
    """Returns the only job below a spool folder, or the folder itself."""
    jobs = [d for d in sorted(glob.glob(os.path.join(folder, "*"))) if os.path.isdir(d)]
    return jobs[0] if jobs else folder


def read(folder):
    ranks = {}
    for path in sorted(glob.glob(os.path.join(job(folder), "*.ring"))):
        m = re.match(r"(\d+)\.(\d+)\.ring$", os.path.basename(path))
        lane(path, ranks.setdefault(int(m.group(1)), Rank()))
    for rank in ranks.values():
        rank.events.sort(key=lambda e: e.seq)
        for e in rank.events + rank.open:
            e.name, e.klass, e.mode, e.names = rank.calls.get(e.call, (f"call{e.call}", 0, 0, []))
            e.done = rank.done.get(e.seq, [])
            e.recv_half = rank.recv_halves.get(e.seq)
            e.repeat = rank.repeats.get(e.seq, 1)
            e.args = {n: rank.args.get(e.seq, {}).get(i) for i, n in enumerate(e.names)}
            e.lists = rank.lists.get(e.seq, {})
            e.texts = rank.texts.get(e.seq, {})
    return ranks


def line(e):
    out = (
        f"{e.seq} {e.name} comm={e.comm} peer={e.peer} tag={e.tag} type={e.type}"
        f" count={e.count} request={e.request}"
    )
    if e.parent:
        out += f" parent={e.parent}"
    if e.recv_half:
        out += f" recv_half={e.recv_half}"
    for key, value in (("args", e.args), ("lists", e.lists), ("texts", e.texts), ("done", e.done)):
        if value:
            out += f" {key}={value}"
    return (
        out + (f" x {e.repeat}" if e.repeat > 1 else "") + (f" error={e.error}" if e.error else "")
    )


if __name__ == "__main__":
    for number, rank in sorted(read(sys.argv[1]).items()):
        print(
            f"rank {number} of {rank.size}: {rank.state}, {rank.lanes} lanes, level {rank.level},"
            f" layer {rank.layer}, lost {rank.lost}, {rank.note}"
        )
        for e in rank.events:
            print("  " + line(e))
        for e in rank.open:
            print("  open " + line(e))
