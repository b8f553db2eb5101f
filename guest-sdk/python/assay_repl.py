"""The runner that is frozen into the Python component: a persistent REPL over the host's file tree.

Nothing here is a security boundary. A cell can reach and change all of it, and harms nobody but its own session: what a session may
use, see and print is decided by the host. Changes to this file need a new component: `make setup-python-guest`.
"""

import ast
import builtins
import gc
import io
import json
import linecache
import os
import sys
import tempfile
import traceback
import types

import assay_stdlib
from wit_world import exports
from wit_world.exports import repl
from wit_world.imports import host

# Characters of a traceback that are kept; the host cuts as well.
TRACEBACK_CHARS_MAX = 16_384
# Characters of an argument to a host call. The host refuses more by ending the interpreter, so it is checked here first.
ARGUMENT_CHARS_MAX = 1_000_000


# By this name, because a cell can remove the built-in one while it runs.
ANYTHING = BaseException


class ToolError(Exception):
    """A tool could not do what it was asked to."""


class Lines(list):
    """A list of lines that is shown as text."""

    def __repr__(self):
        return "\n".join(self)


def _call(name, **arguments):
    for key, value in arguments.items():
        if isinstance(value, str) and len(value) > ARGUMENT_CHARS_MAX:
            raise ToolError(f"{name}: {key} has {len(value)} characters, at most {ARGUMENT_CHARS_MAX}")
    try:
        return host.call(name, json.dumps(arguments))
    except Exception as error:
        # The binding raises its own type, which would tell the reader nothing.
        message = getattr(error, "value", None)
        if not isinstance(message, str):
            raise
    raise ToolError(f"{name}: {message}")


def _place(path):
    return os.path.normpath(os.path.join(os.getcwd(), os.fspath(path)))


def _text(name, value):
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    return value


def read_file(path, first=1, last=None):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read()
    if first == 1 and last is None:
        return text
    return "".join(text.splitlines(keepends=True)[max(first, 1) - 1 : last])


def write_file(path, text):
    _text("text", text)
    folder = os.path.dirname(os.fspath(path))
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def edit(path, old, new):
    _text("old", old), _text("new", new)
    if not old:
        raise ToolError("edit: `old` is empty; use write_file to make or replace a file")
    if old == new:
        raise ToolError("edit: `old` and `new` are the same")
    text = read_file(path)
    count = text.count(old)
    if count == 0:
        hint = "it does with other white space; copy it exactly" if _squeezed(old) in _squeezed(text) else "read the file again"
        raise ToolError(f"edit: `old` does not occur in {path}: {hint}")
    if count > 1:
        lines = []
        at = text.find(old)
        while at >= 0 and len(lines) < 5:
            lines.append(str(text.count("\n", 0, at) + 1))
            at = text.find(old, at + 1)
        raise ToolError(f"edit: `old` occurs {count} times in {path}, at lines {', '.join(lines)}{', …' if count > 5 else ''}: give more context")
    write_file(path, text.replace(old, new))


def _squeezed(text):
    return "".join(text.split())


def ls(path="."):
    lines = Lines()
    with os.scandir(path) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_symlink():
                lines.append(f"{entry.name} -> {os.readlink(os.path.join(path, entry.name))}")
            elif entry.is_dir():
                lines.append(f"{entry.name}/")
            else:
                lines.append(f"{entry.name}  {entry.stat().st_size}")
    return lines


def find(pattern="*", path="."):
    return _lines("find", path, pattern=_text("pattern", pattern))


def grep(pattern, path=".", glob=None, ignore_case=False, literal=False):
    return _lines(
        "grep", path, pattern=_text("pattern", pattern), glob=glob, ignore_case=bool(ignore_case), literal=bool(literal)
    )


def _lines(tool, path, **arguments):
    shown = os.path.normpath(os.fspath(path))
    found = json.loads(_call(tool, path=_place(path), prefix="" if shown == "." else shown, **arguments))
    return Lines(found)


def diff():
    return _call("diff")


def run_tests():
    return _call("run_tests")


def shell(command):
    return _call("shell", command=_text("command", command))


def llm_query(prompt):
    return _call("llm_query", prompt=_text("prompt", prompt))


def sub_agent(task):
    return _call("sub_agent", task=_text("task", task))


def finish(summary=""):
    _call("finish", summary=_text("summary", summary))
    raise SystemExit


TOOLS = {
    tool.__name__: tool
    for tool in (read_file, write_file, edit, ls, find, grep, diff, run_tests, shell, llm_query, sub_agent, finish)
} | {"ToolError": ToolError}
for _tool in TOOLS.values():
    # Shown without the name of this module.
    _tool.__module__ = "builtins"


class Repl(exports.Repl):
    def __init__(self):
        self.main = types.ModuleType("__main__")
        self.namespace = self.main.__dict__
        self.builtins = dict(builtins.__dict__)
        self.modules = dict(sys.modules)
        self.folder = "/"
        self.restore()

    def start(self, folder):
        self.folder = folder
        os.chdir(folder)
        sys.path[:] = [folder]

    def restore(self, code=""):
        """Puts back what a cell may have changed and the next one relies on; returns the names of tools among it.

        Nothing in here may need a built-in name: a cell can have removed them.
        """
        # Comparing all of them would take as long as the rest of an empty cell.
        if "builtins" in code and builtins.__dict__ != self.builtins:
            builtins.__dict__.clear()
            builtins.__dict__.update(self.builtins)
        if "posix" not in sys.modules:
            sys.modules.update(self.modules)
        restored = []
        namespace = self.namespace
        for name, tool in TOOLS.items():
            if namespace.get(name) is not tool:
                namespace[name] = tool
                restored.append(name)
        namespace["__builtins__"] = builtins
        sys.modules["__main__"] = self.main
        if sys.stdout is not STREAMS[0] or sys.stderr is not STREAMS[1] or STREAMS[0].closed or STREAMS[1].closed:
            STREAMS[:] = _stream(1), _stream(2)
            sys.stdout, sys.stderr = STREAMS
        sys.displayhook = sys.__displayhook__
        return restored

    def run_cell(self, number, code):
        ended = None
        try:
            self.execute(f"<cell {number}>", code)
        except ANYTHING as error:
            ended = error
        sys.settrace(None)
        restored = self.restore(code)
        try:
            for stream in STREAMS:
                stream.flush()
        except OSError:
            # The cell closed the descriptor itself, and nothing can open it again: a fresh interpreter is needed.
            os._exit(74)
        if ended is None:
            return repl.Reply(None, restored)
        if isinstance(ended, SystemExit):
            if ended.code in (None, 0):
                return repl.Reply(None, restored)
            told = f"SystemExit: {ended.code}"
            return repl.Reply(repl.Failure(told, told + "\n"), restored)
        return repl.Reply(self.describe(ended), restored)

    def execute(self, name, code):
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        tree = compile(code, name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Interactive([tree.body.pop()])
        if tree.body:
            exec(compile(tree, name, "exec", dont_inherit=True), self.namespace)
        if last:
            exec(compile(last, name, "single", dont_inherit=True), self.namespace)

    def describe(self, error):
        try:
            told = traceback.TracebackException.from_exception(error, compact=True)
            self.keep_own_frames(told)
            text = "".join(told.format())
            if len(text) > TRACEBACK_CHARS_MAX:
                text = text[: TRACEBACK_CHARS_MAX // 2] + "\n…\n" + text[-TRACEBACK_CHARS_MAX // 2 :]
            lines = "".join(told.format_exception_only()).strip().split("\n")
            # A syntax error begins with its place; other messages may have more lines.
            summary = lines[-1 if isinstance(error, SyntaxError) else 0]
        except BaseException:
            # An exception whose own methods fail, or no memory to describe it with.
            summary = f"{type(error).__name__} (it could not be described)"
            text = summary + "\n"
        return repl.Failure(summary, text)

    def keep_own_frames(self, told):
        own = ("<cell ", self.folder + "/")
        seen = set()
        waiting = [told]
        while waiting:
            one = waiting.pop()
            if one is None or id(one) in seen:
                continue
            seen.add(id(one))
            one.stack = traceback.StackSummary.from_list([frame for frame in one.stack if frame.filename.startswith(own)])
            waiting += [one.__cause__, one.__context__, *(one.exceptions or ())]


def _stream(descriptor):
    raw = io.FileIO(descriptor, "w", closefd=False)
    # By lines, so that little is lost when the host ends a cell, and printing stays quick.
    return io.TextIOWrapper(
        io.BufferedWriter(raw, 65_536), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )


STREAMS = [None, None]
STREAMS[:] = _stream(1), _stream(2)
sys.stdout, sys.stderr = STREAMS
sys.dont_write_bytecode = True
# The other one removes its file while it is open, which the file tree does not know.
tempfile.TemporaryFile = tempfile.NamedTemporaryFile
assay_stdlib.install()
# What is there now is never garbage. A collector that looked at it would write to all of it, and sessions share what nobody writes to.
gc.collect()
gc.freeze()
