"""Handwritten contracts: errors have a position, and YAML is allowed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from server_projects import mcpgen

from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract.document import Contract, read
from mcpgen.errors import ContractError


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("tools: {a: {inputSchema: {type: objekt}}}", "/tools/a/inputSchema/type"),
        ("tools: {a: {}}", "/tools/a/inputSchema"),
        ("tools: {a: {inputschema: {type: object}}}", "/tools/a/inputschema"),
        ("tools: {a: {name: b, inputSchema: {type: object}}}", "/tools/a/name"),
        ("tools: {a: {description: 3, inputSchema: {type: object}}}", "/tools/a/description"),
        ("tools: {a/b: 5}", "/tools/a~1b"),
        ("tools: {}\nprompts: {p: {arguments: [{}]}}", "/prompts/p/arguments/0"),
        ("tools: {}\nresources: []", "/resources"),
        ("tools: {}\nrevision: 2020-01-01", "/revision"),
        ("tools: {}\nserv: {}", "/serv"),
        ("tools: {}\nserver: {name: [a]}", "/server/name"),
        ("tools: {}\nserver: {icons: 5}", "/server/icons"),
        ("tools: {}\ncapabilities: {logging: 5}", "/capabilities/logging"),
        ("tools: {}\ncapabilities: 5", "/capabilities"),
        ("tools: {}\nresourceTemplates: {'x://{a': {}}", "/resourceTemplates/x:~1~1{a"),
    ],
)
def test_contract_mistake_is_reported_with_pointer(text: str, pointer: str, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(text)
    completed = mcpgen("server", "./c.yaml", cwd=tmp_path, code=5)
    assert re.search(
        rf"^  at   c\.yaml:\d+:\d+#{re.escape(pointer)}$", completed.stderr, re.MULTILINE
    )
    assert [path.name for path in tmp_path.iterdir()] == ["c.yaml"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b"tools:\n  a: {x: {y: z}\n  b: 3\n", "c.yaml:3:3"),
        (b"tools:\n  a: 1\n  a: 2\n", "c.yaml:3:3"),
        (b"tools:\n  ? [a]\n  : 1\n", "c.yaml:2:5"),
        (b"tools:\n  a: *b\n", "c.yaml:2:6"),
        (b"tools: {a: !!python/name:os {}}", "c.yaml:1:12"),
        (b"a: &a [*a]", "c.yaml:1:4"),
        (b"tools: {}\n---\n{}\n", "c.yaml:2:1"),
        ("tools: é\n  b: \0".encode(), "c.yaml:2:6"),
        (b"tools:\n  a: caf\xe9", "c.yaml:2:9"),
        ("tools:\n  b: \x01".encode("utf-16"), "c.yaml:2:6"),
        ("tools: é\x01".encode("utf-8-sig"), "c.yaml:1:9"),
        (b"tools: {a: {inputSchema: {}}}\nrevision: 5", "c.yaml:2:1#/revision"),
        (
            b"tools:\n  a/b:\n    inputSchema:\n      type: object\n      minLength: x\n",
            "c.yaml:5:7#/tools/a~1b/inputSchema/minLength",
        ),
        (
            b"tools: {}\nprompts:\n  p:\n    arguments:\n      - name: a\n      - {}\n",
            "c.yaml:6:9#/prompts/p/arguments/1",
        ),
        (b"tools:\n  a:\n    title: A\n", "c.yaml:2:3#/tools/a/inputSchema"),
    ],
)
def test_yaml_mistake_is_reported_with_line_and_column(text: bytes, where: str) -> None:
    from mcpgen.contract.handwritten import parse

    with pytest.raises(ContractError) as raised:
        parse(text, "c.yaml")
    assert raised.value.where == where
    assert "<byte string>" not in raised.value.problem


def test_yaml_is_read_as_the_json_it_stands_for() -> None:
    from mcpgen.contract.handwritten import parse

    text = b"a: 2020-01-01\nb: no\nc: 1:30\nd: 0x1f\ne: [1, 1.5, 1e3, true, null, ~, ]\n5: 010\n"
    assert parse(text, "x.yaml") == {
        "a": "2020-01-01",
        "b": "no",
        "c": "1:30",
        "d": "0x1f",
        "e": [1, 1.5, 1000.0, True, None, None],
        "5": "010",
    }


@pytest.mark.parametrize("text", [b"a: 1\na: 2", b"a: [", b"!!python/object:os.x {}", b"{[1]: 2}"])
def test_invalid_yaml_is_rejected(text: bytes) -> None:
    from mcpgen.contract.handwritten import parse

    with pytest.raises(ContractError, match="not YAML"):
        parse(text, "x.yaml")


def test_a_recorded_contract_is_not_judged_so_strictly() -> None:
    odd: Contract = read({"tools": [{"name": "t", "inputSchema": {"properties": {}}}]})
    generated_server = generate_server(odd, ServerOptions(name="odd", standalone=False))
    assert [notice.kind for notice in generated_server.notices] == ["root type"]
