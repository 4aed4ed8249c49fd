"""Logging of calls: target, duration and outcome."""

from __future__ import annotations

import json
import logging as standard
import time
from dataclasses import dataclass

from ..models.content import AnyResult
from ..redaction.credentials import CREDENTIALS
from .middleware import Call, Proceed, connector_of

_LONGEST = 1000
_LOGGER = standard.getLogger(__name__)


def logging(
    *,
    logger: standard.Logger | str | None = None,
    level: int = standard.INFO,
    values: bool = False,
) -> Logging:
    """Create a middleware that logs the name and duration of each call.

    Args:
        logger: The logger. Defaults to the package's name plus ``.calls``.
        level: The level of each record. Failed calls have at least ``WARNING``.
        values: Also log arguments and results. They may contain secrets and arbitrary
            text of the server.
    """
    if isinstance(logger, str):
        logger = standard.getLogger(logger)
    return Logging(logger, level, values)


@dataclass(frozen=True)
class Logging:
    """The middleware that :func:`logging` makes."""

    logger: standard.Logger | None
    level: int
    values: bool

    async def __call__(self, call: Call, proceed: Proceed) -> AnyResult:
        """Make the call and log its outcome."""
        started = time.perf_counter()
        try:
            result = await proceed(call)
        except BaseException as error:
            is_error = isinstance(error, Exception)
            level = max(self.level, standard.WARNING) if is_error else self.level
            self._log(level, call, started, type(error).__name__)
            raise
        is_error = bool(getattr(result, "is_error", False))
        level = max(self.level, standard.WARNING) if is_error else self.level
        text = f" result={_shorten(_result(result))}" if self.values else ""
        self._log(level, call, started, "error" if is_error else "done", text)
        return result

    def _log(self, level: int, call: Call, started: float, outcome: str, text: str = "") -> None:
        if self.values:
            arguments = _shorten(json.dumps(dict(call.arguments), default=repr))
        else:
            arguments = repr(sorted(call.arguments))
        seconds = time.perf_counter() - started
        line = "%s=%r arguments=%s seconds=%.3f outcome=%s%s"
        connector = connector_of(call)
        logger = self.logger or (connector.package.logger("calls") if connector else _LOGGER)
        logger.log(level, line, call.kind, call.name, arguments, seconds, outcome, text)


def _result(result: AnyResult) -> str:
    """Return a result as JSON, in which nothing can begin a line of its own."""
    return json.dumps(
        result.model_dump(mode="json", by_alias=True, exclude_none=True), default=repr
    )


def _shorten(text: str) -> str:
    text = CREDENTIALS.hide(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
