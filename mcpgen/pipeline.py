"""The stages in order. Pure: no network, clock, environment or disk, save the templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen import __version__, output
from mcpgen.api import parse
from mcpgen.contract import Contract
from mcpgen.errors import Notice, UsageError
from mcpgen.layout import tidy
from mcpgen.plan import Package, Style, plan
from mcpgen.render import render

STYLES: tuple[Style, ...] = ("dataclass", "basemodel", "typeddict")


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen: the package's name (else the server's) and the style of its models."""

    name: str = ""
    style: Style = "dataclass"


@dataclass(frozen=True, slots=True)
class Generated:
    """The files of a package by their path below its folder, and what was odd in the contract."""

    package: str
    files: Mapping[str, str]
    notices: tuple[Notice, ...]


def generate(contract: Contract, options: Options = Options()) -> Generated:  # noqa: B008 - frozen
    """Turn a contract into the files of a typed client package; the same input, the same bytes."""
    _refuse(options)
    api = parse(contract)
    package = plan(
        api,
        name=options.name,
        style=options.style,
        digest=contract.digest(),
        pins=contract.names,
    )
    files = tidy(_headed(render(package, "client"), package))
    files["contract.json"] = contract.text()
    return Generated(package.name, dict(sorted(files.items())), api.notices)


def _refuse(options: Options) -> None:
    if options.style not in STYLES:
        raise UsageError(
            f"unknown style {options.style!r}", "--style", f"choose one of: {', '.join(STYLES)}"
        )
    name = options.name
    if name and not (name.isidentifier() and name.isascii()):
        raise UsageError(
            f"{name!r} cannot be the name of a package",
            "--name",
            "use letters, digits and underscores, beginning with a letter",
        )


def _headed(files: Mapping[str, str], package: Package) -> dict[str, str]:
    """Put a header on every module: the version, and the hash of what it was made from."""
    hashes = {f"models/{module.name}.py": module.hash for module in package.modules}
    hashes |= dict.fromkeys(("__init__.py", "client.py"), package.hash)
    return {path: _header(hashes.get(path, "")) + text if path.endswith(".py") else text
            for path, text in files.items()}


def _header(digest: str) -> str:
    source = f"# Made from sha256:{digest}\n" if digest else ""
    return f"{output.HEADER} {__version__}. DO NOT EDIT.\n{source}\n"
