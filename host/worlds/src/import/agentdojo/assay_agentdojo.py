"""A suite of AgentDojo as an object whose methods are the tools of a world: `assay worlds import agentdojo` puts this file beside the package's own
modules, which it uses unchanged.

    begin ──► environment ──► a tool: the package's ToolsExecutor ──► environment ──► check: the package's task

What the package gets from elsewhere and cannot have here are stand-ins: clients of models, loggers, progress bars, native caches, and pydantic (pydantic.py).
Tools import no tasks, and nothing that compares environments: each call runs in a fresh interpreter.
"""

import copy
import functools
import importlib.util
import json
import os
import sys
import types
import typing

import yaml

VERSION = "v1.2.2"
FOLDER = os.path.dirname(os.path.abspath(__file__))
# Packages whose `__init__` imports all tasks of all suites.
TASKS = [f"agentdojo.default_suites.v1.{name}" for name in ("banking", "slack", "travel", "workspace")] + ["agentdojo.task_suite"]


def stand_in(name, **content):
    module = sys.modules[name] = types.ModuleType(name)
    vars(module).update(content)


def bare(name):
    """A package without what its `__init__` does."""
    stand_in(name, __path__=[os.path.join(FOLDER, *name.split("."))])


def filled(name):
    """Does what the `__init__` of a bare package does."""
    module = sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, os.path.join(*module.__path__, "__init__.py"))
    spec.loader.exec_module(module)


class Cache(dict):
    """What `deepdiff` uses of a cache that is native elsewhere."""

    def __init__(self, _):
        super().__init__()

    insert = dict.__setitem__


class Logger:
    def get(self):
        return self

    def log(self, *_):
        pass


def compare(*values, **options):
    """`DeepDiff`, imported when it is needed."""
    if "cachebox" not in sys.modules:
        stand_in("cachebox", LRUCache=Cache)
        del sys.modules["deepdiff"], sys.modules["deepdiff.diff"]
    return importlib.import_module("deepdiff.diff").DeepDiff(*values, **options)


sys.modules["typing_extensions"] = typing
stand_in("rich", __path__=[])
stand_in("rich.progress", track=iter)
stand_in("deepdiff", __path__=[])
stand_in("deepdiff.diff", DeepDiff=compare)
stand_in("agentdojo.logging", Logger=Logger)
for package in ["agentdojo.agent_pipeline", "agentdojo.agent_pipeline.llms", *TASKS]:
    bare(package)
stand_in("agentdojo.agent_pipeline.llms.google_llm", EMPTY_FUNCTION_NAME="<empty-function-name>")


if not sys.dont_write_bytecode:
    # The run that only compiles: whatever a call or a check imports later is ready then.
    import compileall

    compileall.compile_dir(FOLDER, quiet=2)


def tools_of(name):
    """A suite with its tools, and no tasks."""
    return importlib.import_module(f"agentdojo.default_suites.v1.{name}.task_suite").task_suite


def in_version(suite, version):
    """What `get_new_version` makes, without a copy of every task for every version: nothing changes them."""
    other = copy.copy(suite)
    other.benchmark_version = version
    return other


@functools.cache
def suite_of(name):
    """A suite with its tools and tasks."""
    type(tools_of(name)).get_new_version = in_version
    for package in TASKS:
        filled(package)
    suite = importlib.import_module("agentdojo.task_suite.load_suites").get_suite(VERSION, name)
    suite.load_and_inject_default_environment = functools.partial(environment, name)
    return suite


def put_in(data, texts):
    """Data in which texts stand where their numbers stood."""
    if isinstance(data, str):
        return texts[int(data[1:])] if data.startswith("\0") else data
    if isinstance(data, list):
        return [put_in(item, texts) for item in data]
    if isinstance(data, dict):
        return {put_in(key, texts): put_in(item, texts) for key, item in data.items()}
    return data


def environment(name, injections):
    """What the package's `load_and_inject_default_environment` makes. It reads the whole file each time; here only the texts with vectors in them are read
    again (export.py)."""
    with open(os.path.join(FOLDER, f"assay_{name}.json"), encoding="utf-8") as file:
        pieces = json.load(file)
    unknown = sorted(set(injections) - set(pieces["vectors"]))
    if unknown:
        raise ValueError(f"there are no injection vectors {', '.join(unknown)}")
    vectors = pieces["vectors"] | injections
    texts = [yaml.safe_load(text.format(**vectors)) for text in pieces["texts"]]
    return tools_of(name).environment_type.model_validate(put_in(pieces["data"], texts))


class Suite:
    """The object: its environment is what is compared."""

    def __init__(self):
        self.environment = None
        self._begin = {}

    def load(self, begin):
        self._begin = begin
        self.environment = environment(begin["suite"], begin.get("injections", {}))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return functools.partial(self._call, name)

    def _call(self, tool, /, **arguments):
        from agentdojo.agent_pipeline.tool_execution import ToolsExecutor
        from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
        from agentdojo.types import get_text_content_as_str

        runtime = FunctionsRuntime(tools_of(self._begin["suite"]).tools)
        asked = {"role": "assistant", "content": None, "tool_calls": [FunctionCall(function=tool, args=arguments)]}
        *_, messages, _ = ToolsExecutor().query("", runtime, self.environment, [asked])
        if messages[-1]["error"] is not None:
            raise RuntimeError(messages[-1]["error"])
        return get_text_content_as_str(messages[-1]["content"])

    def check(self, task, said, calls):
        """Whether a user's task was done, or an injected one, as the package finds out."""
        from agentdojo.functions_runtime import FunctionCall
        from agentdojo.types import text_content_block_from_string

        suite = suite_of(self._begin["suite"])
        before = environment(self._begin["suite"], self._begin.get("injections", {}))
        traces = [FunctionCall(function=call["tool"], args=call["arguments"]) for call in calls]
        found = (suite.user_tasks | suite.injection_tasks)[task]
        return bool(suite._check_task_result(found, [text_content_block_from_string(said)], before, self.environment, traces))
