"""The vocabulary of the call table: classes of core/trace/event.h, traits and verbs of
core/trace/traits.h, each a word of the table and its name in C."""
import os
import re

CORE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../core/trace")


def words(header, macro):
    """Returns the X list `macro` of a header, {word: name}."""
    with open(os.path.join(CORE, header)) as f:
        text = f.read().replace("\\\n", "")
    listed = re.search(rf"#define {macro}\(X\)(.*)", text).group(1)
    return {word: name for name, word in re.findall(r'X\((\w+),\s*"(\w+)"\)', listed)}


CLASSES = words("event.h", "EVENT_CLASSES")
TRAITS = words("traits.h", "TRAITS")
VERBS = words("traits.h", "VERBS")
