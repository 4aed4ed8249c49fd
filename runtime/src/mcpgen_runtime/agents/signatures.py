"""Signatures of methods as a few lines of Python, for a model.

They are read from the source of the package, without importing its classes.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec

# Readers need the plain Python types, without the validation.
_PLAIN = {
    "Boolean": "bool",
    "Date": "date",
    "DateTime": "datetime",
    "Exactly": "Literal",
    "Integer": "int",
    "Number": "float",
    "Numeric": "float",
    "Uri": "str",
    "Uuid": "UUID",
}


@dataclass(frozen=True)
class _Member:
    """A field of a class, with its type and description."""

    name: str
    type: str
    said: str = ""


@dataclass(frozen=True)
class _Named:
    """A class with its members, or a name for another type."""

    members: tuple[_Member, ...] = ()
    alias: str = ""
    said: str = ""


def signature(method: Callable[..., object]) -> str:
    """Return the line that defines a method, as a type checker reads it."""
    found = inspect.signature(method)
    parameters = [
        f"{each.name}: {_simple(str(each.annotation))}"
        f"{'' if each.default is each.empty else ' = ...'}"
        for each in found.parameters.values()
        if each.name != "self"
    ]
    given = f"*, {', '.join(parameters)}" if parameters else ""
    result = _simple(str(found.return_annotation))
    name = getattr(method, "__name__", "")
    return f"async def {name}({given}) -> {result}"


def types_used(package: str, module: str, line: str, *, is_full: bool) -> Iterator[str]:
    """Yield the types that a line of code names, and the types that those name.

    Each is one line with its fields, or with ``is_full`` a class with descriptions.
    """
    waiting = _names(line)
    seen: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        named = _find(package, module, name)
        if name in seen or named is None:
            continue
        seen.add(name)
        types = [named.alias, *(member.type for member in named.members)]
        waiting += [used for each in types for used in _names(each)]
        if named.alias:
            yield f"{name} = {named.alias}"
        elif is_full:
            yield from _class(name, named)
        else:
            shown = ", ".join(f"{each.name}: {each.type}" for each in named.members)
            yield f"{name}({shown})"


def _class(name: str, named: _Named) -> Iterator[str]:
    yield f"class {name}:"
    yield from _comment(named.said)
    for member in named.members:
        yield f"    {member.name}: {member.type}"
        yield from _comment(member.said)


def _comment(said: str) -> Iterator[str]:
    yield from (f"    # {line}".rstrip() for line in inspect.cleandoc(said).splitlines())


def _find(package: str, module: str, name: str) -> _Named | None:
    """Look up a name in a module of types or in the modules that it imports."""
    named, imported = _read(package, module)
    if name in named:
        return named[name]
    if name in imported:
        return _find(package, imported[name], name)
    return None


@lru_cache(maxsize=512)
def _read(package: str, module: str) -> tuple[dict[str, _Named], dict[str, str]]:
    """Parse a module of types, and return its types and its imports."""
    named: dict[str, _Named] = {}
    imported: dict[str, str] = {}
    body = ast.parse(_source(f"{package}.models.{module}")).body
    base = ["models", *module.split(".")]
    for node, said in _with_texts(body):
        if isinstance(node, ast.ImportFrom) and node.level:
            place = [*base[: -node.level], *(node.module or "").split(".")]
            if place[0] == "models":
                names = [alias.name for alias in node.names]
                imported |= dict.fromkeys(names, ".".join(place[1:]))
        elif isinstance(node, ast.ClassDef):
            named[node.name] = _of_class(node)
        elif isinstance(node, ast.AnnAssign) and _text(node.annotation) == "TypeAlias":
            named[_text(node.target)] = _Named(alias=_shown(node.value))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            named |= _called(_text(node.targets[0]), node.value, said)
    return named, imported


def _source(module: str) -> str:
    spec = find_spec(module)
    read = getattr(spec.loader, "get_source", None) if spec else None
    return (read(module) or "") if read else ""


def _with_texts(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield statements, each with the text that follows it."""
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        value = after.value if isinstance(after, ast.Expr) else None
        said = value.value if isinstance(value, ast.Constant) else ""
        yield node, said if isinstance(said, str) else ""


def _of_class(node: ast.ClassDef) -> _Named:
    members = (
        _Member(_text(each.target), _shown(each.annotation), said)
        for each, said in _with_texts(node.body)
        if isinstance(each, ast.AnnAssign)
    )
    return _Named(tuple(members), said=ast.get_docstring(node) or "")


def _called(name: str, call: ast.Call, said: str) -> dict[str, _Named]:
    """Return the type that ``TypedDict(...)`` or ``TypeAliasType(...)`` defines."""
    if len(call.args) != 2:
        return {}
    kind, value = _text(call.func), call.args[1]
    if kind == "TypedDict" and isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values, strict=True)
        members = (_Member(_text(key), _shown(each)) for key, each in pairs if key)
        return {name: _Named(tuple(members), said=said)}
    return {name: _Named(alias=_shown(value))} if kind == "TypeAliasType" else {}


def _names(line: str) -> list[str]:
    """Return the names that a type or a definition uses, in their order."""
    code = f"{line}: ..." if line.startswith("async def") else line
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(node.id for node in found))


def _text(node: ast.AST) -> str:
    return ast.unparse(node)


def _shown(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _simple(node.value)
    return _simple(_text(node)) if node else "Any"


@lru_cache(maxsize=10_000)
def _simple(annotation: str) -> str:
    """Remove validators from a type: ``Annotated[int, ...]`` becomes ``int``."""
    tree = ast.parse(annotation, mode="eval")
    return _text(_Simple().visit(tree))


class _Simple(ast.NodeTransformer):
    """Removes the parts of a type that only a program needs."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "Annotated":
            parts = node.slice
            first = parts.elts[0] if isinstance(parts, ast.Tuple) else parts
            return self._visited(first)
        if isinstance(node.value, ast.Name) and node.value.id == "Maybe":
            return self._visited(_or_none(node.slice))
        if isinstance(node.value, ast.Name) and node.value.id == "Literal":
            return node
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return ast.Name(node.attr, ast.Load())

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left, right = self._visited(node.left), self._visited(node.right)
        if isinstance(right, ast.Name) and right.id == "MISSING":
            return left
        return ast.BinOp(left, node.op, right)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(_PLAIN.get(node.id, node.id), node.ctx)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        # A forward reference in quotes.
        if isinstance(node.value, str):
            return self._visited(ast.parse(node.value, mode="eval").body)
        return node

    def _visited(self, node: ast.expr) -> ast.expr:
        visited: ast.expr = self.visit(node)
        return visited


def _or_none(node: ast.expr) -> ast.expr:
    return ast.BinOp(node, ast.BitOr(), ast.Constant(None))
