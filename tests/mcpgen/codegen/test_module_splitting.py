"""Too many types for one module move to several, and stay importable from the original module."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from checkers import typed, write
from runtime.packages import import_client

from mcpgen.codegen.module_splitting import LONGEST
from mcpgen.codegen.pipeline import STYLES, Options, Style, generate
from mcpgen.contract import Contract

TEXT = {"type": "string"}
MANY = 160


def many() -> Contract:
    """Return a contract with tools of very many types, some of them recursive."""
    definitions: dict[str, Any] = {
        f"Step{number}": {
            "type": "object",
            "description": "A step.",
            "properties": {
                f"name{number}": TEXT,
                "before": {"$ref": f"#/$defs/Step{number // 2}"},
                "loop": {"$ref": "#/$defs/Loop"},
            },
            "required": [f"name{number}"],
        }
        for number in range(MANY)
    }
    again = {"type": "array", "items": {"$ref": "#/$defs/Loop"}}
    definitions["Loop"] = {"type": "object", "properties": {"again": again, "class": TEXT}}
    steps = {f"step{number}": {"$ref": f"#/$defs/Step{number}"} for number in range(MANY)}
    schema = {"type": "object", "$defs": definitions, "properties": steps}
    tool = {"name": "walk", "inputSchema": schema, "outputSchema": schema}
    return Contract(tools={"walk": tool, "other": {**tool, "name": "other"}})


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("style", STYLES)
def test_moved_types_stay_importable_and_validate_equally(style: Style) -> None:
    package = generate(many(), Options(name=f"many_{style}", style=style))
    heights = {
        path: text.count("\n") for path, text in package.files.items() if path.endswith("py")
    }
    assert max(heights.values()) <= LONGEST
    assert "models/_parts/shared_1.py" in package.files
    module = import_client(many(), f"many_{style}", style)
    assert {"Step1", "Step159Input", "Loop"} <= set(module.models.__all__)
    for name in module.models.__all__:
        assert getattr(module.models, name) is not None
    tool = importlib.import_module(f"{module.__name__}.models.walk").TOOL
    inner = {"name3": "b", "loop": {"again": [{"class": "c"}, {}]}}
    value = {"step7": {"name7": "a", "before": inner}}
    read = tool.result.validate_python(value)
    assert tool.result.dump_python(read, by_alias=True, exclude_unset=style == "basemodel") == value


@typed("many", "use")
def use_of_many(folder: Path) -> None:
    write(generate(many(), Options(name="many")).files, folder / "many")
    use = "from many import Client, Step5Input, Step159, WalkOutput\n\n"
    use += "async def use(client: Client, step: Step159) -> WalkOutput:\n"
    use += '    print(step.name159)\n    return await client.walk(step5=Step5Input(name5="a"))\n'
    (folder / "use.py").write_text(use)


@pytest.mark.slow
def test_type_checkers_find_no_fault() -> None:
    assert use_of_many.pyright() == []
    assert use_of_many.mypy() == []


@pytest.mark.slow
def test_index_of_many_tools_stays_in_one_file() -> None:
    tools = {f"class {n}": {"name": f"class {n}", "inputSchema": {}} for n in range(LONGEST)}
    files = generate(Contract(tools=tools), Options(name="index")).files
    assert files["models/__init__.py"].count("\n") > LONGEST
    assert "models/_parts/__init__.py" not in files
