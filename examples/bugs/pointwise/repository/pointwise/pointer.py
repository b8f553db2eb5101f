"""A place in a document."""

import re

from .errors import NotThere, PointwiseError
from .escape import escape, unescape

_INDEX = re.compile(r"0|[1-9][0-9]*")
END = "-"


class Pointer:
    """Names from the root down."""

    __slots__ = ("names",)

    def __init__(self, text):
        if text and not text.startswith("/"):
            raise PointwiseError(f"a pointer begins with /: {text!r}")
        self.names = tuple(unescape(token) for token in text.split("/")[1:])

    @classmethod
    def of(cls, names):
        """The pointer of these names."""
        pointer = cls("")
        pointer.names = tuple(map(str, names))
        return pointer

    def get(self, document):
        """What is there."""
        for name in self.names:
            document = self._step(document, name)
        return document

    def parent(self, document):
        """What holds the place, and the last name."""
        if not self.names:
            raise PointwiseError("the whole document has no parent")
        return Pointer.of(self.names[:-1]).get(document), self.names[-1]

    def starts_with(self, other):
        return self.names[: len(other.names)] == other.names

    @staticmethod
    def index(array, name, end):
        """The index that a name stands for, at most `end`."""
        if not _INDEX.fullmatch(name) or int(name) > end:
            raise NotThere(f"no index {name!r} in an array of {len(array)}")
        return int(name)

    def _step(self, document, name):
        if isinstance(document, list):
            return document[self.index(document, name, len(document) - 1)]
        if isinstance(document, dict) and name in document:
            return document[name]
        raise NotThere(f"{self} names nothing: {name!r} is missing")

    def __str__(self):
        return "".join("/" + escape(name) for name in self.names)

    def __eq__(self, other):
        return self.names == other.names if isinstance(other, Pointer) else NotImplemented

    def __hash__(self):
        return hash(self.names)

    def __repr__(self):
        return f"Pointer({str(self)!r})"
