# What judge and holder say to each other, the part that both have: frames of JSON, and values that cross as what they are.
#
# Dates of the submission's own classes and clocks cross as the builtin value in them, taken by the builtin class's own descriptors.
#
# No pickle, no eval, nothing is looked up by a name that the other side chose but in the tables below. Size, depth and number are limited; whatever is
# not of this form is `Broken`, which no test can take for an exception of the submission's.
import collections
import collections.abc
import datetime
import decimal
import fractions
import json
import math
import pathlib
import socket
import struct
import uuid

FRAME_BYTES_MAX = 32 << 20
DEPTH_MAX = 60
EXACT = {"l": list, "t": tuple, "s": set, "z": frozenset}
NAMED = {"Ellipsis": Ellipsis, "NotImplemented": NotImplemented}
UTC = datetime.timezone.utc
# How each type is taken apart; put together again it is its constructor over the parts.
PARTS = {
    complex: lambda v: (v.real, v.imag),
    range: lambda v: (v.start, v.stop, v.step),
    slice: lambda v: (v.start, v.stop, v.step),
    datetime.date: lambda v: (v.year, v.month, v.day),
    datetime.time: lambda v: (v.hour, v.minute, v.second, v.microsecond, v.tzinfo, v.fold),
    datetime.datetime: lambda v: (v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond, v.tzinfo, v.fold),
    datetime.timedelta: lambda v: (v.days, v.seconds, v.microseconds),
    datetime.timezone: lambda v: v.__getinitargs__(),
    decimal.Decimal: lambda v: (str(v),),
    fractions.Fraction: lambda v: (v.numerator, v.denominator),
    uuid.UUID: lambda v: (str(v),),
    pathlib.PurePosixPath: lambda v: (str(v),),
    pathlib.PosixPath: lambda v: (str(v),),
}
try:
    import zoneinfo

    PARTS[zoneinfo.ZoneInfo] = lambda v: (v.key,)
except ImportError:
    pass
FOLDED = {datetime.time, datetime.datetime}
BY_NAME = {kind.__name__: kind for kind in PARTS}
# Types that cross as themselves.
TYPES = [int, str, float, bool, bytes, list, tuple, dict, set, frozenset, bytearray, object, type(None), collections.OrderedDict]
TYPES_BY_NAME = {kind.__name__: kind for kind in TYPES + list(PARTS)}
TYPES_SET = set(TYPES_BY_NAME.values())


class Broken(BaseException):
    """The other side does not keep to the form, or what was asked cannot cross."""


class Channel:
    """Frames over a socket, each a length and JSON."""

    def __init__(self, connection, seconds=None):
        self.connection = connection
        self.broken, self.rest = None, b""
        connection.settimeout(seconds)

    def fail(self, why):
        if self.broken is None:
            self.broken = why
        raise Broken(self.broken)

    def send(self, message):
        if self.broken is not None:
            raise Broken(self.broken)
        try:
            body = json.dumps(message).encode()
            if len(body) > FRAME_BYTES_MAX:
                self.fail("a message is too long")
            self.connection.sendall(struct.pack(">I", len(body)) + body)
        except (OSError, ValueError, RecursionError, TypeError) as error:
            self.fail("nothing can be sent: " + repr(error)[:200])

    def take(self, count):
        parts, missing = [self.rest], count - len(self.rest)
        while missing > 0:
            try:
                part = self.connection.recv(max(missing, 1 << 16))
            except socket.timeout:
                self.fail("no answer in time")
            except OSError as error:
                self.fail("nothing can be received: " + repr(error)[:200])
            if not part:
                self.fail("the other process is gone")
            parts.append(part)
            missing -= len(part)
        found = b"".join(parts)
        self.rest = found[count:]
        return found[:count]

    def receive(self):
        if self.broken is not None:
            raise Broken(self.broken)
        (length,) = struct.unpack(">I", self.take(4))
        if length > FRAME_BYTES_MAX:
            self.fail("a message is too long")
        try:
            message = json.loads(self.take(length))
        except (ValueError, RecursionError):
            self.fail("a message is not JSON")
        if type(message) is not list or not message or type(message[0]) is not str:
            self.fail("a message has no form")
        return message


class Codec:
    """Values to JSON and back. What is not known here is for `other` and `reference`."""

    def fail(self, why):
        raise Broken(why)

    def pack(self, value, depth=0):
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -(1 << 62) < value < 1 << 62 else ["i", hex(value)]
        if kind is float:
            return value if math.isfinite(value) else ["f", repr(value)]
        if depth > DEPTH_MAX:
            self.fail("a value is too deep")
        depth += 1
        if kind is list:
            return ["l"] + [self.pack(item, depth) for item in value]
        if kind is tuple:
            return ["t"] + [self.pack(item, depth) for item in value]
        if kind is dict or kind is collections.OrderedDict:
            return ["d" if kind is dict else "o"] + [[self.pack(key, depth), self.pack(item, depth)] for key, item in value.items()]
        if kind is set or kind is frozenset:
            return ["s" if kind is set else "z"] + [self.pack(item, depth) for item in value]
        if kind is bytes or kind is bytearray:
            return ["b" if kind is bytes else "y", value.decode("latin-1")]
        if value is Ellipsis or value is NotImplemented:
            return ["n", repr(value)]
        if kind in PARTS:
            return ["x", kind.__name__] + [self.pack(part, depth) for part in PARTS[kind](value)]
        if kind is type and value in TYPES_SET:
            return ["T", value.__name__]
        return self.other(value, depth)

    def unpack(self, data, depth=0):
        kind = type(data)
        if data is None or kind in (bool, str, int, float):
            return data
        if kind is not list or not data or type(data[0]) is not str or depth > DEPTH_MAX + 4:
            self.fail("a value has no form")
        depth += 1
        tag = data[0]
        try:
            if tag in EXACT:
                return EXACT[tag]([self.unpack(item, depth) for item in data[1:]])
            if tag in ("d", "o"):
                pairs = [(self.unpack(key, depth), self.unpack(item, depth)) for key, item in data[1:]]
                return dict(pairs) if tag == "d" else collections.OrderedDict(pairs)
            if tag in ("b", "y"):
                return (bytes if tag == "b" else bytearray)(data[1].encode("latin-1"))
            if tag == "i":
                return int(data[1], 16)
            if tag == "f":
                return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[data[1]]
            if tag == "n":
                return NAMED[data[1]]
            if tag == "T":
                return TYPES_BY_NAME[data[1]]
            if tag == "x":
                made, parts = BY_NAME[data[1]], [self.unpack(part, depth) for part in data[2:]]
                return made(*parts[:-1], fold=parts[-1]) if made in FOLDED else made(*parts)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, ArithmeticError) as error:
            self.fail("a value has no form: " + type(error).__name__)
        return self.reference(tag, data, depth)
