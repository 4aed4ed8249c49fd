"""A Package fills one template folder, whose tree is the output's tree. Layout only, no logic."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from mcpgen import literal, resources
from mcpgen.plan import Package, documentation
from mcpgen.plan.package import Class, Method

if TYPE_CHECKING:
    from jinja2 import Environment

_SUFFIX = ".jinja"
_EACH_MODULE = "{module}"


def render(package: Package, folder: str) -> dict[str, str]:
    """Return the text of every file, by its path below the package's own folder.

    A file ``x.jinja`` becomes ``x``; one with ``{module}`` in its name becomes one file a tool;
    every other file is copied as it stands, save the ``.partial.jinja`` that templates include.
    """
    files: dict[str, str] = {}
    for name in _tree(folder):
        path = name.removesuffix(_SUFFIX)
        if name == path:
            files[path] = _source(folder, name)
        elif _EACH_MODULE in path:
            template = _environment().get_template(f"{folder}/{name}")
            for module in package.modules:
                text = template.render(package=package, module=module, imports=module.imports)
                files[path.replace(_EACH_MODULE, module.name)] = text
        else:
            template = _environment().get_template(f"{folder}/{name}")
            files[path] = template.render(package=package)
    return files


def _tree(folder: str) -> Iterator[str]:
    root = resources.folder("templates") / folder
    for file in sorted(root.rglob("*")):
        name = file.relative_to(root).as_posix()
        hidden = "__pycache__" in name or file.name.endswith(".partial.jinja")
        if file.is_file() and not hidden:
            yield name


@cache
def _source(folder: str, name: str) -> str:
    return (resources.folder("templates") / folder / name).read_text("utf-8")


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
    filters |= {"docstring": _docstring, "documented": _documented, "string": literal.string}
    environment.tests["class"] = lambda value: isinstance(value, Class)
    return environment


def _documented(method: Method, indent: int) -> str:
    told = [(parameter.name, parameter.doc) for parameter in method.parameters]
    return literal.docstring(documentation.method(method.doc, told, indent), indent)


def _docstring(body: str | list[str], indent: int) -> str:
    lines = body if isinstance(body, list) else literal.lines(body, literal.WIDTH - indent)
    return literal.docstring(lines, indent)
