"""Logs as JSON, one object a line, without values of arguments and results."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import datetime, timezone
from typing import Any

_AUDIT = ("tool", "caller", "arguments", "seconds", "outcome")
_ACCESS = ("client", "method", "path", "http_version", "status")


class JsonFormatter(logging.Formatter):
    """Writes records with the IDs of the current trace, if there is one.

    Exceptions are written with their type and stack, but without their message, which may
    contain values of a call.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line of JSON."""
        moment = datetime.fromtimestamp(record.created, timezone.utc)
        document: dict[str, Any] = {
            "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            **_message(record),
            **_trace(),
        }
        kind, _, frames = record.exc_info or (None, None, None)
        if kind is not None:
            document["exception"] = {
                "type": f"{kind.__module__}.{kind.__qualname__}",
                "stack": [
                    f"{frame.filename}:{frame.lineno} {frame.name}"
                    for frame in traceback.extract_tb(frames)
                ],
            }
        return json.dumps(document, default=str)


def _message(record: logging.LogRecord) -> dict[str, Any]:
    """Return the message, or the parts of a line that has a known form."""
    args: tuple[Any, ...] = record.args if isinstance(record.args, tuple) else ()
    if record.name.endswith(".audit") and len(args) == len(_AUDIT):
        return {"message": "call", **dict(zip(_AUDIT, args, strict=True))}
    if record.name == "uvicorn.access" and len(args) == len(_ACCESS):
        parts = dict(zip(_ACCESS, args, strict=True))
        # A query may contain a secret.
        parts["path"] = str(parts["path"]).partition("?")[0]
        return {"message": "request", **parts}
    return {"message": record.getMessage()}


def _trace() -> dict[str, str]:
    """Return the IDs of the current trace and span."""
    trace: Any = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return {}
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"}
