"""Rows with a heading."""

from .dialect import EXCEL
from .reader import Malformed, loads
from .writer import dumps


class Table:
    """Columns by name; every row has all of them."""

    def __init__(self, columns, rows=()):
        self.columns = list(columns)
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("two columns have the same name")
        self.rows = []
        for row in rows:
            self.append(row)

    def append(self, row):
        missing = [column for column in self.columns if column not in row]
        if missing:
            raise ValueError(f"no value for {', '.join(missing)}")
        self.rows.append({column: str(row[column]) for column in self.columns})

    @classmethod
    def loads(cls, text, dialect=EXCEL):
        lines = loads(text, dialect)
        if not lines:
            raise Malformed("no heading", 1)
        heading, *rows = lines
        for number, row in enumerate(rows, start=2):
            if len(row) != len(heading):
                raise Malformed(f"{len(row)} fields under {len(heading)} columns", number)
        return cls(heading, (dict(zip(heading, row)) for row in rows))

    def dumps(self, dialect=EXCEL):
        return dumps([self.columns, *([row[column] for column in self.columns] for row in self.rows)], dialect)
