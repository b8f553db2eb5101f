# A plugin that pytest loads before it looks at anything of a submission's. It remembers what pytest, its plugins, unittest and the interpreter consist
# of, and each test and its module as it was collected, looks again after each test and at the end, and says what has become something else: by what it
# is, never by what anybody calls it.
#
# TOKEN is drawn for each run. The file is gone before a test is collected; the report goes to a copy of the standard output that was made before anything
# was captured. It still runs in the process that it watches: it raises the price of a forgery, and decides nothing that a control does not decide too.
import atexit
import json
import os
import signal
import sys
import threading
import types

import pytest

TOKEN = "@TOKEN@"
WATCHED = ("_pytest", "pluggy", "unittest", "doctest")
NAMES_MAX = 40
OUT = os.dup(1)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type, staticmethod, classmethod, property)
# Everything that is needed later, as it is now.
dumps, write, module_names = json.dumps, os.write, sys.modules


HOMES = tuple(os.path.dirname(sys.modules[name].__file__) + os.sep for name in ("_pytest", "pluggy") if name in sys.modules)


def code_of(thing):
    thing = getattr(thing, "__func__", thing)
    if isinstance(thing, property):
        thing = thing.fget
    return getattr(thing, "__code__", None)


def content_of(code):
    """What a code object holds: memory can be written to without any name becoming something else."""
    return (code.co_code, tuple(map(id, code.co_consts))) if isinstance(code, types.CodeType) else None


def kinds():
    """The classes of what runs tests."""
    for name, module in list(module_names.items()):
        if name.split(".")[0] in WATCHED and isinstance(module, types.ModuleType):
            for key, thing in list(vars(module).items()):
                if isinstance(thing, type) and thing.__module__ == name:
                    yield name + "." + key, thing


def parts():
    """What runs tests, piece by piece: where it is, its name, what it is."""
    for name, module in list(module_names.items()):
        if name.split(".")[0] not in WATCHED or not isinstance(module, types.ModuleType):
            continue
        for key, thing in list(vars(module).items()):
            if isinstance(thing, FUNCTIONS):
                yield vars(module), name + "." + key, key, thing
            if isinstance(thing, type) and thing.__module__ == name:
                for inner, method in list(vars(thing).items()):
                    if isinstance(method, FUNCTIONS):
                        yield vars(thing), name + "." + key + "." + inner, inner, method
    for module in (vars(__import__("builtins")), vars(os), vars(sys)):
        for key, thing in list(module.items()):
            if isinstance(thing, FUNCTIONS) and key in KEPT.get(module["__name__"], module):
                yield module, module["__name__"] + "." + key, key, thing


KEPT = {"os": ("_exit", "write", "open", "dup", "dup2", "kill", "abort", "fork"), "sys": ("exit", "settrace", "setprofile")}
BEFORE = [(place, name, key, thing, code_of(thing)) for place, name, key, thing in parts()]
CONTENT = [(name, code, content_of(code)) for _, name, _, _, code in BEFORE if code is not None]
NAMES = [(name, kind, frozenset(vars(kind))) for name, kind in kinds()]
HOT = [part for part in BEFORE if part[1].split(".")[:2] in (["_pytest", "python"], ["_pytest", "runner"], ["_pytest", "reports"], ["pluggy", "_callers"])]


def state():
    """What is one thing for the whole interpreter."""
    return {
        "sys.gettrace": sys.gettrace(), "sys.getprofile": sys.getprofile(), "threading.settrace": getattr(threading, "_trace_hook", None),
        "sys.excepthook": sys.excepthook, "sys.displayhook": sys.displayhook, "sys.unraisablehook": getattr(sys, "unraisablehook", None),
    }


STATE = state()
SIGNALS = {number: signal.getsignal(number) for number in range(1, 32)}
FINDERS = len(sys.meta_path)
AT_EXIT = atexit._ncallbacks()
KINDS = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)
found, items, spaces, HOOKS = set(), {}, {}, []


def look(some):
    for place, name, key, thing, code in some:
        if place.get(key) is not thing or code_of(thing) is not code:
            found.add("runner:" + name)


def look_inside():
    for name, code, content in CONTENT:
        if content_of(code) != content:
            found.add("runner:" + name)
    for name, kind, names in NAMES:
        for added in set(vars(kind)) - names:
            if isinstance(vars(kind)[added], FUNCTIONS):
                found.add("runner:" + name + "." + added)


def look_at_the_rest():
    look_inside()
    now = state()
    for name in ("sys.gettrace", "sys.getprofile", "threading.settrace"):
        if now[name] is not STATE[name]:
            found.add("tracing:" + name)
    if atexit._ncallbacks() > AT_EXIT:
        found.add("at_exit:" + str(min(atexit._ncallbacks() - AT_EXIT, 9)))
    for number, handler in SIGNALS.items():
        # pytest's own fault handler does not show here.
        if signal.getsignal(number) is not handler:
            found.add("signal:" + str(number))


def pytest_configure(config):
    manager = config.pluginmanager
    known = {id(plugin) for plugin in manager.get_plugins()}
    config._assay_plugins = (manager, known)
    hooks = [caller for plugin in manager.get_plugins() for caller in manager.get_hookcallers(plugin) or []]
    HOOKS.extend((made, made.function) for caller in hooks for made in caller.get_hookimpls())


def look_at_plugins(config):
    manager, known = config._assay_plugins
    for plugin in manager.get_plugins():
        if id(plugin) in known:
            continue
        for caller in manager.get_hookcallers(plugin) or []:
            for made in caller.get_hookimpls():
                code = code_of(made.function)
                path = code.co_filename if made.plugin is plugin and code else ""
                # pytest makes plugins later than this one, and so do the repository's own conftest.py: by where their code is, not by what they are called.
                if path and not path.startswith(HOMES) and not path.endswith("conftest.py"):
                    found.add("runner:pluggy:" + path[-60:])


def item_now(item):
    """What runs when a test runs: its function, the code of it, and what of the item itself stands before the class's methods."""
    thing = getattr(item, "obj", None)
    function = getattr(thing, "__func__", thing)
    own = {name for name in vars(item) if name.startswith(("run", "setup", "teardown", "repr_failure"))}
    code = code_of(thing)
    return function, code, getattr(function, "__defaults__", None), type(item), (own, content_of(code))


def pytest_itemcollected(item):
    module = getattr(item, "module", None)
    if module is not None and id(module) not in spaces:
        spaces[id(module)] = vars(module), {name: thing for name, thing in vars(module).items() if isinstance(thing, KINDS) and name.isidentifier()}
    now = item_now(item)
    items[id(item)] = now, spaces.get(id(module), ({}, {})), item
    if now[1] is not None and not hasattr(now[0], "__wrapped__") and now[1].co_filename != str(getattr(item, "path", None) or item.fspath):
        found.add("test:elsewhere:" + item.name[:60])


def look_at_space(space, before):
    for name, thing in before.items():
        if space.get(name) is not thing:
            found.add("test:global:" + name[:80])


def look_at(item):
    then, space, _ = items.get(id(item), ((None,) * 5, ({}, {}), item))
    now = item_now(item)
    if now[-1] != then[-1] or any(one is not other for one, other in zip(then[:-1], now[:-1])):
        found.add("test:" + item.name[:80])
    look_at_space(*space)
    for made, function in HOOKS:
        if made.function is not function:
            found.add("runner:pluggy.hook:" + getattr(function, "__name__", "?")[:60])


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    look_at(item)
    yield
    look_at(item)


def pytest_runtest_logreport(report):
    look(HOT)
    if sys.gettrace() is not STATE["sys.gettrace"]:
        found.add("tracing:sys.gettrace")


def pytest_sessionfinish(session):
    look(BEFORE)
    look_at_the_rest()
    look_at_plugins(session.config)
    for space in spaces.values():
        look_at_space(*space)


def pytest_unconfigure(config):
    look(BEFORE)
    look_at_the_rest()
    # What pytest has written but not handed on must not be cut in two.
    config.get_terminal_writer().flush()
    sys.stdout.flush()
    names = sorted(name[:100] for name in found)[:NAMES_MAX]
    write(OUT, ("\nassay-watch " + TOKEN + " " + dumps(names) + "\n").encode())


for path in [__cached__, __file__] + os.environ.pop("ASSAY_PLACES", "").split(":"):
    try:
        os.unlink(path)
    except OSError:
        pass
