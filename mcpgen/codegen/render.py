"""Renders a package with one template folder, whose tree is the output's tree. Layout only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from mcpgen.codegen import escaping
from mcpgen.codegen.plan import ServerPackage, documentation, lines
from mcpgen.codegen.plan.imports import RUNTIME, line, resolve_runtime
from mcpgen.codegen.plan.package import Base, Class, Method, MethodFile, Module, Package
from mcpgen.files import resources

if TYPE_CHECKING:
    from jinja2 import Environment

_SUFFIX = ".jinja"
_PARTIAL = ".partial.jinja"
COPY = "_runtime"
"""The folder of the runtime in a standalone package."""
_SHARED_MODELS = "models/shared.py"
_PARTS = "tools/"


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
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - this is Python source; escaping.py keeps remote text out
    )
    filters: dict[str, Any] = environment.filters
    filters |= {"docstring": documentation.docstring, "documented": documentation.method}
    filters |= {"keys_documented": documentation.keys, "string": escaping.string}
    filters |= {"shortened": escaping.shorten, "json": _json, "markdown": escaping.markdown}
    filters |= {"header": lines.header, "call": _call}
    filters |= {"entry": lines.entry, "listed": lines.list_statement}
    filters |= {"argument": lines.argument, "located": resolve_runtime}
    shared = shared_names()
    values: dict[str, Any] = environment.globals
    values |= {"line": line, "shared_names": shared, "runtime_imports": [line(RUNTIME, *shared)]}
    values |= {"requires": required_version()}
    environment.tests["class"] = lambda value: isinstance(value, Class)
    return environment


def _call(method: Method, function: str, first: str) -> str:
    return lines.call(function, first, method)


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
