"""Reads handwritten contracts, in YAML or JSON. Errors have a line and a JSON pointer."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePath

from mcpgen import jsontext
from mcpgen.contract import definitions, yaml_reader
from mcpgen.contract.lists import LISTINGS
from mcpgen.errors import ContractError, Problem
from mcpgen.isolation import surviving
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import messages, schemas

_LISTS = tuple(listing.member for listing in LISTINGS)
_PARTS = (
    *("format", "revision", "server", "capabilities", "clientCapabilities", "instructions"),
    "toolCapabilities",
    *("origin", "names", "order", *_LISTS),
)
_SCHEMAS = ("inputSchema", "outputSchema")


def parse(text: bytes, path: str) -> Json:
    """Parse a file that may be a contract. A handwritten contract is completed."""
    is_yaml = PurePath(path).suffix in yaml_reader.SUFFIXES
    if not (is_yaml or (path == "stdin" and text.lstrip()[:1] not in b"{[")):
        return complete(jsontext.loads(text.removeprefix(b"\xef\xbb\xbf"), path), path)
    document = yaml_reader.loads(text, path)
    if not _is_handwritten(document):
        return document
    return _complete(document, path, lambda pointer: yaml_reader.position(text, pointer))


def complete(document: Json, path: str) -> Json:
    """Complete a parsed JSON document if it is a handwritten contract."""
    return _complete(document, path, lambda _: "") if _is_handwritten(document) else document


def _is_handwritten(document: Json) -> bool:
    """Return True for a handwritten contract. Recorded tools have hashes, dumps have arrays."""
    tools = document.get("tools") if is_object(document) else None
    entries = list(tools.values()) if is_object(tools) else []
    return is_object(tools) and not any(is_object(e) and "sha256" in e for e in entries)


def _complete(document: Json, path: str, position: Callable[[str], str]) -> Json:
    """Return the contract with names taken from its keys, or raise an error with all problems.

    ``position`` returns the line and column of a JSON pointer in the file.
    """
    problems = [*_parts(document)]
    completed: dict[str, Json] = dict(document)
    revision = document.get("revision", messages.REVISIONS[-1])
    if not isinstance(revision, str) or revision not in messages.REVISIONS:
        revisions = ", ".join(messages.REVISIONS)
        problems.append(Problem("/revision", f"unknown protocol revision; known are {revisions}"))
        revision = messages.REVISIONS[-1]
    problems += _about_the_server(document, revision)
    for listing in LISTINGS:
        part, key = listing.member, listing.key
        entries = document.get(part, {})
        if not is_object(entries):
            continue
        completed[part] = {name: _with_name(name, raw, key) for name, raw in entries.items()}
        for name, raw in completed[part].items():
            at = f"/{part}/{escape(name)}"
            own, _ = surviving(
                [raw], partial(_all_problems, kind=listing.definition, revision=revision)
            )
            problems += [Problem(at + problem.pointer, problem.reason) for problem in own]
            if is_object(raw) and raw.get(key) != name:
                problems.append(Problem(f"{at}/{key}", f"it differs from the key: {name!r}"))
    if problems:
        raise _contract_error(problems, path, position)
    return completed


def _all_problems(definitions: Sequence[Json], kind: str, revision: str) -> list[Problem]:
    return [problem for raw in definitions for problem in _definition(raw, kind, revision)]


def _contract_error(
    problems: list[Problem], path: str, position: Callable[[str], str]
) -> ContractError:
    first, *following = problems
    lines = [f"{other.pointer}{_line(other, position)}: {other.reason}" for other in following[:5]]
    more = f"{len(following)} more: {'; '.join(lines)}" if following else ""
    return ContractError(first.reason, f"{path}{position(first.pointer)}#{first.pointer}", more)


def _line(problem: Problem, position: Callable[[str], str]) -> str:
    line = position(problem.pointer).partition(":")[2].partition(":")[0]
    return f" (line {line})" if line else ""


def _parts(document: Mapping[str, Json]) -> Iterator[Problem]:
    for name in document:
        if name not in _PARTS:
            yield Problem(f"/{escape(name)}", _unknown(name, _PARTS))
    for name in ("server", "capabilities", *_LISTS):
        if not is_object(document.get(name, {})):
            yield Problem(f"/{name}", "expected an object")
    if not isinstance(document.get("instructions", ""), str):
        yield Problem("/instructions", "expected a string")
    yield from _order(document)


def _order(document: Mapping[str, Json]) -> Iterator[Problem]:
    """Yield problems of the published order of lists."""
    order = document.get("order", {})
    if not is_object(order):
        yield Problem("/order", "expected an object")
        return
    for member, keys in order.items():
        if member not in _LISTS:
            yield Problem(f"/order/{escape(member)}", _unknown(member, _LISTS))
        elif not is_array(keys):
            yield Problem(f"/order/{member}", "expected an array of keys")
        else:
            entries = document.get(member)
            allowed = tuple(entries) if is_object(entries) else ()
            for at, key in enumerate(keys):
                if key not in allowed:
                    yield Problem(f"/order/{member}/{at}", f"there is no {key!r} in {member}")


def _about_the_server(document: Mapping[str, Json], revision: str) -> Iterator[Problem]:
    """Yield problems of the properties about the server itself."""
    needed = {"name": "", "version": ""}
    for name, kind in (("server", "Implementation"), ("capabilities", "ServerCapabilities")):
        value = document.get(name, {})
        if is_object(value):
            completed = {**needed, **value} if name == "server" else value
            for problem in messages.problems(revision, kind, completed):
                yield Problem(f"/{name}{problem.pointer}", problem.reason)


def _unknown(name: str, allowed: tuple[str, ...]) -> str:
    folded = {text.lower(): text for text in allowed}
    close = difflib.get_close_matches(name.lower(), folded, 1)
    return f"unknown member{f'; did you mean {folded[close[0]]!r}?' if close else ''}"


def _with_name(name: str, raw: Json, key: str) -> Json:
    inner = raw.get("definition", raw) if is_object(raw) else raw
    return {key: name, **_display_name(name, key), **inner} if is_object(inner) else inner


def _display_name(name: str, key: str) -> dict[str, str]:
    """Return the name that a resource requires. Its key is the URI."""
    return {} if key == "name" else {"name": name}


def _definition(raw: Json, kind: str, revision: str) -> Iterator[Problem]:
    """Yield problems of a definition, by the protocol and by JSON Schema."""
    official = tuple(messages.definitions(revision)[kind]["properties"])
    existing = (*official, "execution") if kind == "Tool" else official
    for name in raw if is_object(raw) else ():
        if name not in existing and not name.startswith("x-"):
            yield Problem(f"/{escape(name)}", _unknown(name, existing))
    checked = {k: v for k, v in raw.items() if k not in _SCHEMAS} if is_object(raw) else raw
    if kind == "Tool" and is_object(raw):
        checked["inputSchema"] = {"type": "object"}
        yield from _schemas(raw)
        if "execution" in raw and "execution" not in official:
            yield from _execution(raw["execution"])
    uri = raw.get("uriTemplate") if is_object(raw) else None
    if isinstance(uri, str) and definitions.variables(uri) is None:
        yield Problem("", "the key isn't a URI template (RFC 6570)")
    yield from messages.problems(revision, kind, checked)


def _execution(execution: Json) -> Iterator[Problem]:
    """Yield problems of the execution settings, which clients never see."""
    for problem in messages.problems("2025-11-25", "ToolExecution", execution):
        yield Problem(f"/execution{problem.pointer}", problem.reason)


def _schemas(tool: Mapping[str, Json]) -> Iterator[Problem]:
    arguments = tool.get("inputSchema")
    if not is_object(arguments):
        yield Problem("/inputSchema", 'expected an object, at least {"type": "object"}')
    elif arguments.get("type") != "object":
        yield Problem("/inputSchema/type", 'expected "object", because arguments have names')
    for key in _SCHEMAS:
        schema = tool.get(key)
        problem = schemas.problem(schema) if is_object(schema) else None
        if problem is not None:
            yield Problem(f"/{key}{problem.pointer}", problem.reason)
    if "outputSchema" in tool and not is_object(tool["outputSchema"]):
        yield Problem("/outputSchema", "expected an object")
