"""Names used by the Python examples in docs/conversation.md."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bookshelf import (
    BookshelfClient,
    ChoiceField,
    NumberField,
    Question,
    Sampling,
    SamplingRequest,
    SamplingResult,
    ask_in_terminal,
)
from mcp import types
from mcp.server import Server
from mcp.types import ElicitResult, ToolUseContent

ITEM = {
    "kind": "book",
    "id": "B-1",
    "title": "Night",
    "creator": {"name": "Ada", "born": None},
    "genre": "poetry",
    "published": 1990,
    "added": "2020-01-01T00:00:00Z",
    "pages": 9,
}
FORM = {
    "type": "object",
    "properties": {
        "days": {"type": "integer", "maximum": 30},
        "desk": {"type": "string", "enum": ["north", "south"]},
        "note": {"type": "string"},
    },
    "required": ["days", "desk"],
}
TEXT = types.TextContent(text="For how long?")
MESSAGES = [types.SamplingMessage(role="user", content=TEXT)]
OFFERED = types.Tool(name="look", input_schema={"type": "object"})
ASKED: dict[str, types.InputRequest] = {
    "elicitation": types.ElicitRequest(
        params=types.ElicitRequestFormParams(message="How long?", requested_schema=FORM)
    ),
    "sampling": types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=MESSAGES, max_tokens=50, tools=[OFFERED])
    ),
    "roots": types.ListRootsRequest(),
}


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    """List the bookshelf's tools."""
    tools = [types.Tool.model_validate(tool.definition) for tool in BookshelfClient.tools.values()]
    return types.ListToolsResult(tools=tools)


async def call_tool(
    ctx: Any, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    """Make every request that the client supports, and require answers."""
    if params.name == "get_item":
        return types.CallToolResult(content=[], structured_content={"item": ITEM, "lent": False})
    meta: Any = params.meta
    can = meta["io.modelcontextprotocol/clientCapabilities"]
    answers = params.input_responses
    if answers is None:
        requests = {name: request for name, request in ASKED.items() if name in can}
        assert requests, can
        return types.InputRequiredResult(input_requests=requests)
    # A client without an `elicit` callback may declare elicitation and decline.
    assert any(getattr(answer, "action", "accept") == "accept" for answer in answers.values())
    loan = {"loan": "1", "item": ITEM, "due": "2030-01-01T00:00:00Z"}
    return types.CallToolResult(content=[], structured_content=loan)


server: Server[Any] = Server("bookshelf", on_list_tools=list_tools, on_call_tool=call_tool)


@dataclass
class Use:
    """A tool call of a model."""

    name: str
    input: dict[str, Any]
    id: str


@dataclass
class Reply:
    """A model's answer."""

    text: str
    model: str = "m-1"
    tokens: int = 5
    tool_uses: list[Use] = field(default_factory=lambda: [Use("look", {}, "u1")])


class Model:
    """A model of one's own."""

    async def create(self, **_: object) -> Reply:
        """Answer."""
        return Reply("Two weeks.")


model = Model()


async def answer(request: SamplingRequest) -> SamplingResult:
    """Answer as the page shows."""
    return request.answer("Two weeks.")


def print(*_: object) -> None:  # noqa: A001 - of which a test wants to hear nothing
    """Print nothing."""
