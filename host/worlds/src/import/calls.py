"""Reads calls as Python writes them, such as `mv(source='a', destination='b')`; host/worlds/src/import/bfcl.rs runs it in the sandbox."""

import ast
import json


def read(text, parameters):
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError("it is not the call of a function")
    tool = call.func.id
    names = parameters.get(tool)
    if names is None:
        raise ValueError(f"there is no function {tool}")
    if len(call.args) > len(names):
        raise ValueError(f"{tool} takes {len(names)} arguments")
    arguments = dict(zip(names, (ast.literal_eval(value) for value in call.args)))
    for keyword in call.keywords:
        arguments[keyword.arg] = ast.literal_eval(keyword.value)
    json.dumps(arguments, allow_nan=False)
    return {"tool": tool, "arguments": arguments}


def main():
    with open("request.json", encoding="utf-8") as file:
        request = json.load(file)
    answers = []
    for text in request["calls"]:
        try:
            answers.append(read(text, request["parameters"]))
        except Exception as error:
            answers.append({"error": f"{type(error).__name__}: {error}"})
    with open("answer.json", "w", encoding="utf-8") as file:
        json.dump(answers, file)


main()
