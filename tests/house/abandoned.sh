# The runner removes the shared memory that killed ranks of MPICH and Intel MPI left behind, and
# leaves alone what a process maps, what is young, and what was there before the runner began.
exec /usr/bin/python3 - "$SOURCE/tests" <<'P'
import mmap, os, sys, time
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import run

name = {k: f"/dev/shm/mpich_shm_cw{os.getpid()}{k}" for k in ("left", "mapped", "young", "before")}
now = time.time()
try:
    for path in name.values():
        with open(path, "wb") as file:
            file.write(bytes(4096))
    with open(name["mapped"], "r+b") as file:
        memory = mmap.mmap(file.fileno(), 4096)
    for kind, age in ("left", 100), ("mapped", 100), ("before", 300):
        os.utime(name[kind], (now - age, now - age))
    abandoned = run.Abandoned()
    abandoned.since = now - 200
    abandoned.looked = 0
    abandoned.remove()
    stay = [kind for kind in name if os.path.exists(name[kind])]
    sys.exit(0 if stay == ["mapped", "young", "before"] else f"stay: {stay}")
finally:
    for path in name.values():
        if os.path.exists(path):
            os.unlink(path)
P
