"""Forms that a server asks users to fill in, as dataclasses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal
from uuid import UUID

import anyio
import pytest
from authored import server
from mcp import Client, types
from mcpgen_runtime.server.conversation.forms import Unanswered, answer_of, message_of, schema_of
from mcpgen_runtime.server.errors import InvalidAnswer
from pydantic import Field
from skeletons import MODES

BODY = """\
from dataclasses import dataclass

@dataclass
class Loan:
    '''How long do you need it?

    This paragraph isn't shown.
    '''

    days: int
    shelf: str = "top"

async def lend(self, arguments, context):
    from ._generated import Unanswered

    answer = await context.ask(self.Loan)
    if isinstance(answer, Unanswered):
        return answer.action
    again = await context.ask(self.Loan, "And the next one?", key="next")
    assert not isinstance(again, Unanswered)
    return f"{answer.days + again.days} {answer.shelf}"
"""


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[ModuleType]:
    with server(tmp_path, {"lend": {}}, BODY) as module:
        yield module


def call(package: Any, mode: Literal["auto", "legacy"], *answers: types.ElicitResult) -> Any:
    """Call the tool and return its text, the messages and the schemas of its questions."""
    questions: list[types.ElicitRequestFormParams] = []

    async def answer(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        questions.append(params)
        return answers[len(questions) - 1]

    async def act() -> types.CallToolResult:
        async with Client(package.server, mode=mode, elicitation_callback=answer) as client:
            return await client.call_tool("lend", {})

    result = anyio.run(act)
    content = result.content[0]
    assert isinstance(content, types.TextContent)
    return content.text, [params.message for params in questions], questions[0].requested_schema


def accept(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


@pytest.mark.parametrize("mode", MODES)
def test_answer_is_the_form(odd: ModuleType, mode: Literal["auto", "legacy"]) -> None:
    text, messages, schema = call(odd, mode, accept(days=3, shelf="bottom"), accept(days=4))
    assert text == "7 bottom"
    assert messages == ["How long do you need it?", "And the next one?"]
    assert schema == {
        "type": "object",
        "properties": {
            "days": {"type": "integer", "title": "Days"},
            "shelf": {"type": "string", "default": "top", "title": "Shelf"},
        },
        "required": ["days"],
    }


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_declined_form_is_unanswered(
    odd: ModuleType, mode: Literal["auto", "legacy"], action: Literal["decline", "cancel"]
) -> None:
    assert call(odd, mode, types.ElicitResult(action=action))[0] == action


@pytest.mark.parametrize("mode", MODES)
def test_invalid_answer_is_an_error_for_the_caller(
    odd: ModuleType, mode: Literal["auto", "legacy"]
) -> None:
    text, _, _ = call(odd, mode, accept(days="three", shelf=1))
    assert text.startswith("Invalid answer to Loan:")
    assert "/days" in text
    assert "/shelf" in text


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Everything:
    """One field of each kind."""

    name: Annotated[str, Field(min_length=1, description="Your name.")]
    day: date
    color: Color
    colors: list[Literal["red", "blue"]] = field(default_factory=list[Any])
    weight: float | None = None
    is_gift: bool = False
    only: Literal["one"] = "one"
    code: UUID | None = None


def test_each_kind_of_field_has_its_schema() -> None:
    schema = schema_of(Everything)
    assert schema["required"] == ["name", "day", "color"]
    properties = schema["properties"]
    titles = {name: properties[name].pop("title") for name in properties}
    assert titles["is_gift"] == "Is Gift"
    assert properties == {
        "name": {"type": "string", "minLength": 1, "description": "Your name."},
        "day": {"type": "string", "format": "date"},
        "color": {"type": "string", "enum": ["red", "blue"]},
        "colors": {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}},
        "weight": {"type": "number"},
        "is_gift": {"type": "boolean", "default": False},
        "only": {"type": "string", "enum": ["one"], "default": "one"},
        "code": {"type": "string"},
    }


def test_answer_has_python_values() -> None:
    answer = answer_of(Everything, accept(name="Ada", day="2026-03-02", color="blue"))
    assert answer == Everything("Ada", date(2026, 3, 2), Color.BLUE)


@pytest.mark.parametrize(
    "content", [{}, {"name": "", "day": "2026-03-02", "color": "red"}, {"name": 1}]
)
def test_answer_is_validated_strictly(content: dict[str, Any]) -> None:
    with pytest.raises(InvalidAnswer):
        answer_of(Everything, accept(**content))


def test_unanswered_form_has_an_action() -> None:
    assert answer_of(Everything, types.ElicitResult(action="cancel")) == Unanswered("cancel")


@dataclass
class Nested:
    inner: Everything


@dataclass
class Free:
    texts: list[str]


@dataclass
class Mixed:
    value: int | str


@dataclass
class Numbers:
    level: Literal[1, 2]


@pytest.mark.parametrize("form", [Nested, Free, Mixed, Numbers])
def test_form_with_other_fields_is_refused(form: type[Any]) -> None:
    with pytest.raises(TypeError, match=rf"{form.__name__}\.\w+ isn't allowed"):
        schema_of(form)


def test_form_must_be_a_dataclass() -> None:
    with pytest.raises(TypeError, match="isn't a dataclass"):
        schema_of(dict)


def test_form_without_docstring_needs_a_message() -> None:
    with pytest.raises(TypeError, match="needs a docstring, or a message"):
        message_of(Free)
