"""Counts of what a cache did."""

from dataclasses import dataclass


@dataclass
class Stats:
    hits: int = 0
    misses: int = 0
    evictions: int = 0

    @property
    def ratio(self):
        """Hits of all look-ups; none before the first."""
        looks = self.hits + self.misses
        return self.hits / looks if looks else None
