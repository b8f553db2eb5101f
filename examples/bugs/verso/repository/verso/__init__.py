"""Versions, ranges of them, and the newest that fits."""

from .pick import newest, sort_versions
from .ranges import Range
from .version import InvalidVersion, Version

__all__ = ["InvalidVersion", "Range", "Version", "newest", "sort_versions"]
__version__ = "0.9.0"
