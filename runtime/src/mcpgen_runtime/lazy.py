"""Lazy attributes of packages, and the version check of generated ones.

Every generated package imports this module first, so it imports only the smallest modules
of the standard library.
"""

from __future__ import annotations

import sys
from importlib import import_module

from ._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    Names: TypeAlias = Mapping[str, str | Sequence[str]]
    """Names by the module that defines them, as a list or separated by spaces."""
    Attached: TypeAlias = tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]
    """The ``__getattr__``, ``__dir__`` and ``__all__`` of a package."""

_RUNTIME = __name__.rpartition(".")[0]


def attach(package: str, names: Names) -> Attached:
    """Return functions that import the names of a package on first use.

    Args:
        package: The ``__name__`` of the package.
        names: Its names. If two modules define a name, the later one wins.
    """
    modules = {
        name: module
        for module, listed in names.items()
        for name in (listed.split() if isinstance(listed, str) else listed)
    }
    public = sorted(modules)
    own = vars(sys.modules[package])

    def look_up(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            module = import_module(modules[name], package)
        except ImportError as error:
            raise explain_import_error(error) from error
        value = own[name] = getattr(module, name)
        return value

    def listed_names() -> list[str]:
        return list(public)

    return look_up, listed_names, public


def attach_package(
    package: str, *, requires: str, names: Names, shared: str, room: str = ""
) -> Attached:
    """Return functions that import the names of a generated package on first use.

    Args:
        package: The ``__name__`` of the package.
        requires: The runtime version that it was generated for, such as ``0.1``.
        names: Names that it defines. They take precedence over shared ones.
        shared: Names of the runtime that it re-exports, separated by spaces.
        room: The subpackage that defines the shared names, such as ``.server``.

    Raises:
        ImportError: The runtime is too old or too new for the package.
    """
    check_version(requires, package)
    return attach(package, {f"{_RUNTIME}{room}": shared, **names})


def check_version(requires: str, package: str) -> None:
    """Check that this runtime supports the version of a generated package.

    A newer minor version runs older packages, from 1.0 on. Before that, minor versions
    may break them.

    Raises:
        ImportError: The runtime is too old or too new for the package.
    """
    needed, installed = _numbers(requires), _numbers(__version__)
    stable = 1 if needed[0] else 2
    if needed[:stable] == installed[:stable] and needed <= installed:
        return
    if needed > installed:
        hint = update_hint(requires)
    else:
        hint = f"generate it again with mcpgen {__version__}"
    raise ImportError(
        f"{package} needs mcpgen-runtime {requires}, but {__version__} is installed: {hint}",
        name=package,
    )


def update_hint(requires: str) -> str:
    """Return how to install a newer runtime."""
    from ._version import IS_PUBLISHED

    if not IS_PUBLISHED:
        return "install it from the checkout of mcpgen, with pip install ./runtime"
    major, minor = _numbers(requires)
    limit = f"{major + 1}" if major else f"0.{minor + 1}"
    return f"pip install -U 'mcpgen-runtime>={requires},<{limit}'"


def names_of(tools: Mapping[str, str]) -> dict[str, str]:
    """Return the names in each tool's module. A value of ``tools`` is a module and its names."""
    split = (text.partition(" ") for text in tools.values())
    return {f".{module}": names for module, _, names in split}


REQUIRED = {"pydantic": (2, 14), "mcp": (2, 3)}
"""The oldest versions that a package runs with."""


def explain_import_error(error: ImportError) -> ImportError:
    """Return an error that names the versions needed, if one is older or missing."""
    installed = {name: _installed_version(name) for name in REQUIRED}
    if all(_numbers(installed[name]) >= least for name, least in REQUIRED.items()):
        return error
    needed = " and ".join(f"{name} {a}.{b}" for name, (a, b) in REQUIRED.items())
    versions = ", ".join(f"{name} {text or 'none'}" for name, text in installed.items())
    options = " ".join(f"'{name}>={a}.{b}'" for name, (a, b) in REQUIRED.items())
    problem = f"this package needs {needed} or later (installed: {versions})"
    return ImportError(f"{problem}: pip install {options}")


def _installed_version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".")[:2]
    return tuple(int(part) for part in parts if part.isdigit())
