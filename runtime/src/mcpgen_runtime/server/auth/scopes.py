"""The scopes required for each tool, prompt and resource."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from mcp import InvalidUriTemplate, UriTemplate

F = TypeVar("F", bound=Callable[..., Any])

_ATTRIBUTE = "__mcpgen_scopes__"


def requires(*scopes: str) -> Callable[[F], F]:
    """Require scopes for a tool, prompt or resource, and hide it from callers without them.

    Over stdio, no scopes are required, because the caller started the process.
    """

    def mark(method: F) -> F:
        setattr(method, _ATTRIBUTE, frozenset(scopes))
        return method

    return mark


def scopes_of(method: object) -> frozenset[str]:
    """Return the scopes that :func:`requires` has set for a method."""
    scopes: frozenset[str] = getattr(method, _ATTRIBUTE, frozenset())
    return scopes


Needed = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Scopes:
    """The scopes needed: by tool, by prompt, by URI, and by URI template.

    Templates are in the order in which a URI is compared with them.
    """

    tools: Needed
    prompts: Needed
    resources: Needed
    templates: Needed

    @property
    def all(self) -> frozenset[str]:
        """All required scopes."""
        kinds = (self.tools, self.prompts, self.resources, self.templates)
        return frozenset(scope for kind in kinds for needed in kind.values() for scope in needed)

    def of_list(self, member: str) -> Needed:
        """Return the scopes of the entries of a list, by name or URI."""
        lists = {
            "tools": self.tools,
            "prompts": self.prompts,
            "resources": self.resources,
            "resourceTemplates": self.templates,
        }
        return lists[member]

    def of_uri(self, uri: str) -> frozenset[str]:
        """Return the scopes of a resource, or of the first template that matches its URI."""
        if uri in self.resources:
            return self.resources[uri]
        for template, needed in self.templates.items():
            try:
                if template == uri or UriTemplate.parse(template).match(uri) is not None:
                    return needed
            except InvalidUriTemplate:
                continue
        return frozenset()

    def of_request(self, message: object) -> frozenset[str]:
        """Return the scopes that a JSON-RPC request needs.

        An invalid request needs no scopes, because the SDK rejects it.
        """
        method, params = _get(message, "method"), _get(message, "params")
        name, uri = _get(params, "name"), _get(params, "uri")
        ref = _get(params, "ref")
        if method == "tools/call":
            return self.tools.get(_text(name), frozenset())
        if method == "prompts/get":
            return self.prompts.get(_text(name), frozenset())
        if method in ("resources/read", "resources/subscribe", "resources/unsubscribe"):
            return self.of_uri(_text(uri))
        if method == "completion/complete":
            by_name = self.prompts.get(_text(_get(ref, "name")), frozenset())
            return by_name | self.of_uri(_text(_get(ref, "uri")))
        if method == "subscriptions/listen":
            uris = _texts(_get(_get(params, "notifications"), "resourceSubscriptions"))
            return frozenset(scope for text in uris for scope in self.of_uri(text))
        return frozenset()


NO_SCOPES = Scopes({}, {}, {}, {})


def is_granted(needed: Iterable[str], granted: Collection[str]) -> bool:
    """Return True if all required scopes are granted."""
    return all(scope in granted for scope in needed)


def _get(value: object, member: str) -> object:
    return cast("dict[str, object]", value).get(member) if isinstance(value, dict) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> Iterator[str]:
    yield from map(_text, cast("list[object]", value) if isinstance(value, list) else ())
