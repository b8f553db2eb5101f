"""Choosing among versions given as text."""

from .ranges import Range
from .version import Version


def sort_versions(texts):
    """Oldest first. Versions of equal precedence stay in the order in which they were given."""
    return sorted(texts, key=Version.parse)


def newest(texts, within=">=0"):
    """The newest of `texts` in a range, as it was written; none if none is."""
    wanted = Range(within)
    fitting = [text for text in texts if Version.parse(text) in wanted]
    return max(fitting, key=Version.parse, default=None)
