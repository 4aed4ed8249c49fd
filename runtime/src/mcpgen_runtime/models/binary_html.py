"""Images and audio as HTML for notebooks."""

from __future__ import annotations

import base64
from html import escape
from typing import Protocol

from ..display import Html

MAX_BYTES = 5_000_000
_LONGEST_TEXT = 10_000

# None of them can hold a script, as SVG can.
_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_AUDIO = frozenset({"audio/wav", "audio/x-wav", "audio/mpeg", "audio/ogg", "audio/mp4"})


class Media(Protocol):
    """Bytes with a media type."""

    @property
    def data(self) -> bytes:
        """The bytes."""
        ...

    @property
    def mime_type(self) -> str:
        """The media type."""
        ...


def binary_html(binary: Media, most: int = MAX_BYTES) -> Html:
    """Return an image or audio as HTML, or its description if it is too large or unknown."""
    kind = binary.mime_type.partition(";")[0].strip().lower()
    if len(binary.data) > most or kind not in _IMAGES | _AUDIO:
        return note(repr(binary))
    encoded = base64.b64encode(binary.data).decode()
    source = f"data:{kind};base64,{encoded}"
    if kind in _IMAGES:
        return Html(f'<img src="{source}" style="max-width: 100%">')
    return Html(f'<audio controls src="{source}"></audio>')


def note(text: str) -> Html:
    """Return a line of plain text as HTML."""
    return Html(f"<div><code>{escape(text[:_LONGEST_TEXT])}</code></div>")
