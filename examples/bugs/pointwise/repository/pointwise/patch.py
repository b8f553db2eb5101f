"""Applying patches."""

from copy import deepcopy

from .errors import PatchFailed, PointwiseError
from .pointer import END, Pointer


def _add(document, pointer, value):
    if not pointer.names:
        return value
    holder, name = pointer.parent(document)
    if isinstance(holder, list):
        holder.insert(len(holder) if name == END else Pointer.index(holder, name, len(holder)), value)
    elif isinstance(holder, dict):
        holder[name] = value
    else:
        raise PointwiseError(f"{pointer} is in neither an object nor an array")
    return document


def _remove(document, pointer):
    pointer.get(document)
    holder, name = pointer.parent(document)
    del holder[int(name) if isinstance(holder, list) else name]
    return document


def _replace(document, pointer, value):
    if not pointer.names:
        return value
    pointer.get(document)
    holder, name = pointer.parent(document)
    holder[int(name) if isinstance(holder, list) else name] = value
    return document


def _same(left, right):
    """Equal as JSON: `true` is not `1`."""
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    return left == right


def _operate(document, operation):
    kind, pointer = operation["op"], Pointer(operation["path"])
    if kind == "add":
        return _add(document, pointer, deepcopy(operation["value"]))
    if kind == "remove":
        return _remove(document, pointer)
    if kind == "replace":
        return _replace(document, pointer, deepcopy(operation["value"]))
    if kind == "test":
        if not _same(pointer.get(document), operation["value"]):
            raise PointwiseError(f"{pointer} is not what was expected")
        return document
    if kind not in ("move", "copy"):
        raise PointwiseError(f"unknown operation {kind!r}")
    source = Pointer(operation["from"])
    value = source.get(document)
    if kind == "copy":
        return _add(document, pointer, deepcopy(value))
    if pointer.starts_with(source) and pointer != source:
        raise PointwiseError(f"{source} cannot be moved into itself")
    return _add(_remove(document, source), pointer, value)


def apply(document, patch):
    """The document after all operations. The one that was given stays as it is."""
    document = deepcopy(document)
    for index, operation in enumerate(patch):
        try:
            document = _operate(document, operation)
        except KeyError as missing:
            raise PatchFailed(index, f"{missing} is missing") from None
        except PointwiseError as why:
            raise PatchFailed(index, why) from why
    return document
