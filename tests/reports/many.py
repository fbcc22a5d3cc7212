"""Makes a large trace of a small one: many.py SMALL.db LARGE.db BLOCKS TIMES. Repeats all ranks
BLOCKS times, and the calls of each between MPI_Init and MPI_Finalize TIMES times, which last a
little longer in each block. For reports that only show a trace, not for checking."""
import shutil, sqlite3, sys

small, large, blocks, times = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
shutil.copy(small, large)
db = sqlite3.connect(large)
ranks = db.execute("select count(*) from rank").fetchone()[0]
db.executescript(
    """pragma journal_mode = off; pragma synchronous = off;
    create temp table old as select * from event_each;
    create temp table said as select m.*, c.source, c.dest, c.comm, c.inner from message_each m
        join channel c on c.id = m.channel;
    create temp table who as select * from rank;
    delete from event_row; delete from event_part; delete from message_row;
    delete from message_part; delete from channel; delete from rank;"""
)
last = dict(db.execute("select id >> 40, max(id & 1099511627775) from old group by 1"))
ends = db.execute("select max(t_enter + ifnull(duration, 0)) from old").fetchone()[0]
columns = [row[1] for row in db.execute("pragma table_info(rank)")]
for block in range(blocks):
    ahead, slower = block * ranks, 1 + block / (4 * blocks)
    db.execute(f"insert into rank select rank + {ahead}, {', '.join(columns[1:])} from who")
    for rank, seqs in last.items():
        for k in range(times):
            # The first and the last call are not repeated.
            lower, upper = (1 if k == 0 else 2), (seqs if k == times - 1 else seqs - 1)
            db.execute(
                (
                    "insert into event_row select ((id >> 40) + ?1) << 40 | ((id & 1099511627775) +"
                    " ?2), shape, request, (t_enter + ?3) * ?4, duration * ?4, repeat, tag from old"
                    " where id between ?5 << 40 | ?6 and ?5 << 40 | ?7"
                ),
                (ahead, k * (seqs - 2), k * ends, slower, rank, lower, upper),
            )
    numbers = {}
    for source, dest, comm, inner in db.execute(
        "select distinct source, dest, comm, inner from said"
    ).fetchall():
        number = db.execute(
            "insert into channel (comm, source, dest, inner) values (?, ?, ?, ?)",
            (comm, source + ahead, dest + ahead, inner),
        ).lastrowid
        for k in range(times):
            db.execute(
                (
                    "insert into message_row select null, ?, tag, send + ?, receive + ?, bytes from"
                    " said where source = ? and dest = ? and comm is ? and inner = ? order by id"
                ),
                (number, k * (last[source] - 2), k * (last[dest] - 2), source, dest, comm, inner),
            )
db.execute("delete from meta where key in ('totals', 'checked', 'events')")
db.execute(
    "update rank set events = (select count(*) from event_row where id between rank << 40 and"
    " (rank + 1 << 40) - 1)"
)
db.commit()
print(f"{db.execute('select count(*) from event_row').fetchone()[0]} events")
