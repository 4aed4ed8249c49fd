"""LangChain and LangGraph: the tools of a server, whatever their arguments are called."""

import asyncio
from typing import Any

from bookshelf import BookshelfClient
from langchain.agents import create_agent
from scripted import langchain_model


async def main() -> None:
    """Ask for a book, and print the answer."""
    async with BookshelfClient.connect() as bookshelf:
        agent: Any = create_agent(langchain_model(), bookshelf.tools.as_langchain())
        asked = {"messages": [("user", "Which book is about the night? Look at its cover, too.")]}
        print("said:", (await agent.ainvoke(asked))["messages"][-1].content)


asyncio.run(main())
