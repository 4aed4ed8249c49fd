"""`mcpgen record`, end to end: every server failure prints one line and no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from guards import PATIENCE, until
from paths import ROOT
from recorded_commands import BARE, FORMAT, LIMITS, Record, run_command, stdio
from servers.web import Web
from stdio_clients import both_ways, way

from mcpgen import jsontext
from mcpgen.contract import document as contract
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.project_servers import contract_of

__all__ = ["way"]


@pytest.mark.sampled(8)
@both_ways
@pytest.mark.parametrize(
    ("behaviour", "code", "message"),
    [
        ("exits", 4, "the server exited before it responded"),
        ("junk", 4, "text that isn't JSON-RPC on stdout: 'Welcome to my server!'"),
        ("binary", 4, "text that isn't JSON-RPC on stdout"),
        ("silent", 4, "no response within {} seconds"),
        ("slow", 4, "tools/list got no response within {} seconds"),
        ("refuses", 5, "the server responded to initialize with an error: Method not found"),
        ("ancient", 5, "Unsupported protocol version from the server: 1999-01-01"),
        ("nameless", 5, "the server's response can't be used"),
        ("broken", 5, "the server responded to tools/list with an error: Method not found"),
        ("garbled", 5, "the server's response can't be read: not a JSON-RPC response"),
        ("many", 5, "the server's response is too large: tools/list lists more than 10,000 tools"),
        ("long", 5, "the server's response is too large: it sent a message of more than 64 MiB"),
        ("circle", 5, "tools/list never ends: after 2 pages"),
        ("endless", 5, "tools/list never ends: after 1000 pages"),
    ],
)
def test_server_failure_is_one_line(
    record: Record, behaviour: str, code: int, message: str
) -> None:
    is_waited_for = behaviour in ("silent", "slow", "junk", "binary")
    for limit in LIMITS if is_waited_for else LIMITS[-1:]:
        run = record("--timeout", limit, *stdio(behaviour))
        if message.format(limit) in run.error()[1]:
            break
    assert run.error()[0] == code
    assert message.format(limit) in run.error()[1]


def test_headers_are_sent_and_only_their_names_kept(
    record: Record, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "canary-8f3c")
    header = "Authorization: Bearer ${MY_TOKEN}"
    result = record("--header", header, f"{web.url}/mcp/plain").contract
    assert web.requests[-1][1]["authorization"] == "Bearer canary-8f3c"
    assert result["origin"]["headers"] == ["Authorization"]
    assert result["origin"]["headerValues"] == {"Authorization": "Bearer ${MY_TOKEN}"}
    assert "canary" not in json.dumps(result)


@pytest.mark.parametrize("url", ["http://", "http://[canary/mcp", "https://h:canary/", "http:///x"])
def test_invalid_url_is_rejected(record: Record, url: str) -> None:
    run = record(url)
    assert run.error() == (2, "the address isn't an http(s) URL")
    assert "canary" not in run.err


def test_invalid_header_is_not_repeated(record: Record, web: Web) -> None:
    run = record("--header", "X-Key: canary\u20ac", web.url)
    assert run.error() == (2, "the value has characters that a header cannot")
    assert "canary" not in run.err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e12", "soon"])
def test_a_timeout_is_a_number_of_seconds(record: Record, seconds: str) -> None:
    run = record("--timeout", seconds, "demo")
    assert run.code == 2
    assert "--timeout" in run.err


@both_ways
@pytest.mark.parametrize(
    ("pointer", "path"),
    [
        ("stdio", ""),
        ("http", "/mcp/all"),
        ("http", "/events/all"),
        ("http", "/moved/all"),
        ("sse", "/sse"),
    ],
)
def test_all_lists_are_recorded_over_every_transport(
    record: Record, web: Web, pointer: str, path: str
) -> None:
    result = record(*([web.url + path] if path else stdio("all"))).contract
    assert sorted(result["tools"]) == ["alerts", "forecast"]
    assert list(result["prompts"]) == ["ask"]
    assert list(result["resources"]) == ["a://b"]
    assert result["origin"]["transport"] == pointer


@both_ways
def test_unknown_properties_are_preserved(record: Record) -> None:
    result = record(*stdio("all")).contract
    assert result["tools"]["forecast"]["definition"]["x-vendor"] == {"kept": [1, 2.5, None]}
    assert result["prompts"]["ask"]["x-vendor"] == 1
    assert result["server"]["x-vendor"] is True


@both_ways
@pytest.mark.parametrize(
    ("behaviour", "era", "revision"),
    [
        ("modern", "auto", "2026-07-28"),
        ("modern", "modern", "2026-07-28"),
        ("plain", "auto", "2025-06-18"),
        ("plain", "legacy", "2025-06-18"),
        ("oldest", "auto", "2024-11-05"),
        ("shy", "auto", "2025-06-18"),
    ],
)
def test_both_eras_are_spoken(record: Record, behaviour: str, era: str, revision: str) -> None:
    result = record("--era", era, *stdio(behaviour)).contract
    assert result["revision"] == revision
    assert result["server"]["name"] == "bare"
    assert result["instructions"] == "Ask for the weather."
    assert result["clientCapabilities"] == {"elicitation": {"form": {}, "url": {}}}


@both_ways
def test_unsupported_era_is_reported(record: Record) -> None:
    modern = record("--era", "modern", *stdio("plain")).error()
    assert modern == (5, "the server speaks only an older revision: 2025-06-18")
    assert record("--era", "legacy", *stdio("modern")).error()[0] == 5


@both_ways
def test_all_pages_are_fetched_including_an_empty_cursor(record: Record) -> None:
    result = record(*stdio("paged")).contract
    assert sorted(result["tools"]) == ["alerts", "forecast", "tides"]


@both_ways
def test_invalid_tool_does_not_affect_others(record: Record) -> None:
    run = record("-v", *stdio("odd"))
    assert run.contract["tools"]["forecast"]["definition"]["x-vendor"]
    assert len(run.contract["tools"]) == 9
    for pointer, reason in {
        "no_schema/inputSchema": "no inputSchema",
        "null_schema/inputSchema": "no inputSchema",
        "no_root_type/inputSchema": '"type": "object" at its root',
        "not_a_schema/inputSchema/properties/a/type": "not a valid schema",
        "array_output/outputSchema/type": "violates the protocol",
        "number_description/description": "expected a string",
        "bad_default/inputSchema/properties/n/default": "the default is not valid",
        "far_ref/inputSchema/$ref": "leaves the document",
        "forecast": "listed twice",
        "10": "no string 'name'",
        "11": "no string 'name'",
    }.items():
        lines = [line for line in run.err.splitlines() if f"/tools/{pointer}: " in line]
        assert len(lines) == 1, (pointer, run.err)
        assert reason in lines[0]


@both_ways
def test_server_printing_a_banner_is_recorded_with_a_notice(record: Record) -> None:
    run = record(*stdio("banner"))
    assert sorted(run.contract["tools"]) == ["alerts", "forecast"]
    assert "notice: /server: the server prints text that isn't JSON-RPC" in run.err


@both_ways
@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("empty", "/capabilities: the server declares neither tools"),
        ("sloppy", "/server: the response to initialize breaks the protocol"),
        ("failing", "/prompts: the server failed to respond to prompts/list: the database is away"),
        ("no_list", "/tools: the response to tools/list breaks the protocol"),
    ],
)
def test_oddity_is_reported_as_a_notice(record: Record, behaviour: str, message: str) -> None:
    run = record(*stdio(behaviour))
    assert f"notice: {message}" in run.err
    assert run.contract["tools"] or behaviour in ("empty", "no_list")


@both_ways
@pytest.mark.parametrize("path", ["", "/mcp/unheld", "/events/unheld"])
def test_unreadable_json_affects_only_its_tool(record: Record, web: Web, path: str) -> None:
    run = record("-v", *([web.url + path] if path else stdio("unheld")))
    assert set(run.contract["tools"]) == {"forecast", "nested"}
    for name in ("deep", "digits", "no_number"):
        assert f"/tools/{name}" in run.err, run.err


@both_ways
def test_strict_makes_notices_errors(record: Record, tmp_path: Path) -> None:
    run = record("--strict", "-o", str(tmp_path / "c.json"), *stdio("banner"))
    assert run.error() == (1, "1 notice, and --strict was given")
    assert "/server" in run.err
    assert not (tmp_path / "c.json").exists()
    assert record("--strict", *stdio("plain")).code == 0


@both_ways
def test_many_notices_are_counted(record: Record) -> None:
    run = record(*stdio("odd"))
    notices = [line for line in run.err.splitlines() if line.startswith("notice: ")]
    assert len(notices) < 9
    assert "notice: no input schema: 2 in 2 tools, e.g. /tools/no_schema/inputSchema: " in run.err
    assert run.err.splitlines()[-1] == "show each of them with -v"
    assert "notice" not in record("-q", *stdio("odd")).err


CANARY = "Canary-5b1f-Zz"


@both_ways
@pytest.mark.parametrize("behaviour", ["telltale", "leaks"])
@pytest.mark.parametrize("flags", [(), ("-v",)])
def test_a_secret_is_nowhere_in_the_output(
    record: Record, behaviour: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    config = {
        "command": sys.executable,
        "args": [BARE[1], behaviour, "--token", "${TOKEN_A}", "--url=${TOKEN_A}"],
        "env": {"TOKEN_B": "${TOKEN_A}", "TOKEN_C": f"{CANARY}-written"},
    }
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"it": config}}))
    args = ["--env", f"TOKEN_A={CANARY}-a", "--env", f"TOKEN_D={CANARY}-d"]
    run = record(*flags, *args, f"{file}:it")
    assert run.code == (0 if behaviour == "telltale" else 4)
    assert "TOKEN_A" in run.out + run.err
    assert CANARY not in run.out + run.err


@both_ways
@pytest.mark.parametrize("behaviour", ["telltale", "leaks"])
def test_a_secret_argument_is_shown_in_the_command_alone(record: Record, behaviour: str) -> None:
    run = record("-v", *stdio(behaviour, "--token", CANARY, f"--url=https://u:{CANARY}@h/"))
    started, _, rest = run.err.partition("\n")
    assert CANARY in started
    assert CANARY not in run.out + rest


@both_ways
def test_a_notice_quotes_no_part_of_a_secret(record: Record) -> None:
    rest = record(*stdio("chatty", CANARY * 9)).err.partition("\n")[2]
    assert "no string 'name'" in rest
    assert CANARY[:6] not in rest


@both_ways
def test_secret_expanded_by_the_shell_is_shown_by_name(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", CANARY)
    run = record(*stdio("leaks", f"--token={CANARY}"))
    assert "--token=$SERVICE_TOKEN" in run.err.splitlines()[0]
    assert CANARY not in run.err


@pytest.mark.parametrize("path", ["/mcp/plain", "/401", "/404", "/html", "/sse", "/401/sse"])
def test_secret_in_a_url_is_never_printed(record: Record, web: Web, path: str) -> None:
    url = web.url.replace("//", f"//user:{CANARY}@") + f"{path}?key={CANARY}"
    run = record("-v", "--header", f"X-Key: {CANARY}-x", url)
    assert CANARY not in run.out + run.err


def test_possibly_secret_url_path_is_omitted(record: Record, web: Web) -> None:
    run = record(f"{web.url}/mcp/plain/{CANARY}0123456789")
    assert run.contract["origin"]["url"] == f"{web.url}/mcp/plain/${{BARE_URL_PART}}"
    assert CANARY not in run.out + run.err


@both_ways
def test_an_entry_of_a_configuration_is_recorded_by_name(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"command": "${PYTHON}", "args": ["${SCRIPT:-nothing.py}", "${HOW:-plain}"]}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"weather": entry}}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHON", sys.executable)
    monkeypatch.setenv("SCRIPT", BARE[1])
    run = record("weather")
    assert sorted(run.contract["tools"]) == ["alerts", "forecast"]
    assert (
        run.err.splitlines()[0] == "starting: '${PYTHON}' '${SCRIPT:-nothing.py}' '${HOW:-plain}'"
    )
    assert str(tmp_path) not in run.out


def test_unset_variable_is_named_with_its_file(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"command": "python", "args": ["${NOT_SET_ANYWHERE}"]}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"weather": entry}}))
    monkeypatch.chdir(tmp_path)
    run = record("weather")
    assert run.error() == (2, "the variable NOT_SET_ANYWHERE is not set")
    assert ".mcp.json#/mcpServers/weather/args" in run.err


@both_ways
def test_contract_is_written_and_unchanged_if_equal(record: Record, tmp_path: Path) -> None:
    file = tmp_path / "new" / "contract.json"
    first = record("-o", str(file), *stdio("all"))
    written = file.read_bytes(), file.stat().st_mtime_ns
    summary = "contract.json: 2 tools, 1 prompt, 1 resource (revision 2025-06-18)"
    assert first.err.splitlines()[-1].endswith(summary)
    again = record("-o", str(file), *stdio("all"))
    assert again.err.splitlines()[-1].endswith(", unchanged")
    assert (file.read_bytes(), file.stat().st_mtime_ns) == written
    assert [path.name for path in file.parent.iterdir()] == ["contract.json"]
    assert record(str(file)).out == file.read_text(encoding="utf-8")


def test_a_folder_is_not_written_over(record: Record, tmp_path: Path) -> None:
    assert record("-o", str(tmp_path), "demo").error() == (2, "a folder, not a file")


def test_a_server_and_its_contract_give_the_same_order(tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    schema = {"type": "object", "properties": {"b": {}, "a": {}}}
    dump.write_text(json.dumps({"tools": [{"name": "t", "inputSchema": schema}]}))
    recorded_contract = contract_of(ServerArguments(server=str(dump)), print).contract
    assert list(recorded_contract.tools["t"]["inputSchema"]["properties"]) == ["a", "b"]
    assert recorded_contract == contract.read(json.loads(recorded_contract.text()))


@pytest.mark.parametrize("text", ["", "{", '{"name": "package"}', "[]"])
def test_other_file_is_not_overwritten(record: Record, tmp_path: Path, text: str) -> None:
    (tmp_path / "package.json").write_text(text)
    run = record("-o", str(tmp_path / "package.json"), *stdio("plain"))
    assert run.error() == (2, "the file isn't a contract and would be overwritten")
    assert (tmp_path / "package.json").read_text() == text


def test_a_duplicate_in_a_dump_is_noticed(record: Record, tmp_path: Path) -> None:
    tool = {"name": "a/b", "inputSchema": {"type": "object"}}
    (tmp_path / "dump.json").write_text(json.dumps({"result": {"tools": [tool, tool]}}))
    run = record(str(tmp_path / "dump.json"))
    listed, named = run.err.splitlines()
    assert listed == "notice: /tools/a~1b: listed twice; the first one is kept"
    assert named.startswith("notice: /tools/a~1b: a tool's name should have 1 to 128 of")


def test_reading_a_file_needs_no_sdk(tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text('{"tools": []}')
    code = (
        "import sys, mcpgen.cli\n"
        "try: mcpgen.cli.main(['record', '-q', './dump.json'])\n"
        "finally: print([n for n in ('mcp', 'pydantic', 'black') if n in sys.modules])"
    )
    run = run_command([sys.executable, "-c", code], tmp_path)
    assert run.stdout.splitlines()[-1] == "[]", run.stderr


def test_a_name_cannot_act_on_the_terminal(record: Record, tmp_path: Path) -> None:
    name = "evil\x1b[2J\nerror: all is lost"
    (tmp_path / "dump.json").write_text(json.dumps({"tools": [{"name": name}]}))
    run = record(str(tmp_path / "dump.json"))
    assert "\x1b" not in run.err
    assert not any(line.startswith("error") for line in run.err.splitlines())


def test_the_format_is_a_valid_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(FORMAT)


@pytest.mark.parametrize("case", sorted(p.parent.name for p in ROOT.glob("golden/*/contract.json")))
def test_every_golden_contract_satisfies_the_format(case: str) -> None:
    try:
        recorded_contract = contract.read(
            jsontext.loads((ROOT / "golden" / case / "contract.json").read_bytes())
        )
    except contract.ContractError:
        assert case.startswith("refused")
        return
    document = json.loads(recorded_contract.text())
    jsonschema.Draft202012Validator(FORMAT).validate(document)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["npx", "-y", "some-server"], "a command goes after --: mcpgen record -- npx ..."),
        (["python", "server", "--token", "canary"], "mcpgen record -- python ..."),
        (["--"], "try: mcpgen record demo"),
    ],
)
def test_a_command_without_its_dashes_is_helped(
    record: Record, monkeypatch: pytest.MonkeyPatch, arguments: list[str], hint: str
) -> None:
    monkeypatch.setattr("shutil.which", {"npx": "npx", "python": "python"}.get)
    run = record(*arguments)
    assert run.code == 2
    assert hint in run.err


@pytest.mark.slow
@both_ways
def test_an_interruption_ends_the_child_too(way: str, tmp_path: Path) -> None:
    switch = (
        "from mcpgen.servers.recording.wire import server_process; "
        f"server_process.IS_USED = {way == 'ours'}"
    )
    program = f"{switch}; from mcpgen.cli import main; main()"
    command = [sys.executable, "-c", program, "record", *stdio("tells", str(tmp_path / "pid"))]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        until((tmp_path / "pid").exists)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE)
    assert (run.returncode, err.splitlines()[-1]) == (130, "interrupted")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
