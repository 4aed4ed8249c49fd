"""What a second process does is what this one would have done, and what fails there fails here."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import pytest

from mcpgen.codegen import formatting
from mcpgen.codegen.formatting import in_two
from mcpgen.errors import BugError

FORKS = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the threads of the test runner for none; they hold nothing that is used here."""
    monkeypatch.setattr(formatting.threading, "active_count", lambda: 1)


def process_of(items: Sequence[int]) -> list[tuple[int, int]]:
    return [(item, os.getpid()) for item in items]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_all_is_made_half_of_it_in_another_process() -> None:
    made = in_two(process_of, range(7))
    assert sorted(item for item, _ in made) == [*range(7)]
    assert len({process for _, process in made}) == (2 if FORKS else 1)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("where", ["another system", "a thread", "no processes"])
def test_without_a_second_process_all_is_made_here(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> int:
        raise BlockingIOError

    if where == "another system":
        monkeypatch.setattr(formatting.sys, "platform", "win32")
    elif where == "a thread":
        monkeypatch.setattr(formatting.threading, "active_count", lambda: 2)
    else:
        monkeypatch.setattr(formatting.os, "fork", refuse, raising=False)
    assert sorted(in_two(process_of, range(3))) == [(item, os.getpid()) for item in range(3)]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("bad", [0, 1])
def test_what_fails_in_either_process_is_raised_here(bad: int) -> None:
    def check(items: Sequence[int]) -> list[int]:
        if bad in items:
            raise BugError("no", str(bad))
        return [*items]

    with pytest.raises(BugError, match="no"):
        in_two(check, range(4))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_files_are_the_same_in_whichever_process_they_are_laid_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    long = ", ".join(f'"value number {number}"' for number in range(9))
    by_black = f"if True:\n    x = [{long}][0] + ({long})\n"
    files = {
        **{f"models/a{n}.py": f"class A{n}:\n    x: Literal[{long}]\n" for n in range(5)},
        "models/b.py": by_black,
        "contract.json": "{}",
        "_runtime/c.py": "import os\n",
    }
    alone = formatting.format_files(files)
    monkeypatch.setattr(formatting, "_LARGE", 1)
    assert formatting.format_files(files) == alone
    assert [*formatting.format_files(files)] == [*files]
    assert alone["models/b.py"] != by_black
