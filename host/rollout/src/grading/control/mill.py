# Finds what can be made wrong in tests: prints, for each test that ASKED names, one line of JSON with the edits of its file after which it expects something
# else. Runs in a container of its own, over the right fix, before any submission is seen. ASKED stands above: `tests` maps a
# file to the names of its tests, and each of them to what stands in brackets in those of its ids that only the fix makes pass.
#
# An edit touches what a test expects and leaves what it does: whatever gives the right answer, in whichever way, must fail afterwards. It is made where the
# expected value comes from, if that can be found: in the row of a table, in the assignment of a name. Whoever looks the value up there finds the wrong one too.
# Places are in bytes. `rank` 0 is an expected value at its origin, 1 another form of it or another comparison, 2 what people seldom write.
import ast
import json
import random

PLACES_MAX = 200
EDITS_MAX = 4
DEPTH_MAX = 3
FLIPPED = {
    ast.Eq: ("==", "!=", 2), ast.NotEq: ("!=", "==", 1), ast.Lt: ("<", ">=", 1), ast.GtE: (">=", "<", 1), ast.Gt: (">", "<=", 1),
    ast.LtE: ("<=", ">", 1), ast.In: ("in", "not in", 1), ast.NotIn: ("not in", "in", 1), ast.Is: ("is", "is not", 1), ast.IsNot: ("is not", "is", 1),
}
RENAMED = {"assertTrue": "assertFalse", "assertIn": "assertNotIn", "assertIs": "assertIsNot", "assertIsNone": "assertIsNotNone"}
RENAMED.update({new: old for old, new in RENAMED.items()})
FORMS = {"list", "tuple", "set", "frozenset", "dict", "sorted", "reversed", "str", "int", "float", "bytes", "repr", "len", "range"}
EXCEPTIONS = ["KeyError", "ValueError", "TypeError", "IndexError"]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def name_of(function):
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def loads(node):
    return [part for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)]


def assigned(body):
    """What each name is assigned, where that happens once and alone; `None` for any other binding."""
    found = {}
    for node in body:
        for part in ast.walk(node):
            if isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], ast.Name):
                name = part.targets[0].id
                found[name] = None if name in found else part.value
    bound = [part.id for node in body for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)]
    return {name: value for name, value in found.items() if value is not None and bound.count(name) == 1}


class File:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.tree = ast.parse(self.bytes.decode("utf-8"))
        self.lines = [0]
        for line in self.bytes.split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)
        self.globals = assigned([node for node in self.tree.body if not isinstance(node, FUNCTIONS + (ast.ClassDef,))])
        self.tests = {name: (node, classes) for name, node, classes in functions(self.tree.body, "", ())}
        self.bases = {node.name: [base.id for base in node.bases if isinstance(base, ast.Name)] for node in self.tree.body if isinstance(node, ast.ClassDef)}
        self.names = {name: {part.id for part in loads(node)} for name, (node, _) in self.tests.items()}

    def defined(self, name, depth=0):
        """Where a test is defined: a class may have it from another one."""
        if name in self.tests or depth > DEPTH_MAX:
            return name if name in self.tests else None
        kind, _, method = name.rpartition("::")
        found = [self.defined(f"{base}::{method}", depth + 1) for base in self.bases.get(kind, [])]
        return next((name for name in found if name is not None), None)

    def reached(self, name):
        """The tests that are this one: itself, and those of classes that have it from here."""
        method = name.rpartition("::")[2]
        heirs = [f"{kind}::{method}" for kind in self.bases if "::" in name]
        return sorted({name} | {heir for heir in heirs if self.defined(heir) == name})

    def start(self, node):
        return self.lines[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.lines[node.end_lineno - 1] + node.end_col_offset

    def text(self, node):
        return self.bytes[self.start(node) : self.end(node)].decode("utf-8")


def functions(body, prefix, classes):
    for node in body:
        if isinstance(node, FUNCTIONS) and node.name.startswith("test"):
            yield prefix + node.name, node, classes
        elif isinstance(node, ast.ClassDef):
            yield from functions(node.body, f"{prefix}{node.name}::", classes + (node,))


class Mill:
    """The edits of one test. Each belongs to a place: an assertion, or a row of a table."""

    def __init__(self, file, name, mended):
        self.file, self.name, self.mended, self.bites = file, name, mended, False
        self.function, self.classes = file.tests[name]
        self.locals = assigned(self.function.body)
        self.edits, self.seen = [], set()
        self.own = file.reached(name)
        self.at, self.lines, self.touches = 0, (0, 0), self.own

    def all(self, chance):
        checks = list(self.checks())
        expected = [part for check, _ in checks for node in check.expected for part in loads(node)]
        used = loads(ast.Module(self.function.body, []))
        # A name that the test uses for something else as well is no place to change what it expects.
        self.free = {name.id for name in expected} - {name.id for name in used if all(name is not other for other in expected)}
        for check, statement in checks:
            self.at, self.lines, self.touches = self.file.start(statement), (statement.lineno, statement.end_lineno), self.own
            self.statement = statement
            check.make(self)
        places = sorted({edit["place"] for edit in self.edits})
        kept = set(chance.sample(places, min(len(places), PLACES_MAX))) | {edit["place"] for edit in self.edits if edit["bites"]}
        counts, found = {}, []
        for edit in sorted(self.edits, key=lambda edit: edit["rank"]):
            counts[edit["place"]] = counts.get(edit["place"], 0) + 1
            if edit["place"] in kept and counts[edit["place"]] <= EDITS_MAX * (1 + edit["rank"]):
                found.append(edit)
        return found

    def checks(self):
        for node in ast.walk(self.function):
            if isinstance(node, ast.Assert):
                yield from ((check, node) for check in self.asserted(node.test))
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                yield from ((check, node) for check in self.called(node.value))
            elif isinstance(node, (ast.With, ast.AsyncWith)):
                yield from ((Raised(item.context_expr), item.context_expr) for item in node.items)

    def asserted(self, node):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            for part in node.values:
                yield from self.asserted(part)
        elif isinstance(node, ast.Compare):
            left = node.left
            for operator, right in zip(node.ops, node.comparators):
                yield Compared(left, operator, right, self.expected_of(left, right) if isinstance(operator, ast.Eq) else [])
                left = right
        else:
            yield Held(node)

    def called(self, node):
        """An assertion that is a call, as unittest and numpy have them."""
        name = name_of(node.func)
        if name.lower().startswith("assert"):
            is_equal = "equal" in name.lower() or "close" in name.lower()
            yield Called(node.func, name, self.expected_of(*node.args[:2]) if is_equal and len(node.args) > 1 else [])

    def expected_of(self, left, right):
        return [left if self.computes(right) and not self.computes(left) else right]

    def computes(self, node, depth=0):
        """Whether a value comes from what is tested: from a call, but for those that only put the test's own values into another form."""
        if isinstance(node, ast.Call):
            own = isinstance(node.func, ast.Attribute) and self.is_own(node.func.value, depth)
            parts = node.args + [part.value for part in node.keywords]
            return not (own or name_of(node.func) in FORMS and isinstance(node.func, ast.Name)) or any(self.computes(part, depth) for part in parts)
        if isinstance(node, ast.Name):
            return node.id in self.locals and depth < DEPTH_MAX and self.computes(self.locals[node.id], depth + 1)
        return any(self.computes(part, depth) for part in ast.iter_child_nodes(node))

    def is_own(self, node, depth):
        """Whether a value is the test's: written in it, or in its parameters."""
        if isinstance(node, ast.Name):
            is_known = node.id in self.locals or node.id in self.file.globals or any(True for _ in self.tables(node.id))
            return is_known and not self.computes(node, depth + 1)
        return isinstance(node, (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Call)) and not self.computes(node, depth + 1)

    def put(self, start, end, text, rank, raises=False):
        key = (start, end, text)
        if key not in self.seen:
            self.seen.add(key)
            self.edits.append({
                "start": start, "end": end, "text": text, "rank": rank, "raises": raises,
                "place": self.at, "lines": self.lines, "touches": self.touches, "bites": self.bites,
            })

    def replace(self, node, text, rank, raises=False):
        self.put(self.file.start(node), self.file.end(node), text, rank, raises)

    def value(self, node, depth=0):
        """What is expected becomes something else."""
        inside_of_format = {id(part) for joined in ast.walk(node) if isinstance(joined, ast.JoinedStr) for part in ast.walk(joined)}
        for part in ast.walk(node):
            if id(part) in inside_of_format:
                continue
            if isinstance(part, ast.Constant):
                self.constant(part)
            elif isinstance(part, (ast.List, ast.Tuple)) and isinstance(part.ctx, ast.Load):
                self.sequence(part)
            elif isinstance(part, ast.Name) and depth < DEPTH_MAX:
                self.origin(part.id, depth + 1)
        if depth == 0 and isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            text = self.file.text(node)
            for other, rank in [(f"{text}[1:]", 1), (f"{text} + {text}[:1]", 1), (f"{text} + 1", 1), (f"[{text}]", 2)]:
                if isinstance(node, ast.Name) and rank == 1:
                    # The name itself is another value from here on, for whoever looks it up.
                    at = self.file.start(self.statement)
                    self.put(at, at, f"{node.id} = {other}; ", 1)
                self.replace(node, other, 2 if isinstance(node, ast.Name) else rank)

    def origin(self, name, depth):
        """Changes the value of a name where it comes from: a table of parameters, a loop over one, an assignment."""
        if name not in self.free:
            return
        was = self.at, self.lines, self.touches
        for index, rows, touches in self.tables(name):
            for number, row in enumerate(rows):
                cell = self.cell(row, index)
                if cell is not None and not self.computes(cell):
                    self.at, self.lines, self.touches = self.file.start(row), (0, 0), touches
                    self.bites = any(self.is_called(row, number, name) for name in self.mended)
                    self.value(cell, depth)
        self.at, self.lines, self.touches, self.bites = was + (False,)
        if name in self.locals:
            if not self.computes(self.locals[name]):
                self.value(self.locals[name], depth)
        elif name in self.file.globals and not self.computes(self.file.globals[name]):
            self.touches = self.users(name)
            self.value(self.file.globals[name], depth)
        self.touches = was[2]

    def users(self, name):
        users = [test for test, names in self.file.names.items() if name in names]
        return sorted({heir for test in [self.name] + users for heir in self.file.reached(test)})

    def tables(self, name):
        """Tables whose rows hold the name: which column, the rows, the tests that read them."""
        decorators = [part for owner in (self.function,) + self.classes for part in owner.decorator_list]
        for call in decorators:
            if isinstance(call, ast.Call) and name_of(call.func) == "parametrize" and len(call.args) > 1:
                columns = columns_of(call.args[0])
                if name in columns:
                    yield from self.table(call.args[1], columns.index(name) if len(columns) > 1 else None, call not in self.function.decorator_list)
        for loop in ast.walk(self.function):
            if isinstance(loop, ast.For):
                columns = [getattr(part, "id", None) for part in getattr(loop.target, "elts", [loop.target])]
                if name in columns:
                    yield from self.table(loop.iter, columns.index(name) if hasattr(loop.target, "elts") else None, False)

    def table(self, node, index, of_class):
        touches = self.own
        if of_class:
            prefix = self.name.rpartition("::")[0] + "::"
            touches = sorted({heir for test in self.file.tests if test.startswith(prefix) for heir in self.file.reached(test)})
        if isinstance(node, ast.Name):
            touches = sorted({*touches, *self.users(node.id)})
            node = self.locals.get(node.id) or self.file.globals.get(node.id)
        if isinstance(node, (ast.List, ast.Tuple)):
            yield index, node.elts, touches

    def is_called(self, row, number, name):
        """Whether pytest gives a row this name, as far as constants tell; some names are cut at their first space."""
        if isinstance(row, ast.Call):
            given = [part.value.value for part in row.keywords if part.arg == "id" and isinstance(part.value, ast.Constant)]
            cells = row.args
        else:
            given, cells = [], getattr(row, "elts", [row])
        words = [str(cell.value) if isinstance(cell, ast.Constant) else None for cell in cells]
        parts = name.split("-")
        if given or None not in words:
            whole = str((given or ["-".join(map(str, words))])[0])
            return whole == name or whole.split(" ")[0] == name
        return len(parts) == len(words) and all(word == part if word is not None else part.endswith(str(number)) for word, part in zip(words, parts))

    @staticmethod
    def cell(row, index):
        if isinstance(row, ast.Call) and name_of(row.func) == "param":
            return row.args[index or 0] if len(row.args) > (index or 0) else None
        if index is None:
            return row
        return row.elts[index] if isinstance(row, (ast.List, ast.Tuple)) and len(row.elts) > index else None

    def constant(self, node):
        text, value = self.file.text(node), node.value
        if value is True or value is False:
            self.replace(node, str(not value), 0)
        elif isinstance(value, int) and text.isdigit():
            for other in [value + 1, value - 1 if value > 0 else value + 2, value + 10]:
                self.replace(node, str(other), 0)
        elif isinstance(value, float):
            self.replace(node, repr(value + 0.5), 0)
        elif isinstance(value, (str, bytes)):
            for other in other_strings(text, value):
                self.replace(node, other, 0)

    def sequence(self, node):
        if not node.elts or any(isinstance(item, ast.Starred) for item in node.elts):
            if self.file.text(node) == "[]":
                self.replace(node, "[0]", 1)
            return
        last = node.elts[-1]
        self.put(self.file.end(last), self.file.end(last), ", " + self.file.text(last), 1)
        if len(node.elts) > 2 or isinstance(node, ast.List) and len(node.elts) > 1:
            self.put(self.file.end(node.elts[-2]), self.file.end(last), "", 1)


class Compared:
    def __init__(self, left, operator, right, expected):
        self.left, self.operator, self.right, self.expected = left, operator, right, expected

    def make(self, mill):
        old, new, rank = FLIPPED[type(self.operator)]
        start, end = mill.file.end(self.left), mill.file.start(self.right)
        between = mill.file.bytes[start:end]
        at = between.find(old.encode())
        if at >= 0 and between.count(old.encode()) == 1 and b"#" not in between:
            mill.put(start + at, start + at + len(old), new, rank)
        for node in self.expected:
            mill.value(node)


class Held:
    """What is asserted becomes something that does not hold."""

    expected = ()

    def __init__(self, node):
        self.node = node

    def make(self, mill):
        at = mill.file.start(self.node)
        if isinstance(self.node, ast.UnaryOp) and isinstance(self.node.op, ast.Not):
            mill.put(at, mill.file.start(self.node.operand), "", 2)
        elif isinstance(self.node, (ast.Call, ast.Name, ast.Attribute, ast.Subscript)):
            mill.put(at, at, "not ", 2)


class Called:
    def __init__(self, function, name, expected):
        self.function, self.name, self.expected = function, name, expected

    def make(self, mill):
        if self.name in RENAMED:
            end = mill.file.end(self.function)
            mill.put(end - len(self.name), end, RENAMED[self.name], 1)
        for node in self.expected:
            mill.value(node)


class Raised:
    """Another exception is expected."""

    expected = ()

    def __init__(self, node):
        self.node = node

    def make(self, mill):
        arguments = getattr(self.node, "args", [])
        if name_of(getattr(self.node, "func", None)) in ("raises", "assertRaises") and arguments and isinstance(arguments[0], (ast.Name, ast.Attribute)):
            for other in EXCEPTIONS:
                if other != mill.file.text(arguments[0]):
                    mill.replace(arguments[0], other, 1, raises=True)


def columns_of(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [part.strip() for part in node.value.split(",") if part.strip()]
    return [getattr(part, "value", None) for part in getattr(node, "elts", [])]


def other_strings(text, value):
    """Literals of the same form with other values."""
    quote = max(text.find("'"), text.find('"')) if "'" not in text or '"' not in text else min(text.find("'"), text.find('"'))
    if quote < 0 or text[quote:].startswith(('"""', "'''")) or text.count(text[quote]) != 2:
        return
    head, inner, tail = text[: quote + 1], text[quote + 1 : -1], text[-1]
    tried = []
    for at in range(len(inner) - 1, -1, -1):
        letter = inner[at]
        if letter.isascii() and letter.isalnum() and (at == 0 or inner[at - 1] != "\\"):
            following = {"z": "a", "Z": "A", "9": "0"}.get(letter) or chr(ord(letter) + 1)
            tried.append(inner[:at] + following + inner[at + 1 :])
    tried = tried[:2] or ([inner + inner[-1]] if inner else ["a"])
    for other in tried:
        try:
            if ast.literal_eval(head + other + tail) != value:
                yield head + other + tail
        except (ValueError, SyntaxError):
            continue


for path, names in ASKED["tests"].items():
    try:
        file = File(path)
    except (OSError, SyntaxError, ValueError, RecursionError):
        continue
    done = set()
    for asked, mended in names.items():
        name = file.defined(asked)
        if name is not None and name not in done:
            done.add(name)
            chance = random.Random(ASKED["seed"] + path + name)
            node = file.tests[name][0]
            first = min([node] + node.decorator_list, key=lambda part: part.lineno)
            try:
                edits = Mill(file, name, mended).all(chance)
            except RecursionError:
                # One test that is nested too deeply is no reason to lose the others.
                continue
            test = {"path": path, "name": asked, "start": file.lines[first.lineno - 1], "end": file.end(node), "edits": edits}
            print("assay-mill " + json.dumps(test))
