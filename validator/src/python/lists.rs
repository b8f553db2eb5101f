//! What a Python strategy may name.

/// Modules that compute and reach nothing. A module that only passes on names of others is as good as those.
pub(super) const MODULES: &[&str] = &[
    "__future__",
    "abc",
    "array",
    "assay",
    "bisect",
    "cmath",
    "collections",
    "collections.abc",
    "contextlib",
    "copy",
    "dataclasses",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "json",
    "math",
    "numbers",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "struct",
    "textwrap",
    "typing",
];

/// Modules that tell the time.
pub(super) const CLOCKS: &[&str] = &["time", "datetime", "calendar", "zoneinfo"];
/// What people compute with elsewhere.
pub(super) const PACKAGES: &[&str] = &["numpy", "pandas", "scipy", "polars", "sklearn", "torch"];

/// Built-in functions that run or reach code that cannot be seen.
pub(super) const DYNAMIC: &[&str] = &["__import__", "compile", "eval", "exec", "globals", "locals", "vars"];
/// Built-in functions that reach outside.
pub(super) const OUTSIDE: &[&str] = &["breakpoint", "exit", "help", "input", "open", "quit"];

/// Special names that lead nowhere. A special method that is only defined is never complained about; this is about naming one.
pub(super) const HARMLESS: &[&str] = &[
    "__abs__",
    "__add__",
    "__all__",
    "__annotations__",
    "__author__",
    "__bool__",
    "__call__",
    "__contains__",
    "__copy__",
    "__debug__",
    "__deepcopy__",
    "__delitem__",
    "__doc__",
    "__enter__",
    "__eq__",
    "__exit__",
    "__float__",
    "__floordiv__",
    "__format__",
    "__future__",
    "__ge__",
    "__getitem__",
    "__gt__",
    "__hash__",
    "__iadd__",
    "__index__",
    "__init__",
    "__int__",
    "__isub__",
    "__iter__",
    "__le__",
    "__len__",
    "__lt__",
    "__main__",
    "__match_args__",
    "__mod__",
    "__mul__",
    "__name__",
    "__ne__",
    "__neg__",
    "__next__",
    "__pos__",
    "__post_init__",
    "__pow__",
    "__qualname__",
    "__radd__",
    "__repr__",
    "__reversed__",
    "__rmul__",
    "__round__",
    "__rsub__",
    "__setitem__",
    "__slots__",
    "__str__",
    "__sub__",
    "__truediv__",
    "__version__",
];

/// The callbacks, and how many parameters each has besides `self`.
pub(super) const CALLBACKS: &[(&str, u32, &str)] = &[
    ("initialize", 1, "initialize(self, config)"),
    ("on_tick", 0, "on_tick(self)"),
    ("on_market_data", 0, "on_market_data(self)"),
    ("on_order_update", 1, "on_order_update(self, update)"),
    ("on_simulation_end", 0, "on_simulation_end(self)"),
];
