"""Splits a long module of types into several. Each imports only earlier ones."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from mcpgen.codegen.reserved_names import PARTS

LONGEST = 1_400
"""Maximum length of a module in lines. The subschemas of a recursive type stay together."""


def cut(files: Mapping[str, str]) -> dict[str, str]:
    """Split modules of types that are too long.

    The parts go into ``models/_parts/``. The module imports their names, so every name stays
    available.
    """
    result: dict[str, str] = {}
    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        is_of_types = folder == "models" and name != "__init__.py"
        if is_of_types and text.count("\n") > LONGEST:
            result |= _parts(text, name.removesuffix(".py"))
    if result:
        header = files["models/__init__.py"].partition('"""')[0]
        text = f'{header}"""The parts of models that are too long for one module."""\n'
        result[f"models/{PARTS}/__init__.py"] = text
    return result


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement: its lines, the blank ones before it, its name, and the names that it uses."""

    lines: Sequence[str]
    blank: int
    name: str
    used: frozenset[str]


def _parts(text: str, module: str) -> dict[str, str]:
    lines = text.splitlines()
    body = ast.parse(text).body
    first = next(at for at, node in enumerate(body) if _defined_name(node) not in ("", "__all__"))
    head, imports = lines[: body[0].lineno - 1], body[1:first]
    statements = list(_statements(lines, body, first))
    groups = list(_groups(statements))
    if len(groups) == 1:
        return {}
    files: dict[str, str] = {}
    homes: dict[str, str] = {}
    for number, group in enumerate(groups[:-1], 1):
        name = f"{module}_{number}"
        path = f"models/{PARTS}/{name}.py"
        doc = f'"""Types of ``models.{module}``, part {number}."""'
        used = {name for statement in group for name in statement.used}
        own = _imports(imports, used, deeper=True)
        files[path] = _module([*head, doc], own, _imports_from_parts(homes, used, "."), group)
        homes |= dict.fromkeys((statement.name for statement in group if statement.name), name)
    last = groups[-1]
    listed = next((node for node in imports if _defined_name(node) == "__all__"), None)
    exported = ast.literal_eval(listed.value) if isinstance(listed, ast.Assign) else ()
    needed = {*exported, *(name for statement in last for name in statement.used)}
    opening = lines[body[0].lineno - 1 : body[0].end_lineno]
    names = lines[listed.lineno - 1 : listed.end_lineno] if listed else []
    files[f"models/{module}.py"] = _module(
        [*head, *opening],
        _imports(imports, needed, deeper=False),
        _imports_from_parts(homes, homes.keys(), f".{PARTS}.", exported),
        last,
        names,
    )
    return files


def _statements(lines: Sequence[str], body: Sequence[ast.stmt], first: int) -> Iterator[_Statement]:
    """Yield statements with their decorators, and an alias with the docstring after it."""
    starts = [at for at in range(first, len(body)) if _defined_name(body[at])]
    for start, end in zip(starts, [*starts[1:], len(body)], strict=True):
        nodes = body[start:end]
        used = frozenset(name for node in nodes for name in _names(node))
        begins = min([nodes[0].lineno, *(decorator.lineno for decorator in _decorators(nodes[0]))])
        blank = begins - 1 - (body[start - 1].end_lineno or 0)
        name = _defined_name(nodes[0])
        yield _Statement(lines[begins - 1 : nodes[-1].end_lineno], blank, name, used - {name})


def _decorators(node: ast.stmt) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, ast.ClassDef) else []


def _defined_name(node: ast.stmt) -> str:
    """Return the name that a statement defines, or "" for a string or an import."""
    if isinstance(node, ast.ClassDef):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return target.id if isinstance(target, ast.Name) else ""


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the names in a statement, including those in string annotations."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Call) and getattr(part.func, "id", "") in _TYPE_MAKERS:
            yield from _in_texts(part)


_TYPE_MAKERS = frozenset({"TypedDict", "TypeAliasType"})


def _in_texts(call: ast.Call) -> Iterator[str]:
    argument = call.args[1]
    values = argument.values if isinstance(argument, ast.Dict) else [argument]
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield from _names(ast.parse(value.value, mode="eval"))


def _groups(statements: Sequence[_Statement]) -> Iterator[list[_Statement]]:
    """Yield groups of statements. No group needs a later one."""
    index_of = {statement.name: at for at, statement in enumerate(statements) if statement.name}
    needed = (
        max([index_of.get(name, -1) for name in statement.used], default=-1)
        for statement in statements
    )
    ends = [at + 1 for at, furthest in enumerate(accumulate(needed, max)) if furthest <= at]
    group: list[_Statement] = []
    begin = 0
    for end in ends:
        block = list(statements[begin:end])
        if group and _height([*group, *block]) > LONGEST - _ROOM:
            yield group
            group = []
        group += block
        begin = end
    yield group


_ROOM = 50


def _height(group: Sequence[_Statement]) -> int:
    """Return how many lines a group takes, with an import for each name that it uses."""
    used = {name for statement in group for name in statement.used}
    return len(used) + sum(len(statement.lines) + statement.blank for statement in group)


def _imports(nodes: Sequence[ast.stmt], used: set[str], *, deeper: bool) -> list[str]:
    """Return the imports of used names. A part is one folder deeper."""
    lines: list[str] = []
    for node in nodes:
        if not isinstance(node, ast.ImportFrom):
            continue
        names = [name for name in node.names if (name.asname or name.name) in used]
        if node.module == "__future__" or names:
            level = node.level + (1 if deeper and node.level else 0)
            imported = node.names if node.module == "__future__" else names
            lines.append(ast.unparse(ast.ImportFrom(node.module, imported, level)))
    return lines


def _imports_from_parts(
    homes: Mapping[str, str],
    names: Collection[str],
    prefix: str,
    exported: Collection[str] | None = None,
) -> list[str]:
    """Return import statements for names that moved to part modules.

    Names in ``exported`` (``__all__``) are imported plainly, the others as ``name as name``, which
    type checkers treat as a re-export.
    """
    modules: dict[str, list[str]] = {}
    for name in sorted(homes.keys() & names):
        is_plain = exported is None or name in exported
        modules.setdefault(homes[name], []).append(name if is_plain else f"{name} as {name}")
    return [f"from {prefix}{module} import {', '.join(modules[module])}" for module in modules]


def _module(
    opening: Sequence[str],
    imports: Sequence[str],
    own: Sequence[str],
    group: Sequence[_Statement],
    names: Sequence[str] = (),
) -> str:
    """Return the text of a module. Long lines are broken later."""
    text = "\n".join(
        [*opening, "", *_group_imports(imports, own), *(["", *names] if names else [])]
    )
    for at, statement in enumerate(group):
        text += "\n" * (1 + (statement.blank if at else 2)) + "\n".join(statement.lines)
    return text + "\n"


def _group_imports(imports: Sequence[str], own: Sequence[str]) -> list[str]:
    """Group imports: ``__future__``, standard library, third party, package."""
    groups: dict[int, list[str]] = {}
    for line in imports:
        module = line.split()[1]
        kind = 0 if module == "__future__" else 3 if module.startswith(".") else 2
        kind = 1 if kind == 2 and module in ("typing", "collections.abc") else kind
        groups.setdefault(kind, []).append(line)
    groups.setdefault(3, []).extend(own)
    return [line for kind in sorted(groups) if groups[kind] for line in [*groups[kind], ""]][:-1]
