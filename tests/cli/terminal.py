"""Runs commands on a terminal of their own, for tests of their output there."""
import os, pty, re, select, signal


def start(command, **environment):
    """Returns (process, terminal)."""
    pid, fd = pty.fork()
    if not pid:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it
        os.environ.update(environment)
        os.execvp(command.split()[0], command.split())
    return pid, fd


def hold(pid):
    """Waits until the process has stopped itself, and a little more than a second after that."""
    assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
    select.select([], [], [], 1.2)


def until(fd, pattern):
    """Reads until the output has the pattern or ends; returns the output."""
    text = ""
    try:
        while not re.search(pattern, text) and (more := os.read(fd, 4096)):
            text += more.decode()
    except OSError:
        pass
    return text


def end(pid, fd):
    """Returns (output, status)."""
    text = b""
    try:
        while more := os.read(fd, 4096):
            text += more
    except OSError:
        pass
    return text.decode(), os.waitpid(pid, 0)[1]
