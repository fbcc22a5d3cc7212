"""Replaces `python -m crosswait ...` by the command itself, in the same process."""
import os
import sys

from crosswait import command

path = command()
if path is None:
    sys.exit("crosswait: the command is not installed beside this package; install it again")
os.execv(path, ["crosswait", *sys.argv[1:]])
