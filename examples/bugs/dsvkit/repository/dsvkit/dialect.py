"""How fields are told apart."""

from dataclasses import dataclass, replace
from typing import Optional


class BadDialect(ValueError):
    """Nothing could be read back in this dialect."""


@dataclass(frozen=True)
class Dialect:
    """Without `escape`, a quote in a quoted field is written twice."""

    delimiter: str = ","
    quote: str = '"'
    escape: Optional[str] = None
    newline: str = "\r\n"

    def __post_init__(self):
        signs = [self.delimiter, self.quote] + ([self.escape] if self.escape is not None else [])
        if any(len(sign) != 1 or sign in "\r\n" for sign in signs) or len(set(signs)) != len(signs):
            raise BadDialect(f"delimiter, quote and escape must be different single characters: {signs}")
        if self.newline not in ("\n", "\r\n", "\r"):
            raise BadDialect(f"not an end of line: {self.newline!r}")

    def with_(self, **changes):
        """The same with some things changed."""
        return replace(self, **changes)


EXCEL = Dialect()
UNIX = Dialect(escape="\\", newline="\n")
TABS = Dialect(delimiter="\t", newline="\n")
