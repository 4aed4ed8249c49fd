"""Builds the packages of a table from its contract."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, cast

from mcpgen.codegen.agent_files import paths
from mcpgen.codegen.user_code import GENERATED, Stub
from mcpgen.errors import Notice, UsageError
from mcpgen.files.write import unix_lines
from mcpgen.jsontext import Json, is_object
from mcpgen.project.configuration.model import Client, Entry, Server
from mcpgen.project.packages import build_cache

if TYPE_CHECKING:
    from mcpgen.codegen.plan import Formats, Style
    from mcpgen.contract.document import Contract


@dataclass(frozen=True, slots=True)
class Tree:
    """A generated folder, relative to the project's, and its files by their path below it."""

    folder: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """The author's part of a server, which is written only if ``generated`` doesn't exist yet.

    ``folder`` is the project's, ``name`` the package's in it.
    """

    folder: str
    name: str
    generated: str
    files: Mapping[str, str]
    stubs: tuple[Stub, ...]

    @property
    def package(self) -> str:
        """The package's folder."""
        return _join(self.folder, "src", self.name)


@dataclass(frozen=True, slots=True)
class Build:
    """The output of a table. ``canonical`` is the contract as mcpgen writes it, if the file
    differs.
    """

    trees: tuple[Tree, ...] = ()
    own: tuple[OwnFiles, ...] = ()
    notices: tuple[Notice, ...] = ()
    canonical: str | None = None


def build(entry: Entry, text: bytes, document: Json, observed: bytes | None = None) -> Build:
    """Build the packages of a contract file, given as bytes and as parsed JSON.

    ``observed`` is the content of its observed file, if there is one.
    """
    # Not needed if everything comes from the cache.
    from mcpgen.contract import document as contract
    from mcpgen.contract.document import Contract
    from mcpgen.isolation import isolate
    from mcpgen.project.observed import with_observed
    from mcpgen.project.select import select

    recorded = contract.read(document, entry.contract)
    chosen = select(recorded, entry)
    trees: list[Tree] = []
    own: list[OwnFiles] = []
    notices = [*contract.left_out(document)]
    if entry.client is not None:
        typed = chosen
        if observed is not None:
            typed, lapsed = with_observed(chosen, observed, entry.observed_file, recorded)
            notices += lapsed
        with _located(f"{entry.table_name}.client"):
            client_trees, client_notices = _client(entry.client, typed, entry)
        trees += client_trees
        notices += client_notices
    if entry.server is not None:
        with _located(f"{entry.table_name}.server"):
            tree, own_files, server_notices = _server(entry.server, chosen, entry)
        trees.append(tree)
        own.append(own_files)
        notices += server_notices
    canonical, failures = isolate(Contract.text, recorded)
    # Failures to generate were reported above.
    is_unchanged = canonical.encode() == unix_lines(text)
    is_canonical = failures or not _is_recorded(document) or is_unchanged
    once = tuple(dict.fromkeys(notices))
    return Build(tuple(trees), tuple(own), once, None if is_canonical else canonical)


def _client(table: Client, chosen: Contract, entry: Entry) -> tuple[list[Tree], Sequence[Notice]]:
    from mcpgen.codegen.pipeline import Options, generate

    options = Options(
        name=table.name,
        style=cast("Style", table.style),
        formats=cast("Formats", table.formats),
        trust=entry.is_trusted,
        standalone=bool(entry.standalone),
    )
    generated = generate(chosen, options)
    trees = [Tree(_join(table.output, table.name), generated.files)]
    if table.layout == "agent":
        from mcpgen.codegen.agent_files import layout

        trees.append(Tree(paths.folder(table.output, table.name), layout.files(chosen, generated)))
    return trees, generated.notices


def _server(
    table: Server, chosen: Contract, entry: Entry
) -> tuple[Tree, OwnFiles, Sequence[Notice]]:
    from mcpgen.codegen.server_pipeline import ServerOptions, generate_server

    options = ServerOptions(
        name=table.name,
        docker=table.docker,
        auth=table.auth,
        redis=table.redis,
        telemetry=table.telemetry,
    )
    if entry.standalone is not None:
        options = replace(options, standalone=entry.standalone)
    generated = generate_server(chosen, options)
    project = _join(table.output, table.name)
    tree = Tree(_generated_folder(project, table), generated.generated)
    return (
        tree,
        OwnFiles(project, table.name, tree.folder, generated.own, generated.stubs),
        generated.notices,
    )


def folders(entry: Entry) -> dict[str, str]:
    """Return the generated folders of a table, each with its key."""
    kinds: dict[str, str] = {}
    if entry.client is not None:
        kinds[_join(entry.client.output, entry.client.name)] = "client"
        if entry.client.layout == "agent":
            kinds[paths.folder(entry.client.output, entry.client.name)] = "client"
    if entry.server is not None:
        kinds[_generated_folder(_join(entry.server.output, entry.server.name), entry.server)] = (
            "server"
        )
    return kinds


def _generated_folder(project: str, table: Server) -> str:
    return _join(project, "src", table.name, GENERATED)


def _join(*parts: str) -> str:
    return PurePosixPath(*parts).as_posix()


@contextlib.contextmanager
def _located(at: str) -> Generator[None]:
    """Convert errors about a command-line option to the corresponding key of the table."""
    try:
        yield
    except UsageError as error:
        option = error.where.removeprefix("--") if error.where.startswith("--") else ""
        raise UsageError(
            error.problem, f"{at}.{option}" if option else error.where, error.hint
        ) from None


def _is_recorded(document: Json) -> bool:
    """Return True if mcpgen wrote the contract, including hashes."""
    from mcpgen.contract.document import FORMAT

    tools = document.get("tools") if is_object(document) else None
    entries = list(tools.values()) if is_object(tools) else []
    is_ours = is_object(document) and document.get("format") == FORMAT
    return is_ours and bool(entries) and all(is_object(e) and "sha256" in e for e in entries)


def to_document(build: Build) -> Json:
    """Return all of it as JSON."""
    return asdict(build)


def from_document(document: Json) -> Build:
    """Restore a build from JSON."""
    return Build(
        trees=tuple(Tree(**value) for value in document["trees"]),
        own=tuple(_own_files(**value) for value in document["own"]),
        notices=tuple(Notice(**value) for value in document["notices"]),
        canonical=document["canonical"],
    )


def _own_files(*, stubs: Sequence[Json], **parts: Json) -> OwnFiles:
    return OwnFiles(**parts, stubs=build_cache.stubs(stubs))
