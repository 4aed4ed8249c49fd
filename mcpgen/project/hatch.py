"""The build hook of Hatchling: a build starts with `mcpgen generate`.

It only reads contract files, and contacts no server. Hatchling imports this module if
pyproject.toml has ``[tool.hatch.build.hooks.mcpgen]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.plugin import hookimpl

from mcpgen.errors import McpgenError
from mcpgen.project.discovery import find_project
from mcpgen.project.packages.build_all import build_all
from mcpgen.project.packages.output import writable, write

if TYPE_CHECKING:
    from hatchling.builders.config import BuilderConfig

    _Hook = BuildHookInterface[BuilderConfig]
else:
    _Hook = BuildHookInterface


class McpgenBuildHook(_Hook):
    """Generates the servers that ``servers`` lists, or all of them."""

    PLUGIN_NAME = "mcpgen"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - Hatchling's signature
        """Write outdated files before the files of the build are collected."""
        try:
            project = find_project(self.root)
            names = self.config.get("servers", ())
            # A build must not depend on a cache.
            builds = writable(project, build_all(project, names, use_cache=False))
            write(project, builds.completed)
        except McpgenError as error:
            raise SystemExit(f"mcpgen: {error}") from None
        if builds.failed:
            # The successful packages are written, but the build fails without the others.
            lines = (f"mcpgen: {name}: {error}" for name, error in builds.failed.items())
            raise SystemExit("\n".join(lines))
        # Include them even if git ignores them.
        folders = [tree.folder for built in builds.completed for tree in built.build.trees]
        build_data["artifacts"] += [f"/{folder}/" for folder in folders if folder[:2] != ".."]


@hookimpl
def hatch_register_build_hook() -> type[McpgenBuildHook]:
    """Register the hook with Hatchling."""
    return McpgenBuildHook
