"""The layout of packages: resolvable type annotations, exported names and modules of readable
length.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import subprocess
import sys
import typing
from collections import ChainMap, UserList, deque
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_type_hints

import anyio
import pydantic
import pytest
from checkers import slug, typed, write
from mcp.server import MCPServer
from paths import CORPUS
from runtime.packages import STYLES, import_client, package
from runtime.scripted import Scripted, using
from skeletons import demo, import_server, project
from stand_in import StandIn

from mcpgen.codegen import identifiers, naming, user_code
from mcpgen.codegen.pipeline import Options, generate
from mcpgen.codegen.plan import Style
from mcpgen.codegen.plan.imports import FACADES
from mcpgen.codegen.plan.methods import LONGEST, split
from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads

LONGEST_FILE = 1_500
BOOKSHELF = import_client(demo(), "bookshelf_of_hints")
every_style = pytest.mark.parametrize("style", STYLES)


def generated_methods(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield each method of a tool, prompt or resource, for async code and for other."""
    client = module.Client
    kinds = [client, client.sync]
    kinds += [get_type_hints(kind.prompts.fget)["return"] for kind in kinds[:2]]
    kinds += [get_type_hints(kind.resources.fget)["return"] for kind in kinds[:2]]
    for kind in kinds:
        for name, value in vars(kind).items():
            if inspect.isfunction(value) and not name.startswith("_"):
                yield f"{kind.__name__}.{name}", value


# Hints


def test_the_hints_of_every_method_resolve() -> None:
    result = dict(generated_methods(BOOKSHELF))
    assert {"SyncBookshelfOfHintsClient.get_item", "BookshelfOfHintsPrompts.welcome"} <= set(result)
    for name, method in result.items():
        hints = get_type_hints(method)
        signature = inspect.signature(method, eval_str=True)
        returned = signature.return_annotation
        assert returned == inspect.get_annotations(method, eval_str=True)["return"], name
        assert hints["return"] == (type(None) if returned is None else returned), name
        assert hints.keys() == {*signature.parameters, "return"} - {"self"}, name
    assert get_type_hints(BOOKSHELF.Client.get_item)["return"] is BOOKSHELF.GetItemOutput
    assert get_type_hints(BOOKSHELF.Client.sync.get_item)["return"] is BOOKSHELF.GetItemOutput
    recommend = get_type_hints(BOOKSHELF.BookshelfOfHintsPrompts.recommend)
    assert recommend["return"] is BOOKSHELF.GetPromptResult


@every_style
def test_the_hints_of_arguments_resolve_in_every_style(style: Style) -> None:
    shop = package(style)
    hints = get_type_hints(shop.Client.order)
    assert shop.models.OrderInputItem in typing.get_args(hints["item"])
    assert typing.get_args(hints["others"])[1] is shop.MISSING


def test_a_method_can_be_validated_by_pydantic() -> None:
    async def act(client: Any, server: Scripted) -> None:
        checked = pydantic.validate_call(client.add)
        with pytest.raises(pydantic.ValidationError):
            await checked(a="one", b=2)
        assert server.sent == []
        assert (await checked(a="1", b=2)).sum == 3

    using(act, Scripted(add={"sum": 3}))


def test_sdk_server_accepts_async_method_as_tool() -> None:
    async def act(client: Any, server: Scripted) -> None:
        offered = MCPServer("again")
        offered.add_tool(client.add)
        (tool,) = await offered.list_tools()
        assert (tool.name, tool.input_schema["required"]) == ("add", ["a", "b"])

    using(act)


def test_sdk_server_accepts_sync_method_as_tool() -> None:
    offered = MCPServer("again")
    offered.add_tool(BOOKSHELF.Client.sync(None, None).get_item)
    (tool,) = anyio.run(offered.list_tools)
    assert tool.input_schema["required"] == ["id"]


IMPORTED = """\
import sys, typing
from {name} import Client
def loaded():
    return sorted(m.rpartition(".")[2] for m in sys.modules if m.startswith("{name}.models."))
assert "mcp" not in sys.modules
assert loaded() == [], loaded()
typing.get_type_hints(Client.get_item)
assert loaded() == ["get_item", "shared"], loaded()
typing.get_type_hints(Client.sync.show_cover)
assert "mcp" not in sys.modules
"""


@pytest.mark.slow
def test_models_load_lazily_for_annotations(tmp_path: Path) -> None:
    write(generate(demo(), Options(name="lazy")).files, tmp_path / "lazy")
    code = IMPORTED.format(name="lazy")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


# Names


def test_every_type_is_importable_from_the_package() -> None:
    defined: set[str] = set()
    for path, text in generate(demo(), Options(name="bookshelf")).files.items():
        if path.startswith("models/") and not path.endswith("__init__.py"):
            for node in ast.parse(text).body:
                if isinstance(node, ast.ClassDef):
                    defined.add(node.name)
                elif isinstance(node, ast.AnnAssign) and ast.unparse(node.target) != "TOOL":
                    defined.add(ast.unparse(node.target))
    assert "BrowseShelvesOutputShelf" in defined
    for name in defined:
        assert getattr(BOOKSHELF, name) is getattr(BOOKSHELF.models, name)
    assert defined <= {*BOOKSHELF.__all__}


def named_in(hint: Any) -> Iterator[type]:
    """Yield the classes of a package that a hint names."""
    if isinstance(hint, type) and hint.__module__.startswith("shop_dataclass"):
        yield hint
    for inner in typing.get_args(hint):
        yield from named_in(inner)


def test_package_exports_types_in_signatures_and_errors() -> None:
    shop = package()
    public = {getattr(shop, name) for name in shop.__all__ if isinstance(getattr(shop, name), type)}
    kinds = [kind for kind in public if "_runtime" in kind.__module__] + [shop.Client]
    namespace = {**vars(importlib.import_module("mcp.types")), "Client": object, "Any": Any}
    namespace |= {name: getattr(shop, name) for name in shop.__all__}
    looked_at = 0
    for kind in kinds:
        for name in dir(kind):
            member = inspect.getattr_static(kind, name)
            function = getattr(member, "fget", getattr(member, "__func__", member))
            # `connect` accepts SDK types, which aren't loaded for annotations.
            if name.startswith("_") or name == "connect" or not inspect.isfunction(function):
                continue
            function = inspect.unwrap(function)
            hints = get_type_hints(
                function, {**vars(sys.modules[function.__module__]), **namespace}
            )
            looked_at += 1
            for hint in hints.values():
                assert set(named_in(hint)) <= public, (kind, name)
    assert looked_at > 30


def test_unknown_attribute_raises_the_usual_error() -> None:
    assert not hasattr(BOOKSHELF, "Nothing")
    with pytest.raises(ImportError):
        exec("from bookshelf_of_hints import Nothing")
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = BOOKSHELF.models.Nothing


def test_all_equals_star_import_and_dir() -> None:
    space: dict[str, Any] = {}
    exec("from bookshelf_of_hints import *", space)
    del space["__builtins__"]
    assert sorted(space) == BOOKSHELF.__all__ == dir(BOOKSHELF) == sorted({*BOOKSHELF.__all__})
    assert dir(BOOKSHELF.models) == BOOKSHELF.models.__all__
    assert not [name for name in dir(BOOKSHELF) if name.startswith("_")]
    assert not {"annotations", "attach", "models", "TYPE_CHECKING", "NAMES"} & {*dir(BOOKSHELF)}


def test_the_package_and_its_models_say_each_name_once() -> None:
    files = generate(demo(), Options(name="bookshelf")).files
    for path in ("__init__.py", "models/__init__.py"):
        texts = [n.value for n in ast.walk(ast.parse(files[path])) if isinstance(n, ast.Constant)]
        names = [part for text in texts if isinstance(text, str) for part in text.split()]
        types = [
            name
            for name in names
            if name[:1].isupper() and name.endswith(("put", "BookshelfClient"))
        ]
        assert len(types) == len({*types}) > 1


@pytest.mark.parametrize("facade", ["", *(f".{name}" for name in FACADES)])
def test_facade_exports_equal_names_for_checkers_and_python(facade: str) -> None:
    module = importlib.import_module(f"mcpgen_runtime{facade}")
    conditions = [
        node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.If)
    ]
    if facade == ".lazy" or not conditions:  # it defines its names itself
        return
    static = {
        alias.name: f"{'.' * node.level}{node.module}" if node.level else str(node.module)
        for node in conditions[0].body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    static.pop("__version__", None)
    assert sorted(static) == module.__all__
    for name, home in static.items():
        defined = importlib.import_module(home, module.__name__)
        assert getattr(module, name) is getattr(defined, name)


def public_names(value: object) -> set[str]:
    return {name for name in dir(value) if not name.startswith("_")}


def test_dir_of_client_shows_public_names() -> None:
    tools = {"borrow_item", "browse_shelves", "get_item", "list_opening_hours", "search_catalogue"}
    tools |= {"show_cover", "take_inventory", "withdraw_items"}
    ours = {"call", "connect", "open", "prompts", "resources", "response", "resume", "start"}
    ours |= {"fake", "roots_changed", "tools", "with_options"}
    client = BOOKSHELF.Client(None)
    assert public_names(client) == tools | ours | {"aclose", "session", "sync"}
    sync = BOOKSHELF.Client.sync(client, None)
    assert public_names(sync) == tools | ours | {"close"}
    for item in (client, sync):
        assert public_names(item.prompts) == {"recommend", "welcome", "with_options"}
        assert public_names(item.resources) == {
            "card",
            "read",
            "rules",
            "subscribe",
            "unsubscribe",
            "with_options",
        }


STAR = """\
from {name} import *
from {name} import {names}

def use(client: Client, sync: Sync{prefix}Client, found: GetItemOutput) -> list[object]:
    return [client, sync, found.item, {names}]
"""


@typed("bookshelf", "use", rules={"reportWildcardImportFromLibrary": "none"})
def exported_names(folder: Path) -> None:
    write(generate(demo(), Options(name="bookshelf")).files, folder / "bookshelf")
    names = ", ".join(BOOKSHELF.__all__).replace("BookshelfOfHints", "Bookshelf")
    (folder / "use.py").write_text(STAR.format(name="bookshelf", prefix="Bookshelf", names=names))


@pytest.mark.slow
def test_checkers_find_every_exported_name() -> None:
    assert exported_names.pyright() == []
    assert exported_names.mypy() == []


# Any sequence, any mapping


@every_style
@pytest.mark.parametrize(
    "rest",
    [[{"id": "A", "price": 1}], ({"id": "A", "price": 1},), deque([{"id": "A", "price": 1}])],
    ids=["list", "tuple", "deque"],
)
def test_any_sequence_is_sent_as_a_list(style: Style, rest: object) -> None:
    assert send_order(style, others=rest)["others"] == [{"id": "A", "price": 1}]


@every_style
def test_other_sequences_and_mappings_are_sent_too(style: Style) -> None:
    item = {"id": "A", "price": 1}
    arguments = send_order(
        style, others=UserList([MappingProxyType(item)]), by_id=ChainMap({"x": item})
    )
    assert arguments == {"item": item, "others": [item], "by-id": {"x": item}}


def send_order(style: Style, **arguments: Any) -> Any:
    async def act(client: Any, server: Scripted) -> Any:
        await client.response(client.order, item={"id": "A", "price": 1}, **arguments)
        return server.sent

    [(_, value)] = using(act, Scripted(order={"item": {"id": "A", "price": 1}}), style=style)
    return value


@every_style
@pytest.mark.parametrize("rest", ["A", b"A", {"id": "A"}, {"A"} - {"A"} | {1}], ids=repr)
def test_non_list_sequences_are_rejected(style: Style, rest: object) -> None:
    """Type checkers accept `str` as a `Sequence[str]`. The schema rejects it."""

    async def act(client: Any, server: Scripted) -> None:
        with pytest.raises(package(style).InvalidArguments):
            await client.order(item={"id": "A", "price": 1}, others=rest)
        assert server.sent == []

    using(act, style=style)


@pytest.mark.parametrize("tags", ["abc", b"abc"])
def test_string_is_not_an_array_of_strings(tags: object) -> None:
    schema: Json = {
        "type": "object",
        "properties": {
            "tags": {"type": "array", "items": {"type": "string"}},
            "nested": {
                "type": "object",
                "properties": {"tags": {"type": "array", "items": {"type": "string"}}},
            },
        },
    }
    contract = Contract({"tag": {"name": "tag", "inputSchema": schema}})
    tagger = import_client(contract, "tagger")

    async def act() -> None:
        stand_in = StandIn(contract)
        async with tagger.Client.connect(stand_in.server, verify="off") as client:
            with pytest.raises(tagger.InvalidArguments):
                await client.tag(tags=tags)
            await client.tag(tags=("a",), nested=tagger.TagInputNested(tags=("b",)))
        assert stand_in.calls == {"tag": {"tags": ["a"], "nested": {"tags": ["b"]}}}

    anyio.run(act)
    with pytest.raises(pydantic.ValidationError):
        tagger.TagInputNested(tags=tags)


WIDER = """\
from collections.abc import Mapping, Sequence
from {name} import Client, OrderInputItem

async def use(client: Client, items: list[OrderInputItem], by: dict[str, OrderInputItem]) -> None:
    await client.order(item=items[0], others=items, by_id=by)
    await client.order(item=items[0], others=tuple(items))
    several: Sequence[OrderInputItem] = items
    named: Mapping[str, OrderInputItem] = by
    await client.order(item=OrderInputItem(id="a", price=1, parts=several), by_id=named)
"""


@typed("shop", "use")
def wider_arguments(folder: Path) -> None:
    source = Path(str(package().__file__)).parent
    write(
        {p.relative_to(source).as_posix(): p.read_text() for p in source.rglob("*.py")},
        folder / "shop",
    )
    (folder / "use.py").write_text(WIDER.format(name="shop"))


@pytest.mark.slow
def test_checkers_take_any_sequence_and_any_mapping() -> None:
    assert wider_arguments.pyright() == []
    assert wider_arguments.mypy() == []


# Parts


def test_a_small_class_is_one_file() -> None:
    names = [f"t{n}" for n in range(40)]
    assert split(dict.fromkeys(names, 35)) == {"": sorted(names)}


def test_split_groups_methods_by_prefix() -> None:
    sizes = {f"{verb}_{noun}": 100 for verb in ("get", "list", "put") for noun in "abcdefghi"}
    result = split(sizes)
    assert list(result) == ["a_to_h", "i_to_m", "n_to_r"]
    assert result["i_to_m"] == [f"list_{noun}" for noun in "abcdefghi"]


def test_split_divides_long_groups_again() -> None:
    sizes = {f"get_{noun}{n}": 100 for noun in "abc" for n in range(12)}
    result = split({**sizes, "get_z": 20, "get": 20, "other": 30})
    assert result == {
        "get_0_to_8": ["get"],
        "get_a": sorted(name for name in sizes if name[4] == "a"),
        "get_b": sorted(name for name in sizes if name[4] == "b"),
        "get_c_to_d": sorted(name for name in sizes if name[4] == "c"),
        "get_i_to_z": ["get_z"],
        "i_to_z": ["other"],
    }
    assert sorted(name for names in result.values() for name in names) == sorted(
        [*sizes, "get_z", "get", "other"]
    )


def test_split_puts_every_method_in_one_group() -> None:
    sizes = {f"{a}{b}{c}_{n}": 150 for a in "ab" for b in "a_" for c in "xyz" for n in range(9)}
    result = split(sizes)
    assert sorted(name for names in result.values() for name in names) == sorted(sizes)
    for names in result.values():
        assert len(names) == 1 or sum(sizes[name] for name in names) <= LONGEST


def test_file_names_are_valid_module_names() -> None:
    names = naming.files(["is", "con", "get_a", "get__a", "日"])
    assert (names["is"], names["con"], names["日"]) == ("is_", "con_", "tool_85217f")
    assert len({identifiers.pascal(name) for name in names.values()}) == 5


def large(count: int = 90) -> Contract:
    """Return a contract of many tools, whose client is too long for one file."""
    verbs = ("create", "delete", "get", "list", "update")
    text = "\n".join(["- A long story."] * 25)
    return Contract(
        {
            f"{verbs[n % 5]}_thing{n}": {
                "name": f"{verbs[n % 5]}_thing{n}",
                "description": text,
                "inputSchema": {
                    "type": "object",
                    "properties": {"ids": {"type": "array", "items": {"type": "string"}}},
                },
            }
            for n in range(count)
        }
    )


# Servers in parts


@typed("large", source="large/src")
def large_server(folder: Path) -> None:
    project(large(), folder, "large")


@pytest.mark.slow
def test_large_server_is_split_and_complete(tmp_path: Path) -> None:
    generated_server = generate_server(large(), ServerOptions(name="large", standalone=False))
    assert {"tools/e_to_h.py", "tools/__init__.py", "base.py"} <= {*generated_server.generated}
    assert {"src/large/tools/e_to_h.py", "src/large/tools/__init__.py"} <= {*generated_server.own}
    assert "src/large/tools.py" not in generated_server.own
    folder = project(large(), tmp_path, "large")
    assert user_code.missing_methods(generated_server.stubs, folder / "src" / "large") == []
    with import_server(folder) as module:
        assert module.server is not None
    assert large_server.pyright() == []
    assert large_server.mypy() == []


@pytest.mark.slow
def test_split_server_keeps_methods_in_use(
    tmp_path: Path,
) -> None:
    folder = project(large(20), tmp_path, "large")
    package = folder / "src" / "large"
    assert not (package / "_generated" / "tools").exists()
    before = user_code.former_methods(package)
    generated_server = generate_server(large(), ServerOptions(name="large", standalone=False))
    write(generated_server.generated, package / "_generated")
    assert (
        user_code.find_unused(generated_server.stubs, package, before, generated_server.generated)
        == []
    )
    (missing,) = user_code.missing_methods(generated_server.stubs, package)
    assert len(missing.methods) == 70
    user_code.add(missing, folder)
    assert user_code.missing_methods(generated_server.stubs, package) == []
    smaller = generate_server(large(89), ServerOptions(name="large", standalone=False))
    unused = user_code.find_unused(
        smaller.stubs, package, user_code.former_methods(package), smaller.generated
    )
    assert [item.name.partition(" ")[0] for item in unused] == [
        "update_thing89",
        "UpdateThing89Input",
    ]


@pytest.mark.slow
def test_missing_methods_are_added_to_split_user_code(tmp_path: Path) -> None:
    folder = project(large(), tmp_path, "large")
    package = folder / "src" / "large"
    generated_server = generate_server(large(91), ServerOptions(name="large", standalone=False))
    write(generated_server.generated, package / "_generated")
    (missing,) = user_code.missing_methods(generated_server.stubs, package)
    file = user_code.add(missing, folder)
    assert file == package / "tools" / "__init__.py"
    assert "from .._generated.models.create_thing90 import CreateThing90Input" in file.read_text()
    assert user_code.missing_methods(generated_server.stubs, package) == []
    with import_server(folder) as module:
        assert module.server is not None


# The corpus

SERVERS = sorted((CORPUS / "live").glob("*.json"))
SOME = (
    SERVERS
    if "MCPGEN_ALL" in os.environ
    else [path for path in SERVERS if path.stat().st_size > 150_000]
)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.skipif(not SERVERS, reason="no recorded servers")
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_no_file_of_a_recorded_server_is_too_long(path: Path) -> None:
    contract = read(loads(path.read_bytes()))
    server = generate_server(contract, ServerOptions(name=slug(path.stem), standalone=False))
    files = [*generate(contract, Options(name=slug(path.stem))).files.items()]
    files += [*server.generated.items(), *server.own.items()]
    lengths = {name: text.count("\n") for name, text in files if name.endswith(".py")}
    del lengths["client.py"]  # all methods of a client are in one file
    assert {name: count for name, count in lengths.items() if count > LONGEST_FILE} == {}
