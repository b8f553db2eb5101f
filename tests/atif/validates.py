"""Holds ATIF documents against the models of the published `harbor` package: prints a line for each, or fails with what is wrong."""

import sys

from harbor.models.trajectories import Trajectory

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    document = Trajectory.model_validate_json(text)
    again = Trajectory.model_validate(document.to_json_dict())
    assert again == document, f"{path}: it does not survive a round trip"
    print(document.schema_version, len(document.steps), len(document.subagent_trajectories or []))
