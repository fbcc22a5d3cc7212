"""Checks recorded collectives from the spools of their job alone: every inner message is received,
sizes agree, and the inner messages can have brought each rank the data that it must hold at the
end. Prints the numbers of collectives, of inner messages, and of different patterns of messages."""
import collections, sys

import spool


def needs(name, root, me, size):
    """Returns the ranks whose data rank `me` needs before the collective can return."""
    name = name.lower()
    if "scatter" in name and "reduce" not in name or "bcast" in name:
        return {root}
    if name in (
        "mpi_reduce",
        "mpi_ireduce",
        "mpi_gather",
        "mpi_igather",
        "mpi_gatherv",
        "mpi_igatherv",
    ):
        return set(range(size)) if me == root else set()
    if "exscan" in name:
        return set(range(me))
    if "scan" in name:
        return set(range(me + 1))
    return set(range(size))


def messages(rank, me):
    """Returns the inner messages of a rank by collective: [(kind, other, tag, bytes, position at
    start, position at completion)]."""
    size = lambda e: rank.types[e.type]["size"] * e.count if e.type else 0
    started, made, out = {}, {}, collections.defaultdict(list)
    for e in rank.events:
        if e.parent:
            members = rank.comms[e.comm]["members"] if e.comm else None
            if e.name.endswith("send_init") or e.name == "pml_recv_init":
                made[e.request] = e
            elif e.name == "pml_start":
                for request in e.lists[1, 1]:
                    i = made[request]
                    if "send" in i.name:
                        out[i.parent].append(
                            (
                                "send",
                                rank.comms[i.comm]["members"][i.peer],
                                i.tag,
                                size(i),
                                e.seq,
                                e.seq,
                            )
                        )
                    else:
                        started[request] = i
            elif "send" in e.name:
                out[e.parent].append(("send", members[e.peer], e.tag, size(e), e.seq, e.seq))
            elif e.name in ("pml_irecv", "ucp_tag_recv", "fi_trecv"):
                started[e.request] = e
            for d in e.done:
                if d["source"] == -32768:
                    continue
                r = e if e.name == "pml_recv" else started.pop(d["request"])
                members = rank.comms[r.comm]["members"]
                out[r.parent].append(
                    ("recv", members[d["source"]], d["tag"], d["bytes"], r.seq, e.seq)
                )
    return out, started


def collectives(ranks, by_call):
    """Returns {(communicator, number of the collective on it): {rank: event}}."""
    out = collections.defaultdict(dict)
    for me, rank in ranks.items():
        assert rank.layer == 1 and rank.state == "finalized" and not rank.lost, (
            me,
            rank.state,
            rank.note,
        )
        by_call[me], left = messages(rank, me)
        assert not left, f"rank {me}: receives that never complete: {left}"
        mine = [e for e in rank.events if not e.parent and e.klass in (30, 31)]
        made = {
            e.request: e for e in rank.events if e.klass == 32
        }  # persistent: each start is one collective
        for e in rank.events:
            request = (
                e.request
                if e.name == "MPI_Start"
                else e.lists[1, 1][0] if e.name == "MPI_Startall" else 0
            )
            if request in made and not e.parent:
                i = made[request]
                e.name, e.peer, e.count, e.comm = (
                    i.name.replace("MPIX_", "MPI_").replace("_init", ""),
                    i.peer,
                    i.count,
                    i.comm,
                )
                mine.append(e)
        number = collections.Counter()
        for e in sorted(mine, key=lambda e: e.seq):
            comm = rank.comms[e.comm]["global"]
            out[comm, number[comm]][me] = e
            number[comm] += 1
    return out


def check_one(what, ranks, events, by_call):
    """Checks one collective, given by its events by rank. Returns its messages."""
    call = {me: by_call[me][e.seq] for me, e in events.items()}
    queue = collections.defaultdict(collections.deque)
    sent = []
    for me in events:
        for kind, other, tag, n, _, _ in call[me]:
            if kind == "send":
                queue[me, other, tag].append(n)
                sent.append((me, other, n))
    for me in events:
        received = [m for m in call[me] if m[0] == "recv"]
        for _, other, tag, n, _, _ in sorted(received, key=lambda m: m[4]):
            q = queue[other, me, tag]
            assert q, f"{what}: rank {me} received from {other} with tag {tag} what was not sent"
            size = q.popleft()
            assert size == n, f"{what}: {other} sent {size} bytes, {me} received {n}"
    assert not any(
        queue.values()
    ), f"{what}: sent and never received: { {m: list(q) for m, q in queue.items() if q} }"
    # data flow: replay each rank's messages in its own order
    held = {me: {me} for me in events}
    todo = {me: collections.deque(sorted(call[me], key=lambda m: m[5])) for me in events}
    flight = collections.defaultdict(collections.deque)
    moved = True
    while moved:
        moved = False
        for me in events:
            while todo[me]:
                kind, other, tag, n, _, _ = todo[me][0]
                if kind == "send":
                    flight[me, other, tag].append(frozenset(held[me]))
                elif flight[other, me, tag]:
                    held[me] |= flight[other, me, tag].popleft()
                else:
                    break
                todo[me].popleft()
                moved = True
    assert not any(todo.values()), f"{what}: messages received before they were sent"
    e = events[min(events)]
    if e.count == 0 and e.name not in ("MPI_Barrier", "MPI_Ibarrier"):
        return sent
    members = ranks[min(events)].comms[e.comm]["members"]
    for at, me in enumerate(members):
        missing = {members[i] for i in needs(e.name, e.peer, at, len(members))} - held[me]
        assert not missing, f"{what}: nothing of {missing} can have reached rank {me}"
    return sent


def check(ranks):
    by_call, inner, ways = {}, 0, set()
    together = collectives(ranks, by_call)
    for (comm, k), events in together.items():
        some = min(events)
        e = events[some]
        members = ranks[some].comms[e.comm]["members"]
        what = f"{e.name} {k} of {len(members)} ranks, count {e.count}"
        assert sorted(events) == sorted(members), f"{what}: only ranks {sorted(events)} made it"
        sent = check_one(what, ranks, events, by_call)
        assert sent or len(members) == 1, f"{what}: no inner message was recorded"
        inner += len(sent)
        ways.add((e.name, len(members), tuple(sorted(sent))))
    return len(together), inner, len(ways)


if __name__ == "__main__":
    print(*check(spool.read(sys.argv[1])))
