"""What the server asks the user: a form to fill in, or a page to open."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from pydantic import ValidationError

from ..abbreviate import names, plain, quoted
from ..errors import InvalidAnswer
from ..problem import Problem, problems_of
from .fields import Field, read_fields

if TYPE_CHECKING:
    import logging

    from mcp.client import ClientRequestContext
    from mcp.client.session import ElicitationFnT
    from mcp.types import ElicitRequestParams, ElicitResult, ErrorData

FIRST_STATELESS = "2026-07-28"
"""Since when an error cannot be the answer to a question: it ends the call."""

Answer: TypeAlias = "ElicitResult | ErrorData"


class Elicit(Protocol):
    """Answers a question that the server asks the user during a call."""

    def __call__(self, question: Question, /) -> Answer | Awaitable[Answer]:
        """Ask the user, or decline; may be ``async``, else it runs in a thread."""
        ...


@dataclass(frozen=True, repr=False)
class Question:
    """What the server asks the user; all of it are the server's words.

    ``server`` is how this client is connected. A form has ``fields``, a page has a
    ``url``, which only the user may open. ``params`` and ``context`` are the SDK's.
    """

    server: str
    message: str
    mode: Literal["form", "url"]
    url: str = ""
    fields: tuple[Field, ...] = ()
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    params: ElicitRequestParams | None = None
    context: ClientRequestContext | None = None

    def __repr__(self) -> str:
        asks = (
            plain(self.url)
            if self.mode == "url"
            else names(field.name for field in self.fields) or "no field"
        )
        return f"<Question: {quoted(self.message)}: {asks}>"

    def accept(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> ElicitResult:
        """Answer with values of the fields, or say that the user will open the page.

        A field that is not given has its default, as the form shows it; one that is
        given as ``MISSING`` is left out.

        Args:
            values: Values by the names of their fields, of which not all are Python's.
            **named: The same.

        Raises:
            InvalidAnswer: They are not what the form asks for.
        """
        from mcp.types import ElicitResult

        given = {**(values or {}), **named}
        if self.mode == "url":
            if given:
                raise TypeError("a page that the user opens takes no values")
            return ElicitResult(action="accept")
        content = self._content(given)
        try:
            return ElicitResult(action="accept", content=content)
        except ValidationError as error:  # of objects, which no form of the protocol has
            raise InvalidAnswer(self.message, problems_of(error)) from None

    def decline(self) -> ElicitResult:
        """Say that the user does not want this."""
        from mcp.types import ElicitResult

        return ElicitResult(action="decline")

    def cancel(self) -> ElicitResult:
        """Say that the user has not decided."""
        from mcp.types import ElicitResult

        return ElicitResult(action="cancel")

    def _content(self, given: Mapping[str, Any]) -> dict[str, Any]:
        from ..models.values import to_wire
        from ..validation.schemas import problems_in

        defaults = {
            each.name: each.default
            for each in self.fields
            if each.name not in given and each.default is not None
        }
        try:
            content = to_wire({**defaults, **given})
        except (ValueError, RecursionError) as error:
            problem = Problem("", f"not JSON: {error}")
            raise InvalidAnswer(self.message, [problem]) from None
        if problems := problems_in(self.schema, content):
            raise InvalidAnswer(self.message, problems)
        return content


def read_question(
    server: str,
    params: ElicitRequestParams,
    context: ClientRequestContext | None = None,
) -> Question:
    """Take what the SDK was asked."""
    if params.mode == "url":
        url = params.url
        return Question(server, params.message, "url", url, params=params, context=context)
    schema = params.requested_schema
    fields = read_fields(schema)
    return Question(server, params.message, "form", "", fields, schema, params, context)


def elicitation(elicit: Elicit, server: str, logger: logging.Logger) -> ElicitationFnT:
    """Return what the SDK asks in place of the user."""
    from .callbacks import answer_of, failed

    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> Answer:
        from mcp.types import ElicitResult, ErrorData

        question = read_question(server, params, context)
        try:
            answered: object = await answer_of(elicit, question)
            if not isinstance(answered, ElicitResult | ErrorData):
                raise TypeError(f"{answered!r} is no answer")
        except Exception as error:
            told = failed("elicit", error, logger)
            version = context.session.protocol_version or ""
            return question.cancel() if version >= FIRST_STATELESS else told
        return answered

    return answer
