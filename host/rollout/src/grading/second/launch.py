# Starts the second opinion, as root: puts the two processes' files in place, each readable by the one that needs it, runs the tests as one user, and starts a
# holder as another whenever the tests ask for one: once while they are collected, and once for each test. SETTINGS, PARTS, SCRIPT and places.py stand above.
#
# Invariants: a holder begins only when nothing is left of the one before: all processes of its user are killed, what it wrote where anybody may write is
# gone, and the next one is another user with another socket, another home and another copy of the task's folder, who can enter none of the old ones. Holders
# are forks of an interpreter that never runs the submission's code: memory of one that did might be shared by its forks.
import array
import glob
import json
import os
import select
import signal
import socket
import stat
import sys
import tempfile

try:
    import ctypes
except ImportError:
    ctypes = None

JUDGE, HOLDER, KILLER = 64901, 64902, 64903
# The users of the holders, all of one group.
FIRST, HOLDERS_MAX = 20_000, 40_000
PR_SET_CHILD_SUBREAPER = 36
# Links from one name of an interpreter to the next, at most.
LINKS_MAX = 40


def become(user, group):
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)


def make_home(user, home):
    os.makedirs(home)
    os.chown(home, user, user)
    os.chmod(home, 0o700)
    return home


def plain_variables():
    kept = {name: value for name, value in os.environ.items() if name not in ("HOME", "TMPDIR")}
    return dict(kept, USER="somebody", LOGNAME="somebody")


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


def remove_shared():
    """What this user shares through the kernel by number, which outlives its processes."""
    try:
        library, removal = ctypes.CDLL(None), 0
        for kind, remove in [
            ("shm", lambda number: library.shmctl(number, removal, None)),
            ("msg", lambda number: library.msgctl(number, removal, None)),
            ("sem", lambda number: library.semctl(number, 0, removal)),
        ]:
            with open("/proc/sysvipc/" + kind) as file:
                for line in file.readlines()[1:]:
                    remove(int(line.split()[1]))
    except (OSError, AttributeError):
        # An interpreter without these, or a kernel.
        pass


def keep_only(number):
    os.closerange(3, number)
    os.closerange(number + 1, 4096)


def run(python, base, seed, number, user=None, home=None, tree=None):
    """Becomes an interpreter over holder.py, with this descriptor and no other: the nursery's, or a holder's own."""
    os.setsid()
    variables = {name: value for name, value in plain_variables().items() if not name.startswith("PYTHON")}
    # What depends on the order of a set is the same in each holder.
    variables["PYTHONHASHSEED"] = seed
    os.set_inheritable(number, True)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    keep_only(number)
    flags = [b"-s", b"-B"]
    if user is None:
        # The nursery is root: `site`, or a folder in its path that is named by no more than `.`, might load a file of the submission's.
        flags.append(b"-S")
        os.chdir("/")
    else:
        variables.update(HOME=home, TMPDIR=home)
        become(user, HOLDER)
        os.chdir(tree)
    os.execve(python, [python] + flags + [os.fsencode(base + "/holder.py"), str(number).encode(), os.fsencode(folder)], variables)


class Nursery:
    """An interpreter whose forks are the holders: see nursery.py."""

    def __init__(self, python, base, seed):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.fork() == 0:
            run(python, base, seed, theirs.fileno())
        theirs.close()

    def begin(self, user, home, tree, number):
        return int(self.ask({"user": user, "group": HOLDER, "home": home, "tree": tree}, [number]))

    def await_end(self, _):
        self.ask({})

    def ask(self, order, files=()):
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        self.control.sendmsg([json.dumps(order).encode()], rights)
        return self.control.recv(64)


class Each:
    """An interpreter for each holder, where it is in the folder: the submission may have a part in how it begins, so root does not start it."""

    def __init__(self, python, base, seed):
        self.how = python, base, seed

    def begin(self, user, home, tree, number):
        keeper = os.fork()
        if keeper == 0:
            keep_only(number)
            # It ends when no process of the holder is left: what one of them started becomes its own child.
            if ctypes is not None:
                ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
            if os.fork() == 0:
                run(*self.how, number, user, home, tree)
            os.close(number)
            try:
                while True:
                    os.waitpid(-1, 0)
            except ChildProcessError:
                os._exit(0)
        return keeper

    def await_end(self, pid):
        os.waitpid(pid, 0)


def is_inside(python):
    """Whether the interpreter, or a link on the way to it, is in the folder by any name: beside each, Python looks for settings of its own."""
    inside, place = os.fsencode(os.path.realpath(folder) + os.sep), os.path.abspath(python)
    for _ in range(LINKS_MAX):
        if (os.path.realpath(os.path.dirname(place)) + b"/").startswith(inside):
            return True
        if not os.path.islink(place):
            return False
        place = os.path.join(os.path.dirname(place), os.readlink(place))
    return True


def source_of_holders(python, base, seed):
    return (Each if is_inside(python) else Nursery)(python, base, seed)


class Holder:
    """A process that has the submission, for one test."""

    def __init__(self, number, source, base, original, places):
        self.user, self.room, self.source, self.places = FIRST + number, base + "/holder-" + str(number), source, places
        os.mkdir(self.room)
        os.chmod(self.room, 0o711)
        home = make_home(self.user, self.room + "/home")
        self.tree = original.copy(self.room, self.user)
        self.ours, theirs = socket.socketpair()
        self.pid = source.begin(self.user, home, self.tree, theirs.fileno())
        theirs.close()

    def hand_over(self, control):
        control.sendmsg([b"h"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [self.ours.fileno()]))])
        self.ours.close()

    def end(self):
        """Kills all that its user runs, at once, and closes its room; waits until nothing of it is left, and removes what it wrote elsewhere."""
        os.chmod(self.room, 0o700)
        # The kernel lets none of them fork meanwhile.
        self.as_killer(lambda: os.kill(-1, signal.SIGKILL))
        self.source.await_end(self.pid)
        self.as_killer(remove_shared)
        room = os.open(self.room, os.O_RDONLY | os.O_DIRECTORY)
        if "tree" in os.listdir(room):
            remove(room, "tree")
        os.close(room)
        restore_places(self.places)

    def as_killer(self, act):
        """Acts with the user's rights, from a process that the user cannot kill."""
        pid = os.fork()
        if pid == 0:
            try:
                os.setgroups([])
                os.setgid(KILLER)
                # By whom a process may be killed goes by its real and its saved user; whom it may kill, by its effective one as well.
                os.setresuid(KILLER, self.user, KILLER)
                act()
            finally:
                os._exit(0)
        os.waitpid(pid, 0)


def put_in_place(folder):
    """The files of both; gives the folder that they have in common, and the variables of the tests."""
    give(SETTINGS.pop("submitted"), HOLDER)
    give(SETTINGS.pop("hidden"), JUDGE)
    base = tempfile.mkdtemp()
    os.chmod(base, 0o755)
    put(base + "/holder.py", PARTS["wire"] + PARTS["holder"] + PARTS["nursery"])
    places = [place for pattern in SETTINGS.pop("places").split() for place in glob.glob(pattern) if os.path.isdir(place + "/_pytest")]
    for place in places:
        put(place + "/" + SETTINGS["module"] + ".py", PARTS["wire"] + PARTS["judge"] + PARTS["plugin"])
    home = make_home(JUDGE, base + "/judge")
    return base, dict(plain_variables(), HOME=home, TMPDIR=home, assay_watch=SETTINGS.pop("module"))


def start_tests(variables, others):
    reading, writing = os.pipe()
    tests = os.fork()
    if tests == 0:
        os.dup2(reading, 0)
        for number in (others, writing):
            os.close(number)
        become(JUDGE, JUDGE)
        os.execvpe("bash", ["bash", "-c", 'assay_script=$(cat) && exec < /dev/null && eval "unset assay_script\n$assay_script"', "assay"], variables)
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(SCRIPT.encode())
    return tests


def serve(control, tests, base, original, places):
    """Starts a holder for each word of the tests', which is the interpreter, until they are over; gives their exit code."""
    holder, started, seed, sources = None, 0, str(int.from_bytes(os.urandom(4), "big")), {}
    waiting = [control]
    while True:
        ended, status = os.waitpid(tests, os.WNOHANG)
        if ended == tests:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        if not select.select(waiting, [], [], 0.05)[0]:
            continue
        python = control.recv(1 << 16)
        is_clean = True
        if holder is not None:
            try:
                holder.end()
            except OSError:
                # What it left could be read by the next one.
                is_clean = False
            holder = None
        if not python or started >= HOLDERS_MAX or not is_clean:
            # The tests see that there is no other.
            control.close()
            waiting = []
            continue
        if python not in sources:
            sources[python] = source_of_holders(python, base, seed)
        holder = Holder(started, sources[python], base, original, places)
        started += 1
        holder.hand_over(control)


folder = os.getcwd()
base, variables = put_in_place(folder)
close_folder(folder, JUDGE)
original, places = Original(folder, HOLDER), open_places(JUDGE)
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
ours.set_inheritable(True)
variables["ASSAY_SECOND"] = json.dumps(dict(SETTINGS, folder=folder, control=ours.fileno()))
tests = start_tests(variables, theirs.fileno())
ours.close()
sys.exit(serve(theirs, tests, base, original, places))
