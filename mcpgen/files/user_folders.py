"""Where this user's cache and configuration are, by the customs of each system."""

from __future__ import annotations

from pathlib import Path


def cache_folder() -> Path:
    """Return the folder of the cache, which may not be there yet."""
    import platformdirs

    return _known(platformdirs.user_cache_path("mcpgen", appauthor=False))


def config_folder() -> Path:
    """Return the folder of what must not be lost with the cache; it may not be there yet."""
    import platformdirs

    return _known(platformdirs.user_config_path("mcpgen", appauthor=False))


def _known(path: Path) -> Path:
    """Refuse a path that starts here: without a home ``~`` stays as it is, and is no folder."""
    if not path.is_absolute():
        raise FileNotFoundError(f"this user has no home folder: {path}")
    return path
