"""The cache: an ordered dictionary, oldest use first, and the sum of the weights in it."""

from collections import OrderedDict
from collections.abc import MutableMapping
from time import monotonic

from .entry import Entry
from .stats import Stats


class Cache(MutableMapping):
    """Keeps values until they weigh more than `limit` together, or are older than `ttl` seconds."""

    def __init__(self, limit, weigh=None, ttl=None, clock=monotonic):
        if limit <= 0:
            raise ValueError("a cache needs a limit above 0")
        self.limit = limit
        self.ttl = ttl
        self.stats = Stats()
        self._weigh = weigh or (lambda value: 1)
        self._clock = clock
        self._entries = OrderedDict()
        self._weight = 0

    @property
    def weight(self):
        """What all entries weigh together."""
        return self._weight

    def __getitem__(self, key):
        entry = self._live(key)
        if entry is None:
            self.stats.misses += 1
            raise KeyError(key)
        self.stats.hits += 1
        self._entries.move_to_end(key)
        return entry.value

    def __setitem__(self, key, value):
        weight = self._weigh(value)
        if weight > self.limit:
            return
        expires = None if self.ttl is None else self._clock() + self.ttl
        self._entries[key] = Entry(value, weight, expires)
        self._weight += weight
        while self._weight > self.limit:
            self._evict()

    def __delitem__(self, key):
        self._weight -= self._entries.pop(key).weight

    def __contains__(self, key):
        return self._live(key) is not None

    def __iter__(self):
        return iter([key for key in list(self._entries) if self._live(key) is not None])

    def __len__(self):
        return sum(1 for _ in self)

    def peek(self, key, default=None):
        """The value under `key`, without counting as use."""
        entry = self._live(key)
        return default if entry is None else entry.value

    def _live(self, key):
        entry = self._entries.get(key)
        if entry is not None and entry.is_over(self._clock()):
            del self[key]
            return None
        return entry

    def _evict(self):
        _, entry = self._entries.popitem(last=False)
        self._weight -= entry.weight
        self.stats.evictions += 1
