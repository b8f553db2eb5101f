"""A patch that makes one document of another."""

from .patch import _same
from .pointer import Pointer


def diff(old, new):
    """Operations that make `new` of `old`."""
    return list(_diff(old, new, ()))


def _diff(old, new, names):
    if _same(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() - new.keys():
            yield {"op": "remove", "path": str(Pointer.of((*names, key)))}
        for key, value in new.items():
            if key in old:
                yield from _diff(old[key], value, (*names, key))
            else:
                yield {"op": "add", "path": str(Pointer.of((*names, key))), "value": value}
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(len(old) - 1, len(new) - 1, -1):
            yield {"op": "remove", "path": str(Pointer.of((*names, index)))}
        for index, value in enumerate(new):
            if index < len(old):
                yield from _diff(old[index], value, (*names, index))
            else:
                yield {"op": "add", "path": str(Pointer.of((*names, index))), "value": value}
    else:
        yield {"op": "replace", "path": str(Pointer.of(names)), "value": new}
