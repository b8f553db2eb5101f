"""What a cache holds under a key."""

from typing import Any, NamedTuple, Optional


class Entry(NamedTuple):
    value: Any
    weight: int
    expires: Optional[float]

    def is_over(self, now):
        return self.expires is not None and now >= self.expires
