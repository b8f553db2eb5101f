# Where a holder may write besides its home: in a copy of the task's folder that only it has, and where anybody may write. A package that keeps a file beside
# its module, or in /tmp, is imported as in one process.
#
# Invariants: a copy is made of files that no holder can change, is in the holder's room and goes with it; the places have after each holder the names, the
# time and the size that they had before. What removes follows no link, and no depth or number of folders matters to it: a holder made them.
import os
import shutil
import stat

# Each holder gets a copy, so a folder with more than this is not copied: it would take as long as the rest of a short test. The holder reads it where it is.
COPY_FILES_MAX, COPY_BYTES_MAX = 1_000, 16 << 20
# Where anybody may write, in most images.
OPEN = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock")


def remove(parent, name):
    """Removes what has this name in an open folder, a folder with all below it."""
    pending, fresh = [name], 0
    while pending:
        name = pending.pop()
        try:
            os.unlink(name, dir_fd=parent)
            continue
        except (IsADirectoryError, PermissionError):
            # It is a folder.
            pass
        child = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
        try:
            for entry in os.listdir(child):
                try:
                    os.unlink(entry, dir_fd=child)
                except (IsADirectoryError, PermissionError):
                    # To the top, so that no path grows long.
                    fresh += 1
                    pending.append(".assay-removed-%d-%d" % (os.getpid(), fresh))
                    os.rename(entry, pending[-1], src_dir_fd=child, dst_dir_fd=parent)
        finally:
            os.close(child)
        os.rmdir(name, dir_fd=parent)


class Place:
    """A folder where anybody may write."""

    def __init__(self, path, tests):
        self.tests, self.folder = tests, os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        os.fchmod(self.folder, 0o1777)
        self.names = set(os.listdir(self.folder))
        for name in self.names:
            self.close(name)
        found = os.fstat(self.folder)
        self.times, self.size = (found.st_atime_ns, found.st_mtime_ns), found.st_size
        # Some file systems count a folder's entries; in others a folder never becomes smaller.
        os.close(os.open(".assay-probe", os.O_CREAT | os.O_EXCL | os.O_WRONLY, dir_fd=self.folder))
        self.is_counting = os.fstat(self.folder).st_size != self.size
        os.unlink(".assay-probe", dir_fd=self.folder)
        self.restore_times()

    def close(self, name):
        """What is there already is nobody's to write to."""
        mode = os.stat(name, dir_fd=self.folder, follow_symlinks=False).st_mode
        if not stat.S_ISLNK(mode) and mode & 0o002:
            os.chmod(name, stat.S_IMODE(mode) & ~0o002, dir_fd=self.folder)

    def is_of_tests(self, name):
        try:
            found = os.stat(name, dir_fd=self.folder, follow_symlinks=False)
        except OSError:
            # The tests have removed it.
            return True
        # A second name of a file of theirs may have been given by a holder.
        return found.st_uid == self.tests and (stat.S_ISDIR(found.st_mode) or found.st_nlink == 1)

    def restore(self):
        """Leaves nothing that a holder made."""
        for name in os.listdir(self.folder):
            if name not in self.names and not self.is_of_tests(name):
                remove(self.folder, name)

    def restore_times(self):
        """After all places are empty, so that the time of the last change tells nothing of how long that took. Gives whether it is as it was."""
        os.utime(self.folder, ns=self.times)
        return self.is_counting or os.fstat(self.folder).st_size == self.size


def open_places(tests):
    places = []
    for path in OPEN:
        try:
            places.append(Place(path, tests))
        except OSError:
            # It is none, or not ours to change; then it stays closed.
            try:
                os.chmod(path, 0o755)
            except OSError:
                pass
    return places


def restore_places(places):
    for place in places:
        place.restore()
    # Each, whatever the one before was like.
    if not all([place.restore_times() for place in places]):
        raise OSError("a holder has filled a folder for good")


def close_folder(folder, tests):
    """Leaves what anybody may write in a task's folder, as in many images, to the tests: a holder could put its own in the place of one."""
    for place, _, names in os.walk(folder):
        for path in [place] + [os.path.join(place, name) for name in names]:
            mode = os.lstat(path).st_mode
            if not stat.S_ISLNK(mode) and mode & 0o002:
                os.chown(path, -1, tests)
                os.chmod(path, stat.S_IMODE(mode) & ~0o002 | 0o020)


class Original:
    """The task's folder, and what a copy of it consists of."""

    def __init__(self, folder, group):
        self.folder, self.group = folder, group
        self.folders, self.files, self.links, self.bytes = [], [], [], 0
        self.is_copied = self.take_stock()

    def take_stock(self):
        pending = [""]
        while pending:
            inside = pending.pop()
            self.folders.append(inside)
            with os.scandir(os.path.join(self.folder, inside)) as entries:
                for entry in entries:
                    path, found = os.path.join(inside, entry.name), entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(found.st_mode) and not self.stays(entry, found):
                        pending.append(path)
                    elif stat.S_ISREG(found.st_mode) and self.is_readable(found):
                        self.files.append((path, found))
                        self.bytes += found.st_size
                    elif stat.S_ISLNK(found.st_mode):
                        self.links.append((path, os.readlink(entry.path)))
                    else:
                        self.links.append((path, entry.path))
                    if len(self.folders) + len(pending) + len(self.files) + len(self.links) > COPY_FILES_MAX or self.bytes > COPY_BYTES_MAX:
                        return False
        return True

    def stays(self, entry, found):
        """Histories, environments and the like, of which a link is enough, and what not everybody may enter."""
        return found.st_mode & 0o005 != 0o005 or entry.name.startswith(".") or entry.name == "node_modules" or os.path.exists(entry.path + "/pyvenv.cfg")

    def is_readable(self, found):
        return found.st_mode & 0o004 or found.st_gid == self.group and found.st_mode & 0o040

    def copy(self, room, user):
        """A holder's own, which nobody else can write to; the folder itself, if it is not copied."""
        if not self.is_copied:
            return self.folder
        tree = room + "/tree"
        own = lambda path: os.chown(path, user, self.group, follow_symlinks=False)
        for path in self.folders:
            os.mkdir(os.path.join(tree, path) if path else tree, 0o755)
        for path, found in self.files:
            made = os.path.join(tree, path)
            shutil.copyfile(os.path.join(self.folder, path), made, follow_symlinks=False)
            own(made)
            os.chmod(made, stat.S_IMODE(found.st_mode) & 0o755)
            # A compiled file counts by the time of its source.
            os.utime(made, ns=(found.st_atime_ns, found.st_mtime_ns))
        for path, target in self.links:
            os.symlink(target, os.path.join(tree, path))
            own(os.path.join(tree, path))
        for path in self.folders:
            own(os.path.join(tree, path) if path else tree)
        return tree
