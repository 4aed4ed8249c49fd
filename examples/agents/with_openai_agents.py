"""The OpenAI Agents SDK: the tools of a server, each with its exact schema."""

import asyncio

from agents import Agent, Runner
from bookshelf import BookshelfClient
from scripted import openai_agents_model


async def main() -> None:
    """Ask for a book, and print the answer."""
    async with BookshelfClient.connect() as bookshelf:
        tools = bookshelf.tools.as_openai_agents()
        agent = Agent("clerk", model=openai_agents_model(), tools=tools)
        result = await Runner.run(agent, "Which book is about the night? Look at its cover, too.")
        print("said:", result.final_output)


asyncio.run(main())
