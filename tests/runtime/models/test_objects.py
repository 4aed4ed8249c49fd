"""A closed object with an undeclared required property: every call and result is invalid."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from hard_schemas import CLOSED_AND_REQUIRED, IMPOSSIBLE, items, record
from runtime.packages import STYLES, Style, import_client
from runtime.scripted import Scripted, structured_result

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

BROKEN: Json = {"a": 1}
PLACES: dict[str, tuple[Json, Json]] = {
    "itself": (IMPOSSIBLE, BROKEN),
    "member": (record("x", x=IMPOSSIBLE), {"x": BROKEN}),
    "listed": (record("x", x=items(IMPOSSIBLE)), {"x": [BROKEN]}),
    "by_name": (
        record("x", x={"type": "object", "additionalProperties": IMPOSSIBLE}),
        {"x": {"k": BROKEN}},
    ),
    "union": (record("x", x={"anyOf": [IMPOSSIBLE, {"type": "string"}]}), {"x": BROKEN}),
    "nullable": (record("x", x={**IMPOSSIBLE, "type": ["object", "null"]}), {"x": BROKEN}),
    "merged": (CLOSED_AND_REQUIRED["closed part, requiring part"], BROKEN),
    "unevaluated": (CLOSED_AND_REQUIRED["nothing beyond no members, requiring"], BROKEN),
}
"""Where it may stand, and a value that a careless type takes."""


@pytest.mark.parametrize("style", STYLES)
def test_calls_forbidden_by_a_closed_object_are_not_sent(style: Style) -> None:
    assert_refused(style, "inputSchema", "InvalidArguments")


@pytest.mark.parametrize("style", STYLES)
def test_results_forbidden_by_a_closed_object_are_rejected(style: Style) -> None:
    assert_refused(style, "outputSchema", "InvalidResult")


def assert_refused(style: Style, direction: str, error: str) -> None:
    """Call each tool with invalid arguments, or return an invalid result, and check that it is
    rejected.
    """
    contract = Contract(tools={name: tool(name, direction) for name in PLACES})
    module = import_client(contract, f"impossible_{direction[:2]}_{style}", style)
    answers: dict[str, Any] = {
        name: structured_result(value) for name, (_, value) in PLACES.items()
    }
    server = Scripted(contract, **answers)

    async def act() -> None:
        async with module.Client.connect(server.server, verify="off") as client:
            for name, (_, value) in PLACES.items():
                with pytest.raises(getattr(module, error)):
                    await client.call(name, value if direction == "inputSchema" else {})

    anyio.run(act)
    assert [name for name, _ in server.sent] == ([] if direction == "inputSchema" else [*PLACES])


def tool(name: str, direction: str) -> dict[str, Json]:
    free: Json = {"type": "object"}
    schema = {**PLACES[name][0], "type": "object"}
    return {"name": name, "inputSchema": free, "outputSchema": free, direction: schema}


ADDED = {"type": "string", "format": "date-time"}


@pytest.mark.parametrize("style", STYLES)
def test_invalid_date_time_is_an_invalid_result(style: Style) -> None:
    """Typed dicts keep strings. The error names the field and the option that keeps the string."""
    result = record("items", items=items(record("added", added=ADDED)))
    listing = {"inputSchema": {"type": "object"}, "outputSchema": result}
    contract = Contract(tools={"listing": {"name": "listing", **listing}})
    module = import_client(contract, f"moments_{style}", style)
    wrong = {"items": [{"added": "2024-05-17T14:00:00.000Z"}, {"added": "last week"}]}
    right = {"items": wrong["items"][:1]}

    async def call(value: Json) -> Any:
        server = Scripted(contract, listing=structured_result(value))
        async with module.Client.connect(server.server, verify="off") as client:
            return await client.call("listing", {})

    if style == "typeddict":
        assert anyio.run(call, wrong) == wrong
        return
    results = anyio.run(call, right)
    assert results.items[0].added.year == 2024
    assert module.raw_json(results) == right
    with pytest.raises(module.InvalidResult) as refused:
        anyio.run(call, wrong)
    assert refused.value.result.structured_content == wrong
    assert refused.value.problems[0].pointer == "/items/1/added"
    assert 'formats = "annotation"' in str(refused.value)


@pytest.mark.parametrize("style", ["dataclass", "basemodel"])
@pytest.mark.parametrize("is_closed", [True, False])
def test_constructor_fills_in_required_constants(style: Style, is_closed: bool) -> None:
    """A JSON object without the constant stays invalid, as the schema requires."""
    kinds: list[Json] = [
        {**record("kind", "x-y", kind={"const": kind}, **{"x-y": {"type": "integer"}}), **closed}
        for kind in ("a", "b")
        for closed in [{"additionalProperties": False} if is_closed else {}]
    ]
    schema = record("filter", filter={"anyOf": kinds})
    contract = Contract(tools={"find": {"name": "find", "inputSchema": schema}})
    module = import_client(contract, f"constants_{style}_{is_closed}", style)
    server = Scripted(contract, find=structured_result({}))

    async def act() -> None:
        async with module.Client.connect(server.server, verify="off") as client:
            kind_b = module.models.FindInputFilterB
            await client.call("find", {"filter": kind_b(x_y=1)})
            await client.find(filter=kind_b(**{"x-y": 2}, kind="b"))
            with pytest.raises(ValueError, match="kind"):
                kind_b(x_y=1, kind="a")
            with pytest.raises(module.InvalidArguments):
                await client.call("find", {"filter": {"x-y": 1}})

    anyio.run(act)
    assert [arguments for _, arguments in server.sent] == [
        {"filter": {"kind": "b", "x-y": 1}},
        {"filter": {"kind": "b", "x-y": 2}},
    ]
