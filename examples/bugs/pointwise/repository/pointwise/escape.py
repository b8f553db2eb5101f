"""Names in a pointer: `~` is written `~0` and `/` is written `~1`."""

import re

from .errors import PointwiseError

_BROKEN = re.compile(r"~(?![01])")


def escape(name):
    return name.replace("~", "~0").replace("/", "~1")


def unescape(token):
    if _BROKEN.search(token):
        raise PointwiseError(f"a ~ with neither 0 nor 1 after it: {token!r}")
    return token.replace("~0", "~").replace("~1", "/")
