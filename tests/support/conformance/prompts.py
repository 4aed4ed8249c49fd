"""The prompts that the official conformance suite expects of a server."""

from __future__ import annotations

from mcp.types import PromptMessage, TextContent

from ._generated import ConformancePrompts, Context, PromptOutput
from .tools import IMAGE, embed, form


def user(text: str) -> PromptMessage:
    return PromptMessage(role="user", content=TextContent(type="text", text=text))


class Prompts(ConformancePrompts):
    """The prompts of the server."""

    async def test_simple_prompt(self, context: Context) -> PromptOutput:
        return "This is a simple prompt for testing."

    async def test_prompt_with_arguments(
        self, context: Context, *, arg1: str, arg2: str
    ) -> PromptOutput:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    async def test_prompt_with_embedded_resource(
        self, context: Context, *, resource_uri: str
    ) -> PromptOutput:
        block = embed(resource_uri, "text/plain", "Embedded resource content for testing.")
        message = PromptMessage(role="user", content=block)
        return [message, user("Please process the embedded resource above.")]

    async def test_prompt_with_image(self, context: Context) -> PromptOutput:
        message = PromptMessage(role="user", content=IMAGE)
        return [message, user("Please analyze the image above.")]

    async def test_input_required_result_prompt(self, context: Context) -> PromptOutput:
        question = "What context should the prompt use?"
        answer = await context.elicit("user_context", question, form("context"))
        return f"The context is {answer.content}"
