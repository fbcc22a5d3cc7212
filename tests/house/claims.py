"""Prints what docs/claims.md lacks: files whose sentences have a claim word and that it does not
   name, and tests that it names and that do not exist. claims.py ROOT"""
import glob, os, re, sys

ROOMS = """core program store foreign interpose replay world model checkers launch reports explore
           fuzz cli"""
WORD = re.compile(r"\b(proven|verified|confirmed|refuted|clean|all there are|never have)\b")
DENIED = re.compile(r"\b(not|cannot be|neither ended nor was)\s+$")
NO_CLAIM = re.compile(r"Exit status|\b(SELECT|INSERT|UPDATE)\b|do not end the job when")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
TEST = re.compile(r"`(?:tests/)?(?:([a-z]+)/)?([a-z_]+)`")

os.chdir(sys.argv[1])
table = open("docs/claims.md").read()
lacks = set()
for path in (p for room in ROOMS.split() for p in glob.glob(f"{room}/**/*.[ch]", recursive=True)):
    text = re.sub(r"/\*.*?\*/", " ", open(path).read(), flags=re.S)
    for literal in STRING.findall(text):
        said = re.sub(r'"\s*"', "", literal)
        claims = [w for w in WORD.finditer(said) if not DENIED.search(said[: w.start()])]
        if not claims or " " not in said or NO_CLAIM.search(said):
            continue
        if not re.search(r"\b" + re.escape(os.path.basename(path)), table):
            lacks.add(f"{path}: {said}")
for row in re.findall(r"^\|.*\|$", table, flags=re.M):
    room = None
    for folder, name in TEST.findall(re.sub(r"\(.*?\)", "", row.split("|")[-2])):
        room = folder or room
        names = f"tests/{room}/{name}.sh", f"tests/{room}/{name.removeprefix('test_')}.sh"
        unit = f"tests/unit/test_{name.removeprefix('test_')}.c"
        if room and not any(map(os.path.exists, (*names, unit))):
            lacks.add(f"no test {room}/{name}")
print("".join(line + "\n" for line in sorted(lacks)), end="")
sys.exit(bool(lacks))
