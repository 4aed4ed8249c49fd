"""Renders a package with a folder of templates, whose tree is the output's tree.

Headers and calls of methods take as few lines as Black would leave them in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from mcpgen.codegen import escaping, layout
from mcpgen.codegen.escaping import WIDTH
from mcpgen.codegen.plan import ServerPackage, documentation
from mcpgen.codegen.plan.imports import RUNTIME, line, resolve_runtime
from mcpgen.codegen.plan.package import Base, Class, Import, Method, MethodFile, Module, Package
from mcpgen.files import resources

if TYPE_CHECKING:
    from jinja2 import Environment

_SUFFIX = ".jinja"
_PARTIAL = ".partial.jinja"
COPY = "_runtime"
"""The folder of the runtime in a standalone package."""
_SHARED_MODELS = "models/shared.py"
_PARTS = "tools/"
_STEP = "    "


def render(
    package: Package, folder: str, *, standalone: bool = False, **options: object
) -> dict[str, str]:
    """Return the text of every file, by its path below the package's folder.

    A template ``x.jinja`` becomes ``x``. Templates with ``{module}`` in their name produce one file
    per tool, ``{base}`` one per abstract class, ``{part}`` one per part. Parts and shared models
    have no file if there are none. Templates named ``.partial.jinja`` are only included by others.
    A standalone package imports the runtime from its own folder. Templates see further
    ``options`` by name.
    """
    files: dict[str, str] = {}
    for name in _tree(folder):
        path = name.removesuffix(_SUFFIX)
        template = _environment().get_template(f"{folder}/{name}")
        runtime = f"{'.' * (path.count('/') + 1)}{COPY}" if standalone else RUNTIME
        values = {"package": package, "runtime": runtime, "standalone": standalone, **options}
        for file, own in _render_template(path, package):
            files[file.replace("{package}", package.name)] = template.render(**values, **own)
    return files


def _render_template(path: str, package: Package) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the files of a template, with the variables of each."""
    needed = {_SHARED_MODELS: package.shared is not None, _PARTS: bool(package.parts)}
    if not all(is_needed for needed_path, is_needed in needed.items() if needed_path in path):
        return
    bases = package.bases if isinstance(package, ServerPackage) else ()
    repeated: dict[str, dict[str, Module | MethodFile | Base]] = {
        "module": {module.name: module for module in package.modules},
        "part": {part.name: part for part in package.parts},
        "base": {base.kind: base for base in bases},
    }
    for kind, values in repeated.items():
        if f"{{{kind}}}" in path:
            for name, value in values.items():
                yield path.replace(f"{{{kind}}}", name), {kind: value, "imports": value.imports}
            return
    yield path, {}


def _tree(folder: str) -> Iterator[str]:
    """Yield the path of each template below a template folder."""
    root = resources.folder("templates") / folder
    for file in sorted(root.rglob("*")):
        if file.name.endswith(_SUFFIX) and not file.name.endswith(_PARTIAL):
            yield file.relative_to(root).as_posix()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(resources.folder("templates")),
        undefined=StrictUndefined,
        auto_reload=False,
        optimized=False,  # the templates have no constant expressions to fold
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - this is Python source; escaping.py keeps remote text out
    )
    filters: dict[str, Any] = environment.filters
    filters |= {"docstring": documentation.docstring, "documented": documentation.method}
    filters |= {"keys_documented": documentation.keys, "string": escaping.string}
    filters |= {"shortened": escaping.shorten, "json": _json, "markdown": escaping.markdown}
    filters |= {"header": header, "call": _call}
    filters |= {"entry": entry, "listed": list_statement}
    filters |= {"argument": argument, "import_lines": import_lines}
    shared = shared_names()
    values: dict[str, Any] = environment.globals
    values |= {"line": line, "shared_names": shared, "runtime_imports": [line(RUNTIME, *shared)]}
    values |= {"requires": required_version()}
    environment.tests["class"] = lambda value: isinstance(value, Class)
    return environment


def _call(method: Method, function: str, first: str) -> str:
    return call(function, first, method)


def _json(text: str) -> str:
    """Write a text as JSON does, which TOML reads too."""
    return json.dumps(text, ensure_ascii=False)


def shared_names() -> list[str]:
    """Return the names that a client package re-exports from the runtime."""
    import mcpgen_runtime

    return sorted(name for name in dir(mcpgen_runtime) if not name.startswith("_"))


def required_version() -> str:
    """Return the runtime version that generated code needs, such as ``0.1``."""
    from mcpgen_runtime import __version__

    major, minor, *_ = __version__.split(".")
    return f"{major}.{minor}"


def import_lines(
    lines: Sequence[Import], runtime: str, depth: int = 0, *, exported: bool = False
) -> str:
    """Return import statements, in groups. Each exported name has a statement of its own."""
    text: list[str] = []
    group = None
    for item in resolve_runtime(lines, runtime):
        if group not in (None, item.group):
            text.append("")
        group = item.group
        opening = f"{_STEP * depth}from {item.module} import "
        if exported and item.names != ("*",):
            text += [f"{opening}{name} as {name}" for name in item.names]
        else:
            text.append(f"{opening}{', '.join(item.names)}")
    return "\n".join(text)


def header(method: Method) -> str:
    """Return the header of a client's method: on one line, or its parameters on one, or on each."""
    named = [
        f"{item.name}: {item.annotation}{f' = {item.default}' if item.default else ''}"
        for item in method.parameters
    ]
    # Without a parameter after it, the star is a syntax error.
    parameters = ["self", "*", *named] if named else ["self"]
    opening, closing = f"async def {method.name}(", f") -> {method.returns}:"
    listed = ", ".join(parameters)
    if _fits(f"{opening}{listed}{closing}", 1):
        return f"{opening}{listed}{closing}"
    if _fits(listed, 2) and named:
        return _block(opening, [listed], closing, 1)
    return _block(opening, [f"{parameter}," for parameter in parameters], closing, 1)


def call(function: str, first: str, method: Method) -> str:
    """Return the statement that passes on a method's arguments by their JSON names."""
    opening = f"return await self.{function}("
    arguments = _arguments(method)
    if _fits(f"{opening}{first}, {arguments})", 2):
        return f"{opening}{first}, {arguments})"
    if _fits(f"{first}, {arguments}", 3):
        return _block(opening, [f"{first}, {arguments}"], ")", 2)
    if not _fits(f"{arguments},", 3):
        pairs = [f"{parameter.wire}: {parameter.name}," for parameter in method.parameters]
        arguments = _block("{", pairs, "}", 3)
    return _block(opening, [f"{first},", f"{arguments},"], ")", 2)


def list_statement(opening: str, names: Sequence[str]) -> str:
    """Return a statement at the margin that lists names as strings."""
    strings = [f'"{name}"' for name in names]
    if _fits(f"{opening}[{', '.join(strings)}]", 0):
        return f"{opening}[{', '.join(strings)}]"
    return _block(f"{opening}[", [f"{string}," for string in strings], "]", 0)


def entry(key: str, parts: Sequence[str], depth: int) -> str:
    """Return a dict entry whose value is a string of words, in as many lines as needed."""
    text = f'"{" ".join(parts)}"'
    if _fits(f"{key}: {text},", depth) or len(parts) < 2:
        return f"{key}: {text},"
    return _block(f"{key}: (", [f'"{line}"' for line in _fold_words(parts, depth + 1)], "),", depth)


def argument(name: str, parts: Sequence[str], depth: int) -> str:
    """Return a keyword argument whose value is a string of words, in as many lines as needed."""
    text = f'{name}="{" ".join(parts)}",'
    if _fits(text, depth):
        return text
    return _block(f"{name}=(", [f'"{line}"' for line in _fold_words(parts, depth + 1)], "),", depth)


def _fold_words(parts: Sequence[str], depth: int) -> list[str]:
    """Return lines of words. Each line but the first starts with a space."""
    folded = [parts[0]]
    for token in parts[1:]:
        if _fits(f'"{folded[-1]} {token}"', depth):
            folded[-1] += f" {token}"
        else:
            folded.append(f" {token}")
    return folded


def _arguments(method: Method) -> str:
    if method.kind == "plain":
        return "arguments"
    if method.kind == "free":
        return "arguments or {}"
    return (
        f"{{{', '.join(f'{parameter.wire}: {parameter.name}' for parameter in method.parameters)}}}"
    )


def _block(opening: str, lines: Sequence[str], closing: str, depth: int) -> str:
    pad = _STEP * depth
    return "\n".join([opening, *(f"{pad}{_STEP}{line}" for line in lines), f"{pad}{closing}"])


def _fits(text: str, depth: int) -> bool:
    return len(_STEP) * depth + layout.width(text) <= WIDTH
