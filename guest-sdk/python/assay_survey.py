"""Reads the source of a strategy without running it, and lists what the validator's rules are about.

The parser is the interpreter's own, so what is judged is what would run, and it runs in the sandbox, so no text can harm more than its
own session. What is allowed is decided by the validator (validator/src/python), which reads this list.

Places are [line, column, end line, end column], lines from 1, columns from 0 in characters.
"""

import ast
import builtins
import json
import re

# A list longer than this is cut, and the validator refuses the file: what is not listed is not judged.
ENTRIES_MAX = 2_000
# Places listed for one name; the validator keeps fewer findings of a kind.
PLACES_MAX = 30
# What leads from an object to the interpreter's own, by name.
INTERNAL = re.compile(
    r"(?:__\w+__|f_(?:back|builtins|code|globals|locals)|(?:ag|cr|gi)_(?:await|code|frame|yieldfrom)|tb_(?:frame|next))\Z"
)
# Whole numbers below it are exact as floats.
NUMBER_MAX = 1 << 53
INTERNAL_IN_TEXT = re.compile(r"__\w+__")


class Survey:
    def __init__(self, source):
        self.lines = source.splitlines(keepends=True) or [""]
        self.found = {
            "depth": 0, "deepest": None, "cut": False, "imports": [], "names": [], "internal": [], "classes": [], "parameters": [],
            "stray_parameters": [],
        }
        self.places = {}
        self.parameter_names = frozenset()
        # Calls that declare a parameter; the tree keeps them alive, so their ids stay theirs.
        self.declared = set()

    def column(self, line, offset):
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return offset if text.isascii() else len(text.encode("utf-8")[:offset].decode("utf-8", "ignore"))

    def place(self, node):
        start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        return [start[0], self.column(*start), end[0], self.column(*end)]

    def note(self, kind, name, node):
        count = self.places[kind, name] = self.places.get((kind, name), 0) + 1
        if count <= PLACES_MAX:
            self.add(kind, [name, self.place(node)])

    def add(self, kind, entry):
        if len(self.found[kind]) < ENTRIES_MAX:
            self.found[kind].append(entry)
        else:
            self.found["cut"] = True

    def walk(self, tree):
        self.parameter_names = parameter_names(tree)
        # A stack of our own: the tree may be deeper than the interpreter's.
        waiting = [(tree, 1)]
        found = self.found
        while waiting:
            node, depth = waiting.pop()
            if depth > found["depth"] and hasattr(node, "lineno"):
                found["depth"], found["deepest"] = depth, self.place(node)
            self.look(node)
            waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]

    def look(self, node):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    self.note("imports", alias.name, node)
            case ast.ImportFrom(module=module, level=level, names=names):
                self.note("imports", "." * level + (module or ""), node)
                for alias in names:
                    self.internal(alias.name, node)
            case ast.Name(id=name):
                if hasattr(builtins, name):
                    self.note("names", name, node)
                self.internal(name, node)
            case ast.Attribute(attr=name):
                self.internal(name, node)
            case ast.Constant(value=str(text)):
                # Names in text are as good as names for `getattr` and `format`.
                for name in INTERNAL_IN_TEXT.findall(text):
                    self.note("internal", name, node)
            case ast.ClassDef():
                self.class_(node)
            case ast.Call() if self.is_parameter(node) and id(node) not in self.declared:
                self.add("stray_parameters", self.place(node))

    def internal(self, name, node):
        if INTERNAL.match(name):
            self.note("internal", name, node)

    def class_(self, node):
        bases = [base.id if isinstance(base, ast.Name) else base.attr for base in node.bases if isinstance(base, (ast.Name, ast.Attribute))]
        methods = [self.method(one) for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
        self.add("classes", {"name": node.name, "place": self.place(node), "bases": bases, "methods": methods})
        for statement in node.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if self.is_parameter(call):
                    self.parameter(name, call)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call) if self.is_parameter(call):
                    self.parameter(name, call)

    def is_parameter(self, call):
        return dotted(call.func) in self.parameter_names

    def parameter(self, name, call):
        """A declaration whose numbers can be read without running it; any other is stray."""
        given = [*zip(("default", "low", "high"), call.args), *((one.arg, one.value) for one in call.keywords)]
        arguments = dict(given)
        log = arguments.pop("log", ast.Constant(value=False))
        numbers = [number(arguments.get(word)) for word in ("default", "low", "high")]
        is_call = len(call.args) <= 3 and len(given) == len(dict(given)) and len(arguments) == 3
        if is_call and None not in numbers and isinstance(log, ast.Constant) and isinstance(log.value, bool):
            self.declared.add(id(call))
            whole = all(isinstance(one, int) for one in numbers)
            self.add("parameters", {
                "name": name, "whole": whole, "numbers": [float(one) for one in numbers], "log": log.value,
                "default": self.place(arguments["default"]),
            })

    def method(self, node):
        arguments = node.args
        positional = len(arguments.posonlyargs) + len(arguments.args)
        return {
            "name": node.name,
            "place": self.place(node),
            "required": positional - len(arguments.defaults) + arguments.kw_defaults.count(None),
            "most": None if arguments.vararg else positional,
            "plain": not node.decorator_list,
            "suspends": isinstance(node, ast.AsyncFunctionDef) or yields(node),
        }


def dotted(node):
    """The name of `a` or `a.b`; of anything else, nothing."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return f"{name}.{attribute}"
    return None


def parameter_names(tree):
    """What `assay.parameter` is called in this file."""
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                names.update(f"{alias.asname or alias.name}.parameter" for alias in aliases if alias.name == "assay")
            case ast.ImportFrom(module="assay", level=0, names=aliases):
                names.update(alias.asname or "parameter" for alias in aliases if alias.name in ("parameter", "*"))
    return names


def number(node):
    """The number that is written out, if it is one that a float can hold."""
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float) or not abs(node.value) < NUMBER_MAX:
        return None
    return sign * node.value


def yields(function):
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return False


def survey(source):
    try:
        # Compiled as well: a `return` outside a function is found there only.
        tree = ast.parse(source, type_comments=False)
        compile(source, "strategy", "exec", dont_inherit=True)
    except SyntaxError as error:
        line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
        end = [error.end_lineno or line, max((error.end_offset or 0) - 1, column)]
        return json.dumps({"syntax": {"message": str(error.msg)[:500], "place": [line, column, *end]}})
    except (RecursionError, MemoryError) as error:
        return json.dumps({"too_deep": str(error)[:200] or type(error).__name__})
    except ValueError as error:
        # A null character, or a number of more digits than the interpreter reads.
        return json.dumps({"syntax": {"message": str(error)[:500], "place": [1, 0, 1, 0]}})
    found = Survey(source)
    found.walk(tree)
    return json.dumps(found.found)
