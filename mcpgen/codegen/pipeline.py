"""Runs all steps from a contract to files. Pure, except that it reads the templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from mcpgen_runtime._version import IS_PUBLISHED

from mcpgen import __version__
from mcpgen.codegen import module_splitting, naming, runtime_copy
from mcpgen.codegen.formatting import format_files
from mcpgen.codegen.identifiers import LONGEST
from mcpgen.codegen.plan import Example, Formats, Style, example, plan
from mcpgen.codegen.plan.package import Base, Package
from mcpgen.codegen.render import render
from mcpgen.contract import capabilities
from mcpgen.contract.definitions import Api, read, server_name
from mcpgen.contract.document import Contract
from mcpgen.contract.observation.document import FORMAT, MEMBER
from mcpgen.errors import ContractError, Notice, UsageError
from mcpgen.files import write
from mcpgen.installing import requirement
from mcpgen.isolation import failure_notices, isolate
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, dumps, is_object
from mcpgen.schemas import examples
from mcpgen.schemas.examples import NoExampleError
from mcpgen.schemas.validation import definition_checks, headers, uri_templates

if TYPE_CHECKING:
    from mcpgen.codegen.former import FormerServer
    from mcpgen.codegen.user_code import Stub

STYLES: tuple[Style, ...] = ("dataclass", "basemodel", "typeddict")
FORMATS: tuple[Formats, ...] = ("assertion", "annotation")
AUTH_CLASSES = {"jwt": "JwtAuth", "introspection": "Introspection"}
"""The classes of the runtime that verify access tokens, by the value of ``--auth``."""
_ISSUED = ("MCPGEN_AUTH_ISSUER", "MCPGEN_AUTH_RESOURCE")
_AUTH_VARIABLES = {
    "jwt": (*_ISSUED, "MCPGEN_AUTH_JWKS_URL"),
    "introspection": (
        *_ISSUED,
        "MCPGEN_AUTH_INTROSPECTION_URL",
        "MCPGEN_AUTH_CLIENT_ID",
        "MCPGEN_AUTH_CLIENT_SECRET",
    ),
}
"""The variables without a default, by the value of ``--auth``."""
_WHEELS = "wheels/README.md"
DOCKER_FILES = (".dockerignore", "Dockerfile", "compose.yaml", "nginx.conf", _WHEELS)
"""The files that ``--docker`` adds to a project."""


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
        _refuse_name(self.name, "client")

    def package(self, contract: Contract) -> str:
        """Return the name of the package for a contract."""
        return self.name or naming.package(server_name(contract))


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of a server.

    Attributes:
        name: The package's name. The default is the server's.
        docker: Whether to write a Dockerfile, and how to run the image behind nginx.
        auth: How the server verifies access tokens over HTTP, or "" if it doesn't.
        redis: Whether replicas of the server share their state in Redis.
        telemetry: Whether the project has the libraries for metrics and traces.
        standalone: Whether the package has its own copy of the runtime.
        former: The server whose functions the methods call, if there is one.
    """

    name: str = ""
    docker: bool = False
    auth: str = ""
    redis: bool = False
    telemetry: bool = False
    standalone: bool = not IS_PUBLISHED
    former: FormerServer | None = None

    def __post_init__(self) -> None:
        """Reject invalid options."""
        _refuse_name(self.name, "server")
        if self.auth and self.auth not in AUTH_CLASSES:
            raise UsageError(
                f"unknown authorization {self.auth!r}", "--auth", f"use {' or '.join(AUTH_CLASSES)}"
            )

    @property
    def key(self) -> tuple[str, ...]:
        """The options as strings, for cache keys."""
        return tuple(f"{name}={value}" for name, value in sorted(asdict(self).items()))

    @property
    def extras(self) -> str:
        """The extras of the runtime that the server needs, separated by commas."""
        wanted = {
            "auth": bool(self.auth),
            "fast": True,
            "redis": self.redis,
            "telemetry": self.telemetry,
        }
        return ",".join(name for name, is_wanted in wanted.items() if is_wanted)

    def package(self, contract: Contract) -> str:
        """Return the name of the package for a contract."""
        return self.name or naming.package(server_name(contract), "server")


def _refuse_name(name: str, role: str) -> None:
    if len(name) > LONGEST:
        raise UsageError(f"a package name has at most {LONGEST} characters", "--name")
    if name and not (name.isidentifier() and name.isascii()):
        raise UsageError(
            f"{name!r} cannot be the name of a package",
            "--name",
            "use letters, digits and underscores, beginning with a letter",
        )
    if naming.is_taken(name):
        raise UsageError(
            f"a package named {name!r} would shadow a module that Python or the package needs",
            "--name",
            f"try {naming.package(name, role)}",
        )


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
    files = _with_headers(render(package, "client", standalone=options.standalone), package)
    files = format_files(files)
    files |= format_files(module_splitting.cut(files))
    if options.standalone:
        files |= runtime_copy.files()
    return Generated(
        package=package.name,
        client=f"{package.prefix}Client",
        tools=tuple(method.name for method in package.tools),
        example=example(api, package),
        files=files,
        notices=api.notices,
    )


@dataclass(frozen=True, slots=True)
class GeneratedServer:
    """A server project: generated files, and files that belong to the author.

    ``generated`` has paths below the folder ``_generated`` of the package, ``own`` has paths below
    the project. ``stubs`` are the classes in the author's files.
    """

    package: str
    distribution: str
    generated: Mapping[str, str]
    own: Mapping[str, str]
    stubs: tuple[Stub, ...]
    notices: tuple[Notice, ...]


def generate_server(
    contract: Contract, options: ServerOptions = ServerOptions()
) -> GeneratedServer:
    """Generate a server project. The same input gives the same bytes.

    A definition that a step fails on is isolated, as is a tool that every client would reject.
    """
    # The name depends on the complete contract, not on the selected tools.
    name = options.package(contract)
    generated, failures = isolate(partial(_server, name=name, options=options), contract)
    return replace(generated, notices=(*failure_notices(failures), *generated.notices))


def _server(contract: Contract, name: str, options: ServerOptions) -> GeneratedServer:
    from mcpgen.codegen.plan import server  # clients don't need it

    api = read(contract)
    without_tasks = "" if capabilities.runs_tasks(contract) else _WITHOUT_TASKS
    left_out = capabilities.left_out(contract, without_tasks)
    notices = (*api.notices, *left_out, *_unmatchable(api))
    contract = _published_contract(contract)
    _refuse_headers(contract, api)
    runs_tasks = capabilities.runs_tasks(contract)
    former = options.former
    package = server.plan(api, name=name, contract=contract, runs_tasks=runs_tasks, former=former)
    generated = render(package, "server/_generated", standalone=options.standalone)
    generated = format_files(_with_headers(generated, package))
    generated |= format_files(module_splitting.cut(generated))
    if options.standalone:
        generated |= runtime_copy.files()
    generated["contract.json"] = contract.text()
    generated["examples.json"] = dumps(_examples(api))
    project_files = render(
        package,
        "server/project",
        standalone=options.standalone,
        auth=AUTH_CLASSES.get(options.auth, ""),
        auth_variables=_AUTH_VARIABLES.get(options.auth, ()),
        redis=options.redis,
        telemetry=options.telemetry,
        docker=options.docker,
        has_former=former is not None,
        former_requirements=former.requirements if former else (),
        requirement=requirement(options.extras),
    )
    for path in DOCKER_FILES:
        if not options.docker or (options.standalone and path == _WHEELS):
            del project_files[path]
    if former is not None:
        project_files |= former.files(package.name)
    # Among the author's files, only the stubs contain remote text; the others equal their
    # templates.
    stub_paths = {base.name: f"src/{package.name}/{base.kind}.py" for base in package.bases}
    several = f"src/{package.name}/tools/"
    project_files |= format_files(
        {
            path: project_files[path]
            for path in project_files
            if path in stub_paths.values() or several in path
        }
    )
    stubs = tuple(_stub(base, stub_paths[base.name], project_files) for base in package.bases)
    if package.parts:
        del project_files[stub_paths[package.bases[0].name]]
    return GeneratedServer(
        package=package.name,
        distribution=package.distribution,
        generated=dict(sorted(generated.items())),
        own=dict(sorted(project_files.items())),
        stubs=stubs,
        notices=notices,
    )


_WITHOUT_TASKS = "no tool declares execution.taskSupport"


def _published_contract(contract: Contract) -> Contract:
    """Return the contract to publish, without its origin and nonconforming members."""
    return replace(
        contract,
        origin={},
        server=capabilities.server_info(definition_checks.conforming(contract.server)),
        capabilities=capabilities.capabilities_to_declare(contract),
        tools={name: definition_checks.conforming(raw) for name, raw in contract.tools.items()},
        prompts={name: definition_checks.conforming(raw) for name, raw in contract.prompts.items()},
        resources=_with_names(contract.resources),
        resource_templates=_with_names(contract.resource_templates),
    )


def _with_names(resources: Mapping[str, Mapping[str, Json]]) -> dict[str, Mapping[str, Json]]:
    """Add the required name to resources, by default the URI."""
    return {
        uri: {"name": uri, **definition_checks.conforming(raw)} for uri, raw in resources.items()
    }


def _unmatchable(api: Api) -> Iterator[Notice]:
    """Report resource templates that are listed, but match no URI."""
    for template in api.templates:
        if reason := uri_templates.unmatchable(template.uri):
            at = f"/resourceTemplates/{escape(template.uri)}"
            yield Notice(at, f"{reason}; it is listed, but nothing can be read by it", "template")


def _examples(api: Api) -> dict[str, Json]:
    """Return arguments for each tool that has valid ones."""
    by_tool: dict[str, Json] = {}
    for tool in api.tools:
        with suppress(NoExampleError):
            raw = {**tool.input.raw, "type": "object"} if tool.input else {"type": "object"}
            by_tool[tool.name] = examples.example(raw)
    return by_tool


def _stub(base: Base, path: str, files: Mapping[str, str]) -> Stub:
    from mcpgen.codegen.user_code import Stub  # clients don't need it

    methods = tuple(method.name for method in base.methods)
    optional = tuple(method.name for method in base.completions.values())
    return Stub(path, base.name, files[path], methods, optional)


def _refuse_headers(contract: Contract, api: Api) -> None:
    """Refuse a tool that every client would refuse (MCP 2026-07-28, transports)."""
    for tool in api.tools:
        is_published = tool.input is not None or tool.name in contract.untyped
        schema = contract.tools[tool.name].get("inputSchema") if is_published else None
        for problem in headers.problems(schema) if is_object(schema) else ():
            where = f"/tools/{escape(tool.name)}/inputSchema{problem.pointer}"
            raise ContractError(f"{problem.reason}, and every client would drop the tool", where)


def _with_headers(files: Mapping[str, str], package: Package) -> dict[str, str]:
    """Add a header to every module. Only ``__init__.py`` has the version of mcpgen."""
    hashes = {f"models/{module.name}.py": module.hash for module in package.modules}
    if package.shared:
        hashes[f"models/{package.shared.name}.py"] = package.shared.hash
    hashes |= dict.fromkeys(("__init__.py", "base.py", "client.py", "register.py"), package.hash)
    return {
        path: _header(path, hashes.get(path, "")) + text if path.endswith(".py") else text
        for path, text in files.items()
    }


def _header(path: str, digest: str) -> str:
    version = f"{write.VERSION} {__version__}\n" if path == "__init__.py" else ""
    source = f"# Made from sha256:{digest}\n" if digest else ""
    return f"{write.HEADER}. DO NOT EDIT.\n{version}{source}\n"
