"""`mcpgen list`, `call`, `read` and `prompt`: their output for shells, and their exit codes."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
import sdk_programs
from called_servers import CONTRACT, SERVER, Shell
from mcpgen_runtime.conversation import terminal
from paths import SUPPORT
from runtime.web import RecordingApp, serving, web

from mcpgen import demo
from mcpgen.contract.document import Contract
from mcpgen.errors import AnswerError
from mcpgen.servers.recording.wire import sdk_attempt, server_process
from mcpgen.servers.shell import consent, user
from runtime import asking_server


def test_list_prints_a_table_or_the_servers_json(shell: Shell) -> None:
    table = shell("list", CONTRACT).out
    assert table.startswith("8 tools\n  borrow_item         Lend an item")
    assert "\n1 resource template\n  bookshelf://items/{id}  The catalogue card" in table
    document = json.loads(shell("list", CONTRACT, "--json").out)
    contract = json.loads(Path(CONTRACT).read_text())
    definitions = [entry["definition"] for entry in contract["tools"].values()]
    assert sorted(document["tools"], key=lambda tool: tool["name"]) == definitions
    assert document["server"] == contract["server"]


def test_server_text_cannot_imitate_our_output(shell: Shell) -> None:
    ran = shell.on_server("list")
    assert "\\x1b[31m\\nname  A \\x1b[2J description." in ran.out
    assert "\x1b" not in ran.out


def test_a_call_prints_the_text_of_its_result(shell: Shell) -> None:
    ran = shell.on_server("call", "echo", "--query", "night", "--limit", "5")
    assert (ran.code, ran.out) == (0, '{"query": "night", "limit": 5}\n')
    assert ran.err.startswith("starting: ")
    assert shell.calls() == [["echo", {"query": "night", "limit": 5}]]


def test_invalid_arguments_are_not_sent(shell: Shell) -> None:
    for args in (["--limit", "10"], ["--limit", "x"], ["--genre", "crim"], ["--nope"]):
        assert shell.on_server("call", "echo", *args).code == 2
    assert not shell.log.exists()
    output = shell.on_server("call", "echo", "--limit", "10").err
    assert "echo: invalid arguments, nothing was sent\n  --limit: 10 is greater than" in output


def test_tool_argument_wins_over_an_equal_option(shell: Shell) -> None:
    ran = shell.on_server("call", "--timeout", "50", "echo", "--timeout", "3", "--json")
    assert (ran.code, ran.out) == (0, '{"timeout": 3, "json": true}\n')
    ran = shell.on_server("call", "--json", "echo", "--query", "a")
    assert json.loads(ran.out)["content"][0]["text"] == '{"query": "a"}'
    assert ran.err == ""
    misplaced = shell.on_server("call", "echo", "--header", "A: b")
    assert (misplaced.code, "--header comes before the name" in misplaced.err) == (2, True)


def test_arguments_come_from_stdin_and_options_over_them(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = io.TextIOWrapper(io.BytesIO(b'{"query": "night", "limit": 1}'))
    monkeypatch.setattr(sys, "stdin", value)
    ran = shell.on_server("call", "echo", "-", "--limit", "2")
    assert json.loads(ran.out) == {"query": "night", "limit": 2}


def test_images_are_saved_under_names_of_ours(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    ran = shell.on_server("call", "draw", "--save", str(folder))
    files = [str(folder / name) for name in ("draw.png", "draw.bin")]
    assert ran.out == "\n".join(["{}", *files, ""])
    assert (folder / "draw.png").read_bytes()[:4] == b"\x89PNG"
    again = json.loads(shell.on_server("call", "draw", "--save", str(folder), "-f", "json").out)
    assert again["content"][1] == {
        "type": "image",
        "mimeType": "image/png",
        "file": str(folder / "draw-2.png"),
    }
    assert "not shown: image/png, about 72 bytes" in shell.on_server("call", "draw").err


@pytest.mark.parametrize(
    ("tool", "code", "message"),
    [
        ("fail", 6, "error: the tool failed: {}\n  at   fail"),
        ("refuse", 6, "error: the server refused: not today (-32000)"),
        ("die", 4, "error: the server exited before it responded"),
        ("nope", 2, "error: the server has no tool 'nope'"),
    ],
)
def test_each_way_to_fail_has_its_exit_code(
    shell: Shell, tool: str, code: int, message: str
) -> None:
    ran = shell.on_server("call", tool)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err
    error = shell.on_server("call", tool, "-f", "json").err
    assert json.loads(error)["error"]["message"] in ran.err


def test_call_times_out(shell: Shell) -> None:
    ran = shell.on_server("call", "--timeout", "0.5", "sleep")
    assert (ran.code, "within 0.5 seconds" in ran.err) == (4, True)


def test_invalid_result_is_printed_with_a_notice(shell: Shell) -> None:
    ran = shell.on_server("call", "lie")
    assert (ran.code, json.loads(ran.out)) == (0, {"b": 1})
    assert "notice: the result breaks its schema: /a is required" in ran.err
    assert shell.on_server("call", "--strict", "lie").code == 1


def test_json_call_reports_broken_schema_on_stderr(shell: Shell) -> None:
    ran = shell.on_server("call", "--json", "lie")
    assert json.loads(ran.out) == {"content": [], "structuredContent": {"b": 1}}
    notice = "the result breaks its schema: /a is required"
    assert (ran.code, json.loads(ran.err.splitlines()[-1])) == (0, {"notice": notice})


def test_json_call_prints_whole_result_of_failed_tool(shell: Shell) -> None:
    ran = shell.on_server("call", "--json", "fail", "--query", "a")
    assert json.loads(ran.out)["isError"] is True
    assert json.loads(ran.err)["error"]["message"].startswith("the tool failed")


def test_json_call_keeps_order_of_properties(shell: Shell) -> None:
    result = '"result": {"structuredContent": {"b": 1, "a": 1e400}, "content": []}'
    ran = shell.on_server("call", "--json", "raw", "--query", result)
    assert list(json.loads(ran.out)["structuredContent"]) == ["b", "a"]
    assert json.loads(ran.out)["structuredContent"]["a"] == 10**400


ODD_RESULTS = {
    '"result": {"content": 5}': "/content: Input should be a valid list",
    '"result": {"content": [], "isError": "yes"}': "/isError: Input should be a valid boolean",
    '"result": {"content": [], "isError": 1}': "/isError: Input should be a valid boolean",
    '"result": {"content": [{"text": "a"}]}': "/content/0: ",
    '"result": {"content": [{"type": "text"}]}': "/content/0/text: Field required",
    '"result": {"content": [null]}': "/content/0: ",
    '"result": {}': "/content: Field required",
    '"result": {"content": [], "_meta": 5}': "/_meta: Input should be a valid dictionary",
    '"result": {"content": [], "structuredContent": NaN}': "JSON doesn't have (NaN or Infinity)",
    '"result": {"content": []}, "error": {"code": 1, "message": "no"}': "the server refused: no",
}


@pytest.mark.parametrize("response", ODD_RESULTS)
def test_call_rejects_the_same_results_as_a_client(shell: Shell, response: str) -> None:
    ran = shell.on_server("call", "raw", "--query", response)
    assert (ran.code, ran.out) == (AnswerError.exit, "")
    assert ODD_RESULTS[response] in ran.err


def test_call_accepts_structured_content_alone(shell: Shell) -> None:
    ran = shell.on_server("call", "raw", "--query", '"result": {"structuredContent": {"a": 1}}')
    assert (ran.code, json.loads(ran.out)) == (0, {"a": 1})


def test_help_of_a_tool_comes_from_its_schema(shell: Shell) -> None:
    ran = shell("call", CONTRACT, "search-catalogue", "--help")
    assert ran.out.startswith(f"Usage: mcpgen call {CONTRACT} search-catalogue --query TEXT [")
    assert "--genre [crime|nature|poetry|travel]" in ran.out
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.slow
def test_contract_arguments_are_validated_before_the_server_starts(shell: Shell) -> None:
    ran = shell("call", CONTRACT, "search-catalogue", "--limit", "0")
    assert (ran.code, "starting" in ran.err) == (2, False)
    ran = shell("call", CONTRACT, "search-catalogue", "--query", "night")
    assert json.loads(ran.out)["total"] == 1


def test_contract_without_origin_cannot_be_called(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(Contract(tools={"a": {"name": "a", "inputSchema": {}}}).text())
    ran = shell("call", str(file), "a")
    assert (ran.code, "the contract doesn't name its server" in ran.err) == (2, True)


def test_variables_of_a_contract_are_those_of_the_environment(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = {
        "transport": "stdio",
        "command": "python",
        "args": [SERVER, "${SHELL_LOG}"],
        "env": ["SHELL_TOKEN"],
    }
    tools = {"echo": {"name": "echo", "inputSchema": {}}}
    file = tmp_path / "c.json"
    file.write_text(Contract(tools=tools, origin=origin).text())
    consent.store(origin)
    missing = shell("call", str(file), "echo")
    assert (missing.code, "the variable SHELL_LOG is not set" in missing.err) == (2, True)
    monkeypatch.setenv("SHELL_LOG", str(shell.log))
    ran = shell("call", "--env", "SHELL_TOKEN=secret", str(file), "echo")
    assert (ran.code, ran.out) == (0, "{}\n")
    assert "secret" not in ran.err


def test_over_http_all_is_the_same(shell: Shell) -> None:
    with web(demo.server) as (url, _):
        assert shell("list", url).out.startswith("8 tools\n")
        ran = shell("call", url, "search-catalogue", "--query", "night")
        assert (ran.code, json.loads(ran.out)["total"]) == (0, 1)
        assert shell("call", url, "borrow-item", "--id=B-2", "--member=a@b.c").code == 6
        assert shell("read", url, "bookshelf://rules").out.startswith("Be quiet.")
        ran = shell("prompt", url, "recommend", "--genre", "crime")
        assert ran.out == "user: Recommend one item of the genre crime.\n"
        ran = shell("read", url, "bookshelf://nope")
        assert (ran.code, "the server refused: Unknown resource" in ran.err) == (6, True)


class Said:
    """Simulates the user at the terminal."""

    def __init__(self, *, agrees: bool) -> None:
        self.agrees, self.waited = agrees, 0.0
        self.asked: list[Any] = []

    def answer(self, params: Any) -> Any:
        self.asked.append(params["message"])
        return {"action": "accept", "content": {"name": "Ada"}}

    def confirms(self, definition: Any, arguments: Any) -> bool:
        self.asked.append((definition["name"], arguments))
        return self.agrees


@pytest.fixture
def sits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Said]:
    def sit_down(*, agrees: bool = True) -> Said:
        message = Said(agrees=agrees)
        monkeypatch.setattr(user, "terminal", lambda _: message)
        return message

    return sit_down


def test_a_person_at_the_terminal_is_asked(shell: Shell, sits: Callable[..., Said]) -> None:
    assert json.loads(shell.on_server("call", "ask").out) == {"action": "decline"}
    message = sits()
    answer = json.loads(shell.on_server("call", "ask").out)
    assert answer == {"action": "accept", "content": {"name": "Ada"}}
    assert message.asked == ["Who?"]


def test_destructive_call_is_confirmed(shell: Shell, sits: Callable[..., Said]) -> None:
    message = sits(agrees=False)
    ran = shell.on_server("call", "burn", "--query", "x")
    assert (ran.code, "was not confirmed, nothing was sent" in ran.err) == (1, True)
    assert message.asked == [("burn", {"query": "x"})]
    assert not shell.log.exists()
    assert shell.on_server("call", "burn", "--yes").code == 0
    assert shell.on_server("call", "echo").code == 0
    assert len(message.asked) == 1


def test_the_terminal_is_asked_by_the_code_of_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["Ada", "y", "n"]

    async def read(prompt: str) -> str:
        del prompt
        return lines.pop(0)

    monkeypatch.setattr(terminal, "is_there", lambda: True)
    monkeypatch.setattr(terminal, "read", read)
    requests = user.Terminal("s")
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    answer = requests.answer({"message": "Who?", "requestedSchema": schema})
    assert answer == {"action": "accept", "content": {"name": "Ada"}}
    assert requests.confirms({"name": "burn", "inputSchema": {}}, {"a": 1}) is False
    assert requests.answer({"message": 1}) == {"action": "decline"}
    assert requests.waited > 0


QUESTION = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}


ASKS = ["ask", "--method", "elicitation/create", "--params", json.dumps(QUESTION)]


def test_a_person_is_asked_over_http_too(shell: Shell, sits: Callable[..., Said]) -> None:
    message = sits()
    with web(asking_server.AskingServer().server) as (url, _):
        ran = shell("call", url, *ASKS)
    assert (ran.code, "Ada" in ran.out, message.asked) == (0, True, ["Who?"])


@pytest.mark.slow
def test_rounds_of_questions_are_asked_at_the_terminal(
    shell: Shell, sits: Callable[..., Said]
) -> None:
    server = sdk_programs.command(str(asking_server.__file__))
    ran = shell("call", *ASKS, "--", *server)
    assert (ran.code, '"action": "decline"' in ran.out) == (0, True)
    message = sits()
    ran = shell("call", *ASKS, "--", *server)
    assert (ran.code, "Ada" in ran.out, message.asked) == (0, True, ["Who?"])


def test_where_the_sdk_starts_commands_all_is_the_same(
    shell: Shell, sits: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_process, "IS_USED", False)
    sits()
    assert json.loads(shell.on_server("call", "ask").out)["content"] == {"name": "Ada"}
    ran = shell.on_server("call", "refuse")
    assert (ran.code, "the server refused: not today (-32000)" in ran.err) == (6, True)


def test_a_server_of_this_process_is_called(shell: Shell) -> None:
    pointer = f"{SUPPORT / 'servers/in_process.py'}:mcp"
    ran = shell("call", pointer, "add", "--a", "40", "--b", "2")
    assert (ran.code, ran.out) == (0, "42\n")


def test_questions_pause_the_connection_timeout() -> None:
    async def asked() -> bool:
        with anyio.move_on_after(0.1) as scope:
            with sdk_attempt._pause(scope):
                await anyio.sleep(0.2)
            await anyio.sleep(0)
        return not scope.cancelled_caught

    assert anyio.run(asked)


def test_server_requiring_login_for_calls_gets_a_hint(shell: Shell) -> None:
    class Barring(RecordingApp):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            if dict(scope.get("headers", ())).get(b"mcp-method") != b"tools/call":
                await super().__call__(scope, receive, send)
                return
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    with serving(Barring(demo.server.streamable_http_app())) as (url, _):
        assert shell("list", url).code == 0
        ran = shell("call", url, "get-item", "--id", "B-1")
    assert (ran.code, f"mcpgen login {url}" in ran.err) == (3, True)
