"""Determines the signature algorithm of a private key."""

from __future__ import annotations

from pathlib import Path

import jwt

from mcpgen.errors import UsageError

_ALGORITHMS = ("RS256", "ES256", "ES384", "ES512", "EdDSA")


def algorithm(file: Path) -> str:
    """Return the algorithm of the key in a file. Errors don't reveal the key."""
    try:
        key = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the file isn't text"
        raise UsageError(f"the key cannot be read: {reason}", str(file)) from None
    for name in _ALGORITHMS:
        try:
            jwt.encode({}, key, algorithm=name)
        except Exception:  # noqa: S112 - whatever the library raises: not of this kind
            continue
        return name
    hint = "expected a PEM file without a password: RSA, EC or Ed25519"
    raise UsageError("the key isn't a private signing key", str(file), hint)
