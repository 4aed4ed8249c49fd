"""Processes of servers: their output, their log, and their end."""

from __future__ import annotations

import pytest
from connected_servers import ANSWER, call_ask, command, failing, raw
from guards import patient
from mcpgen_runtime import SessionOptions


def test_server_exit_is_reported_with_stderr() -> None:
    error = failing(command("exits"))
    assert isinstance(error, raw().ConnectionFailed)
    assert error.stderr == "fatal: no database"
    assert str(error).splitlines()[1:] == ["  | fatal: no database"]
    assert error.reason == "the server closed the connection"


def test_server_printing_junk_is_reported_as_such() -> None:
    message = "it printed text that isn't a message of the protocol"
    for seconds in (0.5, 5, 50):  # a busy machine may take long to start it
        error = failing(command("junk"), session=SessionOptions(connect_timeout=seconds))
        assert isinstance(error, raw().ConnectionFailed)
        if message in error.reason:
            break
    assert error.reason == f"no response within {seconds:g} s; {message}"


def test_server_printing_a_banner_works() -> None:
    assert call_ask(raw(), command("banner"), verify="error") == ANSWER


def test_large_stderr_output_does_not_block() -> None:
    assert call_ask(raw(), command("noisy")) == ANSWER


@pytest.mark.slow
def test_grandchild_holding_stderr_does_not_block() -> None:
    with patient():
        assert call_ask(raw(), command("grandchild")) == ANSWER


def test_the_last_words_of_a_server_are_not_endless() -> None:
    error = failing(command("rants"))
    assert isinstance(error, raw().ConnectionFailed)
    assert 1000 < len(error.stderr) <= 50_000


def test_server_output_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    assert call_ask(raw(), command("leaves")) == ANSWER
    assert "goodbye" not in "".join(capfd.readouterr())
