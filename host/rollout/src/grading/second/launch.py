# Starts the second opinion, as root: puts the two processes' files in place, each readable by the one that needs it, runs the tests as one user, and starts the
# holder as another once the tests ask for the first module. SETTINGS, PARTS and SCRIPT stand above.
import glob
import json
import os
import socket
import stat
import sys
import tempfile

JUDGE, HOLDER = 64901, 64902


def become(user):
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def environment(user, home):
    os.makedirs(home)
    os.chown(home, user, user)
    os.chmod(home, 0o700)
    kept = {name: value for name, value in os.environ.items() if name not in ("HOME", "TMPDIR", "USER", "LOGNAME")}
    return dict(kept, HOME=home, TMPDIR=home, USER="somebody", LOGNAME="somebody")


def give(paths, user):
    for path in paths:
        try:
            found = os.lstat(path)
        except OSError:
            continue
        if stat.S_ISREG(found.st_mode):
            os.chown(path, 0, user)
            os.chmod(path, 0o750 if found.st_mode & 0o100 else 0o640)


def put(path, text):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o644)


folder = os.getcwd()
give(SETTINGS.pop("submitted"), HOLDER)
give(SETTINGS.pop("hidden"), JUDGE)
base = tempfile.mkdtemp()
os.chmod(base, 0o755)
put(base + "/holder.py", PARTS["wire"] + PARTS["holder"] + "\nimport sys\nhold(socket.socket(fileno=int(sys.argv[1])))\n")
places = [place for pattern in SETTINGS.pop("places").split() for place in glob.glob(pattern) if os.path.isdir(place + "/_pytest")]
for place in places:
    put(place + "/" + SETTINGS["module"] + ".py", PARTS["wire"] + PARTS["judge"] + PARTS["plugin"])
ours, theirs = socket.socketpair()
waiting, asking = os.pipe()
for number in (ours.fileno(), asking):
    os.set_inheritable(number, True)
variables = environment(JUDGE, base + "/judge")
variables.update(assay_watch=SETTINGS.pop("module"), ASSAY_SECOND=json.dumps(dict(SETTINGS, folder=folder, socket=ours.fileno(), start=asking)))
reading, writing = os.pipe()
tests = os.fork()
if tests == 0:
    os.dup2(reading, 0)
    for number in (theirs.fileno(), waiting, writing):
        os.close(number)
    become(JUDGE)
    os.execvpe("bash", ["bash", "-c", 'assay_script=$(cat) && exec < /dev/null && eval "unset assay_script\n$assay_script"', "assay"], variables)
os.close(reading)
os.close(asking)
with os.fdopen(writing, "wb") as pipe:
    pipe.write(SCRIPT.encode())
ours.close()
python = b""
while not python.endswith(b"\n"):
    part = os.read(waiting, 4096)
    if not part:
        break
    python += part
if python.endswith(b"\n"):
    variables = environment(HOLDER, base + "/holder")
    if os.fork() == 0:
        number = theirs.fileno()
        os.set_inheritable(number, True)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        os.closerange(3, number)
        os.closerange(number + 1, 4096)
        become(HOLDER)
        os.execve(python.strip(), [python.strip(), b"-I", b"-B", os.fsencode(base + "/holder.py"), str(number).encode()], variables)
theirs.close()
while True:
    ended, status = os.wait()
    if ended == tests:
        sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
