# Holders that say anything at all. Each must leave the judge with `Broken`, or with a plain failure, soon and in little memory.
import json
import resource
import socket
import struct
import threading
import time

import judge


def frame(text):
    body = text if isinstance(text, bytes) else text.encode()
    return struct.pack(">I", len(body)) + body


def nested(depth):
    return '["ok",' + '["l",' * depth + "1" + "]" * depth + "]"


def described(**changes):
    about = dict(number=1, name="C", module="m", bases=[], special=[], fields=[], value=None, eq=False, unhashable=False, function=False)
    about.update(changes)
    return ["k"] + list(about.values())


def thing(content=None, **changes):
    return json.dumps(["ok", ["h", 7, described(**changes), content, content is not None]])


BREAKS = {
    "silent": b"",
    "closes": None,
    "a length and nothing": struct.pack(">I", 100),
    "a frame of 4 GiB": b"\xff\xff\xff\xff" + b"x" * 1000,
    "no JSON": frame("{{{"),
    "no text": frame(b"\xff\xfe\x00"),
    "deep JSON": frame("[" * 100_000),
    "a deep value": frame(nested(5_000)),
    "a value a little too deep": frame(nested(80)),
    "no form": frame('{"a": 1}'),
    "an unknown tag": frame('["ok", ["zz", 1]]'),
    "an unknown act": frame('["system", "id"]'),
    "a type that is none": frame('["ok", ["T", "system"]]'),
    "an exception that is none": frame('["raise", ["e", 1, ["B", "eval"], "", [], {}]]'),
    "a raised number": frame('["raise", 1]'),
    "a call of nothing": frame('["call_back", 5, ["t"], ["d"]]'),
    "a call of a text": frame('["call_back", "0", ["t"], ["d"]]'),
    "a private attribute": frame('["get_back", 0, "__globals__"]'),
    "a class of builtins": frame(thing(bases=[["B", "eval"]])),
    "a class with a base that is no class": frame(thing(bases=["x"])),
    "a class with bases that do not fit": frame(thing(content=["t"], value="tuple", bases=[["T", "int"], ["T", "tuple"], ["T", "str"]])),
    "a description that is short": frame('["ok", ["h", 7, ["k", 1, "C"], null, false]]'),
    "a huge number": frame('["ok", ["i", "%s"]]' % ("f" * 10 + "x")),
    "a set of what has no hash": frame('["ok", ["s", ["l", 1]]]'),
    "a range of no numbers": frame('["ok", ["x", "range", "a", 1, 1]]'),
    "an endless description": frame(json.dumps(["ok", ["h", 7, described(bases=[described(number=n) for n in range(2, 4)] * 2)]])),
}


def against(reply, ask):
    ours, theirs = socket.socketpair()
    judge.J = judge.Judge(judge.Channel(ours, 2))
    judge.J.back.append(print)

    def hold():
        try:
            theirs.recv(1 << 16)
            if reply is None:
                theirs.close()
            else:
                theirs.sendall(reply)
                theirs.recv(1 << 16)
        except OSError:
            pass

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    try:
        return ask()
    finally:
        ours.close()
        thread.join(5)
        theirs.close()


def question():
    return judge.J.ask(["get", 0, "name"])


resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
for name, reply in BREAKS.items():
    begun = time.monotonic()
    try:
        found = against(reply, question)
    except judge.Broken:
        pass
    else:
        raise SystemExit("%s: %r came through" % (name, found))
    assert time.monotonic() - begun < 6, name

# What holds no matter what an object says of itself.
plain = against(frame(thing()), question)
assert plain != 7 and not plain == 7 and not 7 == plain and plain != "C" and not [plain] == [7]
value = against(frame(thing(content=["t", 1, 2], value="tuple", bases=[["T", "tuple"]], special=["__eq__", "__hash__"], eq=True)), question)
assert value == (1, 2) and not value == (1, 3) and value != (1, 3) and not (1, 3) == value and not value != (1, 2)
# What takes an object's place in a comparison is of its kind, or it equals nothing.
def compared(module, name, content, other, **more):
    found = against(frame(thing(module=module, name=name, **more)), question)
    return against(frame(json.dumps(["ok", content])), lambda: found == other)


LIST = ["l", 1, 2]
assert compared("collections", "UserList", LIST, [1, 2]) and not compared("collections", "UserList", LIST, [1, 3])
assert compared("m", "C", LIST, [1, 2], bases=[["T", "list"]]) and compared("m", "C", ["l"], [], bases=[described(module="collections", name="UserList")])
assert compared("collections", "UserString", "a", "a") and compared("collections", "ChainMap", ["d", ["a", 1]], {"a": 1})
assert compared("collections", "deque", LIST, judge.collections.deque([1, 2])) and not compared("collections", "deque", LIST, [1, 2])
for module, name, content, other in [
    ("m", "UserList", LIST, [1, 2]), ("collections", "list", LIST, [1, 2]), ("builtins", "deque", LIST, judge.collections.deque([1, 2])),
    ("collections", "UserList", ["t", 1, 2], (1, 2)), ("collections", "UserList", ["h", 7, described(), None, False], [1, 2]),
    ("collections", "UserList", ["n", "NotImplemented"], [1, 2]), ("collections", "UserDict", LIST, [1, 2]), ("collections", "UserString", LIST, [1, 2]),
    ("collections", "UserList", True, True),
]:
    assert compared(module, name, content, other) is False, (module, name, content)
for name, reply in [("len", ["ok", "7"]), ("str", ["ok", 7]), ("hash", ["ok", 1.5]), ("contains", ["ok", 1]), ("bool", ["ok", "yes"])]:
    try:
        against(frame(json.dumps(reply)), lambda: judge.J.binary(plain, name, 1) if name == "contains" else judge.J.unary(plain, name))
    except judge.Broken:
        continue
    raise SystemExit(name + " came through")
# What a test asserts is not the submission's to forgive.
error = AssertionError("1 == 2")
manager = against(frame(thing(special=["__enter__", "__exit__"])), question)
assert against(frame('["ok", true]'), lambda: type(manager).__exit__(manager, AssertionError, error, None)) is False
print("all held")
