"""Every identifier in the output is chosen here, once, and never depends on the order of tools.

A name is its ideal spelling where that is free. Of several wire names with one ideal spelling,
the one that already is spelled so keeps it, and the others carry a short hash of themselves.
"""

from __future__ import annotations

import hashlib
import keyword
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from mcpgen import jsonpointer
from mcpgen.contract.document import Contract
from mcpgen.isolation import isolated

# Abbreviations first: several of a kind ("URLs"), and one of a version ("IPv6").
_WORDS = re.compile(
    r"[A-Z]{2,}s(?![a-z])|[A-Z]{2,}v[0-9]+(?![a-z])"
    r"|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*|[0-9]+|[^\W\dA-Za-z_][^\W_]*|[^\W_]+"
)
_BLANK = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters that Python takes in a name and no reader sees."""

LONGEST = 80
"""How many characters a name may have: as a file, in any script, it must fit in 255 bytes."""

_LONGEST_CLASS = 200
_READ = 2_000
"""How many characters of a wire name its spelling is made from; its hash is made from all."""

_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")

_ROLE = re.compile(r"(?:Input|Output)(?![a-z])")

# Names that annotations in the same class body need.
TYPES = frozenset({"str", "int", "float", "bool", "list", "dict", "tuple"})
MEMBERS = TYPES | {"self"}
"""What no field is called, nor a parameter of a method."""

MODEL = MEMBERS | {
    "construct",
    "copy",
    "from_orm",
    "json",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "schema",
    "schema_json",
    "update_forward_refs",
    "validate",
}
"""What no field of a Pydantic model is called besides: what ``BaseModel`` has itself."""

METHODS = TYPES | {
    "type",
    "call",
    "connect",
    "sync",
    "with_options",
    "response",
    "models",
    "prompts",
    "resources",
    "tools",
    "session",
    "abstractmethod",
    "blocking",
    "read",
    "contract",
    "close",
    "mro",
    "property",
    "classmethod",
    "staticmethod",
}
SHARED = "shared"
"""The module of the classes that are no tool's own."""

PARTS = "_parts"
"""The folder of what is cut off models that are too long for one module."""

MODULES = frozenset({"con", "prn", "aux", "nul", SHARED, PARTS})

CLASSES = frozenset(
    "Annotated Any InstanceOf Literal Mapping NotRequired Sequence TypeAlias TypeAliasType"
    " TypedDict TYPE_CHECKING Field MISSING TypeAdapter True False None"
    " Boolean Closed ClosedModel ClosedSparse ClosedSparseModel Date DateTime Exactly Integer"
    " Maybe Nothing Number Numeric Open OpenModel OpenSparseModel Uri Uuid Whole CLOSED OPEN"
    " TOOL TOOLS CallOptions CallToolResult Client GetPromptResult ResourceResult Response Tool"
    " ToolInfo ToolResult AuthorizationRequired CallTimeout ClientError ConnectionFailed"
    " ConnectionLost ContractDrift HttpError InvalidArguments InvalidResult NotConfirmed"
    " ProtocolError ToolError UnknownTool Answer Authorize Complete Context Limits NotFound"
    " Policy PromptAnswer Rate ResourceAnswer Sanitize Subscriptions Binary Change Confirm"
    " ConfirmWhen Elicit Meta OnProgress Problem Target Verify".split()
)
"""What no shared class is called: what a package exports, or needs beside its classes."""

# A package with such a name would hide what it, or Python, imports.
_TAKEN_PACKAGES = frozenset(
    "abc anyio array ast asyncio base64 bisect builtins bz2 calendar click cmath cmd code codecs"
    " collections concurrent contextlib copy csv ctypes dataclasses datetime decimal difflib dis"
    " doctest email encodings enum errno exceptiongroup fastmcp fileinput fnmatch fractions"
    " ftplib functools gc getpass glob graphlib gzip hashlib heapq hmac html http httpx2 imaplib"
    " inspect io json jsonschema keyword linecache locale logging lzma mailbox marshal math mcp"
    " mcp_types mimetypes mmap numbers operator os pathlib pdb pickle pkgutil platform plistlib"
    " poplib posix pprint profile pydantic pydantic_core queue random re readline referencing"
    " resource runpy sched secrets select selectors shelve shlex shutil signal site smtplib"
    " socket socketserver sqlite3 ssl stat statistics string struct subprocess symtable sys"
    " sysconfig syslog tarfile tempfile test textwrap threading time timeit token tokenize trace"
    " traceback types typing unicodedata unittest urllib uuid venv warnings wave weakref"
    " webbrowser xml zipfile zipimport zlib zoneinfo".split()
)


def words(text: str) -> list[str]:
    """Split a wire name into words at case changes and at everything that is no letter or digit."""
    folded = text[:_READ]
    if not folded.isascii():
        folded = "".join(_folded(char) for char in unicodedata.normalize("NFKC", folded))
    return [word for word in _WORDS.findall(folded) if word.isidentifier() or word.isalnum()]


def _folded(char: str) -> str:
    if char in _BLANK:
        return " "
    base = unicodedata.normalize("NFKD", char)[:1]
    return base if base.isascii() and base.isalnum() else char


def snake(text: str, fallback: str) -> str:
    """Return the ideal spelling of a method, argument, field or module."""
    is_ideal = len(text) <= _READ and _SNAKE.fullmatch(text)
    name = text if is_ideal else "_".join(word.lower() for word in words(text))
    name = unicodedata.normalize("NFKC", name)
    if not name.isidentifier():
        name = f"{fallback}_{name}" if name else fallback if not text else _hashed(fallback, text)
    if len(name) > LONGEST:
        name = _hashed(name[: LONGEST - 7].rstrip("_"), text)
    return name if name.isidentifier() else _hashed(fallback, text)


def pascal(text: str, fallback: str = "X") -> str:
    """Return the ideal spelling of a class, or of a part of one."""
    name = "".join(word[:1].upper() + word[1:] for word in words(text))
    return name if name and name.replace("_", "a").isalnum() else fallback


def chosen(
    wires: Iterable[str],
    *,
    fallback: str,
    reserved: Collection[str],
    pins: Mapping[str, str] | None = None,
    alike: Callable[[str], str] = lambda name: name,
) -> dict[str, str]:
    """Choose one identifier a wire name; two are kept apart also where ``alike`` makes them one."""
    pinned = _usable(pins or {}, reserved, alike)
    ideal = {wire: _free(snake(wire, fallback), reserved) for wire in sorted(set(wires))}
    taken = {alike(name) for wire, name in pinned.items() if wire in ideal}
    owners: dict[str, list[str]] = {}
    for wire, name in ideal.items():
        if wire not in pinned:
            owners.setdefault(alike(name), []).append(wire)
    names = {wire: pinned[wire] for wire in ideal if wire in pinned}
    for key, group in sorted(owners.items()):
        for wire in group:
            keeps = key not in taken and (len(group) == 1 or ideal[wire] == wire)
            names[wire] = ideal[wire] if keeps else _hashed(ideal[wire].rstrip("_"), wire)
    return names


def _usable(
    pins: Mapping[str, str], reserved: Collection[str], alike: Callable[[str], str]
) -> dict[str, str]:
    """Return the pins that are names as they are chosen here: anyone may have written the file."""
    found: dict[str, str] = {}
    for wire, name in sorted(pins.items()):
        is_seen = name.replace("_", "a").isalnum() and _BLANK.isdisjoint(name)
        is_name = name.isidentifier() and name == unicodedata.normalize("NFKC", name).lower()
        is_free = not keyword.iskeyword(name) and name not in reserved and name[:1] != "_"
        if is_seen and is_name and is_free and len(name) <= LONGEST + 7:
            found.setdefault(alike(name), wire)
    return {wire: pins[wire] for wire in sorted(found.values())}


def _free(name: str, reserved: Collection[str]) -> str:
    if keyword.iskeyword(name) or name in reserved:
        return f"{name}_"
    return name


def _hashed(name: str, wire: str) -> str:
    digest = hashlib.sha256(wire.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name}_{digest[:6]}"


def methods(wires: Iterable[str], pins: Mapping[str, str] | None = None) -> dict[str, str]:
    """Name the method, the module and the classes of each tool; no two look alike as classes."""
    return chosen(
        wires, fallback="tool", reserved=METHODS, pins=pins, alike=lambda n: pascal(n).casefold()
    )


def told_apart(name: str, wire: str) -> str:
    """Name one of several things whose wire names are equal, by something else of it."""
    return _hashed(name, wire)


def members(wires: Iterable[str], style: str = "dataclass", taken: str = "") -> dict[str, str]:
    """Name the fields of one class, which are the arguments of one method too.

    What is reserved is the same for all classes and methods of a package, and so by its style.
    ``taken`` is the name of a parameter that the method has besides.
    """
    found = list(wires)
    if style != "basemodel":
        return chosen(found, fallback="value", reserved=MEMBERS | {taken})
    own = {name for name in (snake(wire, "value") for wire in found) if name[:6] == "model_"}
    return chosen(found, fallback="value", reserved=MODEL | own | {taken})


def are_keys(wires: Iterable[str]) -> bool:
    """Say whether all of these can be the keys of one ``TypedDict`` that is written as a class."""
    names = chosen(wires, fallback="value", reserved=TYPES)
    return all(name == wire for wire, name in names.items())


def module(method: str) -> str:
    """Return the module of a tool's models: its method's name, where a file may be called so."""
    return f"{method}_" if method in MODULES else method


def files(labels: Iterable[str]) -> dict[str, str]:
    """Name the files of methods by how they begin; no two look alike as classes."""
    return chosen(labels, fallback="tools", reserved=MODULES, alike=pascal)


def package(name: str, role: str = "client") -> str:
    """Return the package's name for a server's name."""
    found = snake(name, "server").strip("_") or "server"
    return f"{found}_{role}" if is_taken(found) else found


def prefix(package: str) -> str:
    """Return what the names of a package's classes begin with."""
    found = pascal(package)
    return f"{found}Server" if found == "Sync" else found  # as SyncClient is every client's base


def faces(prefix: str) -> frozenset[str]:
    """Return the classes that a package has besides its types."""
    kinds = ("Client", "Prompts", "Resources", "Tools")
    return frozenset(f"{sync}{prefix}{kind}" for sync in ("", "Sync") for kind in kinds)


def distribution(package: str) -> str:
    """Return the name of the project of a package, in the few characters that are allowed there."""
    found = "-".join(re.findall(r"[A-Za-z0-9]+", package))
    return found if package.isascii() and found else _hashed("server", package).replace("_", "-")


def is_taken(package: str) -> bool:
    """Say whether a package of that name could not be imported, or would hide another."""
    return package in _TAKEN_PACKAGES or keyword.iskeyword(package)


def parts(pointer: str) -> list[str]:
    """Return the words a JSON pointer into a schema adds to a class name, outermost first."""
    steps = jsonpointer.steps(pointer)
    found: list[str] = []
    while steps:
        step = steps.pop(0)
        if step in ("$defs", "definitions") and steps:
            found = [pascal(steps.pop(0), "Definition")]
        elif step in ("properties", "dependentSchemas") and steps:
            found.append(pascal(steps.pop(0), "Value"))
        elif step in ("anyOf", "oneOf", "prefixItems", "items") and steps and steps[0].isdecimal():
            word = "Item" if step in ("prefixItems", "items") else "Option"
            found.append(f"{word}{int(steps.pop(0)) + 1}")
        elif step in ("items", "additionalItems"):
            found.append("Item")
        elif step in ("additionalProperties", "patternProperties"):
            found.append("Value")
            steps = steps[1:] if step == "patternProperties" else steps
        elif step == "allOf":
            steps = steps[1:]
        elif step in ("then", "else"):
            found.append(step.title())
    return found


def classes(root: str, pointers: Iterable[str], hints: Mapping[str, str]) -> dict[str, str]:
    """Name the classes of one schema; ``hints`` gives better last words, such as a tag's value.

    Two pointers with one ideal name are numbered in the order of the pointers.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    last: dict[str, int] = {}
    for pointer in sorted(pointers, key=lambda p: (p.count("/"), p)):
        steps = parts(pointer)
        if pointer in hints and steps:
            steps[-1] = pascal(hints[pointer], steps[-1])
        tail = "".join(steps)
        # "AInput" and "InputB" would be the class of a tool ``a_input``: both are one namespace.
        ideal = f"{root}_{tail}" if _ROLE.search(tail) else root + tail
        if len(ideal) > _LONGEST_CLASS:
            ideal = _hashed(ideal[: _LONGEST_CLASS - 7], pointer)
        name = ideal
        while name in taken:
            last[ideal] = last.get(ideal, 1) + 1
            name = f"{ideal}{last[ideal]}"
        taken.add(name)
        names[pointer] = name
    return names


def definition(pointer: str) -> str:
    """Return the name under ``$defs`` of the part at a JSON pointer, if it stands there."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    while steps:
        step = steps.pop(0)
        if not steps:
            return ""
        if step in ("$defs", "definitions"):
            name = steps.pop(0)
            if not steps:
                return name
        elif step in ("properties", "patternProperties", "dependentSchemas"):
            steps.pop(0)
    return ""


def shared(said: str, *, arguments: bool) -> str:
    """Return the class of what a schema calls so, ``""`` if that is no name.

    What is given and what is received are two classes, also where a schema has one name for them.
    """
    name = pascal(said, "")
    if arguments and not name.endswith("Input"):
        name += "Input" if name else ""
    name = f"{name}_" if name in CLASSES else name
    return name if is_class(name) else ""


def is_class(name: str) -> bool:
    """Say whether this could have been chosen here for a shared class."""
    is_seen = name.replace("_", "a").isalnum() and _BLANK.isdisjoint(name)
    is_name = name.isidentifier() and name == unicodedata.normalize("NFKC", name)
    is_pascal = name[:1] == name[:1].upper() and name[:1] != "_"
    is_free = name not in CLASSES and len(name) <= _LONGEST_CLASS
    return is_seen and is_name and is_pascal and is_free


def pin(previous: Contract, current: Contract) -> Contract:
    """Keep the names that tools have today where a new tool would change them."""
    pins, _ = isolated(_pins, previous, current)
    return replace(current, names=pins)


def _pins(previous: Contract, current: Contract) -> dict[str, str]:
    before = methods(previous.tools, previous.names)
    kept = [name for name in current.tools if name in before]
    pins = {name: pinned for name, pinned in previous.names.items() if name in kept}
    while True:
        after = methods(current.tools, pins)
        moved = {name: before[name] for name in kept if after[name] != before[name]}
        if not moved:
            return pins
        pins |= moved
