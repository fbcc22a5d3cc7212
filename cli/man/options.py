"""A man page as it is installed: options.py CROSSWAIT PAGE.1 writes it to standard output. The
options, their letters and values, are those that the command's own table has (`crosswait COMMAND
--table`), so that the page cannot lack one or tell of one that is gone; each is told in the words
of its --help, or, where a page has more to say, in those behind the line `.\\" option NAME...` of
its section OPTIONS."""
import os, re, subprocess, sys

crosswait, page = sys.argv[1:]
command = re.fullmatch(r"crosswait-?(.*)\.1", os.path.basename(page))[1]


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def heading(option):
    letter, name, value = option["letter"], roff(option["name"]), roff(option["value"])
    names = (f'{roff(letter)} ", " ' if letter else "") + f"\\-\\-{name}"
    if not value:
        return f".BR {names}"
    shown = f"[=\\fI{value[1:-1]}\\fR]" if value[0] == "[" else f"=\\fI{value}\\fR"
    return f'.BR {names} "{shown}"'


def sentence(text):
    text = roff(text[0].upper() + text[1:])
    return text if text.endswith((".", ")")) else text + "."


def section(lines, options):
    """The lines of the section as written become those that are installed."""
    words, names, intro = {}, None, []
    for line in lines:
        if marker := re.fullmatch(r'\.\\" option (.*)', line):
            names = marker[1].split()
            words[names[0]] = (names, [])
        elif names:
            words[names[0]][1].append(line)
        else:
            intro.append(line)
    known = [option["name"] for option in options]
    told = [name for names, _ in words.values() for name in names]
    unknown = [name for name in told if name not in known]
    if unknown:
        sys.exit(f"{page}: crosswait {command} has no option {', '.join(unknown)}")
    out, done = list(intro), set()
    for option in options:
        if option["name"] in done:
            continue
        names, text = next(
            (entry for entry in words.values() if option["name"] in entry[0]),
            ([option["name"]], [sentence(option["help"])]),
        )
        done.update(names)
        together = [heading(one) for one in options if one["name"] in names]
        out += [".TP", together[0]]
        for one in together[1:]:
            out += [".TQ", one]
        out += text
    return out


def main():
    text = open(page).read().splitlines()
    if not command:
        print("\n".join(text))
        return
    table = subprocess.run(
        [crosswait, command, "--table"], capture_output=True, text=True, check=True
    ).stdout
    options = [
        dict(zip(("letter", "name", "value", "help"), line.split("\t")))
        for line in table.splitlines()
        if "\t" in line
    ]
    example = [roff(line) for line in table.splitlines() if "\t" not in line]
    for option in options:
        option["letter"] = f"-{option['letter']}" if option["letter"] else ""
    if ".SH OPTIONS" not in text:
        text[(at := text.index(".SH EXIT STATUS")) : at] = [".SH OPTIONS"]
    start = text.index(".SH OPTIONS") + 1
    end = next(i for i in range(start, len(text)) if text[i].startswith(".SH"))
    behind = next(
        (i for i in range(end, len(text)) if text[i] in (".SH EXAMPLES", ".SH SEE ALSO")), len(text)
    )
    own = text[behind + 1 :] if text[behind : behind + 1] == [".SH EXAMPLES"] else text[behind:]
    print(
        "\n".join(
            text[:start]
            + section(text[start:end], options)
            + text[end:behind]
            + [".SH EXAMPLES", ".EX", *example, ".EE"]
            + own
        )
    )


main()
