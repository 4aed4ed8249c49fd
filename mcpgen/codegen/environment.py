"""Lists the environment variables that a client needs to reach a recorded server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.jsontext import Json, is_array, is_object

_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)(:-[^}]*)?\}")


@dataclass(frozen=True, slots=True)
class Need:
    """An environment variable that a generated client reads when it connects.

    An ``optional`` variable has a default.
    """

    variable: str
    what: str
    optional: bool = False


def needs(origin: Mapping[str, Json], package: str) -> tuple[Need, ...]:
    """Return the variables that the client ``package`` needs, in the order of their use."""
    variables: dict[str, Need] = {}
    for need in _all(origin, package):
        variables.setdefault(need.variable, need)
    return tuple(variables.values())


def endpoint_text(origin: Mapping[str, Json]) -> str:
    """Return a recorded command or URL on one line."""
    if origin.get("transport") == "stdio":
        return " ".join(map(str, [origin.get("command", ""), *_texts(origin.get("args"))]))
    return str(origin.get("url", ""))


def header(package: str, name: str) -> str:
    """Return the variable that holds a complete header, such as ``WEATHER_AUTHORIZATION``."""
    return re.sub(r"[^A-Z0-9]+", "_", f"{package.rpartition('.')[2]}_{name}".upper())


def _all(origin: Mapping[str, Json], package: str) -> Iterator[Need]:
    yield from _variables_in(
        origin.get("command"), "path of the program; by default, it is searched on the PATH"
    )
    yield from _arguments(_texts(origin.get("args")))
    yield from _variables_in(origin.get("cwd"), "the folder to start it in")
    for name in _texts(origin.get("env")):
        yield Need(name, "given to the server")
    for name in _texts(origin.get("optionalEnv")):
        yield Need(name, "given to the server if it is set", optional=True)
    yield from _variables_in(origin.get("url"), "in its address")
    values = origin.get("headerValues")
    for name in _texts(origin.get("headers")):
        value = values.get(name) if is_object(values) else None
        if value is None:
            yield Need(header(package, name), f"the whole header {name}")
        yield from _variables_in(value, f"in the header {name}")


def _arguments(arguments: list[str]) -> Iterator[Need]:
    for number, argument in enumerate(arguments, start=1):
        before = arguments[number - 2] if number > 1 else ""
        what = f"argument {number}"
        if before.startswith("-") and argument.startswith("${") and "=" not in before:
            what = f"argument {number}, after {before}"
        elif argument.startswith("-") and "=${" in argument:
            what = f"the value of {argument.partition('=')[0]}"
        yield from _variables_in(argument, what)


def _variables_in(text: Json, what: str) -> Iterator[Need]:
    for match in _VARIABLE.finditer(text) if isinstance(text, str) else ():
        yield Need(match[1], what, match[2] is not None)


def _texts(value: Json) -> list[str]:
    return [item for item in value if isinstance(item, str)] if is_array(value) else []
