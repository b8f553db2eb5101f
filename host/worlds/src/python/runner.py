"""Runs one call of a tool that is written in Python; host/worlds/src/python reads this file and documents it.

`request.json` says what to do; `answer.json` says what came of it. Everything else in the folder is the world's. Whatever the world's code does to
this runner, the host believes nothing but the form of the answer.
"""

import base64
import importlib
import json
import pickle
import sys
import zlib

# Levels of a value that is shown; more is a value without end.
DEPTH_MAX = 40
# Where the world's modules are.
FOLDER = "/tools/"


def public(value, skip, within=()):
    """The value as JSON can hold it: objects as their public attributes, what leads back to itself as a name."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else {"int": str(value)}
    if isinstance(value, float):
        return value if value - value == 0 else {"float": repr(value)}
    if id(value) in within or len(within) > DEPTH_MAX:
        return {"same": type(value).__name__}
    within = (*within, id(value))
    if isinstance(value, dict):
        return {str(key): public(item, skip, within) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [public(item, skip, within) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((public(item, skip, within) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    if hasattr(value, "__dict__"):
        return {name: public(item, skip, within) for name, item in vars(value).items() if name[0] != "_" and name not in skip}
    return str(value)


def as_text(value):
    """How a tool's answer is written where its callers read Python."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        try:
            return json.dumps(value)
        except Exception:
            return str(value)
    return str(value)


def as_json(value):
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except Exception:
        return str(value)


def load(request):
    made = getattr(importlib.import_module(request["module"]), request["class"])
    remembered = request["memory"]
    if remembered is not None:
        return pickle.loads(zlib.decompress(base64.b64decode(remembered)))
    it = made()
    if request["load"] is not None:
        begin = json.loads(request["begin"] or "{}")
        getattr(it, request["load"])(begin.get("with", {}), **begin.get("options", {}))
    return it


def where(raised):
    """The file of the world, and its line, in which something went wrong; nothing where it was in none."""
    places, trace = [], raised.__traceback__
    while trace is not None:
        places.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    if isinstance(raised, SyntaxError):
        places.append((raised.filename, raised.lineno))
    for file, line in reversed(places):
        file = str(file).removeprefix(FOLDER).removeprefix("./")
        if file[:1] not in ("", "/", "<"):
            return f"python/{file}, line {line}: "
    return ""


def run(request):
    if request["is_first"]:
        # The modules are compiled once; the folder with what came of it is used by all later calls.
        sys.dont_write_bytecode = False
        try:
            importlib.import_module(request["module"])
        except Exception as raised:
            return {"error": f"{where(raised)}{type(raised).__name__}: {raised}"}
        return {}
    it, answer, error = load(request), None, None
    if request["method"] is not None:
        try:
            answer = getattr(it, request["method"])(**request["arguments"])
        except Exception as raised:
            error = str(raised) if request["is_text"] else f"{type(raised).__name__}: {raised}"
    if error is None:
        answer = as_text(answer) if request["is_text"] else as_json(answer)
        memory = base64.b64encode(zlib.compress(pickle.dumps(it, 5), 6)).decode("ascii")
        return {"answer": answer, "memory": memory, "public": public(it, request["skip"])}
    return {"error": error}


def main():
    with open("request.json", encoding="utf-8") as file:
        request = json.load(file)
    done = json.dumps(run(request))
    with open("answer.json", "w", encoding="utf-8") as file:
        file.write(done)


main()
