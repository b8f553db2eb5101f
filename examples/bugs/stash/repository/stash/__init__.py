"""A cache in memory with a limit on its weight."""

from .cache import Cache
from .memoize import memoize
from .stats import Stats

__all__ = ["Cache", "Stats", "memoize"]
__version__ = "2.0.3"
