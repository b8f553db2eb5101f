# How the judge comes to be: what stands in for modules of the repository, and the report of what each test did. What stands above is wire.py and judge.py.
#
# Loaded by pytest (`-p`) before it looks at the working folder. TOKEN begins the line of the report; only this process knows it, so that nothing that a
# failing test prints of the submission's words can be taken for a report. A test in which the holder kept to no form has not passed, whatever pytest says.
import importlib.machinery
import json as _json

NAMES_MAX = 30
SETTINGS = _json.loads(os.environ.pop("ASSAY_SECOND"))
TOKEN, FOLDER, SECONDS = SETTINGS["token"], os.path.realpath(SETTINGS["folder"]) + os.sep, SETTINGS["seconds"]
TESTS = frozenset(SETTINGS["tests"])
OUT = os.dup(1)
# Once, before a test could set another: root starts it.
PYTHON = os.fsencode(sys.executable)
CONTROL = socket.socket(fileno=SETTINGS["control"])
CONTROL.set_inheritable(False)
CONTROL.settimeout(SECONDS)
FAILED_MAX = 300
seen, modules, broken, begun = {}, set(), {}, []
# What could not be collected, with the end of why: then no test runs, whichever file it is in.
uncollected = {}
# The first module that the holder could not import, with its exception.
failed = []
early = []


def another():
    """A channel to a new holder, with this interpreter and nothing else of this process; the one before is gone by then."""
    CONTROL.send(PYTHON)
    _, ancillary, _, _ = CONTROL.recvmsg(1, socket.CMSG_SPACE(4))
    (number,) = struct.unpack("i", ancillary[0][2]) if ancillary else (-1,)
    return Channel(socket.socket(fileno=number), SECONDS)


def begin():
    """The holder is started at the first module that it must have."""
    global J
    if J is None:
        J = Judge(another(), another)
        if begun:
            J.keep()
    return J


def pytest_runtest_logstart(nodeid, location):
    if J and not begun:
        early.append(J.channel.broken)
    begun.append(nodeid)
    if J:
        J.test_begins()


def pytest_runtest_logfinish(nodeid, location):
    # A test that asked nothing still sees the channel of the one before.
    if J and not J.is_stale and J.channel.broken is not None:
        broken.setdefault(nodeid, J.channel.broken)


class Finder:
    """Finds what the holder must have: modules in the repository that do not belong to the tests."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in sys.builtin_module_names:
            return None
        for finder in list(sys.meta_path):
            if finder is Finder or type(finder).__name__ == "AssertionRewritingHook":
                continue
            found = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
            if found is not None:
                break
        else:
            return None
        origin = found.origin if found.has_location else None
        # A link inside of the repository is its own, wherever it leads; what a link from outside leads to is as well.
        if origin is None or not (os.path.abspath(origin).startswith(FOLDER) or os.path.realpath(origin).startswith(FOLDER)):
            return None
        if os.path.abspath(origin) == os.path.realpath(origin) and origin[len(FOLDER) :] in TESTS:
            return None
        spec = importlib.machinery.ModuleSpec(name, Loader, origin=origin, is_package=found.submodule_search_locations is not None)
        spec.submodule_search_locations = found.submodule_search_locations
        return spec


class Loader:
    @staticmethod
    def create_module(spec):
        begin()
        try:
            found = J.ask(["import", spec.name, [place for place in sys.path if type(place) is str]])
        except Exception as error:
            failed.append((spec.name + ": " + type(error).__name__ + ": " + str(error))[:FAILED_MAX])
            raise
        if type(found) is not ModuleProxy:
            J.channel.fail("a module is none")
        made = ModuleProxy(spec.name)
        vars(made)["_assay"] = vars(found)["_assay"]
        modules.add(spec.name)
        return made

    @staticmethod
    def exec_module(module):
        pass


def pytest_runtest_logreport(report):
    seen.setdefault(report.nodeid, []).append((report.when, report.outcome, hasattr(report, "wasxfail"), str(report.longrepr or "")[-300:]))


def pytest_collectreport(report):
    if report.failed:
        uncollected[report.nodeid] = str(report.longrepr or "")[-300:]


def pytest_collection_modifyitems(items):
    for item in items:
        # A test that the submission wraps is the submission's to run.
        if number_of(getattr(item, "obj", None)) is not None or type(getattr(item, "obj", None)) is Method:
            item.obj = None


def pytest_unconfigure(config):
    passed = {name for name, parts in seen.items() if [part[:3] for part in parts] == [(when, "passed", False) for when in ("setup", "call", "teardown")]} - set(broken)
    others = {name: broken.get(name) or next((part[3] for part in parts if part[1] != "passed"), "") for name, parts in sorted(seen.items()) if name not in passed}
    report = {
        "passed": sorted(passed),
        "others": sorted(others),
        "said": dict(list(others.items())[:NAMES_MAX]),
        "uncollected": dict(sorted(uncollected.items())[:NAMES_MAX]),
        "modules": sorted(modules)[:NAMES_MAX],
        "calls": J.calls if J else 0,
        "failed": next(iter(failed), None),
        # While the tests were collected: then nothing that they say counts.
        "broken": next(iter(early), None) if begun else J.channel.broken if J else None,
    }
    config.get_terminal_writer().flush()
    sys.stdout.flush()
    os.write(OUT, ("\nassay-second " + TOKEN + " " + _json.dumps(report) + "\n").encode())


sys.meta_path.insert(0, Finder)
