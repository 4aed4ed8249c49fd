"""Records a live server: starts or connects, asks within one time limit, explains what failed."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TextIO

import anyio

from mcpgen.contract import Json
from mcpgen.errors import ContractError
from mcpgen.live import inprocess, transport
from mcpgen.live.ask import ask
from mcpgen.live.assemble import Answers, Recorded, assemble
from mcpgen.live.failure import explain, late, leaf
from mcpgen.live.tap import Heard
from mcpgen.source import Http, InProcess, Stdio
from mcpgen.source.target import Live


@dataclass(frozen=True, slots=True)
class Manner:
    """How to ask: in which era of the protocol, and for how many seconds at most."""

    era: Literal["auto", "legacy", "modern"] = "auto"
    timeout: float = 30.0


def record(target: Live, manner: Manner, stderr: TextIO) -> Recorded:
    """Ask a server for its contract; what it and its libraries print goes to ``stderr``."""
    with _quiet(), _bounded(target, manner.timeout, stderr):
        server: Any = None
        if isinstance(target, InProcess):
            with _environment(target.env):
                name, server = inprocess.load(target)
                target = replace(target, name=name)
                answers = _answers(target, manner, stderr, server)
        else:
            answers = _answers(target, manner, stderr, server)
    is_modern = "supportedVersions" in answers.greeting
    if manner.era == "modern" and not is_modern:
        raise ContractError(
            f"the server speaks only an older revision: {answers.revision}",
            str(target),
            "record it with --era auto",
        )
    return assemble(answers, target.origin())


def _answers(target: Live, manner: Manner, stderr: TextIO, server: Any) -> Answers:
    deadline = anyio_clock() + manner.timeout
    heard = Heard()
    try:
        return _attempt(target, manner, stderr, server, heard)
    except Exception as error:
        # Some servers exit at a first message they do not know, so the older one is tried too.
        is_dead = isinstance(target, Stdio) and not heard.answered and not heard.junk
    raise NotImplementedError
