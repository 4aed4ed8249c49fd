"""Decides which tools may be called, and with which arguments: no writes, no guessed secrets."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.redaction import Secrets
from mcpgen.servers.endpoint.sensitivity import is_sensitive, words_of
from mcpgen.testing.arguments.value_paths import alternatives
from mcpgen.testing.arguments.values import Schema

# The name of an account or a key of a map isn't a secret; only credentials are.
_SECRET = re.compile(
    r"token|secret|passw|passphrase|passcode|pwd|credential|auth(?!or)|bearer|cookie|private"
    r"|jwt|license"
)
_SECRET_WORDS = frozenset("pass pw pin otp pat sig cred creds".split())
_KEYS = frozenset("api access secret private encryption ssh license subscription".split())
_PAGE = frozenset("page next cursor continuation previous start sync max min".split())
_PATHS = frozenset(
    "path paths file files filename filenames filepath dir directory directories folder"
    " root cwd workspace".split()
)
_PATH_TEXT = re.compile(r"\b(?:file|directory|folder)(?:'s)? path|path (?:of|to) (?:the|a) ", re.I)
_CODE = frozenset(
    "command cmd shell script code sql cypher sparql eval javascript js python expression".split()
)
_QUERY_LANGUAGE = re.compile(r"\b(?:SQL|Cypher|GraphQL|SPARQL|AQL|KQL|PromQL)\b", re.IGNORECASE)
_OUTSIDE = frozenset(
    "launch browse browser navigate send mail email sms notify deploy pay charge call dial tweet"
    " invite".split()
)
_OUTSIDE_OR_STORED = frozenset("open post publish order message share print".split())
"""Words for actions that may only add an entry, such as an order, if the tool's hints say so."""
_PROCESSES = frozenset("pid pids ppid".split())
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Permission:
    """The permission to call a tool, or the reason against it."""

    reason: str = ""

    @property
    def is_given(self) -> bool:
        """Return True if the call is permitted."""
        return not self.reason


def hint(definition: Mapping[str, Json], name: str) -> bool | None:
    """Return an annotation of a tool, or None if it is missing."""
    hints = definition.get("annotations")
    value = hints.get(name) if is_object(hints) else None
    return value if isinstance(value, bool) else None


def acts_outside(definition: Mapping[str, Json]) -> bool:
    """Return True for a tool that affects external systems, by its hints or its name."""
    if claims_read_only(definition) or hint(definition, "openWorldHint") is False:
        return False
    words = words_of(str(definition.get("name", "")))
    stored = {"charge"} if words[:1] == ["add"] else set[str]()  # another item on a bill
    if is_open(definition) or (_OUTSIDE - stored) & {*words}:
        return True
    is_kept = hint(definition, "destructiveHint") is False
    return bool((_OUTSIDE_OR_STORED | stored) & {*words}) and not is_kept


def is_open(definition: Mapping[str, Json]) -> bool:
    """Return True if a tool claims to interact with an open world, such as the web."""
    return hint(definition, "openWorldHint") is True


def claims_read_only(definition: Mapping[str, Json]) -> bool:
    """Return True if a tool claims to be read-only."""
    return hint(definition, "readOnlyHint") is True


def permission(
    definition: Mapping[str, Json],
    schema: Schema,
    *,
    named: Collection[str],
    allows_writes: bool,
    is_given: bool,
) -> Permission:
    """Decide whether a tool may be called. ``is_given`` means that the user gave arguments."""
    writes = not claims_read_only(definition) or hint(definition, "destructiveHint") is True
    if writes and not allows_writes and definition.get("name") not in named:
        return Permission("not annotated as read-only: --allow-writes, or --tool")
    if is_task(definition):
        return Permission("callable only as a task")
    return Permission() if is_given else _permission_to_guess(schema, writes=writes)


def _permission_to_guess(schema: Schema, *, writes: bool) -> Permission:
    required = schema.required_names()
    for name in schema.members():
        if name not in required:
            continue
        if is_secret(name):
            return Permission(f"{name} may be a secret, so it needs a value: --arguments")
        if writes and is_path(name, schema):
            return Permission(f"{name} is a path, so a write needs a value: --arguments")
        if writes and is_acting(name, schema):
            return Permission(f"{name} is code or a process, so it needs a value: --arguments")
    return Permission()


def is_task(definition: Mapping[str, Json]) -> bool:
    """Return True if a tool can only be called as a task."""
    value = definition.get("execution")
    return is_object(value) and value.get("taskSupport") == "required"


def is_secret(name: str) -> bool:
    """Return True if an argument's name suggests a secret."""
    tokens = words_of(name)
    if not is_sensitive(name) or _PAGE & {*tokens}:
        return False
    if "key" in tokens or "keys" in tokens:
        return bool(_KEYS & {*tokens}) or "".join(tokens) == "apikey"
    return bool(_SECRET.search("".join(tokens))) or not _SECRET_WORDS.isdisjoint(tokens)


def redact(data: dict[str, Json]) -> dict[str, Json]:
    """Replace possible secrets in the data of a case by variables."""
    written: dict[str, Json] = _map_arguments(data, lambda name, value: value and _variable(name))
    return written


def shown_again(data: dict[str, Json], variables: Mapping[str, str]) -> dict[str, Json]:
    """Replace variables in the data of a case by their values, if known."""

    def restore(name: str, value: Json) -> Json:
        variable = _variable(name)
        return variables.get(variable[2:-1], value) if value == variable else value

    again: dict[str, Json] = _map_arguments(data, restore)
    return again


def secrets_of(data: dict[str, Json]) -> Secrets:
    """Return possible secrets in the data of a case, which reports must not repeat."""
    values: dict[str, str] = {}

    def register(name: str, value: Json) -> Json:
        for text in _texts(value):
            # A server may respond with JSON, which escapes some characters.
            values.update(dict.fromkeys((text, json.dumps(text)[1:-1]), _variable(name)))
        return value

    _map_arguments(data, register)
    return Secrets(values)


def _texts(value: Json) -> list[str]:
    if is_object(value) or is_array(value):
        inner = value.values() if is_object(value) else value
        return [text for item in inner for text in _texts(item)]
    return [str(value)] if isinstance(value, str | int | float) else []


def _map_arguments(value: Json, change: Callable[[str, Json], Json]) -> Json:
    """Apply a function to the arguments of all calls in the data of a case."""
    if is_array(value):
        return [_map_arguments(value_, change) for value_ in value]
    if not is_object(value):
        return value
    result: dict[str, Json] = {}
    for name, item in value.items():
        if name == "arguments":
            result[name] = _changed_in_arguments(item, change)
        elif name == "calls" and is_object(item):  # by the names of their tools
            result[name] = {key: _changed_in_arguments(of, change) for key, of in item.items()}
        else:
            result[name] = _map_arguments(item, change)
    return result


def _changed_in_arguments(value: Json, change: Callable[[str, Json], Json]) -> Json:
    if is_array(value):
        return [_changed_in_arguments(item, change) for item in value]
    if not is_object(value):
        return value
    return {
        name: change(name, item) if is_secret(name) else _changed_in_arguments(item, change)
        for name, item in value.items()
    }


def _variable(name: str) -> str:
    return f"${{{'_'.join(words_of(name)).upper()}}}"


def is_acting(name: str, schema: Schema) -> bool:
    """Return True if an argument is a process or code to run, or contains one."""
    part = schema.members().get(name)
    texts = [node.get("description") for node in alternatives(schema.schema, part)]
    tokens = {*words_of(name)}
    if tokens & {"query", "statement"} and any(
        isinstance(text, str) and _QUERY_LANGUAGE.search(text) for text in texts
    ):
        return True
    return any(map(_acts, (name, *_names_within(schema.schema, part, _DEEPEST))))


def _acts(name: str) -> bool:
    tokens = {*words_of(name)}
    return bool((_CODE | _PROCESSES) & tokens) or {"process", "id"} <= tokens


def _names_within(root: Json, part: Json, depth: int) -> Iterator[str]:
    """Yield the property names of a value, according to its schema."""
    for node in alternatives(root, part) if depth else ():
        properties = node.get("properties")
        for name, inner in properties.items() if is_object(properties) else ():
            yield name
            yield from _names_within(root, inner, depth - 1)
        yield from _names_within(root, node.get("items"), depth - 1)


def is_guessable(name: str, schema: Schema, *, writes: bool) -> bool:
    """Return True if values of an argument may be made up."""
    if is_secret(name) or is_path(name, schema):
        return False
    return not (writes and is_acting(name, schema))


def is_path(name: str, schema: Schema) -> bool:
    """Return True if an argument is a path, according to its name and description."""
    nodes = alternatives(schema.schema, schema.members().get(name))
    if nodes and not any(_may_be_text(node) for node in nodes):
        return False
    texts = [node["description"] for node in nodes if isinstance(node.get("description"), str)]
    if any("json path" in text.lower() or "jsonpath" in text.lower() for text in texts):
        return False
    tokens = {*words_of(name)}
    return bool(_PATHS & tokens) or any(_PATH_TEXT.search(text) for text in texts)


def _may_be_text(node: Mapping[str, Json]) -> bool:
    if "enum" in node or "const" in node:
        return False
    value = node.get("type")
    kinds = value if is_array(value) else [value]
    return value is None or bool({"string", "array"} & {*map(str, kinds)})


class Scratch:
    """A folder with two small files, the only target of made-up paths."""

    def __init__(self) -> None:
        """Set the path. It is always the same for a user, so that made-up arguments are, too."""
        self.folder = _own_folder()

    def __enter__(self) -> Scratch:
        """Create the folder and its two sample files."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        for name, text in _SAMPLES.items():
            _remove(self.folder / name)
            (self.folder / name).write_text(text, encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the sample files. Files of the server stay."""
        for name in _SAMPLES:
            _remove(self.folder / name)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def path_for(self, value: Json, name: str) -> Json:
        """Return a path inside of the folder, in place of a made-up one."""
        is_folder = {"dir", "directory", "directories", "folder", "root", "cwd"} & {*words_of(name)}
        path = str(self.folder if is_folder else self.folder / "notes.txt")
        if isinstance(value, str):
            return path
        return [path] if is_array(value) else value


_SAMPLES = {"notes.txt": "one\ntwo\n", "data.json": '{"one": 1}\n'}


def _remove(path: Path) -> None:
    """Remove a sample file. A server may have put a folder or a link in its place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _own_folder() -> Path:
    """Return a folder that belongs to this user. Others may have created one in its place."""
    usual = Path(tempfile.gettempdir()) / "mcpgen-test-scratch"
    if sys.platform == "win32":  # on systems with separate temporary folders per user
        return usual
    for folder in (usual, usual.with_name(f"{usual.name}-{os.getuid()}")):
        try:
            status = folder.lstat()
        except FileNotFoundError:
            return folder
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
            return folder
    raise UsageError("the scratch folder for made-up paths belongs to another user", str(folder))
