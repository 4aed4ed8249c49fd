"""Renders a package with one template folder, whose tree is the output's tree. Layout only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpgen.codegen import escaping
from mcpgen.codegen.plan import ServerPackage, documentation, lines
from mcpgen.codegen.plan.package import Base, Class, Method, Module, Package, Part
from mcpgen.files import resources

if TYPE_CHECKING:
    from jinja2 import Environment

_SUFFIX = ".jinja"
_SHARED = ".from"
_OWN = (
    "mcpgen/display.py",
    "mcpgen/validation/regexes/",
    "mcpgen/validation/keywords/",
    "mcpgen/recording/wire/",
    "mcpgen/calls/",
    "mcpgen/mock/task.py",
    "mcpgen/mock/task_eras.py",
    "mcpgen/mock/task_requests.py",
    "mcpgen/login/",
    "mcpgen/shell/words/",
)
_SHARED_MODELS = "models/shared.py"
_PARTS = "tools/"


def render(package: Package, folder: str) -> dict[str, str]:
    """Return the text of every file, by its path below the package's own folder.

    A file ``x.jinja`` becomes ``x``; one with ``{module}`` in its name becomes one file a tool,
    one with ``{base}`` one file an abstract class, one with ``{part}`` one file a part. What the
    package has none of, parts or shared models, has no file. Every other file is copied as it
    stands, save the ``.partial.jinja`` that templates include. A file ``x.from`` says which file
    ``x`` is: another template's, or one that mcpgen itself runs.
    """
    files: dict[str, str] = {}
    for name, source in _tree(folder):
        path = name.removesuffix(_SUFFIX)
        if path == name:
            texts = {path: _source(source)}
        else:
            template = _environment().get_template(source)
            texts = {
                file: template.render(package=package, **values)
                for file, values in _rendered(path, package)
            }
        files |= {file.replace("{package}", package.name): text for file, text in texts.items()}
    return files


def _rendered(path: str, package: Package) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the files that a template becomes, and what each is rendered with besides."""
    needed = {_SHARED_MODELS: package.shared is not None, _PARTS: bool(package.parts)}
    if not all(is_needed for place, is_needed in needed.items() if place in path):
        return
    bases = package.bases if isinstance(package, ServerPackage) else ()
    repeated: dict[str, dict[str, Module | Part | Base]] = {
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


def _tree(folder: str) -> Iterator[tuple[str, str]]:
    """Walk the files of a template folder: their paths in it, and where their text is."""
    root = resources.folder("templates") / folder
    for file in sorted(root.rglob("*")):
        name = file.relative_to(root).as_posix()
        hidden = "__pycache__" in name or file.name.endswith(".partial.jinja")
        if file.is_file() and not hidden:
            shared = name.endswith(_SHARED)
            yield (
                name.removesuffix(_SHARED),
                _source(f"{folder}/{name}").strip() if shared else (f"{folder}/{name}"),
            )


@cache
def _source(path: str) -> str:
    checkout_file = Path(__file__).parents[2] / path
    file = checkout_file if path.startswith(_OWN) else resources.folder("templates") / path
    return file.read_text("utf-8")


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
    filters |= {"shortened": escaping.shortened, "json": _json, "markdown": escaping.markdown}
    filters |= {"header": lines.header, "call": _call}
    filters |= {"entry": lines.entry, "listed": lines.listed}
    environment.tests["class"] = lambda value: isinstance(value, Class)
    return environment


def _call(method: Method, function: str, first: str) -> str:
    return lines.call(function, first, method)


def _json(text: str) -> str:
    """Write a text as JSON does, which TOML reads too."""
    return json.dumps(text, ensure_ascii=False)
