"""Finds methods and imports in the author's files that the contract no longer has."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcpgen.codegen.user_code.missing import GENERATED, Class, Stub, classes, family, modules


@dataclass(frozen=True, slots=True)
class Unused:
    """A method that is never called, or an import of a name that is no longer generated.

    With such an import (``is_broken``) the server doesn't start.
    """

    file: Path
    name: str
    is_broken: bool = False

    def __str__(self) -> str:
        if self.is_broken:
            return (
                f"{self.file}: imports {self.name}, which is no longer generated; remove the import"
            )
        return f"{self.file}: {self.name} is no longer in the contract, so it isn't called"


def former_methods(package: Path) -> dict[str, frozenset[str]]:
    """Return the methods of each abstract class, before it is regenerated."""
    generated = package / GENERATED
    generated_classes = [
        item
        for path in [generated / "base.py", *sorted((generated / "tools").glob("*.py"))]
        for item in _classes_in(path)
    ]
    methods = {item.name: item.members for item in generated_classes}
    return {
        item.name: item.members.union(*(methods.get(base, ()) for base in item.bases))
        for item in generated_classes
    }


def _classes_in(path: Path) -> list[Class]:
    """Return the classes of a module, or none if it can't be parsed."""
    try:
        return list(classes(path, ast.parse(path.read_bytes())))
    except (OSError, SyntaxError, ValueError):
        return []


def find_unused(
    stubs: Sequence[Stub],
    package: Path,
    before: Mapping[str, frozenset[str]],
    files: Mapping[str, str],
) -> list[Unused]:
    """Return the author's code for removed tools, prompts and resources.

    ``before`` is the result of :func:`former_methods`, ``files`` are the newly generated files.
    """
    all_unused = [*_methods(stubs, package, before)]
    for path, tree in modules(package):
        all_unused += [Unused(path, name, is_broken=True) for name in _broken(tree, files)]
    return all_unused


def _methods(
    stubs: Sequence[Stub], package: Path, before: Mapping[str, frozenset[str]]
) -> Iterator[Unused]:
    user_classes = [item for path, tree in modules(package) for item in classes(path, tree)]
    for stub in stubs:
        subclasses = [item for item in user_classes if stub.base in item.bases]
        relatives = sorted(
            family(subclasses, user_classes), key=lambda class_: (class_.file, class_.name)
        )
        known = {*stub.methods, *stub.optional}
        removed = before.get(stub.base, frozenset[str]()) - known
        for relative in relatives:
            inherited = {name for other in relatives if other != relative for name in other.members}
            is_direct = relative in subclasses
            overrides = relative.overrides - known - inherited if is_direct else set[str]()
            for name in sorted((removed & relative.members) | overrides):
                yield Unused(relative.file, name)


def _broken(tree: ast.Module, files: Mapping[str, str]) -> Iterator[str]:
    """Yield names that a module imports from the generated package and that don't exist there."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        steps = node.module.split(".")
        if GENERATED not in steps:
            continue
        inside = PurePosixPath(*steps[steps.index(GENERATED) + 1 :])
        for alias in node.names:
            if alias.name != "*" and not _is_there(inside, alias.name, files):
                yield f"{alias.name} of {node.module}"


def _is_there(inside: PurePosixPath, name: str, files: Mapping[str, str]) -> bool:
    """Return True if a module or package has a name, as a member or as a submodule."""
    modules = (f"{inside}.py", f"{inside / '__init__.py'}")
    text = next((files[path] for path in modules if path in files), None)
    if text is None:
        return False
    submodules = (f"{inside / name}.py", f"{inside / name / '__init__.py'}")
    return any(path in files for path in submodules) or name in _defined_names(ast.parse(text))


def _defined_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
