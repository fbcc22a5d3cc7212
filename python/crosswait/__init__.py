"""Finds the command crosswait that pip installed: `python -m crosswait` runs it."""
import os
import shutil
from importlib import metadata


def command():
    """Returns the path of the command that pip installed with this package; else that of the
    command on the PATH; None if there is none."""
    try:
        files = metadata.files("crosswait") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = os.path.normpath(file.locate())
        if file.name == "crosswait" and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return shutil.which("crosswait")
