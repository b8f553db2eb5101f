# The nursery: an interpreter that has loaded what holders need and nothing of the submission's. Each holder is a fork of it, which starts at once and
# shares no memory with another that the submission's code has run in. What stands above is wire.py and holder.py.
#
# An interpreter inside the task's folder never becomes one: there, this file runs as each holder's user, and holds.
#
# Invariants: it runs as root, so it is started without `site` and outside the task's folder: what would be loaded there may be the submission's, and each
# holder loads it as its own user. It loads nothing after its first fork, hears nobody but launch.py, and forks the next holder only when no process of the
# last one is left, dead or alive. Holders share no open file, session or memory that one of them can write.
import importlib
import socket
import struct
import sys

try:
    import ctypes
except ImportError:
    # An interpreter without it: its holders cannot read their own files in /proc.
    ctypes = None

PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
# Modules of the standard library that packages often import, loaded once for all holders. Only such as pytest loads as well: a package of the same name
# would be hidden from the tests anyway.
OFTEN = """abc argparse base64 bisect contextlib copy csv dataclasses enum functools heapq inspect io itertools keyword logging numbers random re shutil
string textwrap threading time traceback typing unicodedata urllib.parse warnings weakref"""


def control_process(option):
    if ctypes is not None:
        ctypes.CDLL(None).prctl(option, 1, 0, 0, 0)


def become_holder(connection, order):
    os.closerange(3, connection)
    os.closerange(connection + 1, 4096)
    # A session has a priority, and an open file has flags: each holder has its own.
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)
    os.setgroups([])
    os.setgid(order["group"])
    os.setuid(order["user"])
    # A process that has just become another user is kept from its own /proc/self.
    control_process(PR_SET_DUMPABLE)
    os.chdir(order["tree"])
    os.environ.update(HOME=order["home"], TMPDIR=order["home"])
    import site

    site.main()
    hold(socket.socket(fileno=connection))


def await_all():
    """Waits until no child is left: what a holder started becomes one when its parent ends."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


def serve_forks(control):
    control_process(PR_SET_CHILD_SUBREAPER)
    for name in OFTEN.split():
        try:
            importlib.import_module(name)
        except ImportError:
            # An interpreter without it.
            continue
    while True:
        word, ancillary, _, _ = control.recvmsg(1 << 12, socket.CMSG_SPACE(4))
        if not word:
            return
        order = json.loads(word)
        if "user" not in order:
            await_all()
            control.send(b"-")
            continue
        (connection,) = struct.unpack("i", ancillary[0][2])
        pid = os.fork()
        if pid == 0:
            try:
                become_holder(connection, order)
            finally:
                os._exit(1)
        os.close(connection)
        control.send(str(pid).encode())


if os.getuid() == 0:
    serve_forks(socket.socket(fileno=int(sys.argv[1])))
else:
    hold(socket.socket(fileno=int(sys.argv[1])))
