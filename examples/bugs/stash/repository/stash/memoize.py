"""A decorator that keeps the results of a function in a cache."""

from functools import wraps


def memoize(cache):
    """Keeps results in `cache` by the arguments. Functions that share a cache do not share results."""

    def decorate(function):
        @wraps(function)
        def remembered(*args, **kwargs):
            key = (function, args, tuple(sorted(kwargs.items())))
            try:
                return cache[key]
            except KeyError:
                result = function(*args, **kwargs)
                cache[key] = result
                return result

        remembered.stats = lambda: cache.stats
        remembered.cache = cache
        return remembered

    return decorate
