"""Parses configuration files of hosts: JSON with comments, TOML, YAML, `.env`."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

from mcpgen_runtime.display import brief

from mcpgen import jsontext
from mcpgen.contract.yaml_reader import SUFFIXES as YAML
from mcpgen.contract.yaml_reader import json_loader
from mcpgen.errors import UsageError
from mcpgen.files.toml import parse
from mcpgen.jsontext import Json, is_object


def parse_file(path: Path) -> Json:
    """Parse a file according to its name. JSON may have comments and trailing commas."""
    return parse_strictly(path)[0]


def parse_strictly(path: Path) -> tuple[Json, bool]:
    """Parse a file like :func:`parse_file`, and return whether it is strict JSON."""
    content = _text(path)
    if path.suffix == ".toml":
        return parse(content.encode(), str(path)), False
    if path.suffix in YAML:
        return _yaml(content, path), False
    try:
        return jsontext.parse(content), True
    except ValueError as strict:
        try:
            return json.loads(_without_comments(content)), False
        except (ValueError, RecursionError):
            raise UsageError(f"not JSON: {strict}", str(path)) from None


def lists_tools(document: Json) -> bool:
    """Return True for a contract or a response, which lists tools and therefore no servers."""
    return is_object(document) and "tools" in document


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise UsageError(f"the file cannot be read: {reason}", str(path)) from None


def _yaml(content: str, path: Path) -> Json:
    yaml: Any = importlib.import_module("yaml")
    try:
        return yaml.load(content, json_loader(yaml))  # YAML 1.2, which all hosts use
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        reason = brief(error.problem or error.context or "it cannot be read")
        raise UsageError(f"not YAML: {reason}", where) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"not YAML: {reason}", str(path)) from None


_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


def _without_comments(content: str) -> str:
    # Run twice, because a trailing comma is only recognized after a following comment was removed.
    once = _COMMENT.sub(lambda match: match[1] or "", content)
    return _COMMENT.sub(lambda match: match[1] or "", once)


_LINE = re.compile(r"\s*(?:export\s+)?(?P<name>[A-Za-z_][\w.]*)\s*=\s*(?P<value>.*?)\s*")
_QUOTED = re.compile(r"""(?P<quote>["'])(?P<text>(?:\\.|(?!(?P=quote)).)*)(?P=quote)\s*(?:#.*)?""")


def parse_env_file(path: Path) -> dict[str, str]:
    """Read a file of variables, `NAME=value` a line, as `.env` files are written."""
    variables: dict[str, str] = {}
    for number, line in enumerate(_text(path).splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            # The line may be a secret, so it is not repeated.
            raise UsageError("not in the form NAME=value", f"{path}, line {number}")
        variables[match["name"]] = _unquote(match["value"])
    return variables


def _unquote(value: str) -> str:
    quoted = _QUOTED.fullmatch(value)
    if quoted is None:
        return re.sub(r"\s+#.*", "", value)
    if quoted["quote"] == "'":
        return quoted["text"]
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), quoted["text"])
