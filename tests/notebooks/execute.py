"""Executes a notebook top to bottom in a fresh kernel, and says as JSON what each code cell printed and how many charts it drew. Fails at the first error.

Usage: execute.py NOTEBOOK FOLDER, where FOLDER is the one that the notebook is to run in.
"""

import json
import sys

import nbformat
from nbclient import NotebookClient

# A cell that takes longer hangs: the markets of the test are a minute long, and each cell takes seconds on an idle machine.
CELL_SECONDS_MAX = 900

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
stored = [cell for cell in notebook.cells if cell.cell_type == "code" and (cell.outputs or cell.execution_count)]
assert not stored, f"{len(stored)} cells are stored with outputs: clear them"
client = NotebookClient(notebook, timeout=CELL_SECONDS_MAX, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}})
client.execute()
text, charts = [], 0
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        assert output.get("name") != "stderr", f"a warning: {output.text}"
        data = output.get("data", {})
        text.append(output.get("text", "") + data.get("text/plain", ""))
        charts += "image/png" in data
print(json.dumps({"text": "\n".join(text), "charts": charts}))
