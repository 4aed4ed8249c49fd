"""google-genai: the tools as function declarations, a loop of one's own."""

import asyncio
from typing import Any

from bookshelf import BookshelfClient
from google import genai
from google.genai import types
from scripted import google_answers


async def main() -> None:
    """Ask for a book, and print the answer."""
    options = types.HttpOptions(httpx_async_client=google_answers())
    gemini = genai.Client(api_key="none", http_options=options)
    contents: list[Any] = [types.UserContent("Which book is about the night?")]
    async with BookshelfClient.connect() as bookshelf:
        config = types.GenerateContentConfig(tools=bookshelf.tools.as_google_genai())
        while True:
            made = await gemini.aio.models.generate_content(
                model="scripted", contents=contents, config=config
            )
            if not made.function_calls or not made.candidates:
                break
            answers = [
                await bookshelf.tools.run(call, api="gemini") for call in made.function_calls
            ]
            contents += [made.candidates[0].content, {"role": "user", "parts": answers}]
    print("said:", made.text)


asyncio.run(main())
