"""Tells what a suite of AgentDojo is: `assay worlds import agentdojo` runs this in the sandbox, beside the package's modules.

`request.json` names the suite and the attack; `answer.json` gets the environment with the places of the injection vectors, the tools, the tasks with their
reference actions, and what the attack puts where; or what is wrong, and in which file and line.
"""

import datetime
import json
import os
import traceback
import types

FOLDER = os.getcwd()
# Its name in attacks that address the agent by name; the package has no name for agents that it does not know.
AGENT = types.SimpleNamespace(name="local")


def plain(value):
    """Data as JSON holds it; the package's types read dates from texts."""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def pieces(name):
    """The environment, with a number for every text that has vectors in it, and those texts as YAML writes them."""
    import yaml
    from agentdojo.task_suite.task_suite import InjectionVector, read_suite_file

    vectors = yaml.safe_load(read_suite_file(name, "injection_vectors.yaml", None))
    vectors = {key: InjectionVector.model_validate(about).default for key, about in vectors.items()}
    whole = read_suite_file(name, "environment.yaml", None)
    texts, parts, last = [], [], 0
    for token in yaml.scan(whole):
        begin, end = token.start_mark.index, token.end_mark.index
        if isinstance(token, yaml.ScalarToken) and any(f"{{{key}}}" in whole[begin:end] for key in vectors):
            parts += [whole[last:begin], f'"\\0{len(texts)}"']
            texts.append(whole[begin:end])
            last = end
    data = yaml.safe_load("".join([*parts, whole[last:]]).format())
    return {"vectors": vectors, "texts": texts, "data": plain(data)}


def tool(function):
    return {"name": function.name, "description": function.description, "parameters": function.parameters.model_json_schema()}


def calls(task, environment):
    return [{"call": call.function, "with": dict(call.args)} for call in task.ground_truth(environment)]


def task(suite, it, request):
    environment = suite.load_and_inject_default_environment({})
    return {"id": it.ID, "request": request, "difficulty": it.DIFFICULTY.name.lower(), "gold": calls(it, environment), "says": it.GROUND_TRUTH_OUTPUT}


def attacks(suite, name):
    """What an attack puts where, for each user's task and injected one; those that no vector reaches are not there."""
    from agentdojo import attacks
    from agentdojo.attacks.attack_registry import ATTACKS

    usable = sorted(name for name, attack in ATTACKS.items() if not attack.is_dos_attack and name != "manual")
    if name not in usable:
        raise Unknown(f"there is no attack {name!r}; there are {', '.join(usable)}")
    attack = attacks.load_attack(name, suite, AGENT)
    found = []
    for user in suite.user_tasks.values():
        for injected in suite.injection_tasks.values():
            try:
                texts = attack.attack(user, injected)
            except ValueError:
                continue
            found.append({"user": user.ID, "injected": injected.ID, "texts": texts})
    return found


class Unknown(Exception):
    """What was asked for is not there."""


def answer(request):
    import yaml
    from assay_agentdojo import suite_of

    name = request["suite"]
    with open("agentdojo/data/system_messages.yaml", encoding="utf-8") as file:
        policy = yaml.safe_load(file)["default"]
    parts = pieces(name)
    with open(f"assay_{name}.json", "w", encoding="utf-8") as file:
        json.dump(parts, file)
    suite = suite_of(name)
    return {
        "policy": policy,
        "pieces": parts,
        "tools": [tool(function) for function in suite.tools],
        "user": [task(suite, it, it.PROMPT) for it in suite.user_tasks.values()],
        "injected": [task(suite, it, it.GOAL) for it in suite.injection_tasks.values()],
        "attacks": attacks(suite, request["attack"]) if request["attack"] else [],
    }


def wrong(error):
    """What is wrong, and where: the last of the package's own lines."""
    if isinstance(error, Unknown):
        return {"wrong": str(error)}
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    frames += [(error.filename, error.lineno)] if isinstance(error, SyntaxError) else []
    found = {"wrong": f"{type(error).__name__}: {error}"}
    for file, line in frames:
        if file and file.startswith(f"{FOLDER}/"):
            found |= {"file": os.path.relpath(file, FOLDER), "line": line}
    return found


def main():
    with open("request.json", encoding="utf-8") as file:
        request = json.load(file)
    try:
        done = answer(request)
    except Exception as error:
        done = wrong(error)
    with open("answer.json", "w", encoding="utf-8") as file:
        json.dump(done, file)


main()
