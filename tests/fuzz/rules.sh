# The rules that are reported in process and on real ranks are those of the table
# (cli/fuzz/fuzz_rule.c), no more and no less.
/usr/bin/python3 - "$SOURCE" <<'END'
import pathlib, re, sys

source = pathlib.Path(sys.argv[1])
told = {"crash"}  # a signal, a sanitizer
for path in [*source.glob("world/**/*.c"), *source.glob("fuzz/**/*.c")]:
    if re.search("world/(ranks|processes)", str(path)):  # worlds of processes: the fuzzer has none
        continue
    text = path.read_text()
    told |= set(
        re.findall(
            (
                r'(?:world_found|world_note|world_give_up|(?<![\w.])(?:\w+_)?(?:find|report))'
                r'\(\s*(?:out,'
                r' )?(?:[\w= !?]* \? )?"([a-z-]+)"'
            ),
            text,
        )
    )
    told |= set(re.findall(r'world_found\([^";]*"[a-z-]+" : "([a-z-]+)"', text))
    told |= set(re.findall(r'(?:rule = |HANDLE_\w+\] =\s*)"([a-z-]+)"', text)) | set(
        re.findall(r'"finding: ([a-z-]+):', text)
    )
    told |= set(re.findall(r'\[\] = "(leaked-[a-z]+)"', text))
table = set(re.findall(r'^    \{"([a-z-]+)",', (source / "cli/fuzz/fuzz_rule.c").read_text(), re.M))
for name, rules in ("not in the table", told - table), ("reported by nobody", table - told):
    if rules:
        sys.exit(f"{name}: {', '.join(sorted(rules))}")
if len(table) < 20:
    sys.exit("the table was not found")
END
