"""Checks that a search finds the entities that it should, and no others."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence

from mcpgen.findings.contract_tests import Verdict
from mcpgen.jsontext import Json
from mcpgen.testing.answer import has_worked
from mcpgen.testing.arguments import fresh_arguments
from mcpgen.testing.arguments.entities import entities_in, id_of
from mcpgen.testing.checks.entity.kind import Kind, arguments_of, id_in

_PAUSE = 1.0
_MAX_OLDER = 3
_LEAST_TEXT = 3


def run(kind: Kind) -> Iterator[Verdict]:
    """Check that a search finds a new entity like older ones, and no deleted entity."""
    schema = kind.lab.input(kind.case.name)
    deleting, searching = kind.deletions[:1], kind.case.data.get("search", [])
    for name in fresh_arguments.names(schema, kind.arguments) if searching else []:
        if name in schema.options() or len(str(kind.arguments[name])) < _LEAST_TEXT:
            continue  # others have the same text
        renewed = fresh_arguments.renew_argument(schema, kind.arguments, name, kind.lab.calls)
        if renewed is None:
            continue
        new = id_in(kind.lab.call(kind.case.name, renewed))
        if new is None:
            continue
        finding = [item for item in searching if _finds(kind, item, renewed[name], new)]
        yield from _not_found(kind, name, renewed[name], new, finding)
        now = _changed_text(kind, name, renewed, new) if finding else None
        if now is not None:
            yield from _found_by_old_text(kind, finding, (renewed[name], now), new)
            renewed = {**renewed, name: now}
            finding = [item for item in finding if _finds(kind, item, now, new)]
        if not finding or not deleting:
            continue
        deletion = {deleting[0]["argument"]: new}
        if not has_worked(kind.lab.call(deleting[0]["tool"], deletion)):
            return
        for item in finding:
            if _finds(kind, item, renewed[name], new):
                time.sleep(_PAUSE)
                if _finds(kind, item, renewed[name], new):
                    detail = f"{item['tool']} still finds {new!r}"
                    yield Verdict("C908", detail, f"search {item['tool']}")
        return


def _changed_text(kind: Kind, name: str, arguments: dict[str, Json], new: Json) -> Json:
    """Give an entity another text. Returns the text, or None if no tool changes it."""
    schema = kind.lab.input(kind.case.name)
    changed = fresh_arguments.renew_argument(schema, arguments, name, kind.lab.calls + 1) or {}
    for tool in kind.case.data.get("change", []) if name in changed else ():
        call = arguments_of(tool, new, {name: changed[name]})
        is_setting = not tool.get("is_setter") and any(name in item for item in tool["changes"])
        if is_setting and kind.lab.input(tool["tool"]).allows(call):
            answer = kind.lab.call(tool["tool"], call)
            entity = kind.get(new) if has_worked(answer) else None
            return changed[name] if entity and entity.get(name) == changed[name] else None
    return None


def _found_by_old_text(
    kind: Kind, finding: Sequence[Json], texts: tuple[Json, Json], new: Json
) -> Iterator[Verdict]:
    """Yield searches that find a changed entity by its old text, but not by its new one."""
    was, now = texts
    for item in finding:
        for pause in (0, _PAUSE):
            time.sleep(pause)
            if _finds(kind, item, now, new) or not _finds(kind, item, was, new):
                break
        else:
            detail = f"{item['tool']} finds {new!r} by its old text"
            yield Verdict("C906", detail, f"search {item['tool']}")


def _not_found(
    kind: Kind, name: str, text: Json, new: Json, finding: Sequence[Json]
) -> Iterator[Verdict]:
    """Yield searches that find older entities by a text, but not the new one."""
    for item in kind.case.data.get("search", []):
        if item in finding or not _finds_older(kind, item, name, new):
            continue
        time.sleep(_PAUSE)
        if not _finds(kind, item, text, new):
            detail = f"{item['tool']} does not find {new!r} by its {name}"
            yield Verdict("C904", detail, f"search {item['tool']}")


def _finds_older(kind: Kind, item: Json, name: str, new: Json) -> bool:
    """Return True if a search finds older entities by the same property."""
    for lister in kind.case.data["list"]:
        answer = kind.lab.call(lister["tool"], lister["arguments"])
        older = [item for item in entities_in(answer.data()) if _is_unlike_others(item, name)]
        for entity in older[:_MAX_OLDER]:
            _, value = id_of(entity) or ("", new)
            if value != new and _finds(kind, item, entity[name], value):
                return True
    return False


def _finds(kind: Kind, item: Json, text: Json, id: Json) -> bool:
    """Return True if a tool finds an entity by a text."""
    answer = kind.lab.call_again(item["tool"], {item["argument"]: text})
    if not has_worked(answer):
        return False
    identities = (identity for entity in entities_in(answer.data()) if (identity := id_of(entity)))
    return any(identity[1] == id for identity in identities)


def _is_unlike_others(entity: dict[str, Json], name: str) -> bool:
    """Return True if a property has a text that no other property of the entity contains."""
    text = entity.get(name)
    other_values = [value for key, value in entity.items() if key != name]
    return isinstance(text, str) and text != "" and text not in json.dumps(other_values)
