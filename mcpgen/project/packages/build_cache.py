"""Caches the output of `mcpgen client` and `mcpgen server`, by contract and by file.

The key of a package is its contract, from any source. The output for a file is cached by the bytes
of the file, so that an unchanged file isn't even parsed again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgen.errors import Notice
from mcpgen.files import cache
from mcpgen.isolation import FAILURE, isolate
from mcpgen.jsontext import Json

if TYPE_CHECKING:
    # Imported only if something is generated, not if everything comes from the cache.
    from mcpgen.codegen.pipeline import Generated, Options
    from mcpgen.codegen.server_pipeline import GeneratedServer, ServerOptions
    from mcpgen.codegen.user_code import Stub
    from mcpgen.contract.document import Contract


@dataclass(frozen=True, slots=True)
class Need:
    """A variable that must be set before the first program runs, with its description."""

    variable: str
    text: str


@dataclass(frozen=True, slots=True)
class BuiltClient:
    """The output of `mcpgen client`: the package, and a first program.

    ``skill`` has the files for models, if requested.
    """

    package: str
    client: str
    tools: tuple[str, ...]
    files: Mapping[str, str]
    notices: tuple[Notice, ...]
    program: str
    needs: tuple[Need, ...]
    skill: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class BuiltProject:
    """The output of `mcpgen server`: generated files, and files that belong to the author."""

    package: str
    distribution: str
    generated: Mapping[str, str]
    own: Mapping[str, str]
    stubs: tuple[Stub, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class BuildCache:
    """The cache as used by one run, with the file that serves as key.

    The file's ``observed`` results are part of the key.
    """

    is_used: bool
    file: Path | None = None
    content: bytes = b""
    observed: bytes = b""

    def client(self, options: Sequence[str], folder: str) -> BuiltClient | None:
        """Return the cached client of the file, or None."""
        value, is_from_cache = self._load_both("client", *options, folder)
        # Messages about a variable depend on whether it is set.
        if is_from_cache is None or any(item["is_set"] != _is_set(item) for item in value["needs"]):
            return None
        return BuiltClient(
            package=is_from_cache["package"],
            client=is_from_cache["client"],
            tools=tuple(is_from_cache["tools"]),
            files=is_from_cache["files"],
            notices=_notices(value["notices"]),
            program=value["program"],
            needs=tuple(Need(item["variable"], item["text"]) for item in value["needs"]),
            skill=value["skill"],
        )

    def keep_client(
        self, client: BuiltClient, key: str, options: Sequence[str], folder: str
    ) -> None:
        """Cache the client of the file. ``key`` is the package's cache key."""
        needs = [asdict(need) for need in client.needs]
        needs = [{**item, "is_set": _is_set(item)} for item in needs]
        document = {"made": key, "program": client.program, "needs": needs, "skill": client.skill}
        self._keep_both(document, client.notices, "client", *options, folder)

    def server(self, options: Sequence[str]) -> BuiltProject | None:
        """Return the cached server of the file, or None."""
        value, is_from_cache = self._load_both("server", *options)
        if is_from_cache is None:
            return None
        return BuiltProject(
            package=is_from_cache["package"],
            distribution=is_from_cache["distribution"],
            generated=is_from_cache["generated"],
            own=is_from_cache["own"],
            stubs=stubs(is_from_cache["stubs"]),
            notices=_notices(value["notices"]),
        )

    def keep_server(self, built: BuiltProject, key: str, options: Sequence[str]) -> None:
        """Cache the server of the file. ``key`` is the package's cache key."""
        self._keep_both({"made": key}, built.notices, "server", *options)

    def _load_both(self, *options: str) -> tuple[Json, Json]:
        """Return the cached entries of the file and of its package."""
        value = cache.load(self._key("file", *options)) if self.file and self.is_used else None
        return value, cache.load(value["made"]) if value else None

    def _keep_both(
        self, document: Mapping[str, Json], notices: Sequence[Notice], *options: str
    ) -> None:
        if self.file:
            notice_data = [asdict(notice) for notice in notices]
            self._keep(self._key("file", *options), {**document, "notices": notice_data}, notices)

    def generate_client(self, contract: Contract, options: Options) -> tuple[Generated, str]:
        """Generate a client or take it from the cache. Returns it with its key."""
        from mcpgen.codegen.pipeline import Generated, generate
        from mcpgen.codegen.plan import Example

        key = self._package("client", contract, *_options(options))
        value = cache.load(key) if key else None
        if value is not None:
            example = value["example"]
            value["example"] = Example(**example) if example else None
            value["tools"], value["notices"] = tuple(value["tools"]), _notices(value["notices"])
            return Generated(**value), key
        generated = generate(contract, options)
        self._keep(key, asdict(generated), generated.notices)
        return generated, key

    def generated_server(
        self, contract: Contract, options: ServerOptions
    ) -> tuple[GeneratedServer, str]:
        """Generate a server or take it from the cache. Returns it with its key."""
        from mcpgen.codegen.server_pipeline import GeneratedServer, generate_server

        key = self._package("server", contract, *options.key)
        value = cache.load(key) if key else None
        if value is not None:
            value["stubs"], value["notices"] = stubs(value["stubs"]), _notices(value["notices"])
            return GeneratedServer(**value), key
        project = generate_server(contract, options)
        self._keep(key, asdict(project), project.notices)
        return project, key

    def _package(self, kind: str, contract: Contract, *options: str) -> str:
        """Return the cache key of a package, or "" if it can't be cached."""
        if not self.is_used:
            return ""
        if self.file:
            return self._key("package", kind, *options)
        from mcpgen.contract.document import Contract as Recorded

        text, failures = isolate(Recorded.text, contract)
        untyped = sorted(contract.untyped)
        parts = ("contract", kind, *options, text, *untyped)
        return "" if failures else cache.key(*parts, self.observed)

    def _key(self, *options: str) -> str:
        # The format of a file depends on its extension.
        name = self.file.name if self.file else ""
        return cache.key(*options, name, self.content, self.observed)

    def _keep(self, key: str, document: Json, notices: Sequence[Notice]) -> None:
        # A failure of mcpgen may be temporary, for example if memory ran out.
        is_final = not any(notice.kind == FAILURE for notice in notices)
        if key and self.is_used and is_final and self._is_unchanged():
            cache.save(key, document)

    def _is_unchanged(self) -> bool:
        """Return True if the file hasn't changed since the start of the run."""
        try:
            return self.file is None or self.file.read_bytes() == self.content
        except OSError:
            return False


def open_cache(file: Path | None, *, use_cache: bool) -> tuple[BuildCache, str]:
    """Return the cache for a run, and the reason if it can't be used."""
    problem = cache.distrust() if use_cache else ""
    if problem or not use_cache:
        return BuildCache(is_used=False), problem
    try:
        return BuildCache(is_used=True, file=file, content=file.read_bytes() if file else b""), ""
    except OSError:  # reported when the file is read
        return BuildCache(is_used=True), ""


def _options(options: Options) -> tuple[str, ...]:
    trust = "trust" if options.trust else ""
    copy = "standalone" if options.standalone else ""
    return (options.name, options.style, options.formats, trust, copy)


def _is_set(need: Mapping[str, Json]) -> bool:
    return need["variable"] in os.environ


def _notices(documents: Sequence[Json]) -> tuple[Notice, ...]:
    return tuple(Notice(**document) for document in documents)


def stubs(documents: Sequence[Json]) -> tuple[Stub, ...]:
    """Restore stubs from JSON."""
    return tuple(_stub(**document) for document in documents)


def _stub(*, methods: Sequence[str], **parts: Json) -> Stub:
    from mcpgen.codegen.user_code import Stub  # clients don't need it

    return Stub(**parts, methods=tuple(methods))
