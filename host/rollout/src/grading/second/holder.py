# The holder: the process that has the submission. It imports modules, gets attributes and makes calls as it is asked to, and answers with values and with
# numbers of objects that stay here. It never sees a test. What stands above is wire.py.
#
# One holder serves one test. It hears first what was asked while the tests were collected, so the numbers of that time mean the same in each holder;
# what it numbers later begins at a number that the judge gives, so that no number of another test's means anything here.
#
# It runs the submission's code, so nothing of what it says is more than the submission's word; all of it is checked in judge.py.
import importlib
import operator
import os
import sys
import types

OBJECTS_MAX = 1 << 20
TEXT_MAX = 1 << 16
# Where the tests see the task's folder.
FOLDER = sys.argv[2]
UNARY = {
    "len": len, "iter": iter, "next": next, "str": str, "repr": repr, "bool": bool, "hash": hash, "int": int, "float": float, "index": operator.index,
    "abs": abs, "neg": operator.neg, "pos": operator.pos, "invert": operator.invert, "reversed": reversed, "bytes": bytes, "dir": dir, "round": round,
    "floor": __import__("math").floor, "ceil": __import__("math").ceil, "trunc": __import__("math").trunc, "complex": complex,
    "enter": lambda o: type(o).__enter__(o), "length_hint": operator.length_hint, "fspath": os.fspath,
}
BINARY = {
    name: getattr(operator, name)
    for name in "lt le eq ne gt ge add sub mul truediv floordiv mod pow lshift rshift and_ or_ xor matmul contains getitem delitem iadd isub imul ior iand ixor".split()
}
BINARY.update(divmod=divmod, format=format, isinstance=isinstance, issubclass=issubclass, round=round)
# Fresh iterators over what is there already: all that they give can cross at once.
READY = {type(iter(kind)) for kind in ([], (), set(), {}, {}.values(), {}.items(), "", b"", range(0))}
# The first that an object is an instance of says what its content is, so each stands before what it derives from.
CONTENT = {
    tuple: lambda v: tuple(tuple.__iter__(v)), list: lambda v: list(list.__iter__(v)),
    collections.OrderedDict: lambda v: collections.OrderedDict((k, dict.__getitem__(v, k)) for k in collections.OrderedDict.__iter__(v)),
    dict: lambda v: {k: dict.__getitem__(v, k) for k in dict.__iter__(v)},
    set: lambda v: set(set.__iter__(v)), frozenset: lambda v: frozenset(frozenset.__iter__(v)), str: lambda v: "".join([str.__getitem__(v, slice(None))]),
    int: int.__pos__, float: float.__pos__, bytes: lambda v: bytes(bytes.__iter__(v)), bytearray: lambda v: bytearray(bytearray.__iter__(v)),
    type({}.keys()): set, type({}.items()): set,
}
# The parts of a date but for its zone, by the builtin class's own descriptors: what a subclass says of itself is not asked.
FIELDS = {
    datetime.datetime: "year month day hour minute second microsecond".split(),
    datetime.date: "year month day".split(),
    datetime.time: "hour minute second microsecond".split(),
}
ZONES = (type(None), datetime.timezone) + ((zoneinfo.ZoneInfo,) if "zoneinfo" in globals() else ())


def plain_date(base, value):
    """The builtin date in one, with a fixed offset where its zone is of a class that cannot cross."""
    parts = [getattr(base, name).__get__(value) for name in FIELDS[base]]
    if base is datetime.date:
        return base(*parts)
    zone = base.tzinfo.__get__(value)
    if type(zone) not in ZONES:
        offset = base.utcoffset(value)
        zone = None if offset is None else datetime.timezone(offset)
    return base(*parts, zone, fold=base.fold.__get__(value))


CONTENT.update({base: lambda v, base=base: plain_date(base, v) for base in FIELDS})
CONTENT.update({base: lambda v, base=base: base(*PARTS[base](v)) for base in PARTS if base not in CONTENT})
CONTENT.update({
    collections.UserList: lambda v: list(v.data), collections.UserString: lambda v: str(v.data),
    collections.deque: lambda v: list(collections.deque.__iter__(v)),
    collections.abc.Mapping: lambda v: dict(v.items()), collections.abc.Set: set,
})
VALUES = (tuple, str, int, float, bytes, frozenset) + tuple(FIELDS)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
METHODS = (types.MethodType, types.BuiltinMethodType)


def moved(place):
    """A place of the task's folder in the holder's own copy of it, which it works in."""
    for folder in {FOLDER, os.path.realpath(FOLDER)}:
        if place == folder or place.startswith(folder.rstrip(os.sep) + os.sep):
            return os.getcwd() + place[len(folder.rstrip(os.sep)) :]
    return place


class Method:
    """Stands for a method of the object that was asked for it."""


class Foreign:
    """A callable or an object of the tests."""

    def __init__(self, holder, number, about):
        self.__dict__.update(about, _holder=holder, _number=number)

    def __call__(self, *arguments, **named):
        return self._holder.ask(["call_back", self._number, self._holder.pack(arguments), self._holder.pack(named)])

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._holder.ask(["get_back", self._number, name])


class Holder(Codec):
    def __init__(self, channel):
        self.channel = channel
        self.objects, self.numbers, self.foreign, self.told = {}, {}, {}, set()
        self.next, self.end = 0, OBJECTS_MAX

    def number(self, thing):
        key = id(thing)
        if key not in self.numbers:
            if self.next >= self.end:
                raise Broken("too many objects")
            self.numbers[key] = self.next
            self.objects[self.next] = thing
            self.next += 1
        return self.numbers[key]

    def object(self, number):
        if number not in self.objects:
            raise Broken("an object of another test")
        return self.objects[number]

    def pack(self, value, depth=0):
        kind = type(value)
        if kind in (datetime.datetime, datetime.time) and type(value.tzinfo) not in ZONES:
            value = plain_date(kind, value)
        return super().pack(value, depth)

    def about(self, kind):
        """A class: its number, and the first time what it is."""
        if kind in TYPES_SET:
            return ["T", kind.__name__]
        if issubclass(kind, BaseException) and kind.__module__ == "builtins":
            return ["B", kind.__name__]
        number = self.number(kind)
        if number in self.told:
            return ["k", number]
        self.told.add(number)
        value = next((base.__name__ for base in VALUES if issubclass(kind, base)), None)
        shown = [base for base in kind.__mro__ if base is not object and not (value and base in VALUES)]
        special = sorted({name for base in shown for name, what in vars(base).items() if name.startswith("__") and what is not None})
        getters = type(vars(__import__("collections").namedtuple("N", "a"))["a"])
        fields = getattr(kind, "_fields", ()) if issubclass(kind, tuple) else ()
        fields = [name if type(getattr(kind, name, None)) is getters else None for name in fields if type(name) is str]
        own_eq = next((base for base in kind.__mro__ if "__eq__" in vars(base)), object)
        eq = own_eq not in VALUES and own_eq is not object and own_eq not in CONTENT
        unhashable = getattr(kind, "__hash__", None) is None
        bases = [self.about(base) for base in kind.__bases__ if base is not object]
        return ["k", number, kind.__name__, str(kind.__module__), bases, special, fields, value, eq, unhashable, kind in FUNCTIONS]

    def other(self, thing, depth):
        kind = type(thing)
        if kind is Foreign:
            return ["j", thing._number]
        if kind is Method:
            return ["M"]
        if kind is collections.defaultdict:
            return self.pack(dict(thing), depth)
        if isinstance(thing, type):
            return self.about(thing)
        if isinstance(thing, BaseException):
            return self.error(thing, depth)
        if isinstance(thing, types.ModuleType):
            return ["m", self.number(thing), thing.__name__]
        about, content = self.about(kind), None
        base = next((base for base in VALUES if isinstance(thing, base)), None)
        if base is not None:
            content = self.pack(CONTENT[base](thing), depth)
        return ["h", self.number(thing), about, content, base is not None]

    def error(self, error, depth=0):
        mine = getattr(error, "_assay_number", None)
        if mine is not None:
            return ["je", mine]
        try:
            text = str(error)[:TEXT_MAX]
        except Exception as other:
            text = "<" + type(other).__name__ + ">"
        arguments, known = [], {}
        for argument in error.args if type(error.args) is tuple else ():
            arguments.append(self.plain(argument, depth))
        for name, value in list(vars(error).items())[:50]:
            if type(name) is str and not name.startswith("_"):
                known[name] = self.plain(value, depth)
        return ["e", self.number(error), self.about(type(error)), text, arguments, known]

    def plain(self, value, depth):
        told = set(self.told)
        try:
            return self.pack(value, depth + 1)
        except (Broken, Exception):
            self.told = told
            return None

    def reference(self, tag, data, depth):
        if tag == "h":
            return self.object(data[1])
        if tag == "M":
            return getattr(self.object(data[1]), data[2])
        if tag == "I":
            return iter([self.unpack(item) for item in data[1:]])
        if tag == "g":
            return operator.attrgetter(data[2])(importlib.import_module(data[1]))
        if tag == "j":
            if data[1] not in self.foreign:
                self.foreign[data[1]] = Foreign(self, data[1], data[2])
            return self.foreign[data[1]]
        if tag == "e":
            kind = getattr(sys.modules["builtins"], data[2])
            error = kind.__new__(kind)
            error.args = tuple(self.unpack(argument) for argument in data[3])
            error._assay_number = data[1]
            return error
        raise Broken("unknown: " + tag)

    def ask(self, message):
        """Asks the judge, and serves what it asks meanwhile."""
        self.channel.send(message)
        while True:
            message = self.channel.receive()
            if message[0] == "ok":
                return self.unpack(message[1])
            if message[0] == "raise":
                raise self.unpack(message[1])
            self.answer(message)

    def answer(self, message):
        try:
            reply = ["ok", self.pack(self.perform(message))]
        except Broken as broken:
            reply = ["no", str(broken)[:1000]]
        except BaseException as error:
            error.__traceback__ = None
            reply = ["raise", self.error(error)]
        self.channel.send(reply)

    def perform(self, message):
        act, subject = message[0], message[1]
        if act == "import":
            sys.path[:] = [moved(place) for place in message[2]]
            return importlib.import_module(subject)
        if act == "begin":
            self.next, self.end = subject, subject + OBJECTS_MAX
            return None
        subject = self.object(subject)
        if act == "get":
            found = getattr(subject, message[2])
            is_method = type(found) in METHODS and found.__self__ is subject and not isinstance(subject, (type, types.ModuleType))
            return Method() if is_method else found
        if act == "set":
            return setattr(subject, message[2], self.unpack(message[3]))
        if act == "delete":
            return delattr(subject, message[2])
        if act == "call":
            return subject(*self.unpack(message[2]), **self.unpack(message[3]))
        if act == "method":
            return getattr(subject, message[2])(*self.unpack(message[3]), **self.unpack(message[4]))
        if act == "content":
            return next((CONTENT[base](subject) for base in CONTENT if isinstance(subject, base)), NotImplemented)
        if act == "setitem":
            return operator.setitem(subject, self.unpack(message[2]), self.unpack(message[3]))
        if act == "exit":
            error = self.unpack(message[2])
            if error is None:
                return type(subject).__exit__(subject, None, None, None)
            return type(subject).__exit__(subject, type(error), error, error.__traceback__)
        if act == "binary":
            return BINARY[message[2]](subject, self.unpack(message[3]))
        if act == "reflected":
            return BINARY[message[2]](self.unpack(message[3]), subject)
        if act == "unary":
            result = UNARY[message[2]](subject)
            if message[2] == "iter" and result is not subject and type(result) in READY:
                return list(result)
            return result
        raise Broken("unknown: " + act)


def hold(connection):
    holder = Holder(Channel(connection))
    try:
        while True:
            holder.answer(holder.channel.receive())
    except Broken:
        os._exit(0)
