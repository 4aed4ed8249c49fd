"""Reads the author's files for what the contract does not have any more; removes none of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcpgen.author.lacks import GENERATED, Class, Stub, classes, family, modules


@dataclass(frozen=True, slots=True)
class Unused:
    """A method that nothing calls, or an import of what is not generated any more.

    With such an import (``is_broken``) the server does not start.
    """

    file: Path
    name: str
    is_broken: bool = False

    def __str__(self) -> str:
        if self.is_broken:
            return f"{self.file}: imports {self.name}, which is not generated any more; remove it"
        return f"{self.file}: {self.name} is not in the contract any more; nothing calls it"


def former(package: Path) -> dict[str, frozenset[str]]:
    """Return the methods of each abstract class that is there before it is written anew."""
    generated = package / GENERATED
    found = [
        each
        for path in [generated / "base.py", *sorted((generated / "tools").glob("*.py"))]
        for each in _written(path)
    ]
    methods = {each.name: each.members for each in found}
    return {
        each.name: each.members.union(*(methods.get(base, ()) for base in each.bases))
        for each in found
    }


def _written(path: Path) -> list[Class]:
    """Return the classes of a module, none where it cannot be read."""
    try:
        return list(classes(path, ast.parse(path.read_bytes())))
    except (OSError, SyntaxError, ValueError):
        return []


def unused(
    stubs: Sequence[Stub],
    package: Path,
    before: Mapping[str, frozenset[str]],
    made: Mapping[str, str],
) -> list[Unused]:
    """Say what the author wrote for tools, prompts and resources that are there no more.

    ``before`` is what :func:`former` said, ``made`` the files that are generated now.
    """
    found = [*_methods(stubs, package, before)]
    for path, tree in modules(package):
        found += [Unused(path, name, is_broken=True) for name in _broken(tree, made)]
    return found


def _methods(
    stubs: Sequence[Stub], package: Path, before: Mapping[str, frozenset[str]]
) -> Iterator[Unused]:
    known = [each for path, tree in modules(package) for each in classes(path, tree)]
    for stub in stubs:
        heirs = [each for each in known if stub.base in each.bases]
        relatives = sorted(family(heirs, known), key=lambda each: (each.file, each.name))
        gone = before.get(stub.base, frozenset[str]()) - {*stub.methods}
        for each in relatives:
            own = {name for other in relatives if other != each for name in other.members}
            marked = each.marked - {*stub.methods} - own if each in heirs else set[str]()
            for name in sorted((gone & each.members) | marked):
                yield Unused(each.file, name)


def _broken(tree: ast.Module, made: Mapping[str, str]) -> Iterator[str]:
    """Yield what a module imports out of the generated package and is not in it."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        steps = node.module.split(".")
        if GENERATED not in steps:
            continue
        inside = PurePosixPath(*steps[steps.index(GENERATED) + 1 :])
        for alias in node.names:
            if alias.name != "*" and not _is_there(inside, alias.name, made):
                yield f"{alias.name} of {node.module}"


def _is_there(inside: PurePosixPath, name: str, made: Mapping[str, str]) -> bool:
    """Say whether a module, or a package, has a name: as a part of it, or as a module in it."""
    files = (f"{inside}.py", f"{inside / '__init__.py'}")
    text = next((made[file] for file in files if file in made), None)
    if text is None:
        return False
    parts = (f"{inside / name}.py", f"{inside / name / '__init__.py'}")
    return any(part in made for part in parts) or name in _defined(ast.parse(text))


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
