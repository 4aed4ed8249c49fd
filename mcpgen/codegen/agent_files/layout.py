"""Generates the files that models read: an index, a stub per tool, and SKILL.md.

The files go into ``servers/<name>/`` next to the package, and are as reproducible as the package.
"""

from __future__ import annotations

from mcpgen import __version__
from mcpgen.codegen import naming
from mcpgen.codegen.agent_files import index, skill
from mcpgen.codegen.agent_files.compact import compact
from mcpgen.codegen.agent_files.skill import Size
from mcpgen.codegen.agent_files.stubs import join_stubs, tool_stubs
from mcpgen.codegen.pipeline import Generated
from mcpgen.contract.document import Contract
from mcpgen.files.write import HEADER

_INDEX = "index"


def files(contract: Contract, generated: Generated) -> dict[str, str]:
    """Return the files by path below the folder. ``generated`` is the client package."""
    contract = contract.without_order()
    stubs = tool_stubs(contract)
    tools = index.list_tools(contract, stubs, {stub.wire: _file(stub.name) for stub in stubs})
    header = f"{HEADER} {__version__}. DO NOT EDIT."
    note = f"<!-- {header.removeprefix('# ')} -->"
    lines = "\n".join(index.markdown(tools))
    short = compact(tool_stubs(contract, documented=False))
    signatures = f"{header}\n\n{join_stubs(contract, short, documented=False)}"
    made_files = {tool.file: f"{header}\n\n{tool.text}" for tool in tools}
    sizes = [
        Size("`index.md`", "its name and first sentence", [lines]),
        Size("`index.pyi`", "its signature and types", [signatures]),
        Size("`<name>.pyi`", "everything, of one tool", list(made_files.values())),
    ]
    texts = {
        f"{_INDEX}.md": f"{note}\n\n{lines}\n",
        f"{_INDEX}.pyi": signatures,
        f"{_INDEX}.jsonl": "".join(f"{x}\n" for x in index.search_lines(generated.package, tools)),
        "SKILL.md": skill.skill(contract, generated, tools, sizes, note),
    }
    return dict(sorted({**made_files, **texts}.items()))


def _file(method: str) -> str:
    """Return the file of a tool's stub, named after its method if possible."""
    stem = naming.module(method)
    return f"{stem}_.pyi" if stem == _INDEX else f"{stem}.pyi"
