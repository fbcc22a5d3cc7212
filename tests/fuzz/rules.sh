# Every rule of the table (world/rule.h) is reported by something, in process or on real ranks.
/usr/bin/python3 - "$SOURCE" <<'END'
import pathlib, re, sys

source = pathlib.Path(sys.argv[1])
table = set(re.findall(r'^ *X\((\w+), "', (source / "world/rule.h").read_text(), re.M))
used = set()
for room in ("world", "fuzz"):
    for path in source.glob(f"{room}/**/*.c"):
        used |= set(re.findall(r"WORLD_RULE_(\w+)", path.read_text()))
unused = table - used
if unused:
    sys.exit(f"reported by nobody: {', '.join(sorted(unused))}")
if len(table) < 20:
    sys.exit("the table was not found")
END
