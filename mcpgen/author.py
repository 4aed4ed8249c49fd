"""What is the author's: written once, read to see what it lacks, and only ever added to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgen import output
from mcpgen.errors import UsageError
from mcpgen.output import Folder

GENERATED = "_generated"


@dataclass(frozen=True, slots=True)
class Stub:
    """A class that the author writes: its file when it is new, its base class, its methods."""

    path: str
    base: str
    text: str
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lack:
    """Methods that an author's class does not have; without ``file`` there is no such class."""

    stub: Stub
    file: Path | None
    methods: tuple[str, ...]


def whole(project: Path, package: str, own: Mapping[str, str], made: Mapping[str, str]) -> Folder:
    """Return a project that is new: its author's files, save those that are there, and ours."""
    files = {path: text for path, text in own.items() if not (project / path).exists()}
    files |= {f"src/{package}/{GENERATED}/{path}": text for path, text in made.items()}
    return Folder(project, files, is_ours=False)


def lacks(stubs: Sequence[Stub], package: Path) -> list[Lack]:
    """Say which methods the author's classes do not have, wherever in the package they are."""
    trees = dict(_modules(package))
    classes = [node for tree in trees.values() for node in _classes(tree)]
    present = {name for node in classes for name in _methods(node)}
    found: list[Lack] = []
    for stub in stubs:
        missing = tuple(name for name in stub.methods if name not in present)
        places = [path for path, tree in trees.items() if _heir(tree, stub.base)]
        if missing or not places:
            found.append(Lack(stub, places[0] if places else None, missing))
    return found


def add(lack: Lack, project: Path) -> Path:
    """Append the stubs of the methods that are lacking; every other byte stays as it was."""
    if lack.file is None:
        path = project / lack.stub.path
        if path.exists():
            hint = f"derive one from {lack.stub.base}, or move the file away"
            raise UsageError(f"no class here derives from {lack.stub.base}", str(path), hint)
        output.replace(path, lack.stub.text)
        return path
    text = lack.file.read_bytes().decode("utf-8")
    output.replace(lack.file, _added(text, lack, str(lack.file)))
    return lack.file


def _modules(package: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(package.rglob("*.py")):
        if GENERATED in path.relative_to(package).parts:
            continue
        try:
            yield path, ast.parse(path.read_bytes(), str(path))
        except (SyntaxError, ValueError, OSError) as error:
            raise UsageError(f"the file is not Python: {error}", str(path)) from None


def _classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _methods(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield part.name
        elif isinstance(part, ast.Assign | ast.AnnAssign):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _heir(tree: ast.Module, base: str) -> ast.ClassDef | None:
    for node in _classes(tree):
        if any(ast.unparse(each).split(".")[-1] == base for each in node.bases):
            return node
    return None


def _added(text: str, lack: Lack, where: str) -> str:
    """Return the file with the stubs at the end of its class, and the imports they need."""
    lines = text.splitlines(keepends=True)
    newline = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    tree = ast.parse(text)
    heir = _heir(tree, lack.stub.base)
    if heir is None or heir.body[0].lineno == heir.lineno:
        hint = f"write the class that derives from {lack.stub.base} over several lines"
        raise UsageError("no stubs can be added here", where, hint)
    first = lines[heir.body[0].lineno - 1]
    indent = first[: len(first) - len(first.lstrip())]
    end = heir.body[-1].end_lineno or len(lines)
    if not lines[end - 1].endswith("\n"):
        lines[end - 1] += newline
    body = [newline + line for line in _stubs(lack, indent, newline)]
    imports = _imports(tree, lack)
    lines[end:end] = body
    lines[imports[0] : imports[0]] = [line + newline for line in imports[1]]
    return "".join(lines)


def _stubs(lack: Lack, indent: str, newline: str) -> Iterator[str]:
    """Yield the text of each method, as the author indents."""
    source = lack.stub.text.splitlines()
    for node in _wanted(lack):
        part = source[node.lineno - 1 : node.end_lineno]
        own = [indent + line[4:] if line.strip() else "" for line in part]
        yield newline.join(own) + newline


def _wanted(lack: Lack) -> list[ast.AsyncFunctionDef]:
    made = _heir(ast.parse(lack.stub.text), lack.stub.base)
    methods = [
        node for node in (made.body if made else []) if isinstance(node, ast.AsyncFunctionDef)
    ]
    return [node for node in methods if node.name in lack.methods]


def _imports(tree: ast.Module, lack: Lack) -> tuple[int, list[str]]:
    """Return the line after which imports stand, and those that the stubs need besides."""
    known = {alias.asname or alias.name for node in _froms(tree) for alias in node.names}
    used = {
        part.id for node in _wanted(lack) for part in ast.walk(node) if isinstance(part, ast.Name)
    }
    last = max((node.end_lineno or 0 for node in _top(tree)), default=0)
    prefix = _prefix(tree, lack.stub.base)
    lines = [
        f"from {_moved(node, prefix)} import {', '.join(names)}"
        for node in _froms(ast.parse(lack.stub.text))
        if (names := [a.name for a in node.names if a.name in used - known])
    ]
    return last, lines


def _froms(tree: ast.Module) -> list[ast.ImportFrom]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]


def _top(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the imports of a module, and what must stand before them."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            node is tree.body[0] and _is_text(node)
        ):
            yield node


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _prefix(tree: ast.Module, base: str) -> str:
    """Return how the author's file names the generated package."""
    for node in _froms(tree):
        path = "." * node.level + (node.module or "")
        if GENERATED in path and any(alias.name == base for alias in node.names):
            return path[: path.index(GENERATED) + len(GENERATED)]
    return f".{GENERATED}"


def _moved(node: ast.ImportFrom, prefix: str) -> str:
    path = "." * node.level + (node.module or "")
    return path.replace(f".{GENERATED}", prefix, 1) if path.startswith(f".{GENERATED}") else path
