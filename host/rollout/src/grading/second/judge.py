# The judge: the process that has the tests, as a plugin of pytest. What the tests import of the repository stands in for what the holder has; values come
# over as values, and are compared here. What stands above is wire.py.
#
# Invariants: nothing of the submission is loaded here; whether a value is equal to one of the tests' own is decided here; whatever the holder sends may
# fail a test and can do nothing else; where modules are found is not asked of it; each test has a holder of its own, and what one holder has or breaks is nothing to the next. A task whose right fix does not pass like this has no second opinion.
import builtins
import itertools
import operator
import os
import sys
import types

CALLS_MAX = 5_000_000
# How far apart the numbers of two holders are: more than one holder may give.
NUMBERS_APART = 1 << 21
ITEMS_MAX = 100_000
FORWARDED = {"__doc__", "__name__", "__qualname__", "__module__", "__wrapped__", "__dict__", "__annotations__", "__self__", "__func__", "__version__"}
VALUES = {kind.__name__: kind for kind in (tuple, str, int, float, bytes, frozenset, datetime.datetime, datetime.date, datetime.time)}
# What takes an object's place where a test compares it, by the library's class that it is an instance of: the type that its content must have, and what is
# made of that. All else that the object says of itself counts for nothing, so whoever says too much could as well have given the plain value.
CONTENTS = {kind.__name__: (kind, kind) for kind in [list, dict, set, bytearray, collections.OrderedDict] + list(PARTS)}
CONTENTS.update({
    ("builtins", "dict_keys"): (set, set), ("builtins", "dict_items"): (set, set), ("builtins", "mappingproxy"): (dict, types.MappingProxyType),
    ("collections", "UserList"): (list, collections.UserList), ("collections", "UserDict"): (dict, collections.UserDict),
    ("collections", "UserString"): (str, collections.UserString), ("collections", "ChainMap"): (dict, collections.ChainMap),
    ("collections", "Counter"): (dict, collections.Counter), ("collections", "deque"): (list, collections.deque),
    ("collections.abc", "Mapping"): (dict, collections.UserDict), ("collections.abc", "Set"): (set, set),
    "PosixPath": (pathlib.PurePosixPath, pathlib.PosixPath),
})
# What a test may compare such an object with.
PEERS = {made for _, made in CONTENTS.values()} | {frozenset, bytes, str, int, float, collections.defaultdict}
RESULTS = {"len": int, "str": str, "repr": str, "bool": bool, "hash": int, "int": int, "float": float, "index": int, "contains": bool, "fspath": str}
UNARY = "len iter next str repr bool hash int float index abs neg pos invert reversed bytes dir round floor ceil trunc complex enter length_hint fspath".split()
COMPARED = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne}
REFLECTED = {"r" + name.strip("_"): name for name in "add sub mul truediv floordiv mod pow lshift rshift and_ or_ xor matmul divmod".split()}
BINARY = set(REFLECTED.values()) | set("getitem delitem contains iadd isub imul ior iand ixor format".split())
ITERATORS = (types.GeneratorType, map, filter, zip, enumerate, reversed) + tuple(type(iter(kind)) for kind in ([], (), set(), {}, "", range(0)))
VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
STANDARD = getattr(sys, "stdlib_module_names", frozenset("json subprocess decimal configparser struct binascii csv sqlite3 zlib queue re collections".split()))
J = None


def number_of(thing):
    """The holder's number of what stands in for something; `None` for anything else."""
    if type(thing) is ModuleProxy:
        return vars(thing)["_assay"]
    if isinstance(thing, Meta):
        return type.__getattribute__(thing, "_assay_class")
    if isinstance(type(thing), Meta):
        return object.__getattribute__(thing, "_assay")
    return None


def hidden(name):
    return name.startswith(("_pytest", "pytest", "__pytest", "_assay")) or name in ("__test__", "__tracebackhide__", "__class__")


class ModuleProxy(types.ModuleType):
    """A module of the repository."""

    def __getattr__(self, name):
        if hidden(name) or name.startswith("__") and name not in ("__all__", "__version__", "__author__"):
            raise AttributeError(name)
        if name == "__all__":
            # A name that hides a builtin would change what the tests themselves do.
            return [name for name in J.names(self) if name not in vars(builtins)]
        return J.ask(["get", vars(self)["_assay"], name])

    def __setattr__(self, name, value):
        if isinstance(value, types.ModuleType) or name.startswith("__"):
            super().__setattr__(name, value)
        else:
            J.ask(["set", vars(self)["_assay"], name, J.pack(value)])

    def __delattr__(self, name):
        J.ask(["delete", vars(self)["_assay"], name])


class Method:
    """A method of an object that the holder has."""

    def __init__(self, number, name):
        self.number, self.__name__ = number, name

    def __call__(self, *arguments, **named):
        return J.ask(["method", self.number, self.__name__, J.pack(arguments), J.pack(named)])


class Meta(type):
    """The type of what stands in for classes."""

    def __new__(cls, name, bases, space):
        raise Broken("a class of the repository cannot have a subclass in the tests")

    def __init__(cls, *_):
        pass

    def __call__(cls, *arguments, **named):
        return J.ask(["call", number_of(cls), J.pack(arguments), J.pack(named)])

    def __getattribute__(cls, name):
        if name.startswith("__") and name.endswith("__") or name in ("mro", "_assay_class", "_assay_about"):
            return type.__getattribute__(cls, name)
        if hidden(name):
            raise AttributeError(name)
        return J.ask(["get", number_of(cls), name])

    def __setattr__(cls, name, value):
        if name.startswith("__"):
            type.__setattr__(cls, name, value)
        else:
            J.ask(["set", number_of(cls), name, J.pack(value)])

    __delattr__ = lambda cls, name: J.ask(["delete", number_of(cls), name])
    __iter__ = lambda cls: J.iterate(cls)
    __len__ = lambda cls: J.unary(cls, "len")
    __getitem__ = lambda cls, key: J.binary(cls, "getitem", key)
    __contains__ = lambda cls, key: J.binary(cls, "contains", key)
    __bool__ = lambda cls: True


class Handle:
    """An object that the holder has. Each of its classes stands in for one of the holder's."""

    def __getattribute__(self, name):
        if name.startswith("__") and name.endswith("__") and name not in FORWARDED:
            return object.__getattribute__(self, name)
        if hidden(name):
            raise AttributeError(name)
        fields = type.__getattribute__(type(self), "_assay_about")["fields"]
        if name in fields:
            return tuple.__getitem__(self, fields.index(name))
        return J.ask(["get", number_of(self), name], number_of(self), name)

    def __setattr__(self, name, value):
        J.ask(["set", number_of(self), name, J.pack(value)])

    def __delattr__(self, name):
        J.ask(["delete", number_of(self), name])

    def __reduce_ex__(self, protocol):
        raise Broken("an object of the repository cannot be pickled or copied by the tests")


def compare(name):
    def compared(self, other):
        about = type.__getattribute__(type(self), "_assay_about")
        if number_of(other) is not None:
            return J.binary(self, name, other)
        if about["value"]:
            # The builtin value in it, by the builtin comparison.
            return getattr(VALUES[about["value"]], "__" + name + "__")(self, other)
        if about["content"] is None or type(other) not in PEERS:
            return NotImplemented
        content = content_of(self)
        return content if content is NotImplemented else COMPARED[name](content, other)

    return compared


def content_of(subject):
    """What takes an object's place in a comparison; `NotImplemented` if what it says is not of its kind: then it equals nothing."""
    plain, made = CONTENTS[type.__getattribute__(type(subject), "_assay_about")["content"]]
    content = J.ask(["content", number_of(subject)])
    if type(content) is not plain:
        return NotImplemented
    return content if plain is made else made(content)


def hash_of_content(subject):
    # Hashes of texts differ from process to process.
    return hash(content_of(subject))


def leave(self, kind, error, trace):
    swallowed = J.ask(["exit", number_of(self), J.pack(error)])
    # What a test asserts is never the submission's to forgive.
    return bool(swallowed) and isinstance(error, Exception) and not isinstance(error, AssertionError)


def specials():
    table = {}
    for name in UNARY:
        table["__" + name + "__"] = lambda self, *_, name=name: J.unary(self, name)
    for name in BINARY:
        table["__" + name.strip("_") + "__"] = lambda self, other, name=name: J.binary(self, name, other)
    for name, plain in REFLECTED.items():
        table["__" + name + "__"] = lambda self, other, name=plain: J.ask(["reflected", number_of(self), name, J.pack(other)])
    for name in COMPARED:
        table["__" + name + "__"] = compare(name)
    table["__iter__"] = lambda self: J.iterate(self)
    table["__setitem__"] = lambda self, key, value: J.ask(["setitem", number_of(self), J.pack(key), J.pack(value)])
    table["__call__"] = lambda self, *arguments, **named: J.ask(["call", number_of(self), J.pack(arguments), J.pack(named)])
    table["__exit__"] = leave
    return table


SPECIALS = specials()


class Judge(Codec):
    def __init__(self, channel, another=None):
        self.channel, self.calls, self.another = channel, 0, another
        # What was sent while the tests were collected, and what there was then: each holder is brought to this state.
        self.sent, self.kept, self.holders, self.is_stale = [], None, 0, False
        self.handles, self.classes, self.back, self.back_numbers, self.pending = {}, {}, [], {}, None

    def keep(self):
        """The tests are collected: from now on, nothing that is asked is asked again."""
        modules = {name: dict(vars(module)) for name, module in sys.modules.items() if type(module) is ModuleProxy}
        self.kept = dict(self.handles), dict(self.classes), modules

    def test_begins(self):
        if self.kept is None:
            self.keep()
        # Before an import can be under way.
        modules = self.kept[2]
        for name, module in list(sys.modules.items()):
            if type(module) is ModuleProxy and name not in modules:
                del sys.modules[name]
            elif type(module) is ModuleProxy:
                for key in set(vars(module)) - set(modules[name]):
                    del vars(module)[key]
                vars(module).update(modules[name])
        # A test that asks nothing needs no holder.
        self.is_stale = True

    def renew(self):
        """Takes another holder, which knows what was asked while the tests were collected and nothing of any test."""
        self.is_stale, self.pending = False, None
        self.holders += 1
        handles, classes, _ = self.kept
        self.handles, self.classes = dict(handles), dict(classes)
        self.channel.connection.close()
        try:
            self.channel = self.another()
        except (OSError, ValueError, TypeError, struct.error) as error:
            self.channel.fail("there is no other holder: " + repr(error)[:200])
        # One frame comes for each, whatever the submission does; the answers are known.
        for message in self.sent + [["begin", self.holders * NUMBERS_APART]]:
            self.channel.send(message)
            self.channel.receive()

    def send(self, message):
        if self.kept is None:
            self.sent.append(message)
        self.channel.send(message)

    def ask(self, message, subject=None, name=None):
        """Asks the holder, and serves what the submission asks of the tests meanwhile."""
        if self.is_stale:
            self.renew()
        self.calls += 1
        if self.calls > CALLS_MAX:
            self.channel.fail("too many calls")
        self.send(message)
        while True:
            answer = self.channel.receive()
            if len(answer) == 2 and answer[0] in ("ok", "raise", "no"):
                break
            self.serve(answer)
        if self.pending is not None:
            pending, self.pending = self.pending, None
            raise pending
        if answer[0] == "ok":
            return Method(subject, name) if answer[1] == ["M"] and name is not None else self.unpack(answer[1])
        if answer[0] == "no":
            raise Broken("the holder cannot: " + str(answer[1])[:300])
        error = self.unpack(answer[1])
        if not isinstance(error, BaseException):
            self.fail("what was raised is not an exception")
        raise error

    def fail(self, why):
        if why.startswith("a value") or why.startswith("what was"):
            self.channel.fail(why)
        raise Broken(why)

    def serve(self, message):
        try:
            if message[0] == "call_back" and len(message) == 4 and callable(self.back[message[1]]):
                arguments, named = self.unpack(message[2]), self.unpack(message[3])
                answer = ["ok", self.pack(self.back[message[1]](*arguments, **named))]
            elif message[0] == "get_back" and len(message) == 3 and not message[2].startswith("_"):
                subject = self.back[message[1]]
                if isinstance(subject, (types.FunctionType, types.ModuleType, type)):
                    raise AttributeError(message[2])
                answer = ["ok", self.pack(getattr(subject, message[2]))]
            else:
                self.channel.fail("a message has no form")
        except Broken:
            raise
        except BaseException as error:
            if not isinstance(error, Exception) or isinstance(error, AssertionError):
                self.pending = error
            answer = ["raise", self.pack(error)]
        self.send(answer)

    def unary(self, subject, name):
        return self.checked(name, self.ask(["unary", number_of(subject), name]))

    def binary(self, subject, name, other):
        return self.checked(name, self.ask(["binary", number_of(subject), name, self.pack(other)]))

    def checked(self, name, result):
        wanted = RESULTS.get(name)
        if wanted is not None and type(result) is not wanted:
            self.channel.fail("what " + name + " gave is not a " + wanted.__name__)
        return result

    def iterate(self, subject):
        found = self.ask(["unary", number_of(subject), "iter"])
        return iter(found) if type(found) is list else found

    def names(self, module):
        try:
            found = self.ask(["get", vars(module)["_assay"], "__all__"])
        except AttributeError:
            found = [name for name in self.ask(["unary", vars(module)["_assay"], "dir"]) if not name.startswith("_")]
        return [name for name in found if type(name) is str]

    def other(self, value, depth):
        number = number_of(value)
        if number is not None:
            return ["h", number]
        if type(value) is Method:
            return ["M", value.number, value.__name__]
        name, module = getattr(value, "__qualname__", None), getattr(value, "__module__", None)
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)) and str(module).split(".")[0] in STANDARD | {"builtins"}:
            return ["g", module, name]
        if isinstance(value, BaseException):
            builtin = next(base for base in type(value).__mro__ if base.__module__ == "builtins")
            arguments = [self.pack(argument, depth) for argument in value.args if type(argument) in (str, int, float, bool, bytes)]
            return ["e", self.back_number(value), builtin.__name__, arguments]
        if isinstance(value, ITERATORS) or isinstance(value, VIEWS):
            items = list(itertools.islice(value, ITEMS_MAX + 1))
            if len(items) <= ITEMS_MAX:
                return ["l" if isinstance(value, VIEWS) else "I"] + [self.pack(item, depth) for item in items]
        if callable(value) or type(value).__module__.split(".")[0] not in STANDARD | {"builtins", "_pytest", "pytest"}:
            about = {key: str(getattr(value, key)) for key in ("__name__", "__doc__", "__qualname__") if isinstance(getattr(value, key, None), str)}
            return ["j", self.back_number(value), about]
        raise Broken("what the tests pass cannot cross: " + type(value).__name__)

    def back_number(self, value):
        if id(value) not in self.back_numbers:
            self.back_numbers[id(value)] = len(self.back)
            self.back.append(value)
        return self.back_numbers[id(value)]

    def reference(self, tag, data, depth):
        try:
            if tag in ("T", "B", "k"):
                return self.about(data, depth)
            if tag in ("j", "je"):
                return self.back[data[1]]
            if tag == "m":
                return self.module(data[1], data[2])
            if tag == "h":
                return self.handle(data[1], self.about(data[2], depth), data[3], depth)
            if tag == "e":
                return self.error(data[1], self.about(data[2], depth), data[3], data[4], data[5], depth)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            self.fail("a value has no form: " + repr(error)[:200])
        self.fail("a value has no form")

    def module(self, number, name):
        found = sys.modules.get(name)
        if type(found) is ModuleProxy and vars(found).get("_assay") == number:
            return found
        made = ModuleProxy(str(name))
        vars(made)["_assay"] = int(number)
        return made

    def handle(self, number, kind, content, depth):
        if number not in self.handles:
            value = type.__getattribute__(kind, "_assay_about")["value"]
            made = self.with_value(kind, VALUES[value], self.unpack(content, depth)) if value else object.__new__(kind)
            object.__setattr__(made, "_assay", int(number))
            if value:
                return made
            self.handles[number] = made
        return self.handles[number]

    def with_value(self, kind, base, content):
        if base not in (datetime.datetime, datetime.date, datetime.time):
            return base.__new__(kind, content)
        if type(content) is not base:
            self.fail("a value has no form: a date that is none")
        parts = PARTS[base](content)
        return base.__new__(kind, *parts[:-1], fold=parts[-1]) if base in FOLDED else base.__new__(kind, *parts)

    def error(self, number, kind, text, arguments, known, depth):
        if number in self.handles:
            return self.handles[number]
        arguments = [self.unpack(argument, depth) for argument in arguments]
        known = {str(name): self.unpack(value, depth) for name, value in known.items()}
        is_ours = isinstance(kind, Meta)
        try:
            made = kind.__new__(kind, *arguments) if is_ours else kind(*arguments)
        except Exception:
            made = kind.__new__(kind)
        made.args = tuple(arguments)
        if is_ours:
            vars(made).update(_assay=int(number), _assay_text=str(text))
            self.handles[number] = made
        else:
            vars(made).update(known)
        return made

    def about(self, data, depth):
        """The class that stands in for one of the holder's, made where it is described."""
        if data[0] == "T":
            return TYPES_BY_NAME[data[1]]
        if data[0] == "B":
            kind = vars(builtins)[data[1]]
            if not (isinstance(kind, type) and issubclass(kind, BaseException)):
                self.fail("a value has no form")
            return kind
        if data[1] not in self.classes:
            self.classes[int(data[1])] = self.stand_in(data, depth)
        return self.classes[data[1]]

    def stand_in(self, data, depth):
        _, number, name, module, bases, special, fields, value, eq, unhashable, is_function = data
        if depth > DEPTH_MAX:
            self.fail("a value is too deep")
        standard = sys.modules.get(module) if module.split(".")[0] in STANDARD else None
        found = getattr(standard, name, None)
        if isinstance(found, type) and issubclass(found, Exception) and type(found) is type:
            return found
        bases = [self.about(base, depth + 1) for base in bases]
        inherited = [vars(base)["_assay_about"]["content"] if isinstance(base, Meta) else base.__name__ for base in bases]
        content = next((key for key in [(module, name)] + inherited if key in CONTENTS), None)
        about = {"value": value, "fields": fields, "content": content}
        bases = [base for base in bases if isinstance(base, Meta) or issubclass(base, BaseException) or base in VALUES.values()]
        is_error = any(issubclass(base, BaseException) for base in bases)
        space = {"_assay_class": int(number), "_assay_about": about, "__module__": module}
        if is_error:
            space["__str__"] = lambda self: vars(self)["_assay_text"]
            space["__getattr__"] = lambda self, key: J.ask(["get", number_of(self), key], number_of(self), key) if not key.startswith("__") else missing(key)
        else:
            space.update({key: SPECIALS[key] for key in special if key in SPECIALS})
            if value and not eq:
                space = {key: what for key, what in space.items() if key not in ("__eq__", "__ne__")}
            elif not value:
                space.update({key: SPECIALS[key] for key in ("__eq__", "__ne__", "__str__", "__repr__")})
                is_plain = content is not None and CONTENTS[content][1].__hash__ is not None
                space["__hash__"] = None if unhashable else hash_of_content if is_plain else SPECIALS["__hash__"]
            if is_function:
                space["__get__"] = lambda self, owner, kind=None: self if owner is None else types.MethodType(self, owner)
            if not any(isinstance(base, Meta) and issubclass(base, Handle) for base in bases):
                bases = [Handle] + bases
        return type.__new__(Meta, str(name), tuple(bases), space)


def missing(name):
    raise AttributeError(name)
