"""Pydantic AI: the tools of a server, each with its exact schema."""

import asyncio

from bookshelf import BookshelfClient
from pydantic_ai import Agent
from scripted import pydantic_ai_model


async def main() -> None:
    """Ask for a book, and print the answer."""
    async with BookshelfClient.connect() as bookshelf:
        agent = Agent(pydantic_ai_model(), tools=bookshelf.tools.as_pydantic_ai())
        result = await agent.run("Which book is about the night? Look at its cover, too.")
        print("said:", result.output)


asyncio.run(main())
