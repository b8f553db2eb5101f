"""Ranges of versions: `^1.2`, `~1.2.3`, `>=1.0.0-beta, <2`."""

import operator
import re

from .version import InvalidVersion, Version

_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
_TERM = re.compile(r"(\^|~|<=|>=|<|>|=)?\s*v?([0-9]+(?:\.[0-9]+){0,2}(?:-[0-9A-Za-z.-]+)?)")


def _padded(text):
    """`1.2` is `1.2.0`."""
    release, dash, prerelease = text.partition("-")
    release += ".0" * (2 - release.count("."))
    return Version.parse(release + dash + prerelease)


class Range:
    """Comparisons that must all hold."""

    def __init__(self, text):
        self.text = text
        self._bounds = [bound for term in text.split(",") for bound in self._parse(term.strip())]
        self._takes_prereleases = any(version.is_prerelease for _, version in self._bounds)

    @staticmethod
    def _parse(term):
        match = _TERM.fullmatch(term)
        if match is None:
            raise InvalidVersion(f"not a range: {term!r}")
        sign, version = match[1] or "=", _padded(match[2])
        if sign == "^":
            if version.major:
                end = Version(version.major + 1)
            elif version.minor:
                end = Version(0, version.minor + 1)
            else:
                end = Version(0, 0, version.patch + 1)
            return [(">=", version), ("<", end)]
        if sign == "~":
            return [(">=", version), ("<", Version(version.major, version.minor + 1))]
        return [(sign, version)]

    def __contains__(self, version):
        if version.is_prerelease and not self._takes_prereleases:
            return False
        return all(_COMPARE[sign](version, bound) for sign, bound in self._bounds)

    def __str__(self):
        return self.text
