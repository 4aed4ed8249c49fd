"""Runs all steps from a contract to the files of a server. Pure, except that it reads templates."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from mcpgen_runtime._version import IS_PUBLISHED

from mcpgen.codegen import naming, package_files
from mcpgen.codegen.formatting import format_files
from mcpgen.codegen.plan import ServerPackage, server
from mcpgen.codegen.plan.package import Base
from mcpgen.codegen.render import render
from mcpgen.codegen.user_code import Stub
from mcpgen.contract import capabilities
from mcpgen.contract.definitions import Api, read, server_name
from mcpgen.contract.document import Contract
from mcpgen.errors import ContractError, Notice, UsageError
from mcpgen.installing import requirement
from mcpgen.isolation import failure_notices, isolate
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, dumps, is_object
from mcpgen.schemas import examples
from mcpgen.schemas.examples import NoExampleError
from mcpgen.schemas.validation import definition_checks, headers, uri_templates

if TYPE_CHECKING:
    from mcpgen.codegen.former import FormerServer

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
        naming.refuse(self.name, "server")
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
    api = read(contract)
    without_tasks = "" if capabilities.runs_tasks(contract) else _WITHOUT_TASKS
    left_out = capabilities.left_out(contract, without_tasks)
    notices = (*api.notices, *left_out, *_unmatchable(api))
    contract = _published_contract(contract)
    _refuse_headers(contract, api)
    runs_tasks = capabilities.runs_tasks(contract)
    package = server.plan(
        api, name=name, contract=contract, runs_tasks=runs_tasks, former=options.former
    )
    generated = package_files.make(package, "server/_generated", standalone=options.standalone)
    generated["contract.json"] = contract.text()
    generated["examples.json"] = dumps(_examples(api))
    stub_paths = {base.name: f"src/{package.name}/{base.kind}.py" for base in package.bases}
    project_files = _project_files(package, options, stub_paths.values())
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


def _project_files(
    package: ServerPackage, options: ServerOptions, stub_paths: Collection[str]
) -> dict[str, str]:
    """Return the files that belong to the author."""
    project_files = render(
        package,
        "server/project",
        standalone=options.standalone,
        auth=AUTH_CLASSES.get(options.auth, ""),
        auth_variables=_AUTH_VARIABLES.get(options.auth, ()),
        redis=options.redis,
        telemetry=options.telemetry,
        docker=options.docker,
        has_former=options.former is not None,
        former_requirements=options.former.requirements if options.former else (),
        requirement=requirement(options.extras),
    )
    for path in DOCKER_FILES:
        if not options.docker or (options.standalone and path == _WHEELS):
            del project_files[path]
    if options.former is not None:
        project_files |= options.former.files(package.name)
    # Only the stubs contain remote text; the other files equal their templates.
    several = f"src/{package.name}/tools/"
    stubs = {
        path: text for path, text in project_files.items() if path in stub_paths or several in path
    }
    return project_files | format_files(stubs)


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
