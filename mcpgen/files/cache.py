"""Caches generated packages in the user's cache folder, by the content they were generated from.

The cache only saves time. The key covers the complete input and the generator's own code. Only
entries that this user sealed are used. A cache that fails is treated as empty.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import mcpgen_runtime

from mcpgen import __version__
from mcpgen.files import key as seal
from mcpgen.files import resources
from mcpgen.files.user_folders import cache_folder

KEPT = 200
"""How many entries are kept; the oldest are removed first."""

# Libraries that have a say in the bytes.
_LIBRARIES = frozenset(
    "black jinja2 jsonschema jsonschema_rs pydantic_core pyyaml referencing rfc8785".split()
)


def folder() -> Path:
    """Return the folder, which may not be there yet: ``MCPGEN_CACHE_DIR`` if that is set."""
    chosen = os.environ.get("MCPGEN_CACHE_DIR")
    return Path(chosen) if chosen else cache_folder()


def key(*parts: str | bytes) -> str:
    """Return the cache key of these parts for this version of the generator."""
    digest = hashlib.sha256(generator().encode())
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(b"%d:" % len(content) + content)
    return digest.hexdigest()


@cache
def generator() -> str:
    """Return a hash of everything that affects the output: version, code, templates, libraries."""
    digest = hashlib.sha256()
    for version in (__version__, sys.version, unicodedata.unidata_version, *_versions()):
        digest.update(version.encode() + b"\0")
    for root, pattern in (
        (Path(__file__).parents[1], "*.py"),
        (resources.folder("templates"), "*"),
        (Path(mcpgen_runtime.__file__).parent, "*.py"),
        (Path(mcpgen_runtime.__file__).parent, "*.toml"),
    ):
        for name in _files(str(root), pattern.removeprefix("*")):
            digest.update(os.path.relpath(name, root).encode() + b"\0")
            content = Path(name).read_bytes()
            digest.update(b"%d:" % len(content) + content)
    return digest.hexdigest()


def _versions() -> list[str]:
    """Return the installed libraries with their versions."""
    found: list[str] = []
    for place in sys.path:
        try:
            names = os.listdir(place or ".")  # noqa: PTH208 - what metadata does takes 30 ms
        except NotADirectoryError:  # an archive
            return [_version(name) for name in sorted(_LIBRARIES)]
        except OSError:
            continue
        found += [name for name in names if name.endswith(_INSTALLED) and _name(name) in _LIBRARIES]
    return sorted(found)


_INSTALLED = (".dist-info", ".egg-info")


def _name(folder: str) -> str:
    """Return the library that such a folder is of."""
    return folder.partition("-")[0].lower().replace(".", "_")


def _version(name: str) -> str:
    from importlib import metadata

    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return name


def _files(root: str, suffix: str) -> list[str]:
    return sorted(
        os.path.join(here, name)  # noqa: PTH118 - many files, and this is what start-up waits for
        for here, _, names in os.walk(root)
        if "__pycache__" not in here
        for name in names
        if name.endswith(suffix)
    )


def load(name: str) -> Any:
    """Return the entry that this user cached under a key, or None if it is missing or damaged."""
    try:
        content = (_entries() / f"{name}.json").read_bytes()
    except OSError:
        return None
    signature, _, text = content.partition(b"\n")
    secret = seal.secret()
    if secret is None or not seal.is_of(signature, secret, name, text):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def save(name: str, document: Any) -> None:
    """Keep a JSON document under a key, as well as that is possible."""
    text = json.dumps(document, ensure_ascii=True).encode()
    secret = seal.secret()
    if secret is None:
        return
    with contextlib.suppress(OSError):
        place = _entries()
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(dir=place, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.writelines((seal.sign(secret, name, text), b"\n", text))
            Path(temporary).replace(place / f"{name}.json")
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _prune(place)


def distrust() -> str:
    """Return why the cache isn't trusted, or "". Other users may be able to write to it."""
    try:
        reason = seal.distrust(_entries())
        return reason or ("" if seal.secret() else f"no key can be kept in {seal.place()}")
    except FileNotFoundError as error:  # this user has no home
        return str(error)


def _entries() -> Path:
    return folder() / "made"


def _prune(place: Path) -> None:
    entries = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(place))
    for _, path in entries[:-KEPT]:
        Path(path).unlink(missing_ok=True)
