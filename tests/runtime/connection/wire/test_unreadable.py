"""Any defect of a server's message becomes an error of the package."""

from __future__ import annotations

import base64
import json
import math
import sys
from typing import Any

import pytest
from hard_schemas import HARD, items, record
from mcp import StdioServerParameters, types
from mcpgen_runtime.models import results as runtime_results
from mcpgen_runtime.models import values as runtime_values
from runtime.packages import STYLES, Style, import_client, part
from runtime.scripted import structured_result, text_result

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json
from runtime import half_pair_server

NODE: Json = record("n", n={"type": "number"}, next={"$ref": "#"}, any={}, t={"type": "string"})
SCHEMAS: dict[str, Json] = {
    "node": NODE,
    "closed": {**NODE, "additionalProperties": False},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "halves": {"type": "number", "multipleOf": 0.5},
    "text": {"type": "string"},
    "pattern": {"type": "string", "pattern": "^a"},
    "lists": {"$ref": "#/$defs/l", "$defs": {"l": items({"$ref": "#/$defs/l"})}},
    "formats": HARD["members of every format"],
    "wrapped": {**record("result", result=NODE), "x-fastmcp-wrap-result": True},
}
FREE: Json = {"type": "object"}
TOOLS: dict[str, dict[str, Json]] = {
    name: {"name": name, "inputSchema": FREE, "outputSchema": schema}
    for name, schema in SCHEMAS.items()
}
TOOLS["free"] = {"name": "free", "inputSchema": FREE}


def deep(levels: int) -> Json:
    value: Json = {"n": 1}
    for _ in range(levels):
        value = {"n": 1, "next": value}
    return value


def nest(levels: int) -> Json:
    value: Json = []
    for _ in range(levels):
        value = [value]
    return value


TEXTS = [
    "[" * 100_000,
    '{"a":' * 100_000,
    "9" * 5_000,
    '{"n": ' + "9" * 5_000 + "}",
    '{"n": NaN}',
    '{"n": Infinity}',
    "NaN",
    "-Infinity",
    "1e400",
    '{"n": 1e400}',
    '{"n": 1, "t": "\\ud800"}',
    '"\\ud800"',
    "",
    "\ud800",
    json.dumps(deep(250)),
    json.dumps(deep(300)),
    json.dumps(nest(240)),
]
VALUES: list[Json] = [
    {"n": math.nan},
    {"n": 1, "any": math.nan, "t": 1},
    {"n": math.inf},
    math.nan,
    math.inf,
    -math.inf,
    10**5000,
    {"n": 10**5000},
    {"n": 1, "t": "\ud800"},
    {"n": 1, "\ud800": 1},
    "\ud800",
    "a\ud800",
    deep(250),
    deep(300),
    deep(5_000),
    nest(200),
    nest(240),
    nest(5_000),
    None,
    {"day": "9" * 5_000, "at": "-1" * 500, "id": "{" * 500, "link": "http://[" + "a" * 99_999},
    {"day": "0000-00-00", "at": "99999-01-01T00:00:00Z", "id": "", "link": "http://\x00"},
    {"day": "", "link": "https://" + "é" * 70_000},
    {"result": {"n": math.nan}},
    {"result": {"n": 10**5000}},
]


def shop(style: Style) -> Any:
    return package.get(style) or package.setdefault(
        style, import_client(Contract(tools=TOOLS), f"unreadable_{style}", style)
    )


package: dict[str, Any] = {}


def decode(style: Style, tool: str, answer: types.CallToolResult) -> Any:
    return runtime_values.decode_result(part(shop(style), f"models.{tool}").TOOL, answer)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("tool", SCHEMAS)
def test_unreadable_result_is_a_package_error(style: Style, tool: str) -> None:
    for answer in [*map(text_result, TEXTS), *map(structured_result, VALUES)]:
        refused: list[Exception] = []
        try:
            shop(style).raw_json(decode(style, tool, answer))
        except shop(style).InvalidResult as error:
            refused.append(error)
        assert all(len(str(error)) < 5_000 for error in refused)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("tool", ["node", "closed", "number", "integer", "halves"])
def test_nan_is_not_a_number(style: Style, tool: str) -> None:
    bad: Any = {"n": math.nan} if tool in ("node", "closed") else math.nan
    for answer in (text_result(json.dumps(bad)), structured_result(bad)):
        with pytest.raises(shop(style).InvalidResult):
            decode(style, tool, answer)


@pytest.mark.parametrize("style", STYLES)
def test_nan_is_named_where_it_is(style: Style) -> None:
    with pytest.raises(shop(style).InvalidResult) as refused:
        decode(style, "node", structured_result({"n": 1, "next": {"n": math.nan}}))
    (problem,) = refused.value.problems
    assert str(problem) == "/next/n: NaN is not a JSON number"


@pytest.mark.parametrize("style", ["dataclass", "basemodel"])
@pytest.mark.parametrize("tool", ["node", "closed"])
def test_number_beyond_doubles_is_infinite_in_its_class(style: Style, tool: str) -> None:
    for answer in (text_result('{"n": 1e400}'), structured_result({"n": math.inf})):
        result = decode(style, tool, answer)
        assert type(result).__name__ == f"{tool.title()}Output"
        assert result.n == math.inf
    assert decode(style, "number", text_result("-1e400")) == -math.inf
    with pytest.raises(shop(style).InvalidResult):
        decode(style, "integer", text_result("1e400"))


@pytest.mark.parametrize("text", TEXTS[:8])
def test_non_json_text_is_an_invalid_result(text: str) -> None:
    result = decode("dataclass", "free", text_result(text))
    for kind in (shop("dataclass").InvalidResult, ValueError):
        with pytest.raises(kind, match="not JSON") as refused:
            result.json()
    assert refused.value.tool == "free"
    assert refused.value.result is result.raw


def image(data: str) -> types.CallToolResult:
    block = types.ImageContent(type="image", data=data, mime_type="image/png")
    clip = types.AudioContent(type="audio", data=data, mime_type="audio/wav")
    return types.CallToolResult(content=[block, clip])


@pytest.mark.parametrize("data", ["a", "!!!!", "é", "\ud800", "YQ", "YQ==YQ==", "_-8="])
def test_bad_base64_is_an_invalid_result(data: str) -> None:
    result = decode("dataclass", "free", image(data))
    with pytest.raises(shop("dataclass").InvalidResult, match=r"free(.|\n)*not base64"):
        _ = result.images
    with pytest.raises(shop("dataclass").InvalidResult):
        _ = result.audio
    blob = types.BlobResourceContents(uri="x://a", blob=data)
    resource = runtime_results.ResourceResult(types.ReadResourceResult(contents=[blob]), "x://a")
    with pytest.raises(shop("dataclass").InvalidResult, match="not base64"):
        _ = resource.blobs
    assert resource.text == ""


def test_base64_in_lines_is_decoded() -> None:
    data = base64.encodebytes(bytes(range(256))).decode()
    assert decode("dataclass", "free", image(data)).images[0].data == bytes(range(256))


@pytest.mark.parametrize("text", TEXTS[:8])
def test_non_json_resource_is_an_invalid_result(text: str) -> None:
    contents = types.TextResourceContents(uri="x://a", text=text)
    resource = runtime_results.ResourceResult(
        types.ReadResourceResult(contents=[contents]), "x://a"
    )
    with pytest.raises(shop("dataclass").InvalidResult, match="x://a: invalid result"):
        resource.json()


@pytest.mark.parametrize("style", ["dataclass", "basemodel"])
def test_infinite_number_is_not_sent_as_null(style: Style) -> None:
    values, tool = runtime_values, part(shop(style), "models.free").TOOL
    result = decode(style, "node", structured_result({"n": math.inf}))
    with pytest.raises(shop(style).InvalidArguments, match="not JSON"):
        values.encode_arguments(tool, {"value": result})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [math.nan], {"a": math.inf}])
@pytest.mark.parametrize("style", STYLES)
def test_non_json_numbers_are_never_sent(style: Style, value: object) -> None:
    values, tool = runtime_values, part(shop(style), "models.free").TOOL
    with pytest.raises(shop(style).InvalidArguments, match="not JSON"):
        values.encode_arguments(tool, {"value": value})


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize("verify", ["warn", "compatible"])
def test_lone_surrogate_is_a_typed_error_of_one_call(era: str, verify: str) -> None:
    """It may be a property name in a result, or in another tool's definition."""
    contract = Contract(tools={"get": half_pair_server.GET, "only": half_pair_server.ONLY})
    module = import_client(contract, "half_pairs")
    server = StdioServerParameters(command=sys.executable, args=[half_pair_server.__file__, era])
    with (
        module.Client.sync.connect(server, verify=verify) as client,
        pytest.raises(module.InvalidResult, match="a lone surrogate"),
    ):
        client.call("get", {})


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_result_may_have_structured_content_only(era: str) -> None:
    contract = Contract(tools={"get": half_pair_server.GET, "only": half_pair_server.ONLY})
    module = import_client(contract, "half_pairs")
    server = StdioServerParameters(command=sys.executable, args=[half_pair_server.__file__, era])
    with module.Client.sync.connect(server) as client:
        assert client.call("only", {}).a == 1
