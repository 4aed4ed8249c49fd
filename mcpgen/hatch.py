"""A build hook of Hatchling: a build begins with what `mcpgen generate` would write.

It reads contracts, which are files, and asks no server and no network. Nothing imports this module
but Hatchling, where ``[tool.hatch.build.hooks.mcpgen]`` stands in a pyproject.toml.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.plugin import hookimpl

from mcpgen.cli.generate import writable, write
from mcpgen.cli.jobs import jobs
from mcpgen.errors import McpgenError
from mcpgen.project import find

if TYPE_CHECKING:
    from hatchling.builders.config import BuilderConfig

    _Hook = BuildHookInterface[BuilderConfig]
else:
    _Hook = BuildHookInterface


class McpgenBuildHook(_Hook):
    """Generates the servers that ``servers`` lists, or all of them."""

    PLUGIN_NAME = "mcpgen"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - Hatchling's signature
        """Write what is out of date, before the files of the build are collected."""
        try:
            project = find(self.root)
            names = self.config.get("servers", ())
            # A build stands for itself, so nothing is taken from a cache.
            ready = writable(project, jobs(project, names, use_cache=False, quiet=True))
            write(project, ready.done)
        except McpgenError as error:
            raise SystemExit(f"mcpgen: {error}") from None
        if ready.failed:
            # What could be written is; a build that lacks the rest is none.
            said = "\n".join(f"mcpgen: {name}: {error}" for name, error in ready.failed.items())
            raise SystemExit(said)
        # Also where git ignores them.
        folders = [tree.folder for job in ready.done for tree in job.made.trees]
        build_data["artifacts"] += [f"/{folder}/" for folder in folders if folder[:2] != ".."]


@hookimpl
def hatch_register_build_hook() -> type[McpgenBuildHook]:
    """Tell Hatchling of the hook."""
    return McpgenBuildHook
