import random
from collections import OrderedDict

from stash import Cache


def test_an_update_replaces_the_weight():
    cache = Cache(limit=100, weigh=len)
    for _ in range(4):
        cache["a"] = "x" * 30
        cache["b"] = "x" * 10
    assert (len(cache), cache.weight, cache.stats.evictions) == (2, 40, 0)


def test_an_update_may_grow_and_shrink():
    cache = Cache(limit=10, weigh=len)
    cache["a"], cache["b"] = "xxx", "xxx"
    cache["a"] = "xxxxxx"
    assert (sorted(cache), cache.weight) == (["a", "b"], 9)
    cache["a"] = "x"
    assert (sorted(cache), cache.weight) == (["a", "b"], 4)


def test_writing_counts_as_use():
    cache = Cache(limit=2)
    cache["a"], cache["b"] = 1, 2
    cache["a"] = 3
    cache["c"] = 4
    assert list(cache) == ["a", "c"]


def test_an_update_that_grows_does_not_evict_itself():
    cache = Cache(limit=10, weigh=len)
    cache["a"], cache["b"] = "xxxx", "xxxx"
    cache["a"] = "xxxxxxxx"
    assert dict(cache.items()) == {"a": "xxxxxxxx"}


def test_an_update_that_is_too_heavy_leaves_nothing():
    cache = Cache(limit=3, weigh=len)
    cache["a"] = "xx"
    cache["a"] = "xxxx"
    assert "a" not in cache and cache.weight == 0


def test_against_a_model():
    chance = random.Random(11)
    cache, model = Cache(limit=50, weigh=len), OrderedDict()
    for _ in range(3000):
        key, act = chance.randrange(12), chance.random()
        if act < 0.6:
            value = "x" * chance.randrange(1, 56)
            cache[key] = value
            model.pop(key, None)
            if len(value) <= 50:
                model[key] = value
                while sum(map(len, model.values())) > 50:
                    model.popitem(last=False)
        elif act < 0.9:
            assert cache.get(key) == model.get(key)
            if key in model:
                model.move_to_end(key)
        elif key in model:
            del cache[key]
            del model[key]
        assert list(cache) == list(model)
        assert cache.weight == sum(map(len, model.values()))
