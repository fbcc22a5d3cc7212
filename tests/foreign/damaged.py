"""Imports archives with bytes changed, lost or added: each is refused with a sentence, or imported
and judged; none causes a crash, and a refused one leaves no trace. damaged.py SEED COUNT"""
import glob, os, random, shutil, subprocess, sys

SEED, COUNT = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(SEED)


def damage(data):
    at = draw.randrange(len(data))
    how = draw.choice(["cut", "change", "fill", "add"])
    if how == "cut":
        return data[:at]
    if how == "fill":
        data[at : at + 8] = bytes(draw.choice([0, 127, 255]) for _ in range(8))
    elif how == "add":
        data[at:at] = draw.randbytes(draw.randrange(1, 5))
    else:
        for _ in range(draw.randrange(1, 8)):
            data[draw.randrange(len(data))] = draw.randrange(256)
    return data


def call(*words):
    return subprocess.run(
        ["crosswait", *words], capture_output=True, text=True, errors="replace", timeout=60
    )


print("seed", SEED)
wrong, refused = 0, 0
for number in range(COUNT):
    shutil.rmtree("D", ignore_errors=True)
    shutil.copytree("T.otf2", "D")
    files = [f for f in sorted(glob.glob("D/**", recursive=True)) if os.path.isfile(f)]
    path = draw.choice([f for f in files if os.path.getsize(f)])
    with open(path, "rb") as f:
        data = damage(bytearray(f.read()))
    with open(path, "wb") as f:
        f.write(data)
    if os.path.exists("D.db"):
        os.unlink("D.db")
    done = call("import", "D", "-o", "D.db")
    if done.returncode not in (0, 3) or (done.returncode == 3 and not done.stderr):
        print(
            f"damage {number} of {path}: import ends with {done.returncode}: {done.stderr[-300:]}"
        )
        wrong += 1
    elif done.returncode == 3:
        refused += 1
        if os.path.exists("D.db"):
            print(f"damage {number} of {path}: refused, and there is a trace")
            wrong += 1
    else:
        check = call("check", "D.db")
        if check.returncode not in (0, 1, 5):
            print(
                f"damage {number} of {path}: check ends with {check.returncode}:"
                f" {check.stderr[-300:]}"
            )
            wrong += 1
if not 0 < refused < COUNT:
    sys.exit(f"{refused} of {COUNT} damaged archives were refused: the damage tells nothing")
sys.exit(1 if wrong else 0)
