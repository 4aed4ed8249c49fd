"""Runs all steps from a contract to the files of a client. Pure, except that it reads templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from mcpgen.codegen import naming, package_files
from mcpgen.codegen.plan import Example, Formats, Style, example, plan
from mcpgen.contract.definitions import Api, read, server_name
from mcpgen.contract.document import Contract
from mcpgen.contract.observation.document import FORMAT, MEMBER
from mcpgen.errors import Notice, UsageError
from mcpgen.files import write
from mcpgen.isolation import failure_notices, isolate
from mcpgen.jsontext import dumps

STYLES: tuple[Style, ...] = ("dataclass", "basemodel", "typeddict")
FORMATS: tuple[Formats, ...] = ("assertion", "annotation")


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a client package: its name (or the server's), its style and formats of results.

    A standalone package contains a copy of the runtime library.
    """

    name: str = ""
    style: Style = "dataclass"
    formats: Formats = "assertion"
    trust: bool = False
    standalone: bool = False

    def __post_init__(self) -> None:
        """Reject invalid options."""
        if self.style not in STYLES:
            raise UsageError(
                f"unknown style {self.style!r}", "--style", f"choose one of: {', '.join(STYLES)}"
            )
        if self.formats not in FORMATS:
            raise UsageError(
                f"unknown formats {self.formats!r}",
                "--formats",
                f"choose one of: {', '.join(FORMATS)}",
            )
        naming.refuse(self.name, "client")

    def package(self, contract: Contract) -> str:
        """Return the name of the package for a contract."""
        return self.name or naming.package(server_name(contract))


@dataclass(frozen=True, slots=True)
class Generated:
    """The files of a package by path, and notices about the contract.

    ``client`` is the client class, ``tools`` are its methods. ``example`` is a call to show to a
    new user, or None.
    """

    package: str
    client: str
    tools: tuple[str, ...]
    example: Example | None
    files: Mapping[str, str]
    notices: tuple[Notice, ...]


def generate(contract: Contract, options: Options = Options()) -> Generated:
    """Generate a typed client package. The same input gives the same bytes.

    A definition that a step fails on is isolated from the others.
    """
    # The name depends on the complete contract, not on the selected tools.
    name = options.package(contract)
    generated, failures = isolate(partial(_client, options=replace(options, name=name)), contract)
    return replace(generated, notices=(*failure_notices(failures), *generated.notices))


def _client(contract: Contract, options: Options) -> Generated:
    api = read(contract)
    contract = contract.without_order()  # a client doesn't depend on the order
    generated = _modules_of_client(api, contract, options)
    # The plan has been freed by now. With many tools, it is larger than the contract's JSON.
    files = {**generated.files, write.CONTRACT: contract.text()}
    if contract.observed:
        files[write.OBSERVED] = dumps({MEMBER: FORMAT, "tools": contract.observed})
    return replace(generated, files=dict(sorted(files.items())))


def _modules_of_client(api: Api, contract: Contract, options: Options) -> Generated:
    package = plan(
        api,
        name=options.name,
        style=options.style,
        formats=options.formats,
        trust=options.trust,
        digest=contract.digest(),
        pins=contract.names,
        classes=contract.classes,
        origin=contract.origin,
    )
    return Generated(
        package=package.name,
        client=f"{package.prefix}Client",
        tools=tuple(method.name for method in package.tools),
        example=example(api, package),
        files=package_files.make(package, "client", standalone=options.standalone),
        notices=api.notices,
    )
