"""Checks one recorded run of a collective from its spools alone: every inner message sent is received, sizes agree, and what a rank must
hold at the end of each collective can have reached it by the messages inside."""
import collections, sys

import spool


def needs(name, root, me, size):
    """Ranks whose data rank `me` must have heard of when the collective returns."""
    name = name.lower()
    if "scatter" in name and "reduce" not in name or "bcast" in name:
        return {root}
    if name in ("mpi_reduce", "mpi_ireduce", "mpi_gather", "mpi_igather", "mpi_gatherv", "mpi_igatherv"):
        return set(range(size)) if me == root else set()
    if "exscan" in name:
        return set(range(me))
    if "scan" in name:
        return set(range(me + 1))
    return set(range(size))


def messages(rank, me):
    """The inner messages of a rank by collective: [(kind, other, tag, bytes, position at start, position at completion)]."""
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
                        out[i.parent].append(("send", rank.comms[i.comm]["members"][i.peer], i.tag, size(i), e.seq, e.seq))
                    else:
                        started[request] = i
            elif "send" in e.name:
                out[e.parent].append(("send", members[e.peer], e.tag, size(e), e.seq, e.seq))
            elif e.name == "pml_irecv":
                started[e.request] = e
            for d in e.done:
                if d["source"] == -32768:
                    continue
                r = e if e.name == "pml_recv" else started.pop(d["request"])
                members = rank.comms[r.comm]["members"]
                out[r.parent].append(("recv", members[d["source"]], d["tag"], d["bytes"], r.seq, e.seq))
    return out, started


def check(ranks):
    size = len(ranks)
    inner = 0
    # events of the rank that are collectives, in order: the k-th of each rank belong together
    calls, by_call = {}, {}
    for me, rank in ranks.items():
        assert rank.layer == 1 and rank.state == "finalized" and not rank.lost, (me, rank.state, rank.note)
        by_call[me], left = messages(rank, me)
        assert not left, f"rank {me}: receives that never complete: {left}"
        calls[me] = [e for e in rank.events if not e.parent and e.klass in (30, 31)]
        made = {e.request: e for e in rank.events if e.klass == 32}  # persistent: each start is one collective
        for e in rank.events:
            request = e.request if e.name == "MPI_Start" else e.lists[1, 1][0] if e.name == "MPI_Startall" else 0
            if request in made and not e.parent:
                i = made[request]
                e.name, e.peer, e.count = i.name.replace("MPIX_", "MPI_").replace("_init", ""), i.peer, i.count
                calls[me].append(e)
        calls[me].sort(key=lambda e: e.seq)
    assert len({len(c) for c in calls.values()}) == 1, "the ranks disagree about the number of collectives"
    for k in range(len(calls[0])):
        queue = collections.defaultdict(collections.deque)
        for me in ranks:
            for kind, other, tag, n, _, _ in by_call[me][calls[me][k].seq]:
                if kind == "send":
                    queue[me, other, tag].append(n)
                    inner += 1
        for me in ranks:
            received = [m for m in by_call[me][calls[me][k].seq] if m[0] == "recv"]
            for _, other, tag, n, _, _ in sorted(received, key=lambda m: m[4]):
                q = queue[other, me, tag]
                assert q, f"collective {k}: rank {me} received from {other} with tag {tag} what was not sent"
                sent = q.popleft()
                assert sent == n, f"collective {k}: {other} sent {sent} bytes, {me} received {n}"
        assert not any(queue.values()), f"collective {k}: sent and never received: { {m: list(q) for m, q in queue.items() if q} }"
        # data flow: replay each rank's messages in its own order
        held = {me: {me} for me in ranks}
        todo = {me: collections.deque(sorted(by_call[me][calls[me][k].seq], key=lambda m: m[5])) for me in ranks}
        flight = collections.defaultdict(collections.deque)
        moved = True
        while moved:
            moved = False
            for me in ranks:
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
        assert not any(todo.values()), f"collective {k}: messages received before they were sent"
        e = calls[0][k]
        for me in ranks:
            missing = needs(e.name, e.peer, me, size) - held[me]
            empty = e.count == 0 and e.name not in ("MPI_Barrier", "MPI_Ibarrier")
            assert empty or not missing, f"collective {k} ({e.name}): nothing of {missing} can have reached rank {me}"
    return inner


if __name__ == "__main__":
    print(check(spool.read(sys.argv[1])))
