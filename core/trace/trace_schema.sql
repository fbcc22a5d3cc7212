-- The trace: one SQLite file. PRAGMA user_version is the version of this schema; PRAGMA
-- application_id marks it as ours. Scripts may rely on the views and tables named in README.md.
-- Times are nanoseconds since the job's start.
--
-- Most events of a rank repeat: the same call, from the same place, to the same peer, of the same
-- size. What they share is a row of `shape`; a row of `event_row` holds only what differs. If the
-- same calls repeat round after round, the round is a row of `loop`, and up to 256 calls are one
-- row of `event_part`, or any number of them one of `event_sum`, with their times summed up. The
-- view `event` combines all these.

CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- state: missing, unknown, finished, exited, aborted, crashed, killed, ended (see
-- core/trace/event.h); detail: the same in words.
CREATE TABLE rank (
    rank INTEGER PRIMARY KEY,
    host TEXT, pid INTEGER,
    state TEXT NOT NULL,
    code INTEGER,            -- exit status, signal or abort code, as far as known
    events INTEGER NOT NULL, -- recorded
    -- calls that share an event with equal ones: it made events + folded + lost calls
    folded INTEGER NOT NULL,
    lost INTEGER NOT NULL,   -- not recorded
    threads INTEGER NOT NULL,
    cut INTEGER NOT NULL,    -- 1: the record ends before the rank did
    -- how far its machine's clock was ahead of that of rank 0's, already taken out of all times;
    -- NULL: not compared, as on one machine
    offset_ns INTEGER,
    detail TEXT
);

CREATE TABLE call (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, class TEXT NOT NULL,
    mode INTEGER NOT NULL, verb TEXT NOT NULL, traits TEXT NOT NULL, args TEXT);

-- path is file with its folders, absolute if the compiler recorded the folder in which it ran. file
-- and line are NULL without debug information; then symbol and offset, or module and address, give
-- the place. optimized: whether the compiler could move and add loads there; returned: whether the
-- program uses what the call returns; NULL if unknown.
CREATE TABLE site (id INTEGER PRIMARY KEY, module TEXT, address INTEGER, function TEXT, file TEXT,
    line INTEGER,
    inlined TEXT, symbol TEXT, offset INTEGER, path TEXT, optimized INTEGER, returned INTEGER);

CREATE TABLE comm (id INTEGER PRIMARY KEY, name TEXT, kind TEXT NOT NULL, size INTEGER NOT NULL,
    remote_size INTEGER NOT NULL, parent INTEGER, topology INTEGER NOT NULL,
        global INTEGER NOT NULL);
CREATE TABLE comm_member (comm INTEGER NOT NULL, side INTEGER NOT NULL, rank INTEGER NOT NULL,
    world INTEGER NOT NULL,
    PRIMARY KEY (comm, side, rank)) WITHOUT ROWID;
-- MPI 4's info keys on messages of a communicator (mpi_assert_allow_overtaking and
-- mpi_assert_exact_length), valid from that call of the rank on; given = 0: no longer.
CREATE TABLE hint (event INTEGER NOT NULL, comm INTEGER NOT NULL, key TEXT NOT NULL,
    given INTEGER NOT NULL, PRIMARY KEY (event, comm, key)) WITHOUT ROWID;
-- Groups that calls name, by content; members are world ranks.
CREATE TABLE grp (id INTEGER PRIMARY KEY, size INTEGER NOT NULL);
CREATE TABLE grp_member (grp INTEGER NOT NULL, rank INTEGER NOT NULL, world INTEGER NOT NULL,
    PRIMARY KEY (grp, rank)) WITHOUT ROWID;
-- Windows and files (kind: win, file); win_part: what each rank exposes.
CREATE TABLE win (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT, comm INTEGER,
    global INTEGER NOT NULL);
CREATE TABLE win_part (win INTEGER NOT NULL, rank INTEGER NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (win, rank)) WITHOUT ROWID;

CREATE TABLE datatype (id INTEGER PRIMARY KEY, name TEXT, combiner INTEGER NOT NULL,
    size INTEGER NOT NULL,
    lb INTEGER NOT NULL, extent INTEGER NOT NULL, signature INTEGER NOT NULL,
    -- array of struct spool_segment with datatype ids of this table; NULL: too long
    map BLOB);
-- site: the function of a user-defined operation; NULL if unknown.
CREATE TABLE op (id INTEGER PRIMARY KEY, name TEXT, commutative INTEGER NOT NULL, site INTEGER);

-- completions and args refer to rows of completion_set and arg_set; many = 1: the call has a list
-- of requests. parent_back: the enclosing call was entered so many calls before this one; NULL: the
-- application's own call. For window and file calls comm is the communicator on which win was made.
-- near: peer (1), recv_peer (2) or both (3) count from the number of the event's rank, so that
-- ranks with neighbours at equal distances share a row; NULL: neither.
CREATE TABLE shape (
    id INTEGER PRIMARY KEY,
    call INTEGER NOT NULL, comm INTEGER, win INTEGER, peer INTEGER, tag INTEGER, datatype INTEGER,
        count INTEGER, bytes INTEGER,
    root INTEGER, op INTEGER, site INTEGER, thread INTEGER NOT NULL, error INTEGER NOT NULL,
        parent_back INTEGER,
    recv_peer INTEGER, recv_tag INTEGER, recv_datatype INTEGER, recv_count INTEGER,
        recv_bytes INTEGER,
    completions INTEGER, many INTEGER NOT NULL, args INTEGER, near INTEGER
);

-- id = rank << 40 | seq, so that rows are in the order of a rank's calls and need no other index.
-- request is the first of the call's requests, or, for calls that make a communicator, group,
-- datatype or operation, the id of what was made. duration is NULL if the call had not returned
-- when the record ended. repeat: one row represents so many equal calls, polls that found nothing
-- (or MPI_Wtime), from the first one's start to the last one's end; NULL: one call. Rows that
-- overlap in time took turns. tag: the least tag of the call and its completions, to which those in
-- `shape` and `completion_set` are relative (except -1, any tag); NULL: those are absolute. It
-- keeps programs that give each message its own tag from having a shape for each.
CREATE TABLE event_row (id INTEGER PRIMARY KEY, shape INTEGER NOT NULL, request INTEGER,
    t_enter INTEGER NOT NULL,
    duration INTEGER, repeat INTEGER, tag INTEGER);

-- A repeated round: its calls in order (idx from 0) as in event_row, without what differs between
-- rounds. request is relative to that of the round, which grows by `step` from round to round.
CREATE TABLE loop (id INTEGER PRIMARY KEY, calls INTEGER NOT NULL, step INTEGER NOT NULL);
CREATE TABLE loop_call (loop INTEGER NOT NULL, idx INTEGER NOT NULL, shape INTEGER NOT NULL,
    request INTEGER, repeat INTEGER, tag INTEGER, PRIMARY KEY (loop, idx)) WITHOUT ROWID;

-- Calls of a rank that repeat in a loop, at most 256, none of which is in event_row: id, id + 1...;
-- the first of them is number `first` of its round, whose request is `request`. times holds, in
-- decimal digits (two in a byte), for each call the time from t_enter to its start, and then for
-- each call its duration; both are exact.
-- loop NULL: a list of calls outside of loops, of a rank with many calls in loops. Behind
-- the durations, times then holds each call's shape, and then each call's request, from `request`
-- on, plus 1 (0: none).
CREATE TABLE event_part (id INTEGER PRIMARY KEY, loop INTEGER, first INTEGER NOT NULL,
    calls INTEGER NOT NULL, request INTEGER, t_enter INTEGER NOT NULL,
    enter_bytes INTEGER NOT NULL, duration_bytes INTEGER NOT NULL, times BLOB NOT NULL,
    shape_bytes INTEGER, request_bytes INTEGER);

-- Whole rounds of a rank's loop with summed times, so that those of each call are unknown: as in
-- event_part, but for any number of calls. The first was entered at t_enter, the last one left at
-- t_leave. sums: the first of the rows of event_sum that share their sums; between two such rows
-- are rounds whose times are known. For each call of the round (idx: its place in the loop)
-- event_sum_call holds, under the first row's id, the number of calls in all of these rows, their
-- total time, and the shortest and longest time. logs is a JSON object: how many
-- lasted 2^log2 ns or longer, and less than twice that (log2 = 0: 0 and 1), by log2; the view
-- event_sum_log has a row for each.
CREATE TABLE event_sum (id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, first INTEGER NOT NULL,
    calls INTEGER NOT NULL, request INTEGER NOT NULL, t_enter INTEGER NOT NULL,
    t_leave INTEGER NOT NULL, sums INTEGER NOT NULL);
CREATE TABLE event_sum_call (event INTEGER NOT NULL, idx INTEGER NOT NULL, calls INTEGER NOT NULL,
    total INTEGER NOT NULL, least INTEGER NOT NULL, most INTEGER NOT NULL, logs TEXT NOT NULL,
    PRIMARY KEY (event, idx)) WITHOUT ROWID;

-- Rounds of long loops (without the first ones) that lasted far longer than most: event is the call
-- that took longest in the round, from the end of the call before; number counts the rounds of the
-- loop. Half of the rounds before it lasted less than `usual` ns.
CREATE TABLE slow_round (event INTEGER PRIMARY KEY, loop INTEGER NOT NULL, number INTEGER NOT NULL,
    duration INTEGER NOT NULL, usual INTEGER NOT NULL);

-- 0 to 255, to enumerate the calls of parts.
CREATE TABLE number (n INTEGER PRIMARY KEY);
INSERT INTO number WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 255)
    SELECT n FROM i;

-- One row per request that a call named (idx: its place in the call's list), and one per receive or
-- probe. source and tag are the status's. Requests of waits and tests on several, and of
-- MPI_Startall, that did not complete there have done = 0. request_ahead is relative to
-- event_row.request, so that loops repeat the same set. near = 1: source counts from the number of
-- the event's rank. A row with done = 0 stands for `members` of the list, from idx on, whose
-- requests count up by one.
CREATE TABLE completion_set (id INTEGER NOT NULL, idx INTEGER NOT NULL, request_ahead INTEGER,
    done INTEGER NOT NULL,
    source INTEGER, tag INTEGER, bytes INTEGER, error INTEGER, cancelled INTEGER, near INTEGER,
    members INTEGER NOT NULL, PRIMARY KEY (id, idx)) WITHOUT ROWID;

-- Arguments that have no column: arrays (sendcounts, senddispls, sendtypes, recvcounts...), scalars
-- and texts, by name. The file of MPI_File_open and MPI_File_delete: place, a number for its path
-- without links (bits 32 and up: for the machine), device and inode; 0: unknown, or no such file.
-- near = 1: value counts from the number of the event's rank; 2: from the event's request.
CREATE TABLE arg_set (id INTEGER NOT NULL, name TEXT NOT NULL, idx INTEGER NOT NULL, value,
    near INTEGER);

-- at: 0 when the call was made, 1 when it completed; buffer: 0 sent, 1 received.
CREATE TABLE digest (event INTEGER NOT NULL, at INTEGER NOT NULL, buffer INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    bytes INTEGER NOT NULL);
CREATE TABLE payload (event INTEGER NOT NULL, at INTEGER NOT NULL, buffer INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    data BLOB NOT NULL);
CREATE TABLE stack (event INTEGER NOT NULL, depth INTEGER NOT NULL, site INTEGER NOT NULL);

-- Messages, derived from the statuses of the receives: the nth message with a tag over a channel
-- goes to the nth receive that matched the tag. source and dest are world ranks; inner = 1: sent by
-- the MPI library on behalf of a collective. send and receive are the sequence numbers of the
-- events that began them (MPI_Start for persistent ones; for a partitioned send the call that
-- marked the last partition as ready), NULL if that side is not in the trace.
CREATE TABLE channel (id INTEGER PRIMARY KEY, comm INTEGER, source INTEGER NOT NULL,
    dest INTEGER NOT NULL,
    inner INTEGER NOT NULL);
-- Messages are numbered in the order in which they were paired. A row of message_part represents
-- `messages` of them (at most 2^30): ids grow by `every`, sequence numbers of the calls by
-- `send_step` and `receive_step`.
CREATE TABLE message_row (id INTEGER PRIMARY KEY, channel INTEGER NOT NULL, tag INTEGER NOT NULL,
    send INTEGER, receive INTEGER, bytes INTEGER);
CREATE TABLE message_part (id INTEGER PRIMARY KEY, channel INTEGER NOT NULL, tag INTEGER NOT NULL,
    send INTEGER NOT NULL, receive INTEGER NOT NULL, bytes INTEGER, send_step INTEGER NOT NULL,
    receive_step INTEGER NOT NULL, messages INTEGER NOT NULL, every INTEGER NOT NULL);

-- Misuse that ranks detected themselves, also of their windows, in the order of a rank's calls
-- (core/trace/misuse.h): other is the sequence number of a second call involved, site the place of
-- the instruction that did it, if that is not part of MPI.
CREATE TABLE misuse (event INTEGER NOT NULL, kind TEXT NOT NULL, other INTEGER,
    object TEXT NOT NULL, site INTEGER,
    value0 INTEGER, value1 INTEGER, value2 INTEGER, value3 INTEGER, value4 INTEGER, argument TEXT,
        name1 TEXT, name2 TEXT,
    -- of a variable of the program, and where it is declared
    variable TEXT, variable_type TEXT, file TEXT, line INTEGER);

-- ended: how crosswait ended the job; no row: it did not. reason: deadlock, budget, stall;
-- limit_ms: the time that the job was allowed, or allowed without progress; for a deadlock the time
-- from its last progress to its end. proof: what the launcher then found (core/trace/ending.h), a
-- row for each thing that a call waits for, and at least one for each call (entry): role is core,
-- behind, inside, polls or outside; any of the ranks in the set `ranks` could do what `need` says;
-- ended = 1: they have all finished; job: the job whose ranks they are if it is another one,
-- spawned or parent, with a trace of its own. global is the object's number, as in comm and win.
-- rank_span: sets of ranks, from first to last. For a proven deadlock basis names the argument that
-- nothing that was sent or entered ends the wait (number, rivals: its numbers), and the tables
-- proof_rank, proof_channel and proof_member hold the facts behind the arguments: docs/trace.md
-- describes each column.
CREATE TABLE ended (reason TEXT NOT NULL, limit_ms INTEGER);
CREATE TABLE proof (id INTEGER PRIMARY KEY, entry INTEGER NOT NULL, rank INTEGER NOT NULL,
    seq INTEGER, call TEXT, role TEXT NOT NULL,
    still_ms INTEGER, need TEXT, object TEXT, global INTEGER, tag INTEGER, wildcard INTEGER,
        ended INTEGER, ranks INTEGER, basis TEXT, number INTEGER, rivals INTEGER, job TEXT);
CREATE TABLE proof_rank (rank INTEGER PRIMARY KEY, standing TEXT NOT NULL, seq INTEGER NOT NULL,
    threads INTEGER NOT NULL, look TEXT NOT NULL, still_ms INTEGER NOT NULL,
    still_ms_min INTEGER NOT NULL, cpu_ns INTEGER NOT NULL, cpu_ns_min INTEGER NOT NULL,
    runs INTEGER NOT NULL, runs_min INTEGER NOT NULL);
CREATE TABLE proof_channel (global INTEGER NOT NULL, source INTEGER NOT NULL, dest INTEGER NOT NULL,
    tag INTEGER NOT NULL, sent INTEGER NOT NULL, received INTEGER NOT NULL);
CREATE TABLE proof_member (object TEXT NOT NULL, global INTEGER NOT NULL, rank INTEGER NOT NULL,
    entered INTEGER NOT NULL);
-- The last `count` messages of a rank with this tag to rank `peer` of the other job that the
-- communicator `global` leads to were never received there.
CREATE TABLE unreceived (global INTEGER NOT NULL, rank INTEGER NOT NULL, peer INTEGER NOT NULL,
    tag INTEGER NOT NULL, count INTEGER NOT NULL);
CREATE TABLE rank_span (id INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    PRIMARY KEY (id, first)) WITHOUT ROWID;

-- How ranks ended that did not return from MPI_Finalize, or died after it
-- (core/trace/exit_cause.h):
-- kind is exit, error, abort, signal or exception; first = 1: the other ranks ended because of it,
-- as the launcher saw; after = 1: MPI_Finalize had returned. seq is the call the rank was in
-- (inside = 1), or its last one. The meaning of code depends on kind; detail is si_code, the
-- error's class, or for an exit or exception the signal that had asked the rank to end; address is
-- the memory address of a signal. send_buffer and recv_buffer: addresses of the buffers of call
-- buffer_seq, the last one with any. elsewhere = 1: the cause came in a thread without recorded
-- calls, before MPI_Finalize returned.
-- exit_cause_frame: the rank's stack then, 0 innermost.
CREATE TABLE exit_cause (rank INTEGER PRIMARY KEY, kind TEXT NOT NULL, first INTEGER NOT NULL,
    after INTEGER NOT NULL, t INTEGER, seq INTEGER,
    inside INTEGER NOT NULL, code INTEGER, detail INTEGER, address INTEGER, buffer_seq INTEGER,
        send_buffer INTEGER, recv_buffer INTEGER,
    text TEXT, elsewhere INTEGER NOT NULL);
CREATE TABLE exit_cause_frame (rank INTEGER NOT NULL, depth INTEGER NOT NULL, site INTEGER NOT NULL,
    PRIMARY KEY (rank, depth)) WITHOUT ROWID;

-- Results on the trace: one row per replay, and the checkers' findings.
CREATE TABLE run (id INTEGER PRIMARY KEY, policy TEXT NOT NULL, seed INTEGER,
    verdict TEXT NOT NULL, detail TEXT);
CREATE TABLE finding (id INTEGER PRIMARY KEY, checker TEXT NOT NULL, rule TEXT NOT NULL,
    class TEXT NOT NULL,
    severity TEXT NOT NULL, title TEXT NOT NULL, ranks TEXT NOT NULL, schedule TEXT, repeat TEXT,
        json TEXT NOT NULL,
    -- 0 not tried; by the real job: 1 confirmed, 2 refuted, 4 tried, and nothing was proven;
    -- 3 ruled out by exploring
    confirmed INTEGER NOT NULL);

-- event_unfolded: the calls of event_part in loops; event_listed: the others; event_summed: those
-- of event_sum, whose times are NULL; event_each: these and event_row's; none is in order.
CREATE VIEW event_unfolded AS
SELECT p.id + n.n AS id, c.shape AS shape,
    p.request + (p.first + n.n) / l.calls * l.step + c.request AS request,
    p.t_enter + CAST(hex(substr(p.times, n.n * p.enter_bytes + 1, p.enter_bytes)) AS INTEGER)
        AS t_enter,
    CAST(hex(substr(p.times, p.calls * p.enter_bytes + n.n * p.duration_bytes + 1,
        p.duration_bytes)) AS INTEGER) AS duration,
    c.repeat AS repeat, c.tag AS tag
FROM event_part p CROSS JOIN loop l ON l.id = p.loop CROSS JOIN number n ON n.n < p.calls
    CROSS JOIN loop_call c ON c.loop = p.loop AND c.idx = (p.first + n.n) % l.calls;
CREATE VIEW event_listed AS
SELECT p.id + n.n AS id,
    CAST(hex(substr(p.times, p.calls * (p.enter_bytes + p.duration_bytes) + n.n * p.shape_bytes
        + 1, p.shape_bytes)) AS INTEGER) AS shape,
    p.request - 1 + nullif(CAST(hex(substr(p.times, p.calls * (p.enter_bytes + p.duration_bytes
        + p.shape_bytes) + n.n * p.request_bytes + 1, p.request_bytes)) AS INTEGER), 0) AS request,
    p.t_enter + CAST(hex(substr(p.times, n.n * p.enter_bytes + 1, p.enter_bytes)) AS INTEGER)
        AS t_enter,
    CAST(hex(substr(p.times, p.calls * p.enter_bytes + n.n * p.duration_bytes + 1,
        p.duration_bytes)) AS INTEGER) AS duration,
    NULL AS repeat, NULL AS tag
FROM event_part p CROSS JOIN number n ON n.n < p.calls WHERE p.loop IS NULL;
CREATE VIEW event_summed AS
SELECT p.id + n AS id, c.shape AS shape,
    p.request + (p.first + n) / l.calls * l.step + c.request AS request,
    NULL AS t_enter, NULL AS duration, c.repeat AS repeat, c.tag AS tag
FROM (SELECT p.id AS id, p.loop AS loop, p.first AS first, p.request AS request,
    (u.n << 24) + (v.n << 16) + (w.n << 8) + x.n AS n
FROM event_sum p CROSS JOIN number u ON u.n << 24 < p.calls
    CROSS JOIN number v ON (u.n << 24) + (v.n << 16) < p.calls
    CROSS JOIN number w ON (u.n << 24) + (v.n << 16) + (w.n << 8) < p.calls
    CROSS JOIN number x ON (u.n << 24) + (v.n << 16) + (w.n << 8) + x.n < p.calls) p
    CROSS JOIN loop l ON l.id = p.loop
    CROSS JOIN loop_call c ON c.loop = p.loop AND c.idx = (p.first + n) % l.calls;
CREATE VIEW event_sum_log AS
SELECT c.event AS event, c.idx AS idx, CAST(j.key AS INTEGER) AS log2, j.value AS calls
FROM event_sum_call c, json_each(c.logs) j;
CREATE VIEW event_each AS
SELECT id, shape, request, t_enter, duration, repeat, tag FROM event_row
UNION ALL
SELECT id, shape, request, t_enter, duration, repeat, tag FROM event_unfolded
UNION ALL
SELECT id, shape, request, t_enter, duration, repeat, tag FROM event_listed
UNION ALL
SELECT id, shape, request, t_enter, duration, repeat, tag FROM event_summed;

CREATE VIEW event AS
SELECT e.id >> 40 AS rank, e.id & 1099511627775 AS seq, c.name AS call,
    (e.id & 1099511627775) - s.parent_back AS parent,
    s.peer + iif(s.near & 1, e.id >> 40, 0) AS peer,
    CASE s.tag WHEN -1 THEN -1 ELSE s.tag + ifnull(e.tag, 0) END AS tag,
    s.bytes AS bytes, s.comm AS comm, CASE WHEN s.many THEN NULL ELSE e.request END AS request,
    s.site AS site, e.t_enter AS t_enter, e.t_enter + e.duration AS t_leave, s.count AS count,
        s.datatype AS datatype,
    s.root AS root, s.op AS op, s.win AS win, s.thread AS thread, s.error AS error,
        c.class AS class, s.recv_peer + iif(s.near & 2, e.id >> 40, 0) AS recv_peer,
    CASE s.recv_tag WHEN -1 THEN -1 ELSE s.recv_tag + ifnull(e.tag, 0) END AS recv_tag,
    s.recv_datatype AS recv_datatype, s.recv_count AS recv_count, s.recv_bytes AS recv_bytes,
    ifnull(e.repeat, 1) AS repeat,
    e.id AS id
FROM event_each e JOIN shape s ON s.id = e.shape JOIN call c ON c.id = s.call;

CREATE VIEW completion AS
SELECT e.id >> 40 AS rank, e.id & 1099511627775 AS seq,
    d.idx + (u.n << 16) + (v.n << 8) + w.n AS idx,
    e.request + d.request_ahead + (u.n << 16) + (v.n << 8) + w.n AS request, d.done AS done,
    d.source + iif(d.near, e.id >> 40, 0) AS source,
    CASE d.tag WHEN -1 THEN -1 ELSE d.tag + ifnull(e.tag, 0) END AS tag,
    d.bytes AS bytes, d.error AS error, d.cancelled AS cancelled,
        e.id AS id
FROM event_each e JOIN shape s ON s.id = e.shape JOIN completion_set d ON d.id = s.completions
    CROSS JOIN number u ON u.n <= (d.members - 1) >> 16
    CROSS JOIN number v ON v.n <= (d.members - 1 - (u.n << 16)) >> 8
    CROSS JOIN number w ON w.n <= d.members - 1 - (u.n << 16) - (v.n << 8);

CREATE VIEW arg AS
SELECT e.id >> 40 AS rank, e.id & 1099511627775 AS seq, a.name AS name, a.idx AS idx,
    CASE a.near WHEN 1 THEN a.value + (e.id >> 40) WHEN 2 THEN a.value + e.request ELSE a.value END
        AS value, e.id AS event
FROM event_each e JOIN shape s ON s.id = e.shape JOIN arg_set a ON a.id = s.args;

-- message_unfolded: the messages of message_part; message_each: these and message_row's; neither is
-- in order.
CREATE VIEW message_unfolded AS
SELECT id + n * every AS id, channel, tag, send + n * send_step AS send,
    receive + n * receive_step AS receive, bytes
FROM (SELECT p.id AS id, p.every AS every, p.channel AS channel, p.tag AS tag, p.send AS send,
    p.receive AS receive, p.bytes AS bytes, p.send_step AS send_step,
    p.receive_step AS receive_step, (u.n << 24) + (v.n << 16) + (w.n << 8) + x.n AS n
FROM message_part p CROSS JOIN number u ON u.n << 24 < p.messages
    CROSS JOIN number v ON (u.n << 24) + (v.n << 16) < p.messages
    CROSS JOIN number w ON (u.n << 24) + (v.n << 16) + (w.n << 8) < p.messages
    CROSS JOIN number x ON (u.n << 24) + (v.n << 16) + (w.n << 8) + x.n < p.messages);
CREATE VIEW message_each AS
SELECT id, channel, tag, send, receive, bytes FROM message_row
UNION ALL
SELECT id, channel, tag, send, receive, bytes FROM message_unfolded;

CREATE VIEW message AS
SELECT source, dest, tag, bytes, comm, inner, send_seq, recv_seq, t_send, t_recv,
    CASE WHEN t_send NOT NULL OR sent_summed THEN sent END AS send_id,
    CASE WHEN t_recv NOT NULL OR received_summed THEN received END AS recv_id
FROM (SELECT source, dest, tag, bytes, comm, inner, send_seq, recv_seq, sent, received,
    ifnull((SELECT t_enter FROM event_row WHERE id = sent),
        (SELECT p.t_enter + CAST(hex(substr(p.times, (sent - p.id) * p.enter_bytes + 1,
            p.enter_bytes)) AS INTEGER)
        FROM event_part p WHERE sent < p.id + p.calls AND
            p.id = (SELECT max(id) FROM event_part WHERE id <= sent))) AS t_send,
    ifnull((SELECT t_enter FROM event_row WHERE id = received),
        (SELECT p.t_enter + CAST(hex(substr(p.times, (received - p.id) * p.enter_bytes + 1,
            p.enter_bytes)) AS INTEGER)
        FROM event_part p WHERE received < p.id + p.calls AND
            p.id = (SELECT max(id) FROM event_part WHERE id <= received))) AS t_recv,
    EXISTS (SELECT 1 FROM event_sum p WHERE sent < p.id + p.calls AND
        p.id = (SELECT max(id) FROM event_sum WHERE id <= sent)) AS sent_summed,
    EXISTS (SELECT 1 FROM event_sum p WHERE received < p.id + p.calls AND
        p.id = (SELECT max(id) FROM event_sum WHERE id <= received)) AS received_summed
FROM (SELECT c.source AS source, c.dest AS dest, m.tag AS tag, m.bytes AS bytes, c.comm AS comm,
    c.inner AS inner, m.send AS send_seq, m.receive AS recv_seq, (c.source << 40) + m.send AS sent,
    (c.dest << 40) + m.receive AS received
FROM message_each m JOIN channel c ON c.id = m.channel));

-- Time spent in calls that can wait for other ranks, one row per call.
CREATE VIEW wait AS
SELECT rank, seq, call, class, comm, peer, tag, request, site, t_enter, t_leave,
    t_leave - t_enter AS waited, id FROM event
WHERE parent IS NULL AND class IN ('send', 'recv', 'sendrecv', 'wait', 'waitall', 'waitany',
    'waitsome', 'probe', 'mprobe', 'mrecv', 'coll',
    'comm_create', 'win_create', 'win_free', 'rma_fence', 'rma_start', 'rma_complete', 'rma_wait',
        'rma_lock', 'rma_unlock', 'file_coll',
    'comm_free', 'finalize');

-- Time spent in calls, summed rounds included, to be added up: a row for each call whose time is
-- known, and one for each call of a loop whose times are summed up.
CREATE VIEW spent AS
SELECT e.id >> 40 AS rank, c.name AS call, c.class AS class, s.comm AS comm, s.site AS site,
    s.parent_back NOT NULL AS inner, ifnull(e.repeat, 1) AS calls, e.duration AS total
FROM (SELECT id, shape, duration, repeat FROM event_row UNION ALL
    SELECT id, shape, duration, repeat FROM event_unfolded UNION ALL
    SELECT id, shape, duration, repeat FROM event_listed) e
    JOIN shape s ON s.id = e.shape JOIN call c ON c.id = s.call
WHERE e.duration NOT NULL
UNION ALL
SELECT e.id >> 40, c.name, c.class, s.comm, s.site, s.parent_back NOT NULL, t.calls, t.total
FROM event_sum e JOIN event_sum_call t ON t.event = e.id
    JOIN loop_call l ON l.loop = e.loop AND l.idx = t.idx
    JOIN shape s ON s.id = l.shape JOIN call c ON c.id = s.call;

-- One row per rank that took part in a collective; `number` counts the collectives of a
-- communicator, the same on all its ranks in a correct program.
CREATE VIEW collective AS
SELECT rank, seq, call, comm, root, op, count, datatype, bytes, t_enter, t_leave, site,
    row_number() OVER (PARTITION BY rank, comm ORDER BY seq) AS number, id
FROM event WHERE parent IS NULL AND class IN ('coll', 'icoll', 'coll_init', 'comm_create',
    'comm_icreate');
