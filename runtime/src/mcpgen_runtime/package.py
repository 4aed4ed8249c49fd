"""A generated package as a value, and its tools."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .contract import ToolInfo, ToolInfos, has_task_tools
from .tool import Source

if TYPE_CHECKING:
    import logging

    from pydantic import TypeAdapter

T = TypeVar("T")

_ATTRIBUTE = "__mcpgen__"


class Package:
    """A generated package. Each imported package has exactly one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._loaded: dict[str, Tool[Any]] = {}

    def __repr__(self) -> str:
        return f"<Package: {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return package_of_module, (self.name,)

    @cached_property
    def contract(self) -> dict[str, Any]:
        """The content of ``contract.json``."""
        import json

        document: dict[str, Any] = json.loads(self.read("contract.json") or b"{}")
        return document

    def read(self, file: str) -> bytes | None:
        """Return the content of a file in the package's folder, or None if it is missing."""
        return _read(self.name, file)

    @cached_property
    def tools(self) -> ToolInfos:
        """The recorded tool definitions by tool name."""
        return ToolInfos(self.contract)

    @cached_property
    def has_tasks(self) -> bool:
        """Whether the recorded server runs some tools as tasks."""
        return has_task_tools(self.contract)

    @property
    def modules(self) -> Mapping[str, str]:
        """The model module of each tool, followed by the names it defines, by tool name."""
        modules: Mapping[str, str] = import_module(f"{self.name}.models").TOOLS
        return modules

    def tool(self, name: str) -> Tool[Any]:
        """Return a tool.

        Raises:
            LookupError: The contract has no tool with this name.
        """
        if loaded := self._loaded.get(name):
            return loaded
        if name not in self.modules:
            raise LookupError(f"the contract has no tool {name!r}")
        module, _, _ = self.modules[name].partition(" ")
        tool: Tool[Any] = import_module(f"{self.name}.models.{module}").TOOL
        self._loaded[name] = tool
        return tool

    @cached_property
    def audit(self) -> logging.Logger:
        """The logger that gets a line for each call of a tool."""
        return self.logger("audit")

    def logger(self, suffix: str = "") -> logging.Logger:
        """Return the package's logger, or a child of it."""
        import logging

        return logging.getLogger(f"{self.name}.{suffix}" if suffix else self.name)

    @property
    def client(self) -> Any:
        """The client class."""
        return import_module(f"{self.name}.client").Client

    @property
    def fakes(self) -> Any:
        """The module that defines the fake clients."""
        return import_module(f"{self.name}.fakes")


@dataclass(frozen=True, eq=False)
class Tool(Generic[T]):
    """A generated tool: its name and the types of its arguments and result.

    Attributes:
        name: The name in the contract.
        arguments: Type of the arguments, or None if the input schema is unusable. The
            client then sends plain JSON without validation.
        result: Type of the result, or None if there is no output schema.
        exact_arguments: Whether the type accepts exactly what the schema accepts, so
            that the slower validation by the schema can be skipped.
        exact_result: The same for the result.
        unwrap: Whether the method returns the property ``result`` of the result.
        plain: Whether the method returns plain JSON.
        observed: Where observed results contain their data, or None if the type comes
            from the output schema.
        promises: Whether an output schema exists besides the observed type.
        forbidden: Why clients may not call the tool over HTTP (MCP 2026-07-28,
            server/tools, "x-mcp-header"), or "".
    """

    name: str
    arguments: TypeAdapter[Any] | None = None
    result: TypeAdapter[T] | None = None
    exact_arguments: bool = False
    exact_result: bool = False
    unwrap: bool = False
    plain: bool = False
    observed: Source | None = None
    promises: bool = False
    forbidden: str = ""
    package: InitVar[str] = ""
    """The ``__name__`` of the module that defines the tool."""
    owner: Package = field(init=False, repr=False)
    """The generated package that the tool belongs to."""

    def __post_init__(self, package: str) -> None:
        # Looked up now: the module may be generated and imported again later.
        object.__setattr__(self, "owner", package_of_module(package))

    @property
    def info(self) -> ToolInfo:
        """The recorded definition."""
        return self.owner.tools[self.name]


def package_of_module(module: str) -> Package:
    """Return the generated package that contains a module.

    The value is an attribute of the package's own module object, so a package that was
    generated and imported again has its new contract.

    Args:
        module: The ``__name__`` of the package or of a module in it.

    Raises:
        LookupError: No package around the module has a ``contract.json``.
    """
    name = module
    while name:
        package = sys.modules.get(name)
        if package is not None:
            attached: Package | None = vars(package).get(_ATTRIBUTE)
            if attached is not None:
                return attached
            if _has_contract(name):
                package_value: Package = vars(package).setdefault(_ATTRIBUTE, Package(name))
                return package_value
        name = name.rpartition(".")[0]
    if module not in sys.modules and module:
        import_module(module)
        return package_of_module(module)
    raise LookupError(f"{module!r} is not in a package that mcpgen generated")


def _has_contract(name: str) -> bool:
    paths = getattr(sys.modules[name], "__path__", None)
    if not paths:
        return False
    if os.path.isfile(f"{next(iter(paths))}{os.sep}contract.json"):  # noqa: PTH113 - cheap
        return True
    return _read(name, "contract.json") is not None


def _read(name: str, file: str) -> bytes | None:
    # Does what ``pkgutil.get_data`` does, also for zipped packages. Importing pkgutil is slower.
    module = sys.modules[name]
    loader: Any = module.__spec__.loader if module.__spec__ else None
    try:
        data: bytes = loader.get_data(f"{next(iter(module.__path__))}{os.sep}{file}")
    except (OSError, AttributeError):  # a namespace package's loader has no get_data
        return None
    return data
