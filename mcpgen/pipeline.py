"""The stages in order. Pure: no network, clock, environment or disk, save the templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen import __version__, naming, output
from mcpgen.api import parse, server_name
from mcpgen.contract import Contract
from mcpgen.errors import Notice, UsageError
from mcpgen.layout import tidy
from mcpgen.plan import Package, Style, example, plan
from mcpgen.render import render

STYLES: tuple[Style, ...] = ("dataclass", "basemodel", "typeddict")


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen: the package's name (else the server's) and the style of its models."""

    name: str = ""
    style: Style = "dataclass"

    def __post_init__(self) -> None:
        """Refuse what no package could be made with."""
        if self.style not in STYLES:
            raise UsageError(
                f"unknown style {self.style!r}", "--style", f"choose one of: {', '.join(STYLES)}"
            )
        if self.name and not (self.name.isidentifier() and self.name.isascii()):
            raise UsageError(
                f"{self.name!r} cannot be the name of a package",
                "--name",
                "use letters, digits and underscores, beginning with a letter",
            )
        if naming.is_taken(self.name):
            raise UsageError(
                f"a package named {self.name!r} would hide what Python, or it, needs",
                "--name",
                f"try {naming.package(self.name)}",
            )

    def package(self, contract: Contract) -> str:
        """Return the name of the package that is made of a contract."""
        return self.name or naming.package(server_name(contract))


@dataclass(frozen=True, slots=True)
class Generated:
    """The files of a package by their path below its folder, and what was odd in the contract.

    ``client`` is the name of its client class, ``tools`` those of its methods; ``example`` is a
    call that needs no arguments and is said to change nothing, or empty.
    """

    package: str
    client: str
    tools: tuple[str, ...]
    example: str
    files: Mapping[str, str]
    notices: tuple[Notice, ...]


def generate(contract: Contract, options: Options = Options()) -> Generated:
    """Turn a contract into the files of a typed client package; the same input, the same bytes."""
    api = parse(contract)
    package = plan(
        api,
        name=options.package(contract),
        style=options.style,
        digest=contract.digest(),
        pins=contract.names,
    )
    files = tidy(_headed(render(package, "client"), package))
    files["contract.json"] = contract.text()
    return Generated(
        package=package.name,
        client=f"{package.prefix}Client",
        tools=tuple(method.name for method in package.tools),
        example=example(api, package),
        files=dict(sorted(files.items())),
        notices=api.notices,
    )


def _headed(files: Mapping[str, str], package: Package) -> dict[str, str]:
    """Put a header on every module: the version, and the hash of what it was made from."""
    hashes = {f"models/{module.name}.py": module.hash for module in package.modules}
    hashes |= dict.fromkeys(("__init__.py", "client.py"), package.hash)
    return {
        path: _header(hashes.get(path, "")) + text if path.endswith(".py") else text
        for path, text in files.items()
    }


def _header(digest: str) -> str:
    source = f"# Made from sha256:{digest}\n" if digest else ""
    return f"{output.HEADER} {__version__}. DO NOT EDIT.\n{source}\n"
