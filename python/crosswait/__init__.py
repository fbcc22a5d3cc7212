"""The command crosswait, as pip installed it: `python -m crosswait` is `crosswait`."""
import os
import shutil
from importlib import metadata


def command():
    """The path of the command that pip installed with this package; elsewhere of the one on the
    PATH; None where there is none."""
    try:
        files = metadata.files("crosswait") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = os.path.normpath(file.locate())
        if file.name == "crosswait" and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return shutil.which("crosswait")
