-- The trace: one SQLite file. PRAGMA user_version is the version of this schema; PRAGMA application_id says it is ours.
-- What scripts may rely on: the views and tables named in README.md. Times are nanoseconds since the job's start.
--
-- Most events of a rank repeat: the same call, from the same place, to the same peer, of the same size. What repeats is a
-- row of `shape`; a row of `event_row` holds only what is its own. The view `event` puts them together.

CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- state: missing, unknown, finished, exited, aborted, crashed, killed, ended (see core/event.h); detail says it in words.
CREATE TABLE rank (
    rank INTEGER PRIMARY KEY,
    host TEXT, pid INTEGER,
    state TEXT NOT NULL,
    code INTEGER,            -- exit status, signal or abort code, as far as known
    events INTEGER NOT NULL, -- recorded
    lost INTEGER NOT NULL,   -- not recorded
    threads INTEGER NOT NULL,
    cut INTEGER NOT NULL,    -- 1: the record ends before the rank did
    offset_ns INTEGER,       -- of its host's clock against rank 0's, already taken out of all times; NULL unknown
    detail TEXT
);

CREATE TABLE call (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, class TEXT NOT NULL, mode INTEGER NOT NULL, args TEXT);

-- file and line are NULL without debug information; then symbol and offset, or module and address, say where.
CREATE TABLE site (id INTEGER PRIMARY KEY, module TEXT, address INTEGER, function TEXT, file TEXT, line INTEGER,
    inlined TEXT, symbol TEXT, offset INTEGER);

CREATE TABLE comm (id INTEGER PRIMARY KEY, name TEXT, kind TEXT NOT NULL, size INTEGER NOT NULL,
    remote_size INTEGER NOT NULL, parent INTEGER, topology INTEGER NOT NULL, global INTEGER NOT NULL);
CREATE TABLE comm_member (comm INTEGER NOT NULL, side INTEGER NOT NULL, rank INTEGER NOT NULL, world INTEGER NOT NULL,
    PRIMARY KEY (comm, side, rank)) WITHOUT ROWID;
CREATE TABLE win (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT, comm INTEGER, global INTEGER NOT NULL);

CREATE TABLE datatype (id INTEGER PRIMARY KEY, name TEXT, combiner INTEGER NOT NULL, size INTEGER NOT NULL,
    lb INTEGER NOT NULL, extent INTEGER NOT NULL, signature INTEGER NOT NULL,
    map BLOB);               -- array of struct spool_segment with datatype ids of this table; NULL: too long
CREATE TABLE op (id INTEGER PRIMARY KEY, name TEXT, commutative INTEGER NOT NULL);

CREATE TABLE shape (
    id INTEGER PRIMARY KEY,
    call INTEGER NOT NULL, comm INTEGER, peer INTEGER, tag INTEGER, datatype INTEGER, count INTEGER, bytes INTEGER,
    root INTEGER, op INTEGER, site INTEGER, thread INTEGER, error INTEGER,
    recv_peer INTEGER, recv_tag INTEGER, recv_datatype INTEGER, recv_count INTEGER, recv_bytes INTEGER
);

-- id = rank << 40 | seq, so that rows lie in the order of a rank's calls and need no further index.
CREATE TABLE event_row (id INTEGER PRIMARY KEY, shape INTEGER NOT NULL, parent INTEGER, request INTEGER,
    t_enter INTEGER NOT NULL, duration INTEGER); -- duration NULL: the call had not returned when the record ends

-- One row per request that a call completed, and one per receive or probe. source and tag are the status's.
-- For waits and tests on several requests, members that did not complete are rows with done = 0.
CREATE TABLE completion_row (event INTEGER NOT NULL, idx INTEGER NOT NULL, request INTEGER, done INTEGER NOT NULL,
    source INTEGER, tag INTEGER, bytes INTEGER, error INTEGER, cancelled INTEGER);

CREATE TABLE arg (event INTEGER NOT NULL, name TEXT NOT NULL, idx INTEGER NOT NULL, value);
CREATE TABLE digest (event INTEGER NOT NULL, at INTEGER NOT NULL, buffer INTEGER NOT NULL, digest INTEGER NOT NULL,
    bytes INTEGER NOT NULL);
CREATE TABLE payload (event INTEGER NOT NULL, at INTEGER NOT NULL, buffer INTEGER NOT NULL, offset INTEGER NOT NULL,
    data BLOB NOT NULL);
CREATE TABLE stack (event INTEGER NOT NULL, depth INTEGER NOT NULL, site INTEGER NOT NULL);

-- What crosswait did with the trace: one row per replay, and what checkers found.
CREATE TABLE run (id INTEGER PRIMARY KEY, policy TEXT NOT NULL, seed INTEGER, verdict TEXT NOT NULL, detail TEXT);
CREATE TABLE finding (id INTEGER PRIMARY KEY, rule TEXT NOT NULL, class TEXT NOT NULL, severity TEXT NOT NULL,
    title TEXT NOT NULL, ranks TEXT, json TEXT NOT NULL, repeat TEXT NOT NULL, confirmed INTEGER);

CREATE VIEW event AS
SELECT e.id >> 40 AS rank, e.id & 1099511627775 AS seq, c.name AS call, e.parent AS parent, s.peer AS peer, s.tag AS tag,
    s.bytes AS bytes, s.comm AS comm, e.request AS request, s.site AS site, e.t_enter AS t_enter,
    e.t_enter + e.duration AS t_leave, s.count AS count, s.datatype AS datatype, s.root AS root, s.op AS op,
    s.thread AS thread, s.error AS error, c.class AS class, s.recv_peer AS recv_peer, s.recv_tag AS recv_tag,
    s.recv_bytes AS recv_bytes, e.id AS id
FROM event_row e JOIN shape s ON s.id = e.shape JOIN call c ON c.id = s.call;

CREATE VIEW completion AS
SELECT event >> 40 AS rank, event & 1099511627775 AS seq, idx, request, done, source, tag, bytes, error, cancelled, event AS id
FROM completion_row;

-- The view message (who sent what to whom, matched) is made from table message_row, filled when the trace is written by
-- following the matches that the statuses report. send or receive is NULL where the other side is not in the trace.
CREATE TABLE message_row (send INTEGER, receive INTEGER, comm INTEGER NOT NULL, source INTEGER NOT NULL,
    dest INTEGER NOT NULL, tag INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE VIEW message AS
SELECT m.source AS source, m.dest AS dest, m.tag AS tag, m.bytes AS bytes, m.comm AS comm,
    m.send & 1099511627775 AS send_seq, m.receive & 1099511627775 AS recv_seq,
    s.t_enter AS t_send, r.t_enter AS t_recv, s.id AS send_id, r.id AS recv_id
FROM message_row m LEFT JOIN event_row s ON s.id = m.send LEFT JOIN event_row r ON r.id = m.receive;

-- Time spent in calls that can wait for others, a row a call.
CREATE VIEW wait AS
SELECT rank, seq, call, class, comm, peer, tag, request, site, t_enter, t_leave, t_leave - t_enter AS waited, id FROM event
WHERE parent IS NULL AND class IN ('send', 'recv', 'sendrecv', 'wait', 'waitall', 'waitany', 'waitsome', 'probe', 'mprobe', 'mrecv', 'coll',
    'comm_create', 'win_create', 'win_free', 'rma_fence', 'rma_start', 'rma_complete', 'rma_wait', 'rma_lock', 'rma_unlock', 'file_coll',
    'comm_free', 'finalize');

-- One row per rank that took part in a collective; `number` counts the collectives of a communicator, the same on all
-- its ranks in a correct program.
CREATE VIEW collective AS
SELECT rank, seq, call, comm, root, op, count, datatype, bytes, t_enter, t_leave, site,
    row_number() OVER (PARTITION BY rank, comm ORDER BY seq) AS number, id
FROM event WHERE parent IS NULL AND class IN ('coll', 'icoll', 'coll_init', 'comm_create', 'comm_icreate');
