"""Stands for ssh and sshd. `machines.py serve SOCKET` runs commands in the namespaces in which it
was started; mpirun calls `machines.py ask [-x] HOST COMMAND...` instead of ssh: the last number of
HOST selects the socket, machine.N here."""

import os
import socket
import subprocess
import sys
import threading


def serve(connection):
    command = connection.makefile("rb").readline().decode().rstrip("\n")
    done = subprocess.run(
        ["/bin/bash", "-c", command], stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        connection.sendall(b"%d\n" % done.returncode)
    except OSError:
        pass  # the client is gone
    connection.close()


if sys.argv[1] == "serve":
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[2])
    server.listen()
    while True:
        one, _ = server.accept()
        threading.Thread(target=serve, args=(one,), daemon=True).start()
else:
    os.chdir(os.path.dirname(os.path.abspath(sys.argv[0])))
    host, *command = [word for word in sys.argv[2:] if word != "-x"]
    ask = socket.socket(socket.AF_UNIX)
    ask.connect("machine.%d" % (int(host.split(".")[-1]) - 1))
    ask.sendall((" ".join(command) + "\n").encode())
    sys.exit(int(ask.makefile().readline() or 255))
