"""Questions of the server to the user: forms and pages."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from pydantic import ValidationError

from ..abbreviate import names, plain, quote_text
from ..errors import InvalidAnswer
from ..problem import Problem, problems_of
from .fields import Field, read_fields

if TYPE_CHECKING:
    import logging

    from mcp.client import ClientRequestContext
    from mcp.client.session import ElicitationFnT
    from mcp.types import ElicitRequestParams, ElicitResult, ErrorData

FIRST_STATELESS = "2026-07-28"
"""The first revision in which an error instead of an answer ends the call."""

Answer: TypeAlias = "ElicitResult | ErrorData"


class Elicit(Protocol):
    """Callback that answers questions of the server. May be ``async``."""

    def __call__(self, question: Question, /) -> Answer | Awaitable[Answer]:
        """Answer a question. A function that isn't ``async`` runs in a thread."""
        ...


@dataclass(frozen=True, repr=False)
class Question:
    """A question of the server to the user. All of its text comes from the server.

    Attributes:
        server: The server's name, as shown in errors.
        message: The text of the question.
        mode: ``"form"`` or ``"url"``.
        url: The page to open, which only the user may do.
        fields: The fields of a form.
        schema: The JSON Schema of a form.
        params: The SDK's parameters.
        context: The SDK's context.
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
        return f"<Question: {quote_text(self.message)}: {asks}>"

    def accept(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> ElicitResult:
        """Accept, with values for a form, or without any for a page.

        A field without a value gets its default. ``MISSING`` leaves a field out.

        Args:
            values: Values by field name.
            **named: The same, for names that are Python identifiers.

        Raises:
            InvalidAnswer: The values violate the form's schema.
        """
        from mcp.types import ElicitResult

        members = {**(values or {}), **named}
        if self.mode == "url":
            if members:
                raise TypeError("a question with a URL takes no values")
            return ElicitResult(action="accept")
        content = self._content(members)
        try:
            return ElicitResult(action="accept", content=content)
        except ValidationError as error:  # an object, which forms of the protocol don't have
            raise InvalidAnswer(self.message, problems_of(error)) from None

    def decline(self) -> ElicitResult:
        """Decline: the user refuses."""
        from mcp.types import ElicitResult

        return ElicitResult(action="decline")

    def cancel(self) -> ElicitResult:
        """Cancel: the user hasn't decided."""
        from mcp.types import ElicitResult

        return ElicitResult(action="cancel")

    def _content(self, values: Mapping[str, Any]) -> dict[str, Any]:
        from ..models.values import to_wire
        from ..validation.schemas import problems_in

        defaults = {
            field.name: field.default
            for field in self.fields
            if field.name not in values and field.default is not None
        }
        try:
            content = to_wire({**defaults, **values})
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
    """Convert the SDK's parameters of an elicitation."""
    if params.mode == "url":
        url = params.url
        return Question(server, params.message, "url", url, params=params, context=context)
    schema = params.requested_schema
    fields = read_fields(schema)
    return Question(server, params.message, "form", "", fields, schema, params, context)


def elicitation(elicit: Elicit, server: str, logger: logging.Logger) -> ElicitationFnT:
    """Return the SDK's callback for elicitation."""
    from .callbacks import answer_of, error_data

    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> Answer:
        from mcp.types import ElicitResult, ErrorData

        question = read_question(server, params, context)
        try:
            answered: object = await answer_of(elicit, question)
            if not isinstance(answered, ElicitResult | ErrorData):
                raise TypeError(f"{answered!r} isn't an answer")
        except Exception as error:
            sdk_error = error_data("elicit", error, logger)
            version = context.session.protocol_version or ""
            return question.cancel() if version >= FIRST_STATELESS else sdk_error
        return answered

    return answer
