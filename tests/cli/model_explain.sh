# The explanation of a row, as text and as a figure, has the rounds that the engine runs, as many as
# the row's formula says, and their words sum up to it, for every row and some sizes.
# expected
# timeout: 300
crosswait model --explain=bcast.binomial
crosswait model --explain=allreduce.ring -p 4 -n 8 | tail -6
crosswait model --explain=allreduce.recursive_doubling -p 6 | tail -9
crosswait model --explain=bcast.hypercube -p 8 -t line --routing=fixed | tail -2
crosswait model --explain=alltoall.hypercube -p 8 -t ring | grep -v round | tail -5
crosswait model --explain=bcast.kary --parameter=4 -p 16 --port=bsp | tail -9
crosswait model --explain=scatter.linear -p 40 | tail -5
crosswait model --explain=bcast.linear -p 3 -o words.txt && grep -c 'round' words.txt
cat >count.py <<'P'
import re
import subprocess
import xml.dom.minidom as dom

ROWS = subprocess.run(["crosswait", "model"], capture_output=True, text=True).stdout
ROWS = [line.split()[0] for line in ROWS.splitlines()[1:] if not line.startswith(" ")]


def said(*words):
    done = subprocess.run(["crosswait", "model", *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


figures = 0
for row in ROWS:
    for ranks in (2, 3, 4, 7, 8, 9, 16):
        size = ["--ranks", str(ranks), "--words", str(3 * ranks)]
        parameter = {"bcast.kary": "2", "shift": "1"}
        for name in parameter:
            size += [f"--parameter={parameter[name]}"] if row.startswith(name) else []
        svg = said(f"--explain={row}", "--format=svg", *size)
        if svg is None:  # not in the row's domain
            continue
        rounds = [g for g in dom.parseString(svg).getElementsByTagName("g")]
        drawn = len(rounds), sum(int(g.getAttribute("data-words")) for g in rounds)
        run = said(f"--run={row}", *size)
        numbers = {
            name: re.search(rf"{name} +(\S+) +(<?=) +(\S+)", run).groups()
            for name in ("rounds R", "words W")
        }
        for value, (_, relation, formula) in zip(drawn, numbers.values()):
            if not (value == float(formula) or relation == "<=" and value < float(formula)):
                print(row, ranks, drawn, numbers)
        figures += 1
print(len(ROWS), "rows,", figures, "figures")
P
/usr/bin/python3 count.py
