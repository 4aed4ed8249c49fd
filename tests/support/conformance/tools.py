"""The tools that the official conformance suite expects of a server."""

from __future__ import annotations

import json
from typing import Any

import anyio
from mcp import MCPError, types

from ._generated import ConformanceTools, Context, ToolError, ToolOutput

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg"
    "gg=="
)
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
IMAGE = types.ImageContent(type="image", data=PNG, mime_type="image/png")


def embed(uri: str, mime_type: str, text: str) -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return types.EmbeddedResource(type="resource", resource=contents)


def form(required: str, kind: str = "string") -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {required: {"type": kind}},
        "required": [required],
    }


def sampling(text: str, most: int) -> types.CreateMessageRequest:
    content = types.TextContent(type="text", text=text)
    message = types.SamplingMessage(role="user", content=content)
    params = types.CreateMessageRequestParams(messages=[message], max_tokens=most)
    return types.CreateMessageRequest(params=params)


def question(message: str, schema: dict[str, Any]) -> types.ElicitRequest:
    params = types.ElicitRequestFormParams(message=message, requested_schema=schema)
    return types.ElicitRequest(params=params)


def describe_elicitation(result: types.ElicitResult) -> str:
    content = json.dumps(result.content)
    return f"Elicitation completed: action={result.action}, content={content}"


async def name_of_user(context: Context) -> str:
    """Ask the user. ``server.before`` has already done so for tasks."""
    answer = await context.elicit("user_name", "What is your name?", form("name"))
    return str((answer.content or {}).get("name"))


class Tools(ConformanceTools):
    """The tools of the server."""

    async def test_simple_text(self, arguments: Any, context: Context) -> ToolOutput:
        return "This is a simple text response for testing."

    async def test_image_content(self, arguments: Any, context: Context) -> ToolOutput:
        return IMAGE

    async def test_audio_content(self, arguments: Any, context: Context) -> ToolOutput:
        return types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")

    async def test_embedded_resource(self, arguments: Any, context: Context) -> ToolOutput:
        text = "This is an embedded resource content."
        return embed("test://embedded-resource", "text/plain", text)

    async def test_multiple_content_types(self, arguments: Any, context: Context) -> ToolOutput:
        data = '{"test":"data","value":123}'
        return [
            types.TextContent(type="text", text="Multiple content types test:"),
            IMAGE,
            embed("test://mixed-content-resource", "application/json", data),
        ]

    async def test_tool_with_logging(self, arguments: Any, context: Context) -> ToolOutput:
        for line in ("execution started", "processing data", "execution completed"):
            await context.log("info", f"Tool {line}")
            await anyio.sleep(0.05)
        return "done"

    test_logging_tool = test_tool_with_logging

    async def test_tool_with_progress(self, arguments: Any, context: Context) -> ToolOutput:
        for progress in (0, 50, 100):
            await context.progress(progress, 100)
            await anyio.sleep(0.05)
        return "done"

    async def test_error_handling(self, arguments: Any, context: Context) -> ToolOutput:
        raise ToolError("This tool intentionally returns an error for testing")

    async def test_sampling(self, arguments: Any, context: Context) -> ToolOutput:
        answer = await context.sample("model", arguments.prompt, max_tokens=100)
        return f"LLM response: {answer.text}"

    async def test_elicitation(self, arguments: Any, context: Context) -> ToolOutput:
        members = {"username": {"type": "string"}, "email": {"type": "string"}}
        schema = {"type": "object", "properties": members, "required": list(members)}
        answer = await context.elicit("user", arguments.message, schema)
        return f"User response: action: {answer.action}, content: {json.dumps(answer.content)}"

    async def test_streaming_elicitation(self, arguments: Any, context: Context) -> ToolOutput:
        return describe_elicitation(await context.elicit("name", "Who?", form("name")))

    async def test_elicitation_sep1034_defaults(
        self, arguments: Any, context: Context
    ) -> ToolOutput:
        members = {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {
                "type": "string",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": {"type": "boolean", "default": True},
        }
        schema = {"type": "object", "properties": members}
        return describe_elicitation(await context.elicit("form", "Fill this in", schema))

    async def test_elicitation_sep1330_enums(self, arguments: Any, context: Context) -> ToolOutput:
        options = ["option1", "option2", "option3"]
        titled = [
            {"const": f"value{n}", "title": f"{token} Option"}
            for n, token in enumerate(("First", "Second", "Third"), start=1)
        ]
        legacy = {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        }
        members = {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled},
            "legacyEnum": legacy,
            "untitledMulti": {
                "type": "array",
                "items": {"type": "string", "enum": options},
            },
            "titledMulti": {"type": "array", "items": {"anyOf": titled}},
        }
        schema = {"type": "object", "properties": members}
        return describe_elicitation(await context.elicit("form", "Choose", schema))

    async def test_missing_capability(self, arguments: Any, context: Context) -> ToolOutput:
        return types.InputRequiredResult(input_requests={"model": sampling("Hello", 10)})

    async def test_input_required_result_elicitation(
        self, arguments: Any, context: Context
    ) -> ToolOutput:
        answer = await context.elicit("user_name", "What is your name?", form("name"))
        return f"Hello, {(answer.content or {}).get('name')}!"

    async def test_input_required_result_sampling(
        self, arguments: Any, context: Context
    ) -> ToolOutput:
        question = "What is the capital of France?"
        return (await context.sample("capital_question", question, max_tokens=100)).text

    async def test_input_required_result_list_roots(
        self, arguments: Any, context: Context
    ) -> ToolOutput:
        roots = await context.roots("client_roots")
        return json.dumps([str(root.uri) for root in roots])

    async def test_input_required_result_request_state(
        self, arguments: Any, context: Context
    ) -> ToolOutput:
        await context.elicit("confirm", "Please confirm", form("ok", "boolean"))
        return "state-ok"

    test_input_required_result_tampered_state = test_input_required_result_request_state

    async def test_input_required_result_multiple_inputs(
        self, arguments: Any, context: Context
    ) -> ToolOutput:
        if context.state != "asked":
            questions: dict[str, types.InputRequest] = {
                "user_name": question("What is your name?", form("name")),
                "greeting": sampling("Generate a greeting", 50),
                "client_roots": types.ListRootsRequest(),
            }
            return types.InputRequiredResult(input_requests=questions, request_state="asked")
        return ", ".join(sorted(context.answers))

    async def test_input_required_result_multi_round(
        self, arguments: Any, context: Context
    ) -> ToolOutput:
        name = await context.elicit("step1", "Step 1: What is your name?", form("name"))
        question = "Step 2: What is your favorite color?"
        color = await context.elicit("step2", question, form("color"))
        return f"{name.content} likes {color.content}"

    async def test_input_required_result_capabilities(
        self, arguments: Any, context: Context
    ) -> ToolOutput:
        able = context.sdk.session.client_capabilities
        if able is not None and able.sampling is not None and not context.answers:
            return types.InputRequiredResult(input_requests={"model": sampling("Hello", 10)})
        return "done"

    async def test_custom_header(self, arguments: Any, context: Context) -> ToolOutput:
        return f"region {arguments.region}"

    async def greet(self, arguments: Any, context: Context) -> ToolOutput:
        return f"Hello, {arguments.name}!"

    async def slow_compute(self, arguments: Any, context: Context) -> ToolOutput:
        await anyio.sleep(arguments.seconds)
        return f"computed {arguments.label}"

    async def failing_job(self, arguments: Any, context: Context) -> ToolOutput:
        await anyio.sleep(0.5)
        raise ToolError("This job intentionally fails")

    async def protocol_error_job(self, arguments: Any, context: Context) -> ToolOutput:
        raise MCPError(types.INTERNAL_ERROR, "This job intentionally breaks")

    async def confirm_delete(self, arguments: Any, context: Context) -> ToolOutput:
        question = f"Delete {arguments.filename}?"
        return describe_elicitation(
            await context.elicit("confirm", question, form("confirm", "boolean"))
        )

    async def multi_input(self, arguments: Any, context: Context) -> ToolOutput:
        answers: list[str] = []

        async def ask(key: str) -> None:
            answers.append(describe_elicitation(await context.elicit(key, key, form("name"))))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "first")
            tasks.start_soon(ask, "second")
        return "; ".join(answers)

    async def test_tool_with_task(self, arguments: Any, context: Context) -> ToolOutput:
        return f"Hello, {await name_of_user(context)}!"

    async def json_schema_2020_12_tool(self, arguments: Any, context: Context) -> ToolOutput:
        return "done"
