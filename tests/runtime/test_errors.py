"""Errors of the runtime are public and readable, and can be copied and pickled without loss."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from client_views import SHOP
from mcpgen_runtime import errors as runtime_errors
from mcpgen_runtime import problem as runtime_problem
from runtime.scripted import text_result


def errors() -> list[Any]:
    problem = runtime_problem.Problem("/a", "it is wrong")
    result = text_result("failed", is_error=True)
    return [
        runtime_errors.ToolError("t", result),
        runtime_errors.ProtocolError("t", -1, "no", {"a": 1}),
        runtime_errors.InvalidArguments("t", [problem]),
        runtime_errors.InvalidResult("t", [problem], result),
        runtime_errors.InvalidResult("t", [problem]),
        runtime_errors.CallTimeout("t", 1.5),
        runtime_errors.CallTimeout("t", None),
        runtime_errors.ConnectionFailed("s", "why", "last\nwords"),
        runtime_errors.AuthorizationRequired("s", "it answered 401"),
        runtime_errors.ConnectionLost("why", "last words"),
        runtime_errors.ContractDrift([runtime_errors.Change("t", "inputSchema differs")]),
        runtime_errors.NotConfirmed("t", {"a": 1}),
        runtime_errors.UnknownTool("t"),
        runtime_errors.HttpError("t", 429, 7.0, "Bearer", "too many"),
        runtime_errors.HttpError("t", 500),
    ]


@pytest.mark.parametrize("error", errors(), ids=lambda error: type(error).__name__)
def test_an_error_carries_its_facts_through_copies(error: Any) -> None:
    assert isinstance(error, SHOP.ClientError)
    assert str(error)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert vars(again) == vars(error)
        assert str(again) == str(error)


def test_error_with_notes_survives_pickling() -> None:
    error = SHOP.ConnectionLost(reason="why", stderr="last words")
    vars(error)["__notes__"] = ["in the shop"]
    again = pickle.loads(pickle.dumps(error))
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def test_errors_are_public_and_read_well() -> None:
    texts = [str(error) for error in errors()]
    assert texts == [
        "t: failed",
        "t: no (-1)",
        "t: invalid arguments, nothing was sent\n  /a: it is wrong",
        "t: invalid result\n  /a: it is wrong",
        "t: invalid result\n  /a: it is wrong",
        "t: no response within 1.5 s",
        "t: no response in time",
        "cannot connect to s: why\n  | last\n  | words",
        "s requires authorization: it answered 401",
        "the connection was lost: why\n  | last words",
        "the server differs from the contract; regenerate the client\n  t: inputSchema differs",
        "t: the call was not confirmed, nothing was sent",
        "the contract has no tool 't'",
        "t: the server responded with HTTP 429: too many",
        "t: the server responded with HTTP 500",
    ]
    for error in errors():
        assert getattr(SHOP, type(error).__name__) is type(error)


def test_an_error_can_be_raised_through_context_managers() -> None:
    @contextmanager
    def pass_through() -> Iterator[None]:
        yield

    for error in errors():
        with pytest.raises(type(error)), pass_through():
            raise error


def test_timeouts_and_lost_connections_have_builtin_base_classes() -> None:
    kinds = {type(error): type(error).__mro__ for error in errors()}
    assert TimeoutError in kinds[SHOP.CallTimeout]
    for name in ("ConnectionFailed", "AuthorizationRequired", "ConnectionLost"):
        assert ConnectionError in kinds[getattr(SHOP, name)]
