"""Collects the properties of an object from all parts of its schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from mcpgen.compare.schemas.views.view import Subschema, View, matches
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import is_array
from mcpgen.schemas.types.resolution import At


@dataclass(frozen=True)
class PropertyViews:
    """The properties of an object schema: listed, required and additional."""

    view: View
    _views: dict[str, View] = field(default_factory=dict[str, View], compare=False, repr=False)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that some part lists and none forbids."""
        listed = {name for part in self.view.parts for name in part.object("properties")}
        return frozenset(name for name in listed if not self.named(name).impossible)

    @cached_property
    def required_names(self) -> frozenset[str]:
        """Names of the required properties."""
        lists = [value for value, _ in self.view.occurrences("required") if is_array(value)]
        return frozenset(name for names in lists for name in names if isinstance(name, str))

    def named(self, name: str) -> View:
        """Return the view of a property, listed or not."""
        if name not in self._views:
            ats = (at for part in self.view.parts for at in _member(part, name))
            self._views[name] = self.view.all_of(ats)
        return self._views[name]

    @cached_property
    def others(self) -> View:
        """The view of properties that are neither listed nor match a pattern."""
        ats = [_additional(part) for part in self.view.parts]
        return self.view.all_of((schema, pointer) for schema, pointer in ats if schema is not None)

    @property
    def is_closed(self) -> bool:
        """Whether additional properties are forbidden."""
        return self.others.impossible

    @property
    def is_open(self) -> bool:
        """Whether additional properties may have any value."""
        return self.others.is_trivial

    @property
    def is_explicitly_open(self) -> bool:
        """Whether a keyword explicitly allows additional properties."""
        return self.is_open and any(_additional(part)[0] is not None for part in self.view.parts)

    @property
    def is_map(self) -> bool:
        """Whether no property is named, so the object is a map."""
        return not self.names and not self.is_closed

    @property
    def patterns(self) -> dict[str, View]:
        """The views of properties by pattern."""
        ats: dict[str, list[At]] = {}
        for part in self.view.parts:
            for pattern, schema in part.object("patternProperties").items():
                pointer = f"{part.pointer}/patternProperties/{escape(pattern)}"
                ats.setdefault(pattern, []).append((schema, pointer))
        return {pattern: self.view.all_of(item) for pattern, item in ats.items()}


def _member(part: Subschema, name: str) -> Iterator[At]:
    properties = part.object("properties")
    is_evaluated = False
    if name in properties:
        is_evaluated = True
        yield properties[name], f"{part.pointer}/properties/{escape(name)}"
    for pattern, schema in part.object("patternProperties").items():
        if matches(pattern, name):
            is_evaluated = True
            yield schema, f"{part.pointer}/patternProperties/{escape(pattern)}"
    schema, pointer = _additional(part)
    if not is_evaluated and schema is not None:
        yield schema, pointer


def _additional(part: Subschema) -> At:
    """Return a part's schema for additional properties, or None, and its pointer."""
    is_usual = "additionalProperties" in part.raw
    keyword = "additionalProperties" if is_usual else "unevaluatedProperties"
    value = part.raw.get(keyword)
    return True if value == {} else value, f"{part.pointer}/{keyword}"
