"""A small library as an MCP server: the example of mcpgen's documentation and tests.

``python -m mcpgen.demo`` serves over stdio, ``python -m mcpgen.demo --http 8000`` over Streamable
HTTP. Each tool publishes an exact schema and validates its arguments. Results are the same in every
run, because nothing is really borrowed, moved or removed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import anyio
import jsonschema
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

Json: TypeAlias = Any
Arguments: TypeAlias = dict[str, Json]
Context: TypeAlias = ServerRequestContext[Any]
Body: TypeAlias = Callable[[Arguments, Context], Awaitable[Json]]
Page: TypeAlias = types.PaginatedRequestParams | None

MODERN = "2026-07-28"
"""From this revision on, structured content may be any JSON value, not only an object."""

GENRES = ["crime", "nature", "poetry", "travel"]

ITEMS: dict[str, dict[str, Json]] = {
    "B-1": {
        "kind": "book",
        "id": "B-1",
        "title": "A Field Guide to Rain",
        "creator": {"name": "Ines Okafor", "born": 1961},
        "genre": "nature",
        "published": 1998,
        "added": "2024-03-01T09:30:00Z",
        "pages": 212,
    },
    "B-2": {
        "kind": "book",
        "id": "B-2",
        "title": "The Night Ferry",
        "creator": {"name": "Tomas Lind", "born": None},
        "genre": "crime",
        "published": 2011,
        "added": "2024-05-17T14:00:00Z",
        "pages": 348,
        "series": "Harbour",
    },
    "F-1": {
        "kind": "film",
        "id": "F-1",
        "title": "Six Days by Rail",
        "creator": {"name": "Noor Haddad", "born": 1979},
        "genre": "travel",
        "published": 2019,
        "added": "2025-01-20T11:15:00Z",
        "minutes": 96,
        "subtitles": ["en", "sv"],
    },
}
LENT = {"B-2"}

ITEM_ID = {
    "type": "string",
    "pattern": "^[BF]-[0-9]+$",
    "description": "The code on the item's label, such as B-1.",
}

DEFINITIONS: dict[str, Json] = {
    "Creator": {
        "type": "object",
        "description": "The author or director of an item.",
        "properties": {
            "name": {"type": "string"},
            "born": {"type": ["integer", "null"], "description": "Null if unknown."},
        },
        "required": ["name", "born"],
        "additionalProperties": False,
    },
    "Book": {
        "type": "object",
        "properties": {
            "kind": {"const": "book"},
            "id": ITEM_ID,
            "title": {"type": "string"},
            "creator": {"$ref": "#/$defs/Creator"},
            "genre": {"enum": GENRES},
            "published": {"type": "integer"},
            "added": {"type": "string", "format": "date-time"},
            "pages": {"type": "integer", "minimum": 1},
            "series": {"type": "string", "description": "Absent for a book without a series."},
        },
        "required": ["kind", "id", "title", "creator", "genre", "published", "added", "pages"],
    },
    "Film": {
        "type": "object",
        "properties": {
            "kind": {"const": "film"},
            "id": ITEM_ID,
            "title": {"type": "string"},
            "creator": {"$ref": "#/$defs/Creator"},
            "genre": {"enum": GENRES},
            "published": {"type": "integer"},
            "added": {"type": "string", "format": "date-time"},
            "minutes": {"type": "integer", "minimum": 1},
            "subtitles": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["kind", "id", "title", "creator", "genre", "published", "added", "minutes"],
    },
    "Item": {
        "oneOf": [{"$ref": "#/$defs/Book"}, {"$ref": "#/$defs/Film"}],
        "discriminator": {"propertyName": "kind"},
    },
}

# One black pixel: a server would read the scanned cover from disk.
COVER = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


class RefusedError(Exception):
    """The request can't be fulfilled. The message tells the caller about alternatives."""


@dataclass(frozen=True, slots=True)
class DemoTool:
    """A tool: its definition, and the function that runs it."""

    definition: types.Tool
    body: Body


TOOLS: dict[str, DemoTool] = {}


def tool(definition: dict[str, Json], *hints: str) -> Callable[[Body], Body]:
    """Publish a function as a tool, under its own name and with its docstring."""

    def register(body: Body) -> Body:
        name = body.__name__
        description = (body.__doc__ or "").strip()
        annotations = {
            "readOnlyHint": "reads" in hints,
            "destructiveHint": "destroys" in hints,
            "idempotentHint": "reads" in hints or "destroys" in hints,
            "openWorldHint": False,
        }
        published = {"name": name, "description": description, "annotations": annotations}
        TOOLS[name] = DemoTool(types.Tool.model_validate(published | definition), body)
        return body

    return register


@tool(
    {
        "title": "Search the catalogue",
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "description": "Words of a title."},
                "genre": {"enum": GENRES},
                "from": {"type": "integer", "description": "Earliest year to include."},
                "language": {
                    "type": ["string", "null"],
                    "default": None,
                    "description": "Subtitles a film must have; null for any.",
                },
                "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
                "total": {"type": "integer", "minimum": 0},
            },
            "required": ["items", "total"],
            "$defs": DEFINITIONS,
        },
    },
    "reads",
)
async def search_catalogue(arguments: Arguments, _ctx: Context) -> Json:
    """Find books and films whose title has the words of the query."""
    query_words = arguments["query"].lower()
    items = [
        item
        for item in ITEMS.values()
        if query_words in item["title"].lower()
        and arguments.get("genre", item["genre"]) == item["genre"]
        and arguments.get("from", item["published"]) <= item["published"]
        and (arguments.get("language") or "") in ["", *item.get("subtitles", [])]
    ]
    return {"items": items[: int(arguments.get("limit", 10))], "total": len(items)}


@tool(
    {
        "inputSchema": {
            "type": "object",
            "properties": {"id": ITEM_ID},
            "required": ["id"],
            "additionalProperties": False,
        },
        "outputSchema": {
            "type": "object",
            "properties": {"item": {"$ref": "#/$defs/Item"}, "lent": {"type": "boolean"}},
            "required": ["item", "lent"],
            "$defs": DEFINITIONS,
        },
    },
    "reads",
)
async def get_item(arguments: Arguments, _ctx: Context) -> Json:
    """Look up an item, and report whether it is on loan."""
    item = _item(arguments["id"])
    return {"item": item, "lent": item["id"] in LENT}


@tool(
    {
        "inputSchema": {
            "type": "object",
            "properties": {"floor": {"type": "integer", "minimum": 0, "maximum": 1}},
            "additionalProperties": False,
        },
        "outputSchema": {
            "type": "object",
            "properties": {"shelves": {"type": "array", "items": {"$ref": "#/$defs/Shelf"}}},
            "required": ["shelves"],
            "$defs": {
                "Shelf": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "items": {"type": "array", "items": ITEM_ID},
                        "shelves": {"type": "array", "items": {"$ref": "#/$defs/Shelf"}},
                    },
                    "required": ["name", "items"],
                    "additionalProperties": False,
                }
            },
        },
    },
    "reads",
)
async def browse_shelves(arguments: Arguments, _ctx: Context) -> Json:
    """Show the shelves of a floor, and the shelves within them."""
    crime: Json = {"name": "Crime", "items": ["B-2"]}
    ground: Json = {"name": "Books", "items": ["B-1"], "shelves": [crime]}
    upper: Json = {"name": "Films", "items": ["F-1"], "shelves": []}
    floors = [ground, upper]
    return {"shelves": [floors[int(arguments["floor"])]] if "floor" in arguments else floors}


@tool(
    {
        "inputSchema": {"type": "object", "additionalProperties": False},
        "outputSchema": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "day": {"enum": ["monday", "wednesday", "saturday"]},
                    "opens": {"type": "string", "format": "time"},
                    "closes": {"type": "string", "format": "time"},
                },
                "required": ["day", "opens", "closes"],
            },
        },
    },
    "reads",
)
async def list_opening_hours(_arguments: Arguments, _ctx: Context) -> Json:
    """List the days on which the library is open."""
    days = ["monday", "wednesday", "saturday"]
    return [{"day": day, "opens": "10:00:00Z", "closes": "18:00:00Z"} for day in days]


@tool(
    {
        "inputSchema": {
            "type": "object",
            "properties": {"id": ITEM_ID},
            "required": ["id"],
            "additionalProperties": False,
        },
    },
    "reads",
)
async def show_cover(arguments: Arguments, _ctx: Context) -> Json:
    """Show the cover of an item as an image, with its title."""
    item = _item(arguments["id"])
    return types.CallToolResult(
        content=[
            types.TextContent(type="text", text=f"The cover of {item['title']}"),
            types.ImageContent(type="image", data=COVER, mime_type="image/png"),
        ]
    )


@tool(
    {
        "inputSchema": {
            "type": "object",
            "properties": {
                "id": ITEM_ID,
                "member": {"type": "string", "format": "email"},
                "weeks": {"type": "integer", "minimum": 1, "maximum": 4, "default": 2},
            },
            "required": ["id", "member"],
            "additionalProperties": False,
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "loan": {"type": "string"},
                "item": {"$ref": "#/$defs/Item"},
                "due": {"type": "string", "format": "date-time"},
            },
            "required": ["loan", "item", "due"],
            "$defs": DEFINITIONS,
        },
    },
)
async def borrow_item(arguments: Arguments, _ctx: Context) -> Json:
    """Lend an item to a member. Fails if it is already on loan."""
    item = _item(arguments["id"])
    if item["id"] in LENT:
        raise RefusedError(f"{item['title']!r} is lent until 2026-12-01; try another item")
    due = f"2026-12-{1 + 7 * int(arguments.get('weeks', 2)):02}T18:00:00Z"
    return {"loan": f"L-{item['id']}", "item": item, "due": due}


@tool(
    {
        "title": "Withdraw items permanently",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ids": {"type": "array", "items": ITEM_ID, "minItems": 1, "uniqueItems": True},
                "reason": {"anyOf": [{"enum": ["lost", "worn"]}, {"type": "null"}]},
            },
            "required": ["ids", "reason"],
            "additionalProperties": False,
        },
        "outputSchema": {
            "type": "object",
            "properties": {"withdrawn": {"type": "array", "items": ITEM_ID}},
            "required": ["withdrawn"],
        },
    },
    "destroys",
)
async def withdraw_items(arguments: Arguments, _ctx: Context) -> Json:
    """Remove items from the catalogue. This can't be undone."""
    return {"withdrawn": [_item(argument)["id"] for argument in arguments["ids"]]}


@tool(
    {
        "inputSchema": {"type": "object", "additionalProperties": False},
        "outputSchema": {
            "type": "object",
            "properties": {
                "counted": {"type": "integer"},
                "by_genre": {"type": "object", "additionalProperties": {"type": "integer"}},
            },
            "required": ["counted", "by_genre"],
        },
    },
    "reads",
)
async def take_inventory(_arguments: Arguments, ctx: Context) -> Json:
    """Count every item, and report progress after each."""
    by_genre: dict[str, int] = {}
    for count, item in enumerate(ITEMS.values(), start=1):
        by_genre[item["genre"]] = by_genre.get(item["genre"], 0) + 1
        await ctx.session.report_progress(count, len(ITEMS), f"counted {item['title']}")
    return {"counted": len(ITEMS), "by_genre": by_genre}


def _item(id: str) -> dict[str, Json]:
    if id not in ITEMS:
        raise RefusedError(f"there is no item {id}; known are {', '.join(ITEMS)}")
    return ITEMS[id]


PROMPTS = [
    types.Prompt(
        name="recommend",
        title="Recommend something",
        description="Ask for a recommendation from the catalogue.",
        arguments=[
            types.PromptArgument(name="genre", description="A genre we have.", required=True),
            types.PromptArgument(name="mood", description="How the reader feels."),
        ],
    ),
    types.Prompt(name="welcome", description="Greet a new member."),
]
RULES = types.Resource(
    uri="bookshelf://rules",
    name="rules",
    description="The rules of the house.",
    mime_type="text/plain",
)
CARD = types.ResourceTemplate(
    uri_template="bookshelf://items/{id}",
    name="card",
    description="The catalogue card of an item, as JSON.",
    mime_type="application/json",
)


async def list_tools(ctx: Context, _page: Page) -> types.ListToolsResult:
    """List the tools. Before 2026-07-28, output schemas must describe objects."""
    return types.ListToolsResult(
        tools=[_for_revision(ctx, demo_tool.definition) for demo_tool in TOOLS.values()]
    )


def _for_revision(ctx: Context, tool: types.Tool) -> types.Tool:
    if ctx.protocol_version >= MODERN or (tool.output_schema or {}).get("type") == "object":
        return tool
    return tool.model_copy(update={"output_schema": None})


async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Check the arguments, answer, and turn a refusal into a result that a model can read."""
    tool = TOOLS.get(params.name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
    arguments = params.arguments or {}
    try:
        cast("Any", jsonschema).validate(arguments, tool.definition.input_schema)  # untyped
        answer = await tool.body(arguments, ctx)
    except jsonschema.ValidationError as error:
        return _error_result(f"invalid arguments at {error.json_path}: {error.message}")
    except RefusedError as error:
        return _error_result(str(error))
    if isinstance(answer, types.CallToolResult):
        return answer
    text = types.TextContent(type="text", text=json.dumps(answer))
    if ctx.protocol_version < MODERN and not isinstance(answer, dict):
        return types.CallToolResult(content=[text])
    return types.CallToolResult(content=[text], structured_content=answer)


def _error_result(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


async def list_prompts(_ctx: Context, _page: Page) -> types.ListPromptsResult:
    """Publish the prompts."""
    return types.ListPromptsResult(prompts=PROMPTS)


async def get_prompt(_ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    """Render a prompt."""
    arguments = params.arguments or {}
    if params.name == "welcome":
        text = "Greet a new member of the library and mention the opening hours."
    elif params.name == "recommend" and "genre" in arguments:
        mood = f" for someone who feels {arguments['mood']}" if "mood" in arguments else ""
        text = f"Recommend one item of the genre {arguments['genre']}{mood}."
    else:
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt or missing argument: {params.name}")
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(messages=[message])


async def list_resources(_ctx: Context, _page: Page) -> types.ListResourcesResult:
    """Publish the resources."""
    return types.ListResourcesResult(resources=[RULES])


async def list_templates(_ctx: Context, _page: Page) -> types.ListResourceTemplatesResult:
    """Publish the resource templates."""
    return types.ListResourceTemplatesResult(resource_templates=[CARD])


async def read_resource(
    _ctx: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    """Read the rules, or an item's card."""
    uri = str(params.uri)
    item = ITEMS.get(uri.removeprefix("bookshelf://items/"))
    if uri == RULES.uri:
        mime, text = "text/plain", "Be quiet. Bring back what you borrow."
    elif item is not None:
        mime, text = "application/json", json.dumps(item)
    else:
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {uri}")
    contents = types.TextResourceContents(uri=uri, mime_type=mime, text=text)
    return types.ReadResourceResult(contents=[contents])


server: Server[Any] = Server(
    "bookshelf",
    version="1.0.0",
    instructions="A small library: search its catalogue, browse its shelves, borrow an item.",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
    on_list_resources=list_resources,
    on_list_resource_templates=list_templates,
    on_read_resource=read_resource,
)


async def serve() -> None:
    """Serve over stdin and stdout until the client leaves."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def main(arguments: list[str]) -> None:
    """Serve over stdio, or over Streamable HTTP on a local port."""
    if arguments[:1] == ["--http"] and arguments[1:2]:
        import uvicorn

        app = server.streamable_http_app()
        uvicorn.run(app, host="127.0.0.1", port=int(arguments[1]), log_level="warning")
    elif arguments:
        sys.exit("usage: python -m mcpgen.demo [--http PORT]")
    else:
        anyio.run(serve)


if __name__ == "__main__":
    main(sys.argv[1:])
