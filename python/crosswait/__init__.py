"""Finds the command crosswait that was installed with this package: `python -m crosswait` runs
it."""
import os
import shutil
from importlib import metadata


def command():
    """Returns the path of the command that pip, else `make install`, installed with this package;
    else that of the command on the PATH; None if there is none."""
    try:
        files = metadata.files("crosswait") or []
    except metadata.PackageNotFoundError:
        files = []
    paths = [os.path.normpath(file.locate()) for file in files if file.name == "crosswait"]
    # `make install` puts this file into PREFIX/lib/crosswait/python/crosswait.
    paths.append(os.path.abspath(f"{__file__}/../../../../../bin/crosswait"))
    for path in paths:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return shutil.which("crosswait")
