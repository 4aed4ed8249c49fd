"""Names of properties whose values are secrets."""

from __future__ import annotations

import re

_SECRET_NAME = re.compile(
    r"(?:api|access|private|secret|license|signing|encryption)key"
    r"|(?:auth|access|refresh|bearer|id|session|api|csrf|secret|device)token"
    r"|secret|passw|passphrase|pwd|credential|bearer|authorization|cookie|jwt"
)
_SECRET_NAMES = frozenset("idtoken accountkey sessionid sid".split())
_SECRET_WORDS = frozenset("token password pass passwd otp pat pin auth".split())
_NO_SECRET = frozenset(
    "no max min page next prev previous cursor continuation count limit file path type"
    " mode method provider timeout ttl name id required enabled expires url".split()
)
"""Words that show that a property isn't itself secret, such as in ``token_count``."""


def is_secret_name(name: str) -> bool:
    """Return True if a property with this name usually has a secret value."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    terms = [term.lower() for term in re.split(r"[^A-Za-z0-9]+", spaced) if term]
    if "".join(terms) in _SECRET_NAMES:
        return True
    if not terms or not _NO_SECRET.isdisjoint((terms[0], terms[-1])):
        return False
    if not _NO_SECRET.isdisjoint(terms) and terms[-1] == "token":
        return False
    return bool(_SECRET_NAME.search("".join(terms))) or terms[-1] in _SECRET_WORDS
