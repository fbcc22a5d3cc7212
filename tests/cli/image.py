"""Builds the image of a Dockerfile without docker: image.py DOCKERFILE CONTEXT BASE WORK. BASE is
the root folder of the image that FROM names; each stage is a copy of it in WORK, and each RUN a
chroot in namespaces of its own. Prints a shell command that runs its arguments in the root of the
last stage, with its variables, folder and entry point. Knows only what ci/Dockerfile uses, and
refuses anything else."""
import json, os, re, shlex, shutil, subprocess, sys

INSIDE = (  # $1: the root; the rest: a command
    'mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/tmp"'
    ' && root=$1 && shift && exec chroot "$root" "$@"'
)


def chroot(root):
    return ["unshare", "-m", "-p", "-f", "sh", "-c", INSIDE, "sh", root]


def instructions(text):
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    for line in filter(None, map(str.strip, text.splitlines())):
        word, rest = line.split(None, 1)
        yield word, rest


class Stage:
    def __init__(self, root, base):
        subprocess.run(["cp", "-a", "--reflink=auto", base, root], check=True)
        shutil.copy("/etc/resolv.conf", f"{root}/etc/resolv.conf")
        self.root, self.folder, self.entry = root, "/", []
        self.env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}

    def command(self):
        inside = f"cd {self.folder} && exec \"$@\""
        variables = [f"{name}={value}" for name, value in self.env.items()]
        return chroot(self.root) + ["env", "-i", *variables, "sh", "-c", inside, "sh"]

    def run(self, command):
        done = subprocess.run(
            self.command() + ["sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode:
            sys.exit(f"RUN {command}\n{done.stdout.decode()[-3000:]}[{done.returncode}]")

    def copy(self, source, target, ignored):
        os.makedirs(self.root + target, exist_ok=True)
        exclude = [f"--exclude=./{name}" for name in ignored]
        tar = subprocess.Popen(["tar", "-C", source, *exclude, "-c", "."], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-C", self.root + target, "-x"], stdin=tar.stdout, check=True)
        if tar.wait():
            sys.exit(f"{source} cannot be read")


dockerfile, context, base, work = sys.argv[1:]
with open(f"{dockerfile}.dockerignore") as file:
    ignored = file.read().split()
stages = {}
stage = None
for word, rest in instructions(open(dockerfile).read()):
    if word == "FROM":
        name = rest.split(" AS ")[1] if " AS " in rest else str(len(stages))
        stage = stages[name] = Stage(f"{work}/{name}", base)
    elif word == "RUN":
        stage.run(rest)
    elif word == "COPY" and rest.startswith("--from="):
        other, source, target = rest.removeprefix("--from=").split()
        stage.copy(stages[other].root + source, target, [])
    elif word == "COPY":
        source, target = rest.split()
        stage.copy(os.path.join(context, source), target, ignored)
    elif word == "ENV":
        stage.env.update(pair.split("=", 1) for pair in shlex.split(rest))
    elif word == "WORKDIR":
        stage.folder = rest
        os.makedirs(stage.root + rest, exist_ok=True)
    elif word == "ENTRYPOINT":
        stage.entry = json.loads(rest)
    else:
        sys.exit(f"{word} is not known here")
print(shlex.join(stage.command() + stage.entry))
