# Where holders may write, after a holder that wrote what it could: run as root in a container, beside places.py.
import os
import stat

import places

TESTS, GROUP, USER = 1001, 1002, 1003


def as_user(user, act):
    """Does it as another user, in a process of its own; gives whether it could."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(GROUP if user == USER else user)
            os.setuid(user)
            act()
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def put(path, text, mode, group=0):
    with open(path, "w") as file:
        file.write(text)
    os.chown(path, 0, group)
    os.chmod(path, mode)


def fill(place):
    """Long paths, closed folders, names that look like others, links to what must stay."""
    os.chdir(place)
    os.mkfifo("left-pipe")
    os.symlink("/kept", "left-link")
    os.symlink("/kept/file", "left-link-to-a-file")
    try:
        for _ in range(1_100):
            os.mkdir("l" * 100)
            os.chdir("l" * 100)
            os.symlink("/kept", "link")
    except OSError:
        # Some file systems end before that.
        pass
    os.chdir(place)
    os.makedirs("left/closed/inner")
    os.symlink("/", "left/closed/inner/root")
    os.chmod("left/closed", 0)


os.umask(0o022)
os.makedirs("/kept/folder")
put("/kept/file", "kept", 0o644)

# A place is as it was, but for what the tests have there; no link is followed, and nothing that was there changes hands.
os.mkdir("/place")
os.chmod("/place", 0o1777)
os.mkdir("/place/before")
os.chmod("/place/before", 0o777)
place = places.Place("/place", TESTS)
assert not as_user(USER, lambda: put("/place/before/left", "left", 0o644)), "a folder that was there stayed open"
was = os.stat("/place")
assert as_user(TESTS, lambda: os.mkdir("/place/of-tests"))
for _ in range(2):
    assert as_user(USER, lambda: fill("/place"))
    assert not as_user(USER, lambda: os.rename("/place/before", "/place/other"))
    place.restore()
    assert place.restore_times()
    assert sorted(os.listdir("/place")) == ["before", "of-tests"], os.listdir("/place")
    now = os.stat("/place")
    assert (now.st_mtime_ns, now.st_size, now.st_mode, now.st_uid) == (was.st_mtime_ns, was.st_size, was.st_mode, was.st_uid)
assert open("/kept/file").read() == "kept" and os.listdir("/kept/folder") == []

# What the tests hide is not in a copy but as a name; what the submission may read is in it; nobody else gets in, and what everybody could write is closed.
os.makedirs("/task/package/data")
os.makedirs("/task/.git/objects")
put("/task/.git/objects/fix", "fix", 0o644)
put("/task/hidden.py", "secret", 0o640, TESTS)
put("/task/package/plain.py", "plain", 0o666)
put("/task/package/given.py", "given", 0o640, GROUP)
os.symlink("package/plain.py", "/task/link.py")
os.mkdir("/task/private")
put("/task/private/file", "private", 0o644)
os.chmod("/task/private", 0o700)
for path in ("/task", "/task/package", "/task/package/data"):
    os.chmod(path, 0o777)
places.close_folder("/task", TESTS)
assert not as_user(USER, lambda: os.rename("/task/package/plain.py", "/task/package/other.py"))
assert not as_user(USER, lambda: put("/task/package/plain.py", "other", 0o644))
assert as_user(TESTS, lambda: os.mkdir("/task/package/made")), "the tests could write there before"
original = places.Original("/task", GROUP)
assert original.is_copied
os.mkdir("/room")
os.chmod("/room", 0o711)
tree = original.copy("/room", USER)
read = lambda path: open(tree + path).read()
assert as_user(USER, lambda: [read(path) for path in ("/package/plain.py", "/package/given.py", "/link.py", "/.git/objects/fix")])
for path in ("/hidden.py", "/private/file"):
    assert os.path.islink(tree + path) or os.path.islink(os.path.dirname(tree + path)), path
    assert not as_user(USER, lambda: read(path)), path
assert not as_user(TESTS, lambda: read("/package/given.py")), "the tests read what the submission wrote"
assert as_user(USER, lambda: [open(tree + "/package/cache", "w").close(), open(tree + "/package/plain.py", "w").write("other")])
assert not as_user(TESTS, lambda: open(tree + "/package/other", "w").close())
assert open("/task/package/plain.py").read() == "plain" and os.stat("/task/package/plain.py").st_nlink == 1
assert as_user(USER, lambda: fill(tree))
room = os.open("/room", os.O_RDONLY | os.O_DIRECTORY)
places.remove(room, "tree")
assert os.listdir(room) == [] and open("/kept/file").read() == "kept" and os.path.exists("/task/.git/objects/fix")

# What is too much is left where it is.
places.COPY_FILES_MAX = 3
large = places.Original("/task", GROUP)
assert not large.is_copied and large.copy("/room", USER) == "/task" and os.listdir(room) == []
assert stat.S_IMODE(os.stat("/task").st_mode) == 0o775
print("all is as it was")
