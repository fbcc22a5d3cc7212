"""Usage: table.py CALLS.TABLE COMPILER... <expressions: makes a bad table with each expression of
sed, and prints what the generator says and its exit status, as if it were started with each table.
The header is read once."""
import functools, os, subprocess, sys

sys.path.insert(0, os.path.join(os.environ["SOURCE"], "interpose", "generate"))
import generate

for name in "functions_of_header", "words_of_header", "Call":
    setattr(generate, name, functools.cache(getattr(generate, name)))


class Compiler(list):
    __hash__ = object.__hash__  # for the cache


compiler = Compiler(sys.argv[2:])
for expression in sys.stdin.read().splitlines():
    with open("bad.table", "w") as table:
        subprocess.run(["sed", expression, sys.argv[1]], stdout=table, check=True)
    message = None
    try:
        generate.whole_table("bad.table", compiler, False)
    except SystemExit as end:
        message = end.code
    print(message or "", f"[{int(message is not None)}]", sep="\n" if message else "")
