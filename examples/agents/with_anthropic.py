"""Anthropic's SDK, whose runner calls the tools."""

import asyncio

from anthropic import AsyncAnthropic
from bookshelf import BookshelfClient
from scripted import anthropic_answers


async def main() -> None:
    """Ask for a book, and print the answer."""
    anthropic = AsyncAnthropic(api_key="none", http_client=anthropic_answers())
    async with BookshelfClient.connect() as bookshelf:
        runner = anthropic.beta.messages.tool_runner(
            model="scripted",
            max_tokens=1_000,
            tools=bookshelf.tools.as_anthropic(),
            thread=False,  # the conversation stays here, and is sent as a whole
            messages=[{"role": "user", "content": "Which book is about the night?"}],
        )
        last = await runner.until_done()
        print("said:", *(block.text for block in last.content if block.type == "text"))


asyncio.run(main())
