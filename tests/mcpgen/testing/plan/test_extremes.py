"""Calls with all values at their limits, and with others than refused ones."""

from __future__ import annotations

from typing import Any

import pytest
from planned_subjects import TEXT, Subjects

from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.plan import extremes
from mcpgen.testing.plan.subjects import Subject


class Refusing(Subjects):
    """Subjects with a tool that refuses one value of an argument."""

    def __init__(self, refused: int) -> None:
        part: Json = {"type": "integer", "minimum": 1, "maximum": 6}
        super().__init__({"dog_id": TEXT, "times": part}, ["dog_id", "times"])
        self.refused = refused
        self.may_be_another = lambda *_: True
        dogs = Answer({"structuredContent": {"dogs": [{"dog_id": "d1"}]}})
        self.lab.known_values.learn("list_dogs", {}, dogs)


def test_other_values_than_a_refused_one() -> None:
    subjects: Any = Refusing(refused=6)
    subject = Subject("prescribe")
    calls: list[Json] = []
    for case in extremes.unlike_refused(subjects, subject):
        arguments = case.data["arguments"]
        calls.append(arguments)
        if arguments["times"] != subjects.refused:
            subject.good.append(arguments)
    assert {call["dog_id"] for call in calls} == {"d1"}
    assert len(subject.good) == 1


def test_pairs_of_matching_entities() -> None:
    subjects: Any = Subjects({"from_id": NAMED, "to_id": NAMED}, ["from_id", "to_id"])
    subjects.may_be_another = lambda *_: True
    accounts: Json = [{"account_id": f"a{number}"} for number in range(6)]
    answer = Answer({"structuredContent": {"accounts": accounts}})
    subjects.lab.known_values.learn("list_accounts", {}, answer)
    subject = Subject("transfer")
    pairs: list[set[str]] = []
    for case in extremes.unlike_refused(subjects, subject):
        arguments = case.data["arguments"]
        pairs.append({*arguments.values()})
        if pairs[-1] == {"a1", "a4"}:
            subject.good.append(arguments)
    assert subject.good
    assert all(len(pair) == 2 for pair in pairs)


NAMED: Json = {"type": "string", "description": "ID of an account."}


def test_ids_at_limits() -> None:
    length: Json = {"type": "string", "minLength": 1, "maxLength": 9}
    subjects: Any = Subjects({"dog_id": length, "note": length}, [])
    good: dict[str, Json] = {"dog_id": "d17", "note": "abc"}
    calls = extremes.extremes(subjects, Subject("note", good=[good]))
    assert [call.data["arguments"] for call in calls] == [
        {"dog_id": "d17", "note": "a"},
        {"dog_id": "d17", "note": "abcxxxxxx"},
    ]


@pytest.mark.parametrize(
    ("good", "expected"),
    [
        ("2027-03-01", ["9999-12-31", "0001-01-01"]),
        ("2027-03-01T08:00:00Z", ["9999-12-31T23:59:59Z", "0001-01-01T23:59:59Z"]),
        ("soon", []),
    ],
)
def test_ends_of_the_calendar(good: str, expected: list[str]) -> None:
    subjects: Any = Subjects({"day": TEXT}, [])
    calls = extremes.days(subjects, Subject("book", good=[{"day": good}]))
    assert [call.data["arguments"]["day"] for call in calls] == expected


def test_related_ids_of_another_tool() -> None:
    subjects: Any = Subjects({"student_id": TEXT, "course_id": TEXT}, ["student_id", "course_id"])
    related: dict[str, Json] = {"student_id": "s3", "course_id": "c9"}
    subjects.may_be_another = lambda *_: True
    subjects.every = lambda: [Subject("enroll", good=[{**related, "note": "n"}])]
    case = next(extremes.unlike_refused(subjects, Subject("withdraw")))
    assert case.data["arguments"] == related
