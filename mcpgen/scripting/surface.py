"""A server as seen by a script: a module with typed functions and exceptions."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from mcpgen.codegen import naming
from mcpgen.codegen.agent_files.compact import rename_types
from mcpgen.codegen.agent_files.stubs import ToolStub, join_stubs, tool_stubs
from mcpgen.contract.definitions import server_name
from mcpgen.contract.document import Contract
from mcpgen.errors import UsageError

EXCEPTIONS: Mapping[str, tuple[type[Exception], str]] = {
    "ToolError": (RuntimeError, "The tool failed, or the server refused the call."),
    "InvalidArguments": (ValueError, "The tool's schema refuses the arguments; nothing was sent."),
    "InvalidResult": (TypeError, "The result is invalid by the tool's schema."),
    "NotConfirmed": (PermissionError, "A person or a rule declined the call; nothing was sent."),
    "CallTimeout": (TimeoutError, "The server did not answer in time."),
}
"""The exceptions of calls, each with its Python base class and docstring."""

# A string is a sequence of strings, but never the intended argument for a list of them.
_OF = "__of__"
_SEQUENCE = '''\
from typing import Protocol, TypeVar

_Item = TypeVar("_Item", covariant=True)

class Sequence(Protocol[_Item]):
    """A list or a tuple, but no text."""

    def __contains__(self, value: object, /) -> bool: ...
    def __getitem__(self, index: int, /) -> _Item: ...
    def __len__(self) -> int: ...
'''


@dataclass(frozen=True)
class Surface:
    """A server as a module: its name, its stub, and its functions by name."""

    name: str
    stub: str
    functions: Mapping[str, ToolStub]

    @property
    def types(self) -> Collection[str]:
        """The names of the types of objects, without functions and exceptions."""
        return self.names.keys() - self.functions.keys() - EXCEPTIONS.keys() - {"Sequence", "_Item"}

    def lists(self, function: str) -> list[str]:
        """Return the properties of a function's result that are lists."""
        nodes = ast.parse(self.stub).body
        results = [
            ast.unparse(node.returns)
            for node in nodes
            if isinstance(node, ast.AsyncFunctionDef) and node.name == function and node.returns
        ]
        return [
            member.target.id
            for node in nodes
            if isinstance(node, ast.ClassDef) and node.name in results
            for member in node.body
            if isinstance(member, ast.AnnAssign)
            and isinstance(member.target, ast.Name)
            and ast.unparse(member.annotation).startswith("list[")
        ]

    @cached_property
    def names(self) -> Mapping[str, list[str]]:
        """The parameters of each function, and the properties of each object type."""
        return dict(_named_definitions(ast.parse(self.stub)))


def surface(contract: Contract, name: str = "") -> Surface:
    """Return a server as seen by a script, under a name or the server's own."""
    stubs = tool_stubs(contract, documented=False)
    text = join_stubs(contract, stubs, documented=False).replace(
        "from collections.abc import Sequence\n", _SEQUENCE
    )
    text = text.replace(
        "from collections.abc import Mapping, Sequence\n",
        f"from collections.abc import Mapping\n{_SEQUENCE}",
    )
    exceptions = "".join(
        f'\nclass {name}({base.__name__}):\n    """{arguments}"""\n'
        for name, (base, arguments) in EXCEPTIONS.items()
    )
    functions = {stub.name: stub for stub in stubs}
    return Surface(name or naming.package(server_name(contract)), text + exceptions, functions)


def told_apart(surfaces: Iterable[Surface]) -> dict[str, Surface]:
    """Map module names to servers. Names must be unique, and no module of Python may have them."""
    by_module: dict[str, Surface] = {}
    for item in surfaces:
        if item.name in by_module:
            raise UsageError("two servers have the same name", item.name, "name one: other=SERVER")
        if not item.name.isidentifier() or naming.is_taken(item.name):
            raise UsageError("a script's module can't have this name", item.name)
        by_module[item.name] = item
    return _with_unique_types(by_module)


def _with_unique_types(surfaces: Mapping[str, Surface]) -> dict[str, Surface]:
    """Rename types that several servers have, so that messages are unambiguous."""
    counted = Counter(name for item in surfaces.values() for name in item.types)
    shared = {name for name, count in counted.items() if count > 1}
    return {
        module: replace(item, stub=_rename_types(item.stub, shared, module)) if shared else item
        for module, item in surfaces.items()
    }


def _rename_types(stub: str, names: Collection[str], module: str) -> str:
    """Append the module to the names of types."""
    return rename_types(stub, {name: f"{name}{_OF}{module}" for name in names})


def plain_type(text: str) -> str:
    """Replace renamed types in a message by their own names."""
    return re.sub(rf"{_OF}\w+", "", text)


def _named_definitions(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    for node in tree.body:
        if isinstance(node, ast.AsyncFunctionDef):
            yield node.name, [arg.arg for arg in (*node.args.args, *node.args.kwonlyargs)]
        elif isinstance(node, ast.ClassDef):
            members = [item.target for item in node.body if isinstance(item, ast.AnnAssign)]
            yield node.name, [member.id for member in members if isinstance(member, ast.Name)]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            keys = [arg for arg in node.value.args if isinstance(arg, ast.Dict)]
            texts = [
                item.value for key in keys for item in key.keys if isinstance(item, ast.Constant)
            ]
            yield ast.unparse(node.targets[0]), [str(text) for text in texts]
