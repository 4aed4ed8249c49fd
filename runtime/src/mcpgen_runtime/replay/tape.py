"""Recording and replay of all calls of a connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..errors import ClientError, InvalidRecording, InvalidResult, NotRecorded, StaleRecording
from ..options import Record, Replay
from ..redaction.credentials import CREDENTIALS
from .answers import error_json, error_of, result_json, result_of
from .call_records import RecordedCall, UnreadableLineError, append, read
from .definition import definition_hash
from .recorded_calls import NoSuchCallError, RecordedCalls, StaleCallError
from .redactor import Redaction

if TYPE_CHECKING:
    from ..calls.request import Request
    from ..calls.tape import Tape
    from ..models.content import AnyResult
from ..package import Package

T = TypeVar("T")


def recording(package: Package, path: Path, redaction: Redaction) -> Tape:
    """Return a tape that appends to a recording and creates the file if necessary."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("ab").close()
    except OSError as error:
        raise InvalidRecording(str(path), 0, error.strerror or str(error)) from None
    return _Recording(package, path, redaction)


def replay(package: Package, path: Path, *, in_order: bool) -> Tape:
    """Return a tape that replays a recording, for each client from the beginning."""
    if not path.exists():
        reason = f"there is no such file; record it: connect(record={str(path)!r})"
        raise InvalidRecording(str(path), 0, reason)
    try:
        calls = read(path)
    except UnreadableLineError as error:
        raise InvalidRecording(error.path, error.number, error.reason) from None
    return _Replay(package, path, RecordedCalls(calls, in_order=in_order))


@dataclass(frozen=True)
class _Recording:
    package: Package
    path: Path
    redaction: Redaction
    replays: str = ""

    async def answer(self, kind: str, name: str, wire: Mapping[str, Any], request: Request[T]) -> T:
        try:
            result = await request.answer()
        except ClientError as error:
            self._keep(kind, name, wire, error)
            raise
        recorded_result: Any = result
        if hasattr(recorded_result, "task"):  # its outcome is recorded when a caller waits for it
            recorded_result.arguments = dict(wire)
        else:
            self._keep(kind, name, wire, recorded_result)
        return result

    def keep(self, name: str, wire: Mapping[str, Any], outcome: AnyResult | ClientError) -> None:
        self._keep("tool", name, wire, outcome)

    def _keep(
        self,
        kind: str,
        name: str,
        wire: Mapping[str, Any],
        outcome: AnyResult | ClientError,
    ) -> None:
        result = error = None
        if isinstance(outcome, ClientError):
            error = error_json(outcome)
            if error is None:
                return
        else:
            result = result_json(outcome)
        call = RecordedCall(kind, name, dict(wire), result, error, _hash(self.package, kind, name))
        redacted = self.redaction.redact_call(call)
        try:
            append(self.path, redacted)
        except (OSError, RecursionError, ValueError) as failure:
            reason = f"the call of {name} cannot be written: {failure}"
            raise InvalidRecording(str(self.path), 0, reason) from None
        if kind == "tool" and any(p.startswith("/result/") for p in redacted.redacted):
            _warn_if_broken(self.package, call, redacted)


def _hash(package: Package, kind: str, name: str) -> str:
    return definition_hash(package.tools[name].definition) if kind == "tool" else ""


def _warn_if_broken(package: Package, call: RecordedCall, redacted: RecordedCall) -> None:
    """Log a warning if redaction made a result invalid, as a replay will reject it."""
    if _is_valid(package, call) and not _is_valid(package, redacted):
        warning = "%s: the redacted result violates its schema at %s"
        pointers = ", ".join(p for p in redacted.redacted if p.startswith("/result/"))
        package.logger("record").warning(warning, call.name, pointers)


def _is_valid(package: Package, call: RecordedCall) -> bool:
    from ..models.values import decode_result

    try:
        result: Any = result_of(call.kind, call.result or {})
        decode_result(package.tool(call.name), result)
    except InvalidResult:
        return False
    except (ClientError, ValueError):
        return True  # a tool error, or a result without a schema
    return True


@dataclass(frozen=True)
class _Replay:
    package: Package
    path: Path
    answers: RecordedCalls
    replays: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "replays", f"the recording {self.path.name}")

    async def answer(self, kind: str, name: str, wire: Mapping[str, Any], request: Request[T]) -> T:
        if not kind:  # a request to be notified of changes, which a replay never has
            return cast("T", None)
        act = partial(self._answer, kind, name, wire, request.options.timeout)
        return cast("T", await request.connector.run(act))

    async def _answer(
        self, kind: str, name: str, wire: Mapping[str, Any], seconds: float | None
    ) -> AnyResult:
        from anyio.lowlevel import checkpoint

        await checkpoint()  # lets other tasks run, as waiting for a server does
        call = self._find_call(kind, name, wire)
        try:
            if call.answer is None:
                raise error_of(call.error or {}, name, self.replays, seconds)
            return result_of(kind, call.answer)
        except ValueError as error:
            if isinstance(error, ClientError):
                raise
            raise InvalidRecording(str(self.path), call.number, str(error)) from None

    def _find_call(self, kind: str, name: str, wire: Mapping[str, Any]) -> RecordedCall:
        file = str(self.path)
        try:
            return self.answers.take(kind, name, wire, _hash(self.package, kind, name))
        except NoSuchCallError as error:
            facts = (error.reason, error.nearest, tuple(error.differences))
            raise NotRecorded(name, file, *facts) from None
        except StaleCallError as error:
            raise StaleRecording(name, file, error.number) from None

    def keep(self, name: str, wire: Mapping[str, Any], outcome: AnyResult | ClientError) -> None:
        del name, wire, outcome  # the recording contains it already


def tape_of(
    package: Package,
    record: str | PathLike[str] | Record | None,
    replay_from: str | PathLike[str] | Replay | None,
    secrets: Sequence[object],
) -> Tape | None:
    """Build the tape that the options of ``connect`` select.

    ``secrets`` are values of other options. Strings among them are never recorded.
    """
    CREDENTIALS.add_all(secret for secret in secrets if isinstance(secret, str))
    if record is not None and replay_from is not None:
        raise TypeError("a client records or replays, not both")
    if record is not None:
        record = record if isinstance(record, Record) else Record(record)
        redaction = Redaction.from_rules(record.redact, CREDENTIALS.strip)
        return recording(package, Path(record.path), redaction)
    if replay_from is not None:
        replayed = replay_from if isinstance(replay_from, Replay) else Replay(replay_from)
        return replay(package, Path(replayed.path), in_order=replayed.match == "order")
    return None
