"""Finds missing methods in the author's classes, wherever they are."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgen.errors import UsageError

GENERATED = "_generated"


@dataclass(frozen=True, slots=True)
class Stub:
    """A class that the author writes: its file when it is new, its base class, its methods.

    ``optional`` are methods of the base class that the author may override.
    """

    path: str
    base: str
    text: str
    methods: tuple[str, ...]
    optional: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingMethods:
    """Methods that an author's class does not have.

    ``subclass`` is the class in ``file``. If there is no such class, it is "" and ``file`` is None.
    """

    stub: Stub
    file: Path | None
    subclass: str
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the author: its file, bases and members.

    ``overrides`` are its methods with ``@override``.
    """

    name: str
    file: Path
    bases: frozenset[str]
    members: frozenset[str]
    overrides: frozenset[str]


def missing_methods(stubs: Sequence[Stub], package: Path) -> list[MissingMethods]:
    """Return the methods that the author's classes lack, wherever they are in the package."""
    user_classes = [item for path, tree in modules(package) for item in classes(path, tree)]
    all_missing: list[MissingMethods] = []
    for stub in stubs:
        subclasses = [item for item in user_classes if stub.base in item.bases]
        present = {name for item in family(subclasses, user_classes) for name in item.members}
        names = tuple(name for name in stub.methods if name not in present)
        if not subclasses:
            all_missing.append(MissingMethods(stub, None, "", stub.methods))
        elif names:
            first = subclasses[0]
            all_missing.append(MissingMethods(stub, first.file, first.name, names))
    return all_missing


def family(subclasses: Iterable[Class], user_classes: Sequence[Class]) -> set[Class]:
    """Return classes with all classes that derive from them, and all their bases.

    Methods of other classes don't count, because they may have a tool's name by chance.
    """
    derived = set(subclasses)
    while more := {c for c in user_classes if c.bases & {d.name for d in derived}} - derived:
        derived |= more
    classes = set(derived)
    while more := {c for c in user_classes if any(c.name in f.bases for f in classes)} - classes:
        classes |= more
    return classes


def modules(package: Path) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the author's modules, parsed."""
    for path in sorted(package.rglob("*.py")):
        if GENERATED in path.relative_to(package).parts:
            continue
        try:
            yield path, ast.parse(path.read_bytes(), str(path))
        except (SyntaxError, ValueError, OSError, RecursionError) as error:
            raise UsageError(f"the file is not Python: {error}", str(path)) from None


def classes(path: Path, tree: ast.Module) -> Iterator[Class]:
    """Yield the classes of a module in their order."""
    originals = _original_names(tree)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for node in sorted(nodes, key=lambda node: node.lineno):
        bases = (_last(base) for base in node.bases)
        yield Class(
            name=node.name,
            file=path,
            bases=frozenset(originals.get(name, name) for name in bases),
            members=frozenset(_members(node.body)),
            overrides=frozenset(_overrides(node.body)),
        )


def _original_names(tree: ast.Module) -> Mapping[str, str]:
    """Return renamed imports, such as ``from ._generated import BookshelfTools as Base``."""
    froms = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {alias.asname: alias.name for node in froms for alias in node.names if alias.asname}


def _last(base: ast.expr) -> str:
    """Return the name of a base class without the module, and without its type arguments."""
    inner = base.value if isinstance(base, ast.Subscript) else base
    return ast.unparse(inner).rpartition(".")[2]


def _members(body: Sequence[ast.stmt]) -> Iterator[str]:
    for part in body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield part.name
        elif isinstance(part, ast.Assign | ast.AnnAssign):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        elif isinstance(part, ast.If):
            yield from _members([*part.body, *part.orelse])


def _overrides(body: Sequence[ast.stmt]) -> Iterator[str]:
    for part in body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [ast.unparse(node).rpartition(".")[2] for node in part.decorator_list]
            if "override" in names:
                yield part.name
