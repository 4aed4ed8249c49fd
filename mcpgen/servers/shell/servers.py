"""Reaches the server of a command: its contract file, the cached lists, or the live server."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgen.contract.document import FORMAT, Contract, read
from mcpgen.errors import McpgenError
from mcpgen.files import cache
from mcpgen.jsontext import Json, is_object, parse
from mcpgen.servers.recording.arguments import ServerArguments

if TYPE_CHECKING:
    from mcpgen.servers.recording.build_contract import Recorded
    from mcpgen.servers.recording.follow_up import RequestPlan
    from mcpgen.servers.recording.request import Say


_KEPT = {
    "tools": ("name", "inputSchema", "description"),
    "prompts": ("name", "arguments", "description"),
    "resources": ("uri", "name"),
    "resourceTemplates": ("uriTemplate", "name"),
}


def remember(server: str, contract: Contract) -> None:
    """Store a server's lists. Lists that weren't requested stay."""
    name = _key(server)
    lists: dict[str, Json] = {}
    for member, keys in _KEPT.items():
        if definitions := contract.definitions_in_order(member):
            lists[member] = [{k: raw[k] for k in keys if k in raw} for raw in definitions]
    before: dict[str, Json] = cache.load(name) or {}
    document: dict[str, Json] = {"tools": [], **before, **lists}
    if document != before:
        cache.save(name, document)


def remembered_lists(server: str) -> Contract | None:
    """Return a server's remembered lists, or None."""
    with contextlib.suppress(McpgenError):
        return read(cache.load(_key(server)))
    return None


def _key(server: str) -> str:
    """Return the cache key of a server. A name may refer to another server in another folder."""
    where = "" if "://" in server else str(Path.cwd())
    digest = hashlib.sha256(f"{where}\n{server}".encode("utf-8", "surrogatepass"))
    return f"listed-{digest.hexdigest()}"


_CONTRACTS = (".json", ".jsonc", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Server:
    """A server as given on the command line, and the callback for messages."""

    arguments: ServerArguments
    say: Say
    command: str
    """The beginning of a command line for this server."""

    def contract(self) -> Contract | None:
        """Return the contract if the argument is a contract file. No server is contacted."""
        name = self.arguments.server
        if name is None or not (name == "-" or Path(name).suffix in _CONTRACTS):
            return None
        return _read_contract(name) or self._other_form(name)

    def _other_form(self, name: str) -> Contract | None:
        """Read a file that may be a contract in another form, or list servers."""
        from mcpgen.errors import UsageError
        from mcpgen.servers.endpoint import Offline, Overrides, resolve
        from mcpgen.servers.recording.request import contract_of_target

        try:
            target = resolve(name, (), Overrides())
        except UsageError:
            return None  # reported when the complete table is read
        if not isinstance(target, Offline):
            return None
        return contract_of_target(target, ServerArguments(), self.say).contract

    def record(self) -> Recorded:
        """Record all lists."""
        from mcpgen.servers.recording.project_servers import contract_of

        recorded = contract_of(self.arguments, self.say, self.command)
        self._remember(recorded)
        return recorded

    def fulfil(self, request_plan: RequestPlan, contract: Contract | None) -> Contract | None:
        """Send requests to the server, or to the recorded server of a contract.

        If a contract is returned, it was read from a file, and no request was sent yet.
        """
        from mcpgen.servers.recording.project_servers import contract_of
        from mcpgen.servers.recording.request import contract_of_target

        if contract is None:
            recorded = contract_of(self.arguments, self.say, self.command, request_plan)
            self._remember(recorded)
            return None if recorded.is_live else recorded.contract
        from mcpgen.servers.shell import consent
        from mcpgen.servers.shell.recorded_server import recorded_target

        where = self.arguments.server or ""
        consent.require(contract.origin, where, self.arguments.accept_origin, self.say)
        target = recorded_target(contract, where, self.arguments.overrides())
        contract_of_target(target, self.arguments, self.say, request_plan)
        return None

    def _remember(self, recorded: Recorded) -> None:
        if recorded.is_live and self.arguments.server is not None:
            remember(self.arguments.server, recorded.contract)


def _read_contract(name: str) -> Contract | None:
    """Read a contract that mcpgen wrote, without further imports."""
    if not name.endswith(".json"):
        return None
    try:
        document = parse(Path(name).read_bytes())
    except (OSError, ValueError):
        return None
    is_ours = is_object(document) and document.get("format") == FORMAT
    return read(document, name) if is_ours else None
