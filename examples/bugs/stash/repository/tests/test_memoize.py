from stash import Cache, memoize


def test_results_are_kept():
    calls = []

    @memoize(Cache(limit=10))
    def double(number):
        """Twice the number."""
        calls.append(number)
        return 2 * number

    assert [double(2), double(2), double(3)] == [4, 4, 6]
    assert calls == [2, 3]
    assert (double.stats().hits, double.stats().misses) == (1, 2)
    assert double.__doc__ == "Twice the number."


def test_a_shared_cache():
    cache = Cache(limit=10)
    one = memoize(cache)(lambda number: number + 1)
    two = memoize(cache)(lambda number: number + 2)
    assert (one(1), two(1)) == (2, 3)
