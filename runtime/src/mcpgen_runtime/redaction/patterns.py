"""Detection of credentials in text, by issuers' prefixes and by the words before them.

docs/replay.md lists the patterns.
"""

from __future__ import annotations

import base64
import re

REDACTED = "[redacted]"

_ISSUED = re.compile(
    r"""
    -----BEGIN\ [A-Z ]*PRIVATE\ KEY(?:\ BLOCK)?-----.*?
        (?:-----END\ [A-Z ]*KEY(?:\ BLOCK)?-----|\Z)
    | (?<![A-Za-z0-9])
        (?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abeprs]|hf|npm|pypi|figd
        |ntn|tvly|fc|sbp|dop_v1|shpat|lin_api|whsec|GOCSPX|xapp|secret|nvapi|gsk)
        [-_](?=[\w-]*\d)[\w-]{16,}
    | (?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])
    | (?<![A-Za-z0-9])(?:AIza|ya29\.)[\w-]{20,}
    | (?<![A-Za-z0-9])SG\.[\w-]{16,}\.[\w-]{16,}
    | (?<![A-Za-z0-9])(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])
    | (?<![A-Za-z0-9])\d{8,10}:AA[\w-]{33}(?![\w-])
    | (?<![A-Za-z0-9])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?
    | (?<=://)[^/\s:@]*:[^/\s@]+(?=@)
    """,
    re.VERBOSE | re.DOTALL,
)
"""Prefixes of tokens by issuer, and credentials in URLs."""

_NAMED = re.compile(
    r"""
    (?P<start>
        \b bearer \s+
        | [?&] [\w.-]* (?:token|key|secret|passw|pwd|signature|credential|auth|code)
            [\w.-]* = | [?&] (?:sig|jwt|sid) =
        | \b (?:set-)? cookie: \s* [\w.-]+ =
        | \b [\w.-]* (?:session_?id|sessid|csrftoken) \s? [=:] \s?
        | \b (?:[\w.-]*[_.-])?
            (?:password|passwd|passphrase|pwd|secret|token|api_?-?key|apikey
            |access_?-?key|account_?-?key|accountkey|sharedaccesskey|private_?-?key
            |client_?-?secret|secret_?-?key)
            ["']? \s? = \s? ["']?
        | https://hooks\.slack\.com/services/
        | https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d+/
        | https://[\w.-]+\.webhook\.office\.com/
    )
    (?P<secret> [^\s"'&;,<>]{6,} )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SAID = re.compile(
    r"""
    (?P<start> \b (?:password|passwd|passphrase|secret|token|api[ _-]?key) ["']?
        \s? : \s? ["']? )
    (?P<secret> (?=[^\s"',;]*\d) [^\s"'&;,<>]{8,} )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BASIC = re.compile(r"(?P<start>\bbasic\s+)(?P<secret>[A-Za-z0-9+/_-]{6,}={0,2})", re.I)
"""Credentials after a keyword, which stays."""


def without_credentials(text: str) -> str:
    """Redact everything in a text that looks like a credential."""
    text = _ISSUED.sub(REDACTED, text)
    for pattern in (_NAMED, _SAID):
        text = pattern.sub(rf"\g<start>{REDACTED}", text)
    return _BASIC.sub(_without_basic, text)


def _without_basic(match: re.Match[str]) -> str:
    """Replace Basic authorization: in Base64, a user and a password with a colon."""
    try:
        is_pair = b":" in base64.b64decode(match["secret"] + "==", altchars=b"-_")
    except ValueError:
        is_pair = False
    return f"{match['start']}{REDACTED}" if is_pair else match[0]
