"""Launchers with known syntax, so that the program they start can be recognized."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mcpgen.servers.endpoint import python

DEMO = "demo"
"""The name of the server that ships with mcpgen."""
DEMO_MODULE = "mcpgen.demo"

_Pattern: TypeAlias = "re.Pattern[str]"

_NPM = re.compile(r"(?:@[a-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*(?:@[\w.^~-]+)?")
_PYPI = re.compile(r"[A-Za-z0-9][\w.-]*(?:\[[\w,-]+\])?(?:(?:,?(?:[=~!<>]=|<|>)|@)[\w.*]+){0,4}")
_SCRIPT = re.compile(r"(?:\./)?(?:[\w-][\w.-]*/)*[\w-][\w.-]*\.(?:py|js|mjs|cjs|ts|mts)")
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_PYTHON_VERSION = re.compile(r"3(?:\.\d{1,2}){0,2}")

_SWITCHES = frozenset(
    """
    -- -y --yes -q --quiet -s --silent -v --verbose --no --no-install --offline --prefer-offline
    --prefer-online --ignore-existing --bun --no-cache --isolated --frozen --locked --no-sync
    --no-project --no-dev --no-config --no-env-file --no-progress --refresh --reinstall --exact
    --active --all-extras --native-tls --managed-python -u -I -S -E -B -O -P -A --allow-all
    --allow-net --allow-env --allow-read --no-warnings --enable-source-maps
    --experimental-strip-types
    """.split()
)


@dataclass(frozen=True, slots=True)
class _Launcher:
    """The form of the program that a launcher starts, and flags with known values."""

    program: _Pattern
    values: Mapping[str, _Pattern] = field(default_factory=dict[str, "_Pattern"])
    final: frozenset[str] = frozenset()


_NODE_PACKAGE = _Launcher(_NPM, {"-p": _NPM, "--package": _NPM})
_PYTHON_PACKAGE = _Launcher(
    re.compile(f"{_PYPI.pattern}|{_SCRIPT.pattern}"),
    {"--from": _PYPI, "--with": _PYPI, "-p": _PYTHON_VERSION, "--python": _PYTHON_VERSION},
)
_LAUNCHERS: dict[tuple[str, ...], _Launcher] = {
    ("npx",): _NODE_PACKAGE,
    ("pnpx",): _NODE_PACKAGE,
    ("bunx",): _NODE_PACKAGE,
    ("npm", "exec"): _NODE_PACKAGE,
    ("pnpm", "dlx"): _NODE_PACKAGE,
    ("yarn", "dlx"): _NODE_PACKAGE,
    ("bun", "x"): _NODE_PACKAGE,
    ("uvx",): _PYTHON_PACKAGE,
    ("uv", "run"): _PYTHON_PACKAGE,
    ("uv", "tool", "run"): _PYTHON_PACKAGE,
    ("pipx", "run"): _PYTHON_PACKAGE,
    ("python",): _Launcher(_SCRIPT, {"-m": _MODULE}, frozenset({"-m", "-c"})),
    ("node",): _Launcher(_SCRIPT),
    ("bun",): _Launcher(_SCRIPT),
    ("bun", "run"): _Launcher(_SCRIPT),
    ("deno", "run"): _Launcher(_SCRIPT),
    ("tsx",): _Launcher(_SCRIPT),
}


def program(command: str) -> str:
    """Return the name of a command. The path of a Python interpreter becomes ``python``."""
    name = re.split(r"[/\\]", command)[-1] or command
    name = re.sub(r"\.(?:exe|cmd|bat)$", "", name, flags=re.IGNORECASE)
    is_path = name != command
    return "python" if is_path and re.fullmatch(r"python\d*(?:\.\d+)?", name) else name


def known_words(args: Sequence[str]) -> set[int]:
    """Return the indexes of words that a known launcher interprets."""
    if args[1:3] == ["-c", python.code(DEMO_MODULE)]:
        return {1, 2}
    launcher, at = _launcher(args)
    if launcher is None:
        return set()
    positions = set(range(1, at))
    while at < len(args) and args[at].startswith("-"):
        flag = args[at]
        value = args[at + 1] if at + 1 < len(args) else ""
        if pattern := launcher.values.get(flag):
            positions |= {at + 1} if pattern.fullmatch(value) else set()
            at += 1
        elif flag not in _SWITCHES and "=" not in flag:
            return positions  # the next argument may be the option's value, not the program
        if flag in launcher.final:
            return positions
        at += 1
    if at < len(args) and launcher.program.fullmatch(args[at]):
        positions |= {at} | {at + inner for inner in known_words(args[at:])}
    return positions


def _launcher(args: Sequence[str]) -> tuple[_Launcher | None, int]:
    name = re.sub(r"^python[\d.]*$", "python", args[0])
    for length in (3, 2, 1):
        launcher = _LAUNCHERS.get((name, *args[1:length]))
        if launcher and len(args) >= length:
            return launcher, length
    return None, 0
