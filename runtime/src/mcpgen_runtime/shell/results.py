"""Results for a shell: text, and files for binary content."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

from .shapes import Json

Content: TypeAlias = Mapping[str, Json]

_SUFFIXES = {
    "application/json": ".json",
    "application/pdf": ".pdf",
    "application/xml": ".xml",
    "application/zip": ".zip",
    "audio/flac": ".flac",
    "audio/mp4": ".m4a",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "audio/wav": ".wav",
    "audio/webm": ".weba",
    "audio/x-wav": ".wav",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "image/tiff": ".tif",
    "image/webp": ".webp",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "video/mp4": ".mp4",
}


@dataclass(frozen=True)
class SavedFile:
    """A file with a part of a result, identified by the part's index."""

    part: int
    file: str


def text_of(result: Mapping[str, Json]) -> str:
    """Return the text of a result, or its structured content if it has no text."""
    blocks = blocks_of(result)
    texts = [text for block in blocks if (text := block_text(block)) is not None]
    if texts:
        return "\n".join(texts)
    if "structuredContent" in result:
        structured = result["structuredContent"]
        return json.dumps(structured, ensure_ascii=False, indent=2)
    return ""


def block_text(block: Content) -> str | None:
    """Return the text of a content block, or None."""
    if block.get("type") == "text":
        return _text(block.get("text"))
    if block.get("type") == "resource_link":
        return " ".join(filter(None, (_text(block.get("uri")), _text(block.get("name")))))
    contents = _object(block.get("resource"))
    return contents["text"] if isinstance(contents.get("text"), str) else None


def blocks_of(result: Mapping[str, Json]) -> list[Content]:
    """Return the blocks of a result, or the contents of a resource."""
    listed = result.get("content", result.get("contents"))
    return [_object(item) for item in _list(listed)]


def messages_text(result: Mapping[str, Json]) -> str:
    """Return the messages of a prompt with their roles."""
    lines: list[str] = []
    for message in map(_object, _list(result.get("messages"))):
        content = message.get("content")
        blocks = _list(content) if isinstance(content, list) else [content]
        for block in map(_object, blocks):
            text = block_text(block)
            if text is None:
                text = f"({unshown(block)})"
            lines.append(f"{_text(message.get('role')) or 'user'}: {text}")
    return "\n".join(lines)


def contents_text(result: Mapping[str, Json]) -> str:
    """Return the text contents of a resource."""
    texts = [item.get("text") for item in blocks_of(result)]
    return "\n".join(text for text in texts if isinstance(text, str))


def unshown(block: Content) -> str:
    """Describe the binary content of a block."""
    data, kind = _data(block)
    size = len(data) * 3 // 4
    return f"{kind or block.get('type') or 'content'}, about {size:,} bytes"


def describe_hidden(result: Mapping[str, Json]) -> list[str]:
    """Describe everything in a result that can't be shown as text."""
    blocks = blocks_of(result)
    return [unshown(block) for block in blocks if _data(block)[0]]


def save(result: Mapping[str, Json], folder: Path, stem: str) -> list[SavedFile]:
    """Write binary content to files in a folder, without overwriting any.

    The names of the files don't come from the server, and a MIME type only selects one of
    the known suffixes.
    """
    written: list[SavedFile] = []
    for number, block in enumerate(blocks_of(result)):
        data, kind = _data(block)
        if not data:
            continue
        with suppress(binascii.Error, ValueError):
            content = base64.b64decode(data, validate=True)
            folder.mkdir(parents=True, exist_ok=True)
            path = _place(folder, _stem(stem), _suffix(kind), content)
            written.append(SavedFile(number, str(path)))
    return written


def with_files(result: Mapping[str, Json], written: Sequence[SavedFile]) -> dict[str, Json]:
    """Return a result with file names in place of binary data."""
    document = dict(result)
    key = "content" if "content" in result else "contents"
    blocks = [dict(item) for item in blocks_of(result)]
    for saved in written:
        block = blocks[saved.part]
        if "resource" in block:
            block["resource"] = _with_file(_object(block["resource"]), saved.file)
        else:
            blocks[saved.part] = _with_file(block, saved.file)
    return {**document, key: blocks} if written else document


def _with_file(holder: Content, file: str) -> dict[str, Json]:
    rest = {k: v for k, v in holder.items() if k not in ("data", "blob")}
    return {**rest, "file": file}


def _place(folder: Path, stem: str, suffix: str, content: bytes) -> Path:
    """Write to the first unused file name with this stem."""
    for name in _names(stem, suffix):
        path = folder / name
        with suppress(FileExistsError), path.open("xb") as stream:  # follows no link
            stream.write(content)
            return path
    raise AssertionError("the names never end")


def _names(stem: str, suffix: str) -> Iterator[str]:
    yield f"{stem}{suffix}"
    number = 2
    while True:
        yield f"{stem}-{number}{suffix}"
        number += 1


def _stem(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:60].strip("-") or "result"


def _suffix(kind: str) -> str:
    return _SUFFIXES.get(kind.partition(";")[0].strip().lower(), ".bin")


def _data(block: Content) -> tuple[str, str]:
    """Return the data of a block in base64, and its type."""
    holder = _object(block.get("resource")) or block
    data = holder.get("data", holder.get("blob"))
    return _text(data), _text(holder.get("mimeType"))


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Json) -> list[Json]:
    return [*cast("Sequence[Json]", value)] if isinstance(value, list) else []


def _object(value: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}
