"""One version: three numbers, and perhaps a pre-release and a build."""

import re
from functools import total_ordering

_NUMBER = r"(0|[1-9][0-9]*)"
_NAMES = r"([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)"
_VERSION = re.compile(rf"v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_NAMES})?(?:\+{_NAMES})?")


class InvalidVersion(ValueError):
    """The text is no version."""


@total_ordering
class Version:
    """Compares by precedence; the build has no part in it."""

    __slots__ = ("major", "minor", "patch", "prerelease", "build")

    def __init__(self, major, minor=0, patch=0, prerelease=(), build=()):
        self.major = major
        self.minor = minor
        self.patch = patch
        self.prerelease = tuple(prerelease)
        self.build = tuple(build)

    @classmethod
    def parse(cls, text):
        match = _VERSION.fullmatch(text.strip())
        if match is None:
            raise InvalidVersion(f"not a version: {text!r}")
        *numbers, prerelease, build = match.groups()
        names = prerelease.split(".") if prerelease else ()
        if any(name.isdigit() and len(name) > 1 and name[0] == "0" for name in names):
            raise InvalidVersion(f"a number in a pre-release begins with 0: {text!r}")
        return cls(*map(int, numbers), names, build.split(".") if build else ())

    @property
    def release(self):
        """The three numbers."""
        return (self.major, self.minor, self.patch)

    @property
    def is_prerelease(self):
        return bool(self.prerelease)

    def _key(self):
        # A pre-release comes before its release.
        return (self.release, not self.is_prerelease, self.prerelease)

    def __eq__(self, other):
        return self._key() == other._key() if isinstance(other, Version) else NotImplemented

    def __lt__(self, other):
        return self._key() < other._key() if isinstance(other, Version) else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        text = "{}.{}.{}".format(*self.release)
        if self.prerelease:
            text += "-" + ".".join(self.prerelease)
        if self.build:
            text += "+" + ".".join(self.build)
        return text

    def __repr__(self):
        return f"Version.parse({str(self)!r})"
