"""Opens every table of a run as it is in pandas, Polars, DuckDB and PyArrow, and says what it found where they differ.

Usage: opens.py RUN, the folder of a recorded run. Prints one line a table; fails with an exception.
"""

import json
import sys
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow.parquet

data = Path(sys.argv[1]) / "data"
manifest = json.loads((data / "data.json").read_text())
for entry in manifest["tables"]:
    path = data / entry["file"]
    frames = {
        "pandas": pandas.read_parquet(path),
        "polars": polars.read_parquet(path),
        "duckdb": duckdb.sql(f"select * from '{path}'").fetchall(),
        "pyarrow": pyarrow.parquet.read_table(path),
    }
    rows = {tool: len(frame) for tool, frame in frames.items()}
    assert set(rows.values()) == {entry["rows"]}, (entry["table"], rows, entry["rows"])
    names = list(frames["pandas"].columns)
    assert names == frames["polars"].columns == frames["pyarrow"].column_names == duckdb.sql(f"select * from '{path}'").columns

    # The same values, column by column, nulls included.
    for index, name in enumerate(names):
        wanted = frames["pyarrow"].column(name)
        if str(wanted.type).startswith("timestamp"):
            assert str(wanted.type) == "timestamp[ns, tz=UTC]", (name, wanted.type)
            assert str(frames["pandas"][name].dtype) == "datetime64[ns, UTC]", (name, frames["pandas"][name].dtype)
            assert frames["polars"][name].dtype == polars.Datetime("ns", "UTC"), (name, frames["polars"][name].dtype)
            times = frames["polars"][name]
            assert frames["pandas"][name].isna().tolist() == times.is_null().to_list(), (entry["table"], name)
            seen = frames["pandas"][name].dropna().astype("int64").tolist()
            assert seen == times.drop_nulls().to_physical().to_list(), (entry["table"], name)
            continue
        wanted = wanted.to_pylist()
        assert frames["polars"][name].to_list() == wanted, (entry["table"], name, "polars")
        assert [row[index] for row in frames["duckdb"]] == wanted, (entry["table"], name, "duckdb")
        seen = [None if pandas.isna(value) else value for value in frames["pandas"][name].tolist()]
        assert seen == wanted, (entry["table"], name, "pandas")
    print(entry["table"], entry["rows"])

# Lazily, only what is asked for.
one = polars.scan_parquet(data / "orders.parquet").filter(seed=manifest["seeds"][0], episode="baseline").select("price").collect()
sql = f"select count(*) from '{data}/orders.parquet' where seed = {manifest['seeds'][0]} and episode = 'baseline'"
assert len(one) == duckdb.sql(sql).fetchone()[0] > 0
