"""Renders a package with one template folder, whose tree is the output's tree. Layout only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpgen.codegen import escaping
from mcpgen.codegen.plan import ServerPackage, documentation, lines
from mcpgen.codegen.plan.package import Class, Method, Package
from mcpgen.files import resources

if TYPE_CHECKING:
    from jinja2 import Environment

_SUFFIX = ".jinja"
_SHARED = ".from"
_OWN = ("mcpgen/validation/regexes/", "mcpgen/validation/keywords/", "mcpgen/recording/wire/")
_EACH_MODULE = "{module}"
_EACH_BASE = "{base}"
_SHARED_MODELS = "models/shared.py"
_EACH_PART = "{part}"
_PARTS = "tools/"


def render(package: Package, folder: str) -> dict[str, str]:
    """Return the text of every file, by its path below the package's own folder.

    A file ``x.jinja`` becomes ``x``; one with ``{module}`` in its name becomes one file a tool,
    one with ``{base}`` one file an abstract class, one with ``{part}`` one file a part, if there
    are some; every other file is copied as it stands, save the ``.partial.jinja`` that templates
    include, and the shared models where there are none. A file ``x.from`` says which file ``x`` is:
    another template's, or one that mcpgen itself runs.
    """
    files: dict[str, str] = {}
    for name, source in _tree(folder):
        path = name.removesuffix(_SUFFIX).replace("{package}", package.name)
        if not name.endswith(_SUFFIX):
            files[path] = _source(source)
            continue
        template = _environment().get_template(source)
        if path == _SHARED_MODELS and package.shared is None:
            continue
        if _PARTS in path and not package.parts:
            continue
        if _EACH_PART in path:
            for part in package.parts:
                text = template.render(package=package, part=part, imports=part.imports)
                files[path.replace(_EACH_PART, part.name)] = text
        elif _EACH_MODULE in path:
            for module in package.modules:
                text = template.render(package=package, module=module, imports=module.imports)
                files[path.replace(_EACH_MODULE, module.name)] = text
        elif _EACH_BASE in path and isinstance(package, ServerPackage):
            for base in package.bases:
                text = template.render(package=package, base=base, imports=base.imports)
                files[path.replace(_EACH_BASE, base.kind)] = text
        else:
            files[path] = template.render(package=package)
    return files


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
        autoescape=False,  # noqa: S701 - this is Python source; remote text passes mcpgen.literal
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
