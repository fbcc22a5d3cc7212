"""Templates: C with lines of Python between. A template file is a list of fragments:

    % def NAME(ARGUMENTS):       a fragment, a function that returns its text
    % if, elif, else, for, end   as in Python; `end` closes, and indentation has no meaning
    % NAME = EXPRESSION          anything else after % is a statement
    ## a comment
    C with ${EXPRESSION}         a line of the text; left out if it is a single EXPRESSION that
                                 is empty; a line that ends in \\ is joined with the next one
                                 without its indent
"""
import inspect
import re

FIELD = re.compile(r"\$\{([^}]*)\}")


def shown(value):
    assert value is not None, "an expression of the template has no value"
    return str(value)


def text_of(line):
    """Returns a line of C as a Python expression."""
    parts = FIELD.split(line)
    pieces = [f"shown({p})" if i % 2 else repr(p) for i, p in enumerate(parts) if i % 2 or p]
    return " + ".join(pieces) or "''"


def python_of(source):
    """Returns the template as Python with the same lines, each of which yields a line of text."""
    out, depth, pending, held = [], 0, "", 0
    for line in source.splitlines():
        line = pending + (line.lstrip() if pending else line)
        if line.endswith("\\"):
            pending, held = line[:-1], held + 1
            continue
        statement = re.match(r"\s*%\s*(.*)", line)
        if line.startswith("##") or not line.strip() and not depth:
            out.append("")
        elif not statement and FIELD.fullmatch(line.strip()):
            out.append(" " * depth + f"yield {text_of(line)} if {text_of(line.strip())} else None")
        elif not statement:
            out.append(" " * depth + f"yield {text_of(line)}")
        elif statement.group(1) == "end":
            depth -= 1
            out.append("")
        else:
            word = statement.group(1)
            middle = word.startswith(("else", "elif"))
            out.append(" " * (depth - middle) + word)
            depth += word.endswith(":") and not middle
        out += [""] * held
        pending, held = "", 0
    assert depth == 0, "a template that lacks an end"
    return "\n".join(out)


def fragment(lines):
    def fill(*arguments):
        return "\n".join(line for line in lines(*arguments) if line is not None)

    return fill


def load(paths, names):
    """Returns the fragments of all files, which can use each other and `names`."""
    names["shown"] = shown
    for path in paths:
        with open(path) as f:
            exec(compile(python_of(f.read()), path, "exec"), names)
    for name, value in list(names.items()):
        if inspect.isgeneratorfunction(value):
            names[name] = fragment(value)
    return names
