"""What AgentDojo's modules use of pydantic 2, in plain Python: the sandboxed interpreter loads no native extension. `assay worlds import agentdojo` puts
this file beside the package's own modules, which import it unchanged.

Values are taken, refused and converted as pydantic does in its lax mode, and errors have its words. What the package does not use is not here.
"""

import copy
import datetime
import enum
import inspect
import re
import sys
import types
import typing
from collections import abc

ERRORS = "https://errors.pydantic.dev/2.14/v/"
MISSING = inspect.Parameter.empty
# Addresses of which nothing has to be looked up; all others are for `email_validator`.
PLAIN_ADDRESS = re.compile(r"[A-Za-z0-9_]+(?:[.+-][A-Za-z0-9_]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+(?:com|org|net|edu)")


class EmailStr:
    """The annotation of an address."""


class Wrong(Exception):
    """A value that does not fit: kind, words and value of each error, with its place."""

    def __init__(self, errors):
        super().__init__(errors)
        self.errors = errors


class ValidationError(ValueError):
    """All that is wrong with the values of a model."""

    def __init__(self, title, errors):
        super().__init__(title, errors)
        self.title, self.found = title, errors

    def __str__(self):
        count = len(self.found)
        lines = [f"{count} validation error{'' if count == 1 else 's'} for {self.title}"]
        for place, kind, words, value in self.found:
            lines.extend([".".join(map(str, place))] if place else [])
            shown = repr(value)
            shown = shown if len(shown) <= 50 else f"{shown[:25]}...{shown[-24:]}"
            lines.append(f"  {words} [type={kind}, input_value={shown}, input_type={type(value).__name__}]")
            if not words.startswith("value is not a valid email"):
                lines.append(f"    For further information visit {ERRORS}{kind}")
        return "\n".join(lines)


def wrong(kind, words, value):
    return Wrong([((), kind, words, value)])


def within(place, errors):
    return [((place, *inner), *rest) for inner, *rest in errors]


class FieldInfo:
    def __init__(self, default=MISSING, default_factory=None, description=None, title=None):
        self.default = MISSING if default is ... else default
        self.default_factory, self.description, self.title = default_factory, description, title
        self.annotation = None

    def is_required(self):
        return self.default is MISSING and self.default_factory is None

    def get_default(self):
        if self.default_factory is not None:
            return self.default_factory()
        return copy.deepcopy(self.default)


def Field(default=MISSING, **about):
    return FieldInfo(default, **about)


def model_validator(*, mode):
    def mark(function):
        function.__validates__ = mode
        return function

    return mark


def computed_field(of):
    of.fget.__computed__ = True
    return of


class BaseModel:
    """An object whose attributes are fields of known types."""

    __fields__ = {}
    __validators__ = ()
    __computed__ = ()

    def __init_subclass__(cls, **_):
        super().__init_subclass__()
        fields = dict(cls.__fields__)
        for name, annotation in inspect.get_annotations(cls).items():
            if name.startswith("_") or typing.get_origin(annotation) is typing.ClassVar:
                continue
            given = cls.__dict__.get(name, MISSING)
            field = given if isinstance(given, FieldInfo) else FieldInfo(given)
            if name in cls.__dict__:
                delattr(cls, name)
            field.annotation = annotation
            fields[name] = field
        cls.__fields__ = fields
        own = list(cls.__dict__.items())
        cls.__validators__ += tuple(value for _, value in own if getattr(value, "__validates__", None) == "after")
        computed = tuple(name for name, value in own if isinstance(value, property) and hasattr(value.fget, "__computed__"))
        cls.__computed__ += computed

    def __class_getitem__(cls, _):
        return cls

    def __init__(self, /, **values):
        found, errors, given = {}, [], set()
        for name, field in type(self).__fields__.items():
            if name in values:
                given.add(name)
                try:
                    found[name] = converted(field.annotation, values[name])
                except Wrong as error:
                    errors.extend(within(name, error.errors))
            elif field.is_required():
                errors.append(((name,), "missing", "Field required", values))
            else:
                found[name] = field.get_default()
        if errors:
            raise ValidationError(type(self).__name__, errors)
        self.__dict__.update(found)
        object.__setattr__(self, "__given__", given)
        for validate in type(self).__validators__:
            try:
                validate(self)
            except ValueError as error:
                title = type(self).__name__
                raise ValidationError(title, [((), "value_error", f"Value error, {error}", values)]) from error

    # Beside the fields, which are all that `vars` shows.
    __slots__ = ("__dict__", "__given__", "__weakref__")

    def __setattr__(self, name, value):
        if name not in type(self).__fields__ and not name.startswith("__"):
            raise ValueError(f'"{type(self).__name__}" object has no field "{name}"')
        self.__dict__[name] = value
        self.__given__.add(name)

    def __eq__(self, other):
        if not isinstance(other, BaseModel):
            return NotImplemented
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None

    def __repr__(self):
        fields = [(name, self.__dict__[name]) for name in type(self).__fields__]
        fields += [(name, getattr(self, name)) for name in type(self).__computed__]
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in fields)})"

    def __str__(self):
        fields = [(name, self.__dict__[name]) for name in type(self).__fields__]
        fields += [(name, getattr(self, name)) for name in type(self).__computed__]
        return " ".join(f"{name}={value!r}" for name, value in fields)

    def __iter__(self):
        yield from self.__dict__.items()

    def __getstate__(self):
        return (self.__dict__, self.__given__)

    def __setstate__(self, state):
        values, given = state
        self.__dict__.update(values)
        object.__setattr__(self, "__given__", given)

    @property
    def model_fields_set(self):
        return self.__given__

    @classmethod
    def model_validate(cls, value):
        try:
            return converted(cls, value)
        except Wrong as error:
            raise ValidationError(cls.__name__, error.errors) from error

    def model_copy(self, *, update=None, deep=False):
        copied = copy.deepcopy(self) if deep else copy.copy(self)
        for name, value in (update or {}).items():
            setattr(copied, name, value)
        return copied

    def copy(self, *, deep=False):
        return self.model_copy(deep=deep)

    def model_dump(self):
        fields = {name: dumped(self.__dict__[name]) for name in type(self).__fields__}
        return fields | {name: dumped(getattr(self, name)) for name in type(self).__computed__}

    @classmethod
    def model_json_schema(cls):
        properties, required = {}, []
        for name, field in cls.__fields__.items():
            about = {} if field.description is None else {"description": field.description}
            if field.is_required():
                required.append(name)
            elif field.default_factory is None:
                about["default"] = field.default
            properties[name] = schema(field.annotation) | about
        return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def create_model(model_name, /, **fields):
    body = {"__annotations__": {name: annotation for name, (annotation, _) in fields.items()}}
    return type(BaseModel)(model_name, (BaseModel,), body | {name: field for name, (_, field) in fields.items()})


def dumped(value):
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, dict):
        return {key: dumped(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return type(value)(dumped(item) for item in value)
    return value


def is_union(annotation):
    return typing.get_origin(annotation) in (typing.Union, types.UnionType)


def converted(annotation, value):
    """The value as the annotation wants it; what no rule is known for is taken as it is."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return converted(annotation.__origin__, value)
    if is_union(annotation):
        return one_of(typing.get_args(annotation), value)
    if origin in (list, dict):
        return CONTAINERS[origin](typing.get_args(annotation), value)
    if annotation in RULES:
        return RULES[annotation](value)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return choice(annotation, value)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return model(annotation, value)
    return value


def one_of(kinds, value):
    """A union: a value of one of the types stays what it is; otherwise the first type that takes it."""
    real = [kind for kind in kinds if kind is not type(None)]
    if value is None and len(real) < len(kinds):
        return None
    for kind in real:
        plain = kind if isinstance(kind, type) else typing.get_origin(kind)
        if isinstance(plain, type) and type(value) is plain and not issubclass(plain, (list, dict)):
            return converted(kind, value)
    errors = []
    for kind in real:
        try:
            return converted(kind, value)
        except Wrong as error:
            errors.extend(error.errors if len(real) == 1 else within(getattr(kind, "__name__", str(kind)), error.errors))
    raise Wrong(errors)


def text(value):
    if not isinstance(value, str):
        raise wrong("string_type", "Input should be a valid string", value)
    return value if type(value) is str else str(value)


def whole(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if value.is_integer():
            return int(value)
        words = "Input should be a valid integer, got a number with a fractional part"
        raise wrong("int_from_float", words, value)
    if isinstance(value, str):
        found = re.fullmatch(r"\s*([+-]?\d+(?:_\d+)*)(?:\.0*)?\s*", value)
        if found:
            return int(found[1])
        raise wrong("int_parsing", "Input should be a valid integer, unable to parse string as an integer", value)
    raise wrong("int_type", "Input should be a valid integer", value)


def number(value):
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            words = "Input should be a valid number, unable to parse string as a number"
            raise wrong("float_parsing", words, value) from None
    raise wrong("float_type", "Input should be a valid number", value)


TRUTHS = {"true": True, "t": True, "yes": True, "y": True, "on": True, "1": True}
TRUTHS |= {"false": False, "f": False, "no": False, "n": False, "off": False, "0": False}


def truth(value):
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.lower() in TRUTHS:
        return TRUTHS[value.lower()]
    if isinstance(value, (str, int)):
        words = "Input should be a valid boolean, unable to interpret input"
        raise wrong("bool_parsing", words, value)
    raise wrong("bool_type", "Input should be a valid boolean", value)


def address(value):
    value = text(value)
    if PLAIN_ADDRESS.fullmatch(value) and len(value) < 64:
        return value
    import email_validator

    try:
        return email_validator.validate_email(value, check_deliverability=False).normalized
    except email_validator.EmailNotValidError as error:
        raise wrong("value_error", f"value is not a valid email address: {error}", value) from error


def moment(value):
    if isinstance(value, datetime.datetime):
        return value
    if isinstance(value, datetime.date):
        return datetime.datetime(value.year, value.month, value.day)
    if isinstance(value, str):
        try:
            return datetime.datetime.fromisoformat(value)
        except ValueError as error:
            words = f"Input should be a valid datetime or date, {error}"
            raise wrong("datetime_from_date_parsing", words, value) from error
    raise wrong("datetime_type", "Input should be a valid datetime", value)


def day(value):
    if isinstance(value, (datetime.datetime, str)):
        at = moment(value)
        if at.time() != datetime.time():
            words = "Datetimes provided to dates should have zero time - e.g. be exact dates"
            raise wrong("date_from_datetime_inexact", words, value)
        return at.date()
    if isinstance(value, datetime.date):
        return value
    raise wrong("date_type", "Input should be a valid date", value)


def choice(kind, value):
    try:
        return kind(value)
    except ValueError:
        names = [repr(str(item.value)) for item in kind]
        words = " or ".join(([", ".join(names[:-1])] if names[1:] else []) + names[-1:])
        raise wrong("enum", f"Input should be {words}", value) from None


def model(kind, value):
    if isinstance(value, kind):
        return value
    if not isinstance(value, dict):
        words = f"Input should be a valid dictionary or instance of {kind.__name__}"
        raise wrong("model_type", words, value)
    try:
        return kind(**value)
    except ValidationError as error:
        raise Wrong(error.found) from error


def listed(kinds, value):
    if not isinstance(value, (list, tuple, set, frozenset, abc.ValuesView, abc.KeysView)):
        raise wrong("list_type", "Input should be a valid list", value)
    found, errors = [], []
    for index, item in enumerate(value):
        try:
            found.append(converted(kinds[0], item) if kinds else item)
        except Wrong as error:
            errors.extend(within(index, error.errors))
    if errors:
        raise Wrong(errors)
    return found


def mapped(kinds, value):
    if not isinstance(value, abc.Mapping):
        raise wrong("dict_type", "Input should be a valid dictionary", value)
    found, errors = {}, []
    for key, item in value.items():
        try:
            taken = converted(kinds[0], key) if kinds else key
        except Wrong as error:
            errors.extend(within(key, within("[key]", error.errors)))
            continue
        try:
            found[taken] = converted(kinds[1], item) if kinds else item
        except Wrong as error:
            errors.extend(within(key, error.errors))
    if errors:
        raise Wrong(errors)
    return found


RULES = {
    str: text,
    int: whole,
    float: number,
    bool: truth,
    EmailStr: address,
    datetime.datetime: moment,
    datetime.date: day,
    list: lambda value: listed((), value),
    dict: lambda value: mapped((), value),
}
CONTAINERS = {list: listed, dict: mapped}
NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", EmailStr: "string"}


def schema(annotation):
    """The JSON schema of an annotation, written out."""
    origin, kinds = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if origin is typing.Annotated:
        return schema(annotation.__origin__)
    if is_union(annotation):
        return {"anyOf": [schema(kind) for kind in kinds]}
    if origin is list:
        return {"type": "array", "items": schema(kinds[0]) if kinds else {}}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema(kinds[1]) if kinds else True}
    if isinstance(origin, type) and issubclass(origin, enum.Enum):
        return {"type": "string", "enum": [str(item.value) for item in origin]}
    return {"type": NAMES[origin]} if origin in NAMES else {}


# `deepdiff` looks for models there.
sys.modules["pydantic.main"] = sys.modules[__name__]
