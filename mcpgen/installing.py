"""Installation instructions for mcpgen, its extras and its runtime, for messages."""

from __future__ import annotations

from mcpgen_runtime._version import IS_PUBLISHED, __version__

RUNTIME = "mcpgen-runtime"


def extra_hint(name: str) -> str:
    """Return how to install mcpgen with an extra."""
    if IS_PUBLISHED:
        return f"install it with: pip install 'mcpgen[{name}]'"
    return f"install it from the checkout of mcpgen, with: pip install ./runtime '.[{name}]'"


def requirement(extra: str = "") -> str:
    """Return the requirement of a project whose generated code imports the runtime."""
    major, minor = (int(part) for part in __version__.split(".")[:2])
    limit = f"{major + 1}" if major else f"0.{minor + 1}"
    name = f"{RUNTIME}[{extra}]" if extra else RUNTIME
    return f"{name}>={major}.{minor},<{limit}"


def runtime_hint() -> str:
    """Return how a project gets the runtime."""
    declared = f'add "{requirement()}" to its dependencies'
    if IS_PUBLISHED:
        return declared
    return f"{declared} and install it from the checkout of mcpgen, or set standalone = true"
