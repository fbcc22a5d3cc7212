"""Makes the installed man page: options.py CROSSWAIT PAGE writes it to standard output. Its head
has the version; synopsis, options, their letters and values, and examples come from the command's
own table (`crosswait COMMAND --table`), so that the page neither lacks one nor describes a removed
one. Each option is described as in --help or, if the page has more to say, by the text after the
line `.\\" option NAME...` of its section OPTIONS. The commands of crosswait.1 come from
`crosswait --complete`; the rules of crosswait-rules.7 from docs/rules.md, which is generated from
the rules that reports declare."""
import os, re, subprocess, sys

crosswait, page = sys.argv[1:]
title, number = os.path.basename(page).rsplit(".", 1)
command = title.removeprefix("crosswait").removeprefix("-")


def ask(*words):
    return subprocess.run([crosswait, *words], capture_output=True, text=True, check=True).stdout


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


def synopsis(usage):
    """Formats the synopsis: literal words are bold, placeholders in italics."""
    words = re.compile(r"(--?[a-zA-Z][a-z-]*)|(\b[A-Z][\w.-]*|\bfile\b)|([^-A-Z]+|.)")
    out = []
    for line in usage.split("\n"):
        name, rest = re.match(r"(crosswait \w+)(.*)", line).groups()
        text = "".join(
            (
                f"\\fB{roff(option)}\\fR"
                if option
                else f"\\fI{roff(word)}\\fR" if word else roff(other)
            )
            for option, word, other in words.findall(rest)
        )
        out += [f"\\fB{name}\\fR{text}", ".br"]
    return [".SH SYNOPSIS", ".nh", ".ad l", *out[:-1], ".ad b", ".hy"]


def commands(text):
    """Lists the commands with their pages, in the words of crosswait --help."""
    out = []
    for line in text.splitlines():
        name, says = line.split("\t")
        out += [".TP", f".BR crosswait\\-{name} (1)", roff(says)]
    return out


def rules():
    """Returns the sections of docs/rules.md."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/rules.md")
    with open(path) as file:
        sections = file.read().split("\n## ")[1:]
    out = []
    for text in sections:
        name, *paragraphs = text.strip().split("\n\n")
        out += [".SS " + roff(name)]
        for paragraph in paragraphs:
            words = roff(" ".join(paragraph.split()))
            out += [".PP", re.sub(r"`([^`]*)`", r"\\fB\1\\fR", words)]
    return out


def section(lines, options):
    """Returns the installed lines of section OPTIONS, made from the written ones."""
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


def page_of_command(text):
    usage, table, example = ask(command, "--table").rstrip("\n").split("\n\n")
    options = [
        dict(zip(("letter", "name", "value", "help"), line.split("\t")))
        for line in table.splitlines()
    ]
    for option in options:
        option["letter"] = f"-{option['letter']}" if option["letter"] else ""
    text[(at := text.index(".SH DESCRIPTION")) : at] = synopsis(usage)
    if ".SH OPTIONS" not in text:
        text[(at := text.index(".SH EXIT STATUS")) : at] = [".SH OPTIONS"]
    start = text.index(".SH OPTIONS") + 1
    end = next(i for i in range(start, len(text)) if text[i].startswith(".SH"))
    behind = next(
        (i for i in range(end, len(text)) if text[i] in (".SH EXAMPLES", ".SH SEE ALSO")), len(text)
    )
    own = text[behind + 1 :] if text[behind : behind + 1] == [".SH EXAMPLES"] else text[behind:]
    examples = [".SH EXAMPLES", ".EX", *map(roff, example.splitlines()), ".EE"]
    return text[:start] + section(text[start:end], options) + text[end:behind] + examples + own


def main():
    text = open(page).read().splitlines()
    version = " ".join(ask("--version").split()[:2])
    if command == "":
        text[(at := text.index(".SH COMMANDS") + 1) : at] = commands(ask("--complete"))
    elif title == "crosswait-rules":
        text[(at := text.index(".SH RULES") + 1) : at] = rules()
    elif number == "1":
        text = page_of_command(text)
    print(f'.TH {roff(title.upper())} {number} "" "{version}" "crosswait"')
    print("\n".join(text))


main()
