"""Drives a generated client through one scenario of the official conformance suite. The suite
passes its server's URL as the last argument and the scenario in the environment.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from typing import Any

from filelock import FileLock

SCENARIO = os.environ["MCP_CONFORMANCE_SCENARIO"]
REVISION = os.environ["MCP_CONFORMANCE_PROTOCOL_VERSION"]
FOLDER, URL = sys.argv[1], sys.argv[-1]

BY_TYPE = {
    "string": "x",
    "number": 1.5,
    "boolean": True,
    "object": {},
    "array": [],
    "null": None,
}


async def initialize(module: Any, client: Any) -> None:
    """Connect only."""


async def tools_call(module: Any, client: Any) -> None:
    await client.add_numbers(a=5, b=3)


async def sse_retry(module: Any, client: Any) -> None:
    result = await client.test_reconnection()
    assert result.text == "Reconnection test completed successfully"


async def elicitation_defaults(module: Any, client: Any) -> None:
    await client.test_client_elicitation_defaults()


async def request_state(module: Any, client: Any) -> None:
    import anyio

    async with anyio.create_task_group() as group:
        group.start_soon(client.test_mrtr_echo_state)
        group.start_soon(client.test_mrtr_unrelated)
    await client.test_mrtr_no_state()
    result = await client.test_mrtr_no_result_type()
    assert result.text == "no-result-type-test-ok"


async def standard_headers(module: Any, client: Any) -> None:
    await client.test_headers()
    await client.my_hyphenated_tool()
    await client.session.list_prompts()
    await client.prompts.test_prompt()
    for resource in (await client.session.list_resources()).resources:
        await client.resources.read(resource.uri)


async def custom_headers(module: Any, client: Any) -> None:
    for call in json.loads(os.environ["MCP_CONFORMANCE_CONTEXT"])["toolCalls"]:
        # The schema forbids null, and a generated client doesn't send invalid arguments.
        arguments = {name: value for name, value in call["arguments"].items() if value is not None}
        await getattr(client, call["name"])(**arguments)


async def invalid_headers(module: Any, client: Any) -> None:
    """Call every tool. The client must reject those with invalid headers."""
    refused: list[str] = []
    for name, tool in client.tools.items():
        if name != "valid_tool" and not name.startswith("invalid_"):
            continue
        schemas = tool.definition["inputSchema"]["properties"]
        try:
            await client.call(
                name, {key: BY_TYPE[schema["type"]] for key, schema in schemas.items()}
            )
        except module.InvalidArguments:
            refused.append(name)
    assert len(refused) == 11, refused


async def preservation(module: Any, client: Any) -> None:
    listed = (await client.session.list_tools(cache_mode="bypass")).tools
    schema = next(tool.input_schema for tool in listed if tool.name == "json_schema_2020_12_tool")
    await client.call("json_schema_echo", {"schema": schema})


async def no_deref(module: Any, client: Any) -> None:
    """Run the generator on the schema. Neither generator nor client may fetch its references."""
    command = [
        sys.executable,
        "-m",
        "mcpgen",
        "client",
        URL,
        "-o",
        FOLDER,
        "--name",
        "recorded",
    ]
    subprocess.run(command, check=True)
    recorded = importlib.import_module("recorded")
    async with recorded.Client.connect(URL) as again:
        assert "$ref" in again.tools["lookup_user"].definition["inputSchema"]["properties"]["id"]


async def call_test_tool(module: Any, client: Any) -> None:
    await client.test_tool()


SCENARIOS = {
    "initialize": initialize,
    "tools_call": tools_call,
    "request-metadata": tools_call,
    "sse-retry": sse_retry,
    "elicitation-sep1034-client-defaults": elicitation_defaults,
    "sep-2322-client-request-state": request_state,
    "http-standard-headers": standard_headers,
    "http-custom-headers": custom_headers,
    "http-invalid-tool-headers": invalid_headers,
    "json-schema-ref-no-deref": no_deref,
    "json-schema-2020-12-preservation": preservation,
}


REFUSING = {
    "auth/resource-mismatch": "does not match expected",
    "auth/metadata-issuer-mismatch": "issuer",
    "auth/iss-supported-missing": "missing iss parameter",
    "auth/iss-wrong-issuer": "iss mismatch",
    "auth/iss-unexpected": "iss mismatch",
    "auth/iss-normalized": "iss mismatch",
    "auth/scope-retry-limit": "",  # since 2026-07-28 the SDK then tries the older handshake
}
"""Where no authorization can be had, and what is said of it."""


async def main() -> None:
    sys.path.insert(0, FOLDER)
    module = importlib.import_module(f"of_{REVISION.replace('-', '_')}")
    try:
        await drive(module)
    except module.ConnectionFailed as error:
        if REFUSING.get(SCENARIO, "no reason") not in str(error):
            raise
    else:
        assert SCENARIO not in REFUSING


async def drive(module: Any) -> None:
    def accept(question: Any) -> Any:
        """Answer with the defaults, and with a value for each field without one."""
        fields = [field for field in question.fields if field.default is None]
        return question.accept(
            {field.name: BY_TYPE.get(field.schema["type"], 1) for field in fields}
        )

    options: dict[str, Any] = {"elicit": accept}
    if SCENARIO.startswith("auth/"):
        context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
        options["auth"] = importlib.import_module("authorize").auth_of(SCENARIO, URL, context)
    async with module.Client.connect(URL, **options) as client:
        await SCENARIOS.get(SCENARIO, call_test_tool)(module, client)


LACKING = {"auth/dpop", "auth/dpop-nonce", "auth/wif-jwt-bearer"}
"""For which the SDK has no provider."""

if SCENARIO in LACKING or (SCENARIO not in SCENARIOS and not SCENARIO.startswith("auth/")):
    sys.exit(f"{SCENARIO} is not driven")  # before anything is imported that takes long

AT_ONCE = 4


def wait_for_a_turn() -> FileLock:
    """Limit the number of concurrent scenarios. On a busy machine, running all at once causes
    timeouts.
    """
    turn = os.getpid() % AT_ONCE
    lock = FileLock(f"{FOLDER}/turn-{turn}.lock")
    lock.acquire()
    return lock


if __name__ == "__main__":
    lock = wait_for_a_turn()
    import anyio

    anyio.run(main)
