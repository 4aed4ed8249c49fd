"""A backtracking search with counted steps, for expressions that no other engine supports.

A state consists of the positions in program and text, and of the groups that references need. No
state is visited twice, so without references the number of steps is linear in the lengths of
expression and text.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, cast

from . import characters
from .characters import Characters, ExhaustedError
from .program import Instruction, compile_tree
from .syntax_tree import CharacterMatch, Node, Repeat

MOST_STEPS = 250_000

_CHECKED_EVERY = 10_000

_Registers: TypeAlias = "tuple[int, ...]"
_State: TypeAlias = "tuple[int, int, _Registers]"
_Holds: TypeAlias = "Callable[[str], bool]"

_WORD = Characters(characters.WORD)


@dataclass
class Budget:
    """The remaining steps and the deadline.

    ``more`` returns further steps. It is called once, when none are left. ``deadline`` is
    in seconds of ``time.thread_time()``, or None.
    """

    steps_left: int = MOST_STEPS
    more: Callable[[], int] | None = None
    deadline: float | None = None
    _checked: int = sys.maxsize

    def spend(self, steps: int) -> None:
        """Take steps. Raises: ExhaustedError: Too few are left, or the deadline has passed."""
        self.steps_left -= steps
        if self.steps_left < 0 and self.more is not None:
            self.steps_left += self.more()
            self.more, self._checked = None, sys.maxsize
        if self.steps_left < 0:
            raise ExhaustedError("it takes too many steps")
        if self.deadline is not None and self._checked - self.steps_left > _CHECKED_EVERY:
            self._checked = self.steps_left
            if time.thread_time() > self.deadline:
                raise ExhaustedError("it takes too long")


@dataclass(frozen=True)
class Program:
    """Instructions, and how many registers they use."""

    code: tuple[Instruction, ...]
    registers: int

    def matches(self, text: str, budget: Budget) -> bool:
        """Return True if the expression matches anywhere in a text.

        Raises:
            ExhaustedError: The budget is used up.
        """
        search = _Search(self.code, text, budget)
        tried: set[Any] = set()
        empty = (-1,) * self.registers
        return any(search.find_end(0, at, empty, tried) is not None for at in range(len(text) + 1))


def program(tree: Node) -> Program:
    """Compile an expression, which must be small."""
    return Program(*compile_tree(tree))


class _Search:
    """A search in one string."""

    def __init__(self, code: tuple[Instruction, ...], text: str, budget: Budget) -> None:
        self.code, self.text, self.budget = code, text, budget
        self.looked: dict[Any, _Registers | None] = {}
        self.dead: dict[int, set[Any]] = {}

    def find_end(
        self, pc: int, at: int, registers: _Registers, tried: set[Any]
    ) -> _Registers | None:
        """Return the groups at the end of the program, or None if it fails."""
        waiting = [(pc, at, registers)]
        while waiting:
            pc, at, registers = waiting.pop()
            state = (pc, at, registers) if registers else at * len(self.code) + pc
            if state in tried:
                continue
            tried.add(state)
            end = self._run(pc, at, registers, waiting)
            if end is not None:
                return end
        return None

    def _run(
        self, pc: int, at: int, registers: _Registers, waiting: list[Any]
    ) -> _Registers | None:
        """Run to the end or to a choice, whose alternatives are queued."""
        steps = 0
        while True:
            steps += 1
            kind, *arguments = self.code[pc]
            if kind == "found":
                self.budget.spend(steps)
                return registers
            if kind == "split":
                first, second = arguments
                waiting += [(pc + second, at, registers), (pc + first, at, registers)]
                break
            if kind == "many":
                positions = self._many(at, arguments[0])
                waiting += [(pc + 1, position, registers) for position in positions]
                break
            next_state = self.MOVES[kind](self, (pc, at, registers), *arguments)
            if next_state is None:
                break
            pc, at, registers = next_state
        self.budget.spend(steps)
        return None

    def _many(self, at: int, node: Repeat) -> Iterable[int]:
        """Return the possible ends of a repetition of one character, the first choice last."""
        match_one = cast("CharacterMatch", node.parts[0])
        step = -1 if match_one.behind else 1
        room = at if match_one.behind else len(self.text) - at
        most = room if node.most is None else min(room, node.most)
        count = 0
        while count < most and match_one.among.holds(
            self.text[at + step * count - match_one.behind]
        ):
            count += 1
        self.budget.spend(count + 1)
        ends = range(node.least, count + 1)
        return [at + step * turns for turns in (reversed(ends) if node.lazy else ends)]

    def _match_one(self, state: _State, holds: _Holds, behind: bool) -> _State | None:
        pc, at, registers = state
        position = at - behind
        if not 0 <= position < len(self.text) or not holds(self.text[position]):
            return None
        return pc + 1, position if behind else at + 1, registers

    def _jump(self, state: _State, far: int) -> _State:
        return state[0] + far, *state[1:]

    def _edge(self, state: _State, kind: str) -> _State | None:
        pc, at, registers = state
        if kind == "start":
            holds = at == 0
        elif kind == "end":
            holds = at == len(self.text)
        else:
            around = [self.text[max(0, at - 1) : at], self.text[at : at + 1]]
            before, after = (bool(item) and _WORD.holds(item) for item in around)
            holds = (before != after) == (kind == "word")
        return (pc + 1, at, registers) if holds else None

    def _look(self, state: _State, length: int, negated: bool) -> _State | None:
        pc, at, registers = state
        if state not in self.looked:
            dead = self.dead.setdefault(pc, set())
            self.looked[state] = self.find_end(pc + 1, at, registers, dead)
            if self.looked[state] is not None:
                dead.clear()  # as some of these lead to an end
        outcome = self.looked[state]
        if (outcome is None) != negated:
            return None
        return pc + length, at, registers if outcome is None else outcome

    def _save(self, state: _State, register: int) -> _State:
        pc, at, registers = state
        self.budget.spend(len(registers) // 20)
        return pc + 1, at, (*registers[:register], at, *registers[register + 1 :])

    def _has_moved(self, state: _State, register: int) -> _State | None:
        pc, at, registers = state
        return None if registers[register] == at else (pc + 1, at, registers)

    def _forget(self, state: _State, first: int, end: int) -> _State:
        pc, at, registers = state
        unset = (-1,) * (end - first)
        return pc + 1, at, (*registers[:first], *unset, *registers[end:])

    def _match_same(self, state: _State, register: int, behind: bool) -> _State | None:
        pc, at, registers = state
        low, high = sorted(registers[register : register + 2])
        text = "" if low < 0 else self.text[low:high]
        self.budget.spend(len(text) // 100)
        start = at - len(text) if behind else at
        if start < 0 or not self.text.startswith(text, start):
            return None
        return pc + 1, start if behind else at + len(text), registers

    MOVES: ClassVar[dict[str, Callable[..., _State | None]]] = {
        **{"one": _match_one, "jump": _jump, "edge": _edge, "look": _look, "mark": _save},
        **{"save": _save, "moved": _has_moved, "forget": _forget, "same": _match_same},
    }
