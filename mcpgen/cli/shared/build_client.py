"""Generates a client package for the commands that write one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from mcpgen.cli.shared.console import log
from mcpgen.codegen.agent_files import paths
from mcpgen.errors import Notice, UsageError
from mcpgen.files.write import Folder
from mcpgen.project.configuration.model import AGENT_STYLE
from mcpgen.project.packages.build_cache import BuildCache, BuiltClient, Need
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.inputs import observed_file
from mcpgen.servers.recording.project_servers import is_trusted
from mcpgen.servers.shell import consent

if TYPE_CHECKING:
    from mcpgen.codegen.pipeline import Generated
    from mcpgen.codegen.plan import Formats, Style
    from mcpgen.contract.document import Contract


_LISTED = re.compile(r"^__all__ = \[(.*?)\]", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r'"(\w+)"')
_TRUSTED = "trust"
_STANDALONE = "standalone"


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """The requested package, and whether to add files for models.

    ``observed`` is the observed file if it isn't next to the contract, or False for none.
    """

    folder: str
    name: str = ""
    style: str = ""
    layout: str = "package"
    formats: str = "assertion"
    trust: bool = False
    standalone: bool = False
    observed: str | Literal[False] = ""

    @property
    def options(self) -> tuple[str, ...]:
        """The options that affect the output, with the default style."""
        is_agent = self.layout == "agent"
        if is_agent and self.style not in ("", AGENT_STYLE):
            hint = f"leave --style out: it is {AGENT_STYLE}"
            raise UsageError(
                "files for a model require the style with plain dicts", "--style", hint
            )
        default = AGENT_STYLE if is_agent else "dataclass"
        trust = _TRUSTED if self.trust else ""
        copy = _STANDALONE if self.standalone else ""
        return (self.name, self.style or default, self.layout, self.formats, trust, copy)

    def folders(self, client: BuiltClient) -> list[Folder]:
        """Return the folders to write: the package, and the files for models.

        A server's project is refused. Otherwise, its generated code would be removed as stale.
        """
        path = Path(self.folder) / client.package
        if (path / "pyproject.toml").exists() and not (path / "__init__.py").exists():
            raise UsageError("a project, not a package", str(path), "choose another -o or --name")
        package = Folder(path, client.files)
        if not client.skill:
            return [package]
        return [package, Folder(Path(paths.folder(self.folder, client.package)), client.skill)]


def made_client(
    arguments: ServerArguments, cache: BuildCache, client_options: ClientOptions, command: str
) -> BuiltClient:
    """Generate the package of a recorded server or a contract, or load it from the cache."""
    observed = (
        None
        if client_options.observed is False
        else observed_file.find(arguments, client_options.observed)
    )
    if is_trusted(arguments):
        client_options = replace(client_options, trust=True)
    cache = replace(cache, observed=b"" if observed is None else observed.content)
    if result := cache.client(client_options.options, client_options.folder):
        return result
    # Not needed if nothing changed.
    from mcpgen.codegen.pipeline import Options
    from mcpgen.project.observed import with_observed
    from mcpgen.servers.recording import snippet
    from mcpgen.servers.recording.own_variables import with_own_variables
    from mcpgen.servers.recording.previous import of_package, pinned_to_package
    from mcpgen.servers.recording.project_servers import contract_of

    name, style, _, formats, *_ = client_options.options
    options = Options(
        name,
        cast("Style", style),
        cast("Formats", formats),
        client_options.trust,
        client_options.standalone,
    )
    recorded = contract_of(arguments, log, command)
    if recorded.is_live:  # the file listed servers
        cache = replace(cache, file=None)
    package = options.package(recorded.contract)
    path = Path(client_options.folder) / package
    recorded = with_own_variables(recorded, package, of_package(path))
    contract = pinned_to_package(recorded, path)
    if recorded.is_live:
        consent.store(contract.origin)
    elif consent.sends_variables(contract.origin):
        where = arguments.server or ""
        consent.require(contract.origin, where, arguments.accept_origin, log)
    lapsed: list[Notice] = []
    if observed is not None:
        contract, lapsed = with_observed(contract, observed.content, observed.where)
    generated, key = cache.generate_client(contract, options)
    needs = snippet.requirements(recorded, generated.package, arguments)
    result = BuiltClient(
        package=generated.package,
        client=generated.client,
        tools=generated.tools,
        files=generated.files,
        notices=tuple(dict.fromkeys((*recorded.notices, *lapsed, *generated.notices))),
        program=snippet.snippet(generated, recorded, arguments, client_options.folder),
        needs=tuple(Need(need.variable, str(need)) for need in needs),
        skill=_skill(contract, generated) if client_options.layout == "agent" else {},
    )
    cache.keep_client(result, key, client_options.options, client_options.folder)
    return result


def _skill(contract: Contract, generated: Generated) -> dict[str, str]:
    from mcpgen.codegen.agent_files import layout

    return layout.files(contract, generated)


def contents(client: BuiltClient) -> str:
    """Summarize the package in a few words."""
    tools = len(client.tools)
    return f"{client.client} with {tools} tool{'' if tools == 1 else 's'}"


def names_gone(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Return the modules and classes of a package's models that new files don't have."""
    before = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in folder.glob("models/*.py")
    }
    return sorted(_model_names(before) - _model_names(files))


def _model_names(files: Mapping[str, str]) -> set[str]:
    names: set[str] = set()
    for path, text in files.items():
        folder, _, file = path.rpartition("/")
        if folder != "models" or file == "__init__.py":
            continue
        names.add(file.removesuffix(".py"))
        if listed := _LISTED.search(text):
            names |= set(_NAME.findall(listed[1]))
    return names
