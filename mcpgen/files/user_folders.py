"""The user's cache and configuration folders, by the conventions of each system."""

from __future__ import annotations

from pathlib import Path


def cache_folder() -> Path:
    """Return the cache folder, which may not exist yet."""
    return _folder("user_cache_path")


def config_folder() -> Path:
    """Return the configuration folder, which may not exist yet. Clearing the cache doesn't
    affect it.
    """
    return _folder("user_config_path")


def _folder(kind: str) -> Path:
    """Return a folder of this user. Raises: FileNotFoundError: The user has no home folder."""
    import platformdirs

    try:
        path: Path = getattr(platformdirs, kind)("mcpgen", appauthor=False)
    except RuntimeError:  # neither HOME nor an entry in the user database
        path = Path()
    if not path.is_absolute():  # "~" can't be expanded without a home folder
        raise FileNotFoundError("this user has no home folder")
    return path
