"""What the published package of AgentDojo does, as lines of JSON: the other side of a test that compares Assay with it.

    peer_agentdojo.py golds SUITE            every user's and injected task: the environment before and after the reference actions, their answers, and what
                                             the package thinks of them and of doing nothing
    peer_agentdojo.py attacks SUITE NAME N   every attack on a user's task: the texts of its vectors, and for every N-th the environment with them
    peer_agentdojo.py walk SUITE SEED COUNT  seeded calls with arguments from the environment and near misses; after each: answer or error, and
                                             environment, without what a call left that failed
    peer_agentdojo.py tools SUITE            every tool: description and schema of its arguments

The package's own code makes the environments and the calls, and judges. What it needs for models alone (clients, tables on a screen) is not installed.
"""

import datetime
import importlib
import json
import os
import random
import re
import sys
import types

VERSION = "v1.2.2"
# What the package's comparisons leave out too: the beginning, which it holds a second time.
SKIPPED = ("initial_emails", "initial_events", "initial_files")
START = datetime.datetime.now()
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?")


def stand_in(name, **content):
    module = sys.modules[name] = types.ModuleType(name)
    vars(module).update(content)


package = os.path.dirname(importlib.import_module("agentdojo").__file__)
for part in ("agent_pipeline", "agent_pipeline/llms"):
    stand_in("agentdojo." + part.replace("/", "."), __path__=[os.path.join(package, part)])
stand_in("agentdojo.agent_pipeline.llms.google_llm", EMPTY_FUNCTION_NAME="<empty-function-name>")
stand_in("rich", __path__=[])
stand_in("rich.live", Live=object)
stand_in("rich.table", Table=object)
stand_in("rich.progress", track=iter)

from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.agent_pipeline.ground_truth_pipeline import GroundTruthPipeline
from agentdojo.agent_pipeline.tool_execution import ToolsExecutor
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suite
from agentdojo.types import get_text_content_as_str, text_content_block_from_string


def moment(value):
    return "now" if value >= START else str(value)


def public(value, name=""):
    """An object as its public attributes. What was written just now has no time, and what the package puts through a set has no order."""
    if isinstance(value, datetime.datetime):
        return moment(value)
    if isinstance(value, datetime.date):
        return str(value)
    if isinstance(value, dict):
        return {str(key): public(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [public(item) for item in value]
        return sorted(items) if name == "participants" else items
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "__dict__"):
        return {key: public(item, key) for key, item in vars(value).items() if not key.startswith("_") and key not in SKIPPED}
    return value


def shown(text):
    """An answer, without the times of what was written just now."""
    return MOMENT.sub(lambda found: moment(datetime.datetime.fromisoformat(found[0])), text)


class Nothing(BasePipelineElement):
    def query(self, query, runtime, env, messages=(), extra_args={}):
        said = {"role": "assistant", "content": [text_content_block_from_string("")], "tool_calls": None}
        return query, runtime, env, [*messages, said], extra_args


class Heard(GroundTruthPipeline):
    """The reference actions, with what was answered."""

    def query(self, *arguments, **more):
        done = super().query(*arguments, **more)
        self.answers = [shown(get_text_content_as_str(message["content"])) for message in done[3] if message["role"] == "tool"]
        return done


def golds(suite):
    for task in (*suite.user_tasks.values(), *suite.injection_tasks.values()):
        environment = suite.load_and_inject_default_environment({})
        before, gold = public(environment), Heard(task)
        is_right, _ = suite.run_task_with_pipeline(gold, task, None, {}, environment=environment)
        is_nothing_right, _ = suite.run_task_with_pipeline(Nothing(), task, None, {})
        yield {
            "id": task.ID, "before": before, "after": public(environment), "answers": gold.answers, "gold": is_right,
            "nothing": is_nothing_right,
        }


def attacks(suite, name, part=1):
    from agentdojo.attacks import load_attack

    attack = load_attack(name, suite, types.SimpleNamespace(name="local"))
    count = 0
    for task in suite.user_tasks.values():
        for injected in suite.injection_tasks.values():
            try:
                texts = attack.attack(task, injected)
            except ValueError:
                continue
            line = {"id": f"{task.ID}-{injected.ID}", "texts": texts}
            if count % int(part) == 0:
                line["before"] = public(suite.load_and_inject_default_environment(texts))
            count += 1
            yield line


class Draws:
    """Arguments: mostly what is in the environment, now and then something else."""

    def __init__(self, seed, environment):
        self.draw = random.Random(seed)
        self.found = {str: set(), int: set()}
        self.look(public(environment))

    def look(self, value):
        if isinstance(value, dict):
            self.found[str].update(value)
            for item in value.values():
                self.look(item)
        elif isinstance(value, list):
            for item in value:
                self.look(item)
        elif type(value) in self.found and len(str(value)) < 60:
            self.found[type(value)].add(value)

    def text(self, name):
        fits = [
            (("email", "sender", "recipients", "participants", "cc", "bcc"), lambda text: "@" in text),
            (("day", "date"), re.compile(r"\d{4}-\d\d-\d\d$").match),
            (("start_time", "end_time", "new_start_time", "new_end_time", "start_day", "end_day"), re.compile(r"\d{4}-\d\d-\d\d").match),
            (("event_id", "email_id", "file_id"), str.isdigit),
        ]
        is_fit = next((is_fit for names, is_fit in fits if name in names), lambda _: True)
        known = sorted(text for text in self.found[str] if is_fit(text))
        known = [text[:16] if name.endswith("_time") else text for text in known]
        odd = ["", "nobody", "x@example.org", "nobody@nowhere", "2024-05-15", "2024-05-15 10:00", "a \"b\" 'c'", "Zürich\n", "['a', 'b']", "r", "rw"]
        return self.draw.choice(odd if not known or self.draw.random() < 0.15 else known)

    def value(self, name, schema):
        if "anyOf" in schema:
            return self.value(name, self.draw.choice(schema["anyOf"]))
        if self.draw.random() < 0.04:
            return self.draw.choice([None, 7, 2.5, True, "7", "yes", [], {}, ["a"], [1], {"a": 1}])
        match schema.get("type"):
            case "array":
                return [self.value(name, schema["items"]) for _ in range(self.draw.randint(0, 2))]
            case "object":
                return self.draw.choice([{}, {"type": "file", "file_id": "3"}, {"type": "event"}, {"file_id": "12"}])
            case "integer":
                return self.draw.choice(sorted(self.found[int]) or [1])
            case "number":
                return self.draw.choice([0, 1.5, 10, 1100.0, -3, 1e-9])
            case "boolean":
                return self.draw.random() < 0.5
            case "null":
                return None
            case _:
                return self.draw.choice(["r", "rw", "x"]) if "$ref" in schema else self.text(name)

    def call(self, tools):
        tool = self.draw.choice(tools)
        schema = tool.parameters.model_json_schema()
        needed = schema.get("required", [])
        arguments = {}
        for name, about in schema["properties"].items():
            if self.draw.random() < (0.97 if name in needed else 0.4):
                arguments[name] = self.value(name, about)
        return tool.name, arguments


# Calls after which the environment is as in the beginning again.
CALLS_PER_EPISODE = 20


def walk(suite, seed, count):
    for number in range(int(count)):
        if number % CALLS_PER_EPISODE == 0:
            environment = suite.load_and_inject_default_environment({})
            draws = Draws(f"{seed} {number}", environment)
        name, arguments = draws.call(suite.tools)
        asked = {"role": "assistant", "content": None, "tool_calls": [FunctionCall(function=name, args=json.loads(json.dumps(arguments)))]}
        before = environment.model_copy(deep=True)
        *_, messages, _ = ToolsExecutor().query("", FunctionsRuntime(suite.tools), environment, [asked])
        error = messages[-1]["error"]
        heard = {"error": shown(error)} if error else {"answer": shown(get_text_content_as_str(messages[-1]["content"]))}
        # What a tool did before it failed stays in the package, and not in Assay.
        environment = before if error else environment
        yield {"tool": name, "arguments": arguments, "is_first": number % CALLS_PER_EPISODE == 0, "after": public(environment)} | heard


def tools(suite):
    for tool in suite.tools:
        yield {"name": tool.name, "description": tool.description, "parameters": tool.parameters.model_json_schema()}


def main(what, suite, *arguments):
    for line in {"golds": golds, "attacks": attacks, "walk": walk, "tools": tools}[what](get_suite(VERSION, suite), *arguments):
        print(json.dumps(line))


main(*sys.argv[1:])
