"""Names are spelled as a person would, and changed only where Python, or a base class, has them."""

from __future__ import annotations

import json
from pathlib import Path

import pydantic
import pytest
from projects import call, changed_contract, files, project, run

from mcpgen.codegen import identifiers, naming, reserved_names
from mcpgen.contract.document import Contract


@pytest.mark.parametrize(
    ("wire", "snake", "pascal"),
    [
        ("deduplicateSimilarURLs", "deduplicate_similar_urls", "DeduplicateSimilarURLs"),
        ("similarURLs", "similar_urls", "SimilarURLs"),
        ("userIDs", "user_ids", "UserIDs"),
        ("userIds", "user_ids", "UserIds"),
        ("PDFs", "pdfs", "PDFs"),
        ("PDFsToMerge", "pdfs_to_merge", "PDFsToMerge"),
        ("mergePDFs2", "merge_pdfs_2", "MergePDFs2"),
        ("list_IDs_of", "list_ids_of", "ListIDsOf"),
        ("vCPUs", "v_cpus", "VCPUs"),
        ("IPv6Address", "ipv6_address", "IPv6Address"),
        ("getAPIv2Users", "get_apiv2_users", "GetAPIv2Users"),
        # Unchanged from earlier releases.
        ("getURL", "get_url", "GetURL"),
        ("HTTPServer", "http_server", "HTTPServer"),
        ("parseHTTPResponse", "parse_http_response", "ParseHTTPResponse"),
        ("ASsert", "a_ssert", "ASsert"),
        ("GitHubIssue", "git_hub_issue", "GitHubIssue"),
        ("S3Bucket", "s3_bucket", "S3Bucket"),
        ("HTTP2Server", "http2_server", "HTTP2Server"),
        ("isAs", "is_as", "IsAs"),
        ("get-user_v2", "get_user_v2", "GetUserV2"),
    ],
)
def test_abbreviations_are_words(wire: str, snake: str, pascal: str) -> None:
    assert identifiers.snake(wire, "x") == snake
    assert identifiers.pascal(wire) == pascal


def test_a_plural_and_its_plain_spelling_are_told_apart() -> None:
    names = naming.methods(["listURLs", "list_urls", "listUrls"])
    assert names["list_urls"] == "list_urls"
    assert len(set(names.values())) == 3


@pytest.mark.parametrize(
    "wires",
    [("get1", "get_1"), ("search_v2", "search_v_2"), ("v12", "v1_2"), ("i", "\u0131")],
)
def test_tools_have_classes_of_their_own(wires: tuple[str, str]) -> None:
    names = naming.methods(wires)
    classes = {identifiers.pascal(name).casefold() for name in names.values()}
    assert len(classes) == len(wires)
    assert names[wires[0]] == wires[0]
    again = naming.methods(wires, {wires[1]: wires[1]})  # it was there before
    assert again[wires[1]] == wires[1]
    assert again[wires[0]] != wires[0]


def test_reserved_names_cover_model_attributes() -> None:
    class Model(pydantic.BaseModel):
        pass

    own = {name for name in dir(Model) if name[0] != "_" and name[:6] != "model_"}
    assert own <= reserved_names.MODEL


@pytest.mark.parametrize("style", ["dataclass", "typeddict"])
def test_fields_keep_wire_names_if_possible(style: str) -> None:
    free = ["type", "json", "fields", "schema", "copy", "id", "input", "set", "object", "model_id"]
    free += ["timeout", "meta", "on_progress"]
    assert naming.members(free, style) == {name: name for name in free}
    used = ["self", "list", "str", "class"]
    assert naming.members(used, style) == {name: f"{name}_" for name in used}


def test_fields_do_not_shadow_model_attributes() -> None:
    used = ["json", "copy", "schema", "validate", "model_config", "model_id"]
    assert naming.members(used, "basemodel") == {name: f"{name}_" for name in used}
    assert naming.members(["type", "fields"], "basemodel") == {"type": "type", "fields": "fields"}


def test_pinned_names_stay(tmp_path: Path) -> None:
    wires = ["similarURLs", "set", "getIPv6"]
    pins = {"similarURLs": "similar_ur_ls", "set": "set_", "getIPv6": "get_i_pv6"}
    assert naming.methods(wires, pins) == pins
    tools = {name: {"name": name, "inputSchema": {"type": "object"}} for name in wires}
    old, new = Contract(tools=tools, names=pins), Contract(tools=tools)
    assert naming.pin(old, new).names == pins
    document = json.loads(
        changed_contract(**{n: {"inputSchema": {"type": "object"}} for n in wires})
    )
    document["names"] = pins
    root = project(tmp_path / "project", contract=json.dumps(document).encode())
    assert run(root, "generate").returncode == 0
    result = files(root / "src" / "bookshelf")["client.py"]
    assert all(f"async def {name}(" in result for name in pins.values())


@pytest.mark.parametrize("name", ["playwright", "Playwright", "kubernetes", "click", "black"])
def test_package_named_like_a_distribution_is_reported(name: str, tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    contract = "mcp/bookshelf.contract.json"
    if name == "click":  # which mcpgen itself refuses
        assert call(root, "client", contract, "--name", name).returncode == 2
        return
    ended = call(root, "client", contract, "--name", name)
    assert ended.returncode == 0
    assert f"a package named {name} hides" in ended.stderr
    assert "--name gives it another name" in ended.stderr
    # The notice depends on the machine. The output doesn't.
    result = files(root / name)
    assert (
        call(root, "client", contract, "--name", name, "-o", "other", "-q").stderr.count("hides")
        == 0
    )
    assert files(root / "other" / name) == result
    assert "hides" not in call(root, "client", contract, "--name", name).stderr


def test_unique_package_name_has_no_notice(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    assert "hides" not in call(root, "generate").stderr
    table = "[tool.mcpgen.servers.stripe]\ncontract = 'mcp/bookshelf.contract.json'\nclient = {}\n"
    assert "a package named stripe hides" in call(project(root, table), "generate").stderr


def test_own_project_name_is_not_a_conflict(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    (root / "pyproject.toml").write_text("[project]\nname = 'black'\n")
    ended = call(root, "client", "mcp/bookshelf.contract.json", "--name", "black")
    assert "hides" not in ended.stderr
