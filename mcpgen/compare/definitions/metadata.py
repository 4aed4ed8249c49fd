"""Compares icons, ``_meta`` and unknown properties of a definition."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from mcpgen.compare.definitions.versions import Versions
from mcpgen.findings.change import Change

# Hosts and servers agree on the meaning of these keys; other keys of _meta belong to the server.
_READ_BY_HOSTS = ("ui", "io.modelcontextprotocol", "openai", "anthropic", "dev.mcp", "com.")


def compare(versions: Versions, known_keys: Collection[str]) -> Iterator[Change]:
    """Compare the properties of a definition other than ``known_keys``."""
    for key in versions.changed_keys():
        if key in ("icons", "websiteUrl"):
            yield versions.change("D06", key)
        elif key == "_meta":
            yield from _meta(versions.inner(key))
        elif key not in known_keys:
            yield versions.change("D09", key)


def _meta(meta: Versions) -> Iterator[Change]:
    for key in meta.changed_keys():
        is_read = key.startswith(_READ_BY_HOSTS) or "/" in key
        yield meta.change("D07" if is_read else "D07b", key)
