# Finds what can be made wrong in tests: prints, for each file named as an argument, one line of JSON with its tests and, for each test, edits of its
# source after which it expects something else. Runs in a container of its own, over the right fix, before any submission is seen.
#
# An edit touches what a test expects and leaves what it does: whatever gives the right answer, in whichever way, must fail afterwards. Places
# are in bytes. `rank` 0 is an expected value, 1 another form of it or another comparison, 2 what people seldom write.
import ast
import json
import sys

EDITS_MAX = 24
FLIPPED = {
    ast.Eq: ("==", "!=", 2), ast.NotEq: ("!=", "==", 1), ast.Lt: ("<", ">=", 1), ast.GtE: (">=", "<", 1), ast.Gt: (">", "<=", 1),
    ast.LtE: ("<=", ">", 1), ast.In: ("in", "not in", 1), ast.NotIn: ("not in", "in", 1), ast.Is: ("is", "is not", 1), ast.IsNot: ("is not", "is", 1),
}
RENAMED = {"assertTrue": "assertFalse", "assertIn": "assertNotIn", "assertIs": "assertIsNot", "assertIsNone": "assertIsNotNone"}
RENAMED.update({new: old for old, new in RENAMED.items()})
EXCEPTIONS = ["KeyError", "ValueError", "TypeError", "IndexError"]


class File:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.tree = ast.parse(self.bytes.decode("utf-8"))
        self.lines = [0]
        for line in self.bytes.split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)

    def start(self, node):
        return self.lines[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.lines[node.end_lineno - 1] + node.end_col_offset

    def text(self, node):
        return self.bytes[self.start(node) : self.end(node)].decode("utf-8")


class Mill:
    """The edits of one test."""

    def __init__(self, file):
        self.file = file
        self.edits = []

    def put(self, start, end, text, rank, raises=False):
        self.edits.append({"start": start, "end": end, "text": text, "rank": rank, "raises": raises})

    def replace(self, node, text, rank, raises=False):
        self.put(self.file.start(node), self.file.end(node), text, rank, raises)

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

    def value(self, node):
        """What is expected becomes something else."""
        inside_of_format = {id(part) for joined in ast.walk(node) if isinstance(joined, ast.JoinedStr) for part in ast.walk(joined)}
        for part in ast.walk(node):
            if id(part) in inside_of_format:
                continue
            if isinstance(part, ast.Constant):
                self.constant(part)
            elif isinstance(part, (ast.List, ast.Tuple)) and isinstance(part.ctx, ast.Load):
                self.sequence(part)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            text = self.file.text(node)
            for other, rank in [(f"{text}[1:]", 1), (f"{text} + {text}[:1]", 1), (f"{text} + 1", 1), (f"[{text}]", 2)]:
                self.replace(node, other, rank)

    def sequence(self, node):
        if not node.elts or any(isinstance(item, ast.Starred) for item in node.elts):
            if self.file.text(node) == "[]":
                self.replace(node, "[0]", 1)
            return
        last = node.elts[-1]
        self.put(self.file.end(last), self.file.end(last), ", " + self.file.text(last), 1)
        if len(node.elts) > 2 or isinstance(node, ast.List) and len(node.elts) > 1:
            self.put(self.file.end(node.elts[-2]), self.file.end(last), "", 1)

    def compared(self, left, operator, right):
        old, new, rank = FLIPPED[type(operator)]
        start, end = self.file.end(left), self.file.start(right)
        between = self.file.bytes[start:end]
        at = between.find(old.encode())
        if at >= 0 and between.count(old.encode()) == 1 and b"#" not in between:
            self.put(start + at, start + at + len(old), new, rank)
        if isinstance(operator, ast.Eq):
            calls = lambda node: any(isinstance(part, ast.Call) for part in ast.walk(node))
            self.value(left if calls(right) and not calls(left) else right)

    def holds(self, node):
        """What is asserted becomes something that does not hold."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            for part in node.values:
                self.holds(part)
        elif isinstance(node, ast.Compare):
            left = node.left
            for operator, right in zip(node.ops, node.comparators):
                self.compared(left, operator, right)
                left = right
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.put(self.file.start(node), self.file.start(node.operand), "", 2)
        elif isinstance(node, (ast.Call, ast.Name, ast.Attribute, ast.Subscript)):
            self.put(self.file.start(node), self.file.start(node), "not ", 2)

    def called(self, node):
        """An assertion that is a call, as unittest and numpy have them."""
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if not name.lower().startswith("assert"):
            return
        if name in RENAMED:
            end = self.file.end(function)
            self.put(end - len(name), end, RENAMED[name], 1)
        elif "equal" in name.lower() or "close" in name.lower():
            for argument in node.args[1:2]:
                self.value(argument)

    def raised(self, node):
        """Another exception is expected."""
        function = getattr(node, "func", None)
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in ("raises", "assertRaises") and node.args and isinstance(node.args[0], (ast.Name, ast.Attribute)):
            for other in EXCEPTIONS:
                if other != self.file.text(node.args[0]):
                    self.replace(node.args[0], other, 1, raises=True)

    def all(self, function):
        for node in ast.walk(function):
            if isinstance(node, ast.Assert):
                self.holds(node.test)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                self.called(node.value)
            elif isinstance(node, (ast.With, ast.AsyncWith)):
                for item in node.items:
                    self.raised(item.context_expr)
        kept = [edit for rank in range(3) for edit in self.edits if edit["rank"] == rank]
        return kept[:EDITS_MAX]


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


def tests_of(file):
    def functions(body, prefix):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
                yield prefix + node.name, node
            elif isinstance(node, ast.ClassDef):
                yield from functions(node.body, f"{prefix}{node.name}::")

    for name, node in functions(file.tree.body, ""):
        first = min([node] + node.decorator_list, key=lambda part: part.lineno)
        yield {"name": name, "start": file.lines[first.lineno - 1], "end": file.end(node), "edits": Mill(file).all(node)}


for path in sys.argv[1:]:
    try:
        file = File(path)
        tests = list(tests_of(file))
    except (OSError, SyntaxError, ValueError, RecursionError):
        continue
    print("assay-mill " + json.dumps({"path": path, "tests": tests}))
