"""The standard library inside the component: the interpreter has no files but the episode's, so its modules are packed at build time.

What programs import most is imported once and becomes part of the frozen memory; the rest is kept as compressed code until asked for.
"""

import base64
import importlib
import importlib.machinery
import importlib.util
import marshal
import os
import sys
import zlib

# Not packed: what needs processes, windows, sockets or a compiler, and the library's own tests.
LEFT_OUT = {
    "__pycache__", "_ios_support.py", "_android_support.py", "_apple_support.py", "_pyrepl", "antigravity.py", "ensurepip", "idlelib",
    "lib2to3", "multiprocessing", "msilib", "pydoc_data", "site-packages", "test", "tests", "this.py", "tkinter", "turtle.py",
    "turtledemo", "venv",
}
# Imported at build time, so that a cell's `import` finds them loaded.
LOADED = """
abc argparse array ast asyncio base64 bisect binascii builtins calendar cmath codecs collections configparser contextlib copy csv
dataclasses datetime decimal difflib dis email email.message email.parser enum errno filecmp fileinput fnmatch fractions functools gc
getopt glob gzip hashlib heapq hmac html html.parser http importlib.metadata importlib.resources importlib.util inspect io ipaddress
itertools json keyword linecache locale logging logging.handlers marshal math mimetypes numbers operator os pathlib pdb pickle pickletools
pkgutil platform posixpath pprint queue random re reprlib runpy sched secrets select selectors shelve shlex shutil signal socket sqlite3
stat statistics string struct subprocess symtable sys sysconfig tarfile tempfile textwrap threading time timeit token tokenize tomllib
traceback types typing unicodedata unittest unittest.mock urllib.error urllib.parse urllib.request uuid warnings weakref
xml.etree.ElementTree xml.sax.saxutils zipfile zlib zoneinfo
""".split()

PACKED = {}


class Finder:
    """Finds and loads packed modules."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        found = PACKED.get(name)
        if found is None:
            return None
        origin, is_package, _ = found
        spec = importlib.machinery.ModuleSpec(name, Finder, origin=origin, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(origin)]
        return spec

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        exec(Finder.get_code(module.__spec__.name), module.__dict__)

    @staticmethod
    def get_code(name):
        return marshal.loads(zlib.decompress(PACKED[name][2]))

    @staticmethod
    def is_package(name):
        return PACKED[name][1]

    @staticmethod
    def get_source(name):
        return None


def _pack(folder, prefix):
    for entry in sorted(os.listdir(folder)):
        path = f"{folder}/{entry}"
        if entry in LEFT_OUT:
            continue
        if os.path.isdir(path):
            if os.path.exists(f"{path}/__init__.py"):
                _pack(path, f"{prefix}{entry}.")
        elif entry.endswith(".py"):
            name = (prefix + entry[:-3]).removesuffix(".__init__")
            with open(path, "rb") as file:
                code = compile(file.read(), path, "exec", dont_inherit=True)
            PACKED[name] = (path, entry == "__init__.py", zlib.compress(marshal.dumps(code), 9))


def install():
    """Called at build time, when the library's files are there."""
    # The binding generator puts its own modules beside the library's; those are loaded already.
    # `os` itself is frozen and says that it lies elsewhere.
    _pack(os.path.dirname(base64.__file__), "")
    for name in LOADED:
        importlib.import_module(name)
    sys.meta_path.insert(2, Finder)
    sys.path_importer_cache.clear()
