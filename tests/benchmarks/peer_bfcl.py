"""What the published package of the Berkeley Function-Calling Leaderboard does with its own answers: the other side of a test that compares Assay with it.

    peer_bfcl.py DATA    a line for each conversation: the answers of the functions in each turn, and the objects' public attributes after it

The package's own code makes the calls (`execute_multi_turn_func_call`).
"""

import json
import os
import sys

from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import execute_multi_turn_func_call


def public(value):
    """An object as its public attributes; the way back to a folder's own folder is left out, as the package's comparison does."""
    if hasattr(value, "__dict__"):
        fields = {key: item for key, item in vars(value).items() if not key.startswith("_") and key != "parent"}
        return {key: public(item) for key, item in fields.items()}
    if isinstance(value, dict):
        return {str(key): public(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [public(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((public(item) for item in value), key=json.dumps)
    return value


def rows(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main(data):
    for kind in ("base", "miss_func", "miss_param", "long_context"):
        name = f"BFCL_v4_multi_turn_{kind}.json"
        answers = {row["id"]: row["ground_truth"] for row in rows(os.path.join(data, "possible_answer", name))}
        for row in rows(os.path.join(data, name)):
            turns = []
            for calls in answers[row["id"]]:
                told, objects = execute_multi_turn_func_call(
                    calls, row["initial_config"], row["involved_classes"], "peer", row["id"], kind == "long_context"
                )
                turns.append({"answers": told, "objects": {name: public(it) for name, it in objects.items()}})
            print(json.dumps({"id": row["id"], "turns": turns}))


main(sys.argv[1])
