import pytest

from stash import Cache


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_the_oldest_goes_first():
    cache = Cache(limit=2)
    cache["a"], cache["b"], cache["c"] = 1, 2, 3
    assert list(cache) == ["b", "c"]
    assert cache.stats.evictions == 1


def test_reading_counts_as_use():
    cache = Cache(limit=2)
    cache["a"], cache["b"] = 1, 2
    assert cache["a"] == 1
    cache["c"] = 3
    assert list(cache) == ["a", "c"]


def test_peeking_does_not():
    cache = Cache(limit=2)
    cache["a"], cache["b"] = 1, 2
    assert cache.peek("a") == 1
    cache["c"] = 3
    assert list(cache) == ["b", "c"]


def test_weights():
    cache = Cache(limit=10, weigh=len)
    cache["a"], cache["b"] = "xxxx", "xxxxxx"
    assert cache.weight == 10
    cache["c"] = "x"
    assert list(cache) == ["b", "c"] and cache.weight == 7


def test_too_heavy_is_not_kept():
    cache = Cache(limit=3, weigh=len)
    cache["a"] = "xxxx"
    assert "a" not in cache and cache.weight == 0


def test_deleting():
    cache = Cache(limit=10, weigh=len)
    cache["a"] = "xxxx"
    del cache["a"]
    assert cache.weight == 0
    with pytest.raises(KeyError):
        cache["a"]


def test_expiry():
    clock = Clock()
    cache = Cache(limit=10, ttl=5, clock=clock)
    cache["a"] = 1
    clock.now = 4.9
    assert cache["a"] == 1
    clock.now = 5.0
    assert "a" not in cache and cache.weight == 0


def test_a_limit_is_needed():
    with pytest.raises(ValueError):
        Cache(limit=0)
