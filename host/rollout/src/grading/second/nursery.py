# The nursery: an interpreter that has loaded what holders need and nothing of the submission's. Each holder is a fork of it, which starts at once and
# shares no memory with another that the submission's code has run in. What stands above is wire.py and holder.py.
#
# An interpreter inside the task's folder never becomes one: there, this file runs as each holder's user, and holds.
#
# Invariants: it runs as root, so it is started without `site`: what that loads may be the submission's, and each holder loads it as its own user. It loads
# nothing after its first fork, and hears nobody but launch.py.
import importlib
import socket
import struct
import sys

try:
    import ctypes
except ImportError:
    # An interpreter without it: its holders cannot read their own files in /proc.
    ctypes = None

PR_SET_DUMPABLE = 4
# Modules of the standard library that packages often import, loaded once for all holders. Only such as pytest loads as well: a package of the same name
# would be hidden from the tests anyway.
OFTEN = """abc argparse base64 bisect contextlib copy csv dataclasses enum functools heapq inspect io itertools keyword logging numbers random re shutil
string textwrap threading time traceback typing unicodedata urllib.parse warnings weakref"""


def become_holder(connection, user, group, home):
    os.closerange(3, connection)
    os.closerange(connection + 1, 4096)
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)
    if ctypes is not None:
        # A process that has just become another user is kept from its own /proc/self.
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    os.environ.update(HOME=home, TMPDIR=home)
    import site

    site.main()
    hold(socket.socket(fileno=connection))


def serve_forks(control):
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
        if "ended" in order:
            os.waitpid(order["ended"], 0)
            control.send(b"-")
            continue
        (connection,) = struct.unpack("i", ancillary[0][2])
        pid = os.fork()
        if pid == 0:
            try:
                become_holder(connection, order["user"], order["group"], order["home"])
            finally:
                os._exit(1)
        os.close(connection)
        control.send(str(pid).encode())


if os.getuid() == 0:
    serve_forks(socket.socket(fileno=int(sys.argv[1])))
else:
    hold(socket.socket(fileno=int(sys.argv[1])))
