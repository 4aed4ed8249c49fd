"""OpenAI's SDK, the Responses API: a loop of one's own."""

import asyncio
from typing import Any

from bookshelf import BookshelfClient
from openai import AsyncOpenAI
from scripted import openai_answers


async def main() -> None:
    """Ask for a book, and print the answer."""
    openai = AsyncOpenAI(api_key="none", http_client=openai_answers())
    said: list[Any] = [{"role": "user", "content": "Which book is about the night?"}]
    async with BookshelfClient.connect() as bookshelf:
        tools: Any = bookshelf.tools.definitions("openai-responses")
        while True:
            made = await openai.responses.create(model="scripted", input=said, tools=tools)
            said += [item.model_dump(exclude_none=True) for item in made.output]
            calls = [item for item in made.output if item.type == "function_call"]
            if not calls:
                break
            said += [await bookshelf.tools.run(call) for call in calls]
    print("said:", made.output_text)


asyncio.run(main())
