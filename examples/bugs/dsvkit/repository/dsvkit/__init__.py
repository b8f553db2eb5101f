"""Delimiter-separated text in the dialects that are out there."""

from .dialect import EXCEL, TABS, UNIX, BadDialect, Dialect
from .reader import Malformed, loads
from .table import Table
from .writer import dumps

__all__ = ["BadDialect", "Dialect", "EXCEL", "Malformed", "TABS", "Table", "UNIX", "dumps", "loads"]
__version__ = "1.1.0"
