"""Checks the data of content blocks: valid Base64, and bytes that match the MIME type."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Collection, Iterator, Mapping

from mcpgen_runtime.display import brief
from mcpgen_runtime.redaction.credentials import MIN_LENGTH, Credentials
from mcpgen_runtime.redaction.patterns import without_credentials
from mcpgen_runtime.redaction.spellings import finder, replace

from mcpgen.findings.contract_tests import Verdict
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint import Http, Stdio
from mcpgen.servers.endpoint.sensitivity import is_sensitive

_MAGIC: tuple[tuple[str, bytes, int], ...] = (
    ("image/png", b"\x89PNG\r\n\x1a\n", 0),
    ("image/jpeg", b"\xff\xd8\xff", 0),
    ("image/gif", b"GIF8", 0),
    ("image/webp", b"WEBP", 8),
    ("image/bmp", b"BM", 0),
    ("audio/wav", b"WAVE", 8),
    ("audio/ogg", b"OggS", 0),
    ("audio/flac", b"fLaC", 0),
    ("audio/mpeg", b"ID3", 0),
    ("application/pdf", b"%PDF-", 0),
    ("application/zip", b"PK\x03\x04", 0),
    ("application/gzip", b"\x1f\x8b", 0),
)
"""MIME types whose files begin with certain bytes, and the offset of those."""
_FAMILIES = ("image/", "audio/", "video/", "text/")
_SAME = {"image/jpg": "image/jpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav"}


_MIME_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+ *(?:;.*)?", re.ASCII | re.DOTALL)
_ABSOLUTE_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.*", re.ASCII | re.DOTALL)


def problems(result: Json) -> Iterator[tuple[str, str]]:
    """Yield the pointer and the problem of data that doesn't match its type, and of wrong names.

    The names are MIME types (RFC 6838, section 4.2) and URIs (RFC 3986, section 3).
    """
    yield from _wrong_data(result)
    for pointer, block in _blocks(result):
        mime, uri = block.get("mimeType"), block.get("uri")
        if isinstance(mime, str) and not _MIME_TYPE.fullmatch(mime):
            yield f"{pointer}/mimeType", f"{brief(mime, 40)!r} is not a MIME type"
        if isinstance(uri, str) and not _ABSOLUTE_URI.fullmatch(uri):
            yield f"{pointer}/uri", f"{brief(uri, 40)!r} is not a URI: it has no scheme"


def _wrong_data(result: Json) -> Iterator[tuple[str, str]]:
    for pointer, holder, member in _data(result):
        text = holder.get(member)
        if not isinstance(text, str):
            continue
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            yield f"{pointer}/{member}", "not valid Base64"
            continue
        declared = str(holder.get("mimeType") or "").partition(";")[0].strip().lower()
        declared = _SAME.get(declared, declared)
        actual = _kind(data)
        formats = {name for name, _, _ in _MAGIC}
        if declared in formats and actual != declared and not _is_mp3(declared, data):
            actual_format = f"bytes of {actual}" if actual else "other bytes"
            yield f"{pointer}/mimeType", f"declared as {declared}, but the data has {actual_format}"
        elif actual and declared.startswith(_FAMILIES) and not _is_of_family(declared, actual):
            yield f"{pointer}/mimeType", f"declared as {declared}, but the data is {actual}"


def _is_of_family(declared: str, actual: str) -> bool:
    return declared.partition("/")[0] == actual.partition("/")[0]


def _kind(data: bytes) -> str:
    return next((name for name, magic, at in _MAGIC if data[at : at + len(magic)] == magic), "")


def _is_mp3(declared: str, data: bytes) -> bool:
    """Return True for MPEG audio without an ID3 tag, which begins with a frame."""
    return declared == "audio/mpeg" and data[:1] == b"\xff" and len(data) > 1 and data[1] >= 0xE0


def _data(result: Json) -> Iterator[tuple[str, Mapping[str, Json], str]]:
    for pointer, block in _blocks(result):
        for member in ("data", "blob"):
            if member in block:
                yield pointer, block, member


def _blocks(result: Json) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Yield the content blocks of a result, and the resources in them, with their pointers."""
    if not is_object(result):
        return
    for name in ("content", "contents", "messages"):
        listed = result.get(name)
        for number, value in enumerate(listed if is_array(listed) else []):
            block = value.get("content") if is_object(value) and name == "messages" else value
            if not is_object(block):
                continue
            pointer = f"/{name}/{number}" + ("/content" if name == "messages" else "")
            yield pointer, block
            resource = block.get("resource")
            if is_object(resource):
                yield f"{pointer}/resource", resource


_PATH = re.compile(
    r"(?<![\w./:-])/(?:home|Users|srv|var|opt|etc|root|usr|app|mnt|data)/[\w.@+-]+(?:/[\w.@+-]+)+"
    r"|\b[A-Z]:\\(?:[\w .@-]+\\)+[\w.@-]+"
)
_ABSOLUTE = re.compile(r"(?<![\w./:-])/[\w.@+-]+(?:/[\w.@+-]+)+")
_SQL = re.compile(
    r"SQLSTATE\[|\bORA-\d{5}\b|sqlite3?\.\w*Error|psycopg2?\.\w+|\bOperationalError\b"
    r"|\bSELECT\b.{1,200}\bFROM\b|\bINSERT INTO\b.{1,200}\bVALUES\b|\bUPDATE\b.{1,100}\bSET\b"
    r"|\bDELETE FROM\b",
    re.DOTALL,
)
_SHOWN = 60


def given_secrets(target: Stdio | Http) -> frozenset[str]:
    """Return the secrets passed to a server: values of variables with the name of a secret."""
    variables = target.env if isinstance(target, Stdio) else target.headers
    return frozenset(
        value
        for name, value in variables.items()
        if is_sensitive(name) and len(value) >= MIN_LENGTH
    )


def shown_secret(
    result: Json, arguments: Json, secrets: Collection[str], where: str = "the result"
) -> Iterator[Verdict]:
    """Yield a secret of the server that is in a result in any encoding, and in no argument."""
    if not secrets:
        return  # the usual case, and results may be large
    text, given = (json.dumps(item, ensure_ascii=False) for item in (result, arguments))
    is_in_result, is_sent = finder(text), finder(given)
    suspects = [secret for secret in secrets if is_in_result(secret) and not is_sent(secret)]
    if any(replace(text, secret, "") != text for secret in suspects):
        yield Verdict("C503", f"{where} contains a secret of the server", where)


def leaks(text: str, arguments: str, credentials: Credentials, where: str) -> Iterator[Verdict]:
    """Yield the secrets that a text reveals. Parts of the arguments don't count.

    Args:
        text: The text of an error, a log message or stderr.
        arguments: The arguments of the call as JSON.
        credentials: The server's credentials.
        where: The origin of the text, such as "the error".
    """
    hidden = credentials.hide(text)
    # The value of a variable is redacted, but a folder isn't a credential.
    bare = _ABSOLUTE.sub("", text)
    is_shown = credentials.hide(bare) != bare or without_credentials(text) != text
    if is_shown and without_credentials(arguments) == arguments:
        excerpt = brief(without_credentials(hidden), 100)
        yield Verdict("C503", f"{where}: {excerpt}", where)
    for pattern, what in ((_PATH, "a path of its machine"), (_SQL, "SQL")):
        match = pattern.search(text)
        if match and match[0] not in arguments:
            excerpt = brief(text[max(0, match.start() - 20) : match.end()][:_SHOWN], _SHOWN)
            yield Verdict("C504", f"{where} shows {what}: {excerpt}", f"{where} {what}")
