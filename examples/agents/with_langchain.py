"""LangChain and LangGraph: the tools of a server, whatever their arguments are called."""

import asyncio
from typing import Any

from langchain.agents import create_agent
from library import LibraryClient
from scripted import langchain_model


async def main() -> None:
    """Ask for a book, and print the answer."""
    async with LibraryClient.connect() as library:
        agent: Any = create_agent(langchain_model(), library.tools.as_langchain())
        asked = {"messages": [("user", "Which book is about the night? Look at its cover, too.")]}
        print("said:", (await agent.ainvoke(asked))["messages"][-1].content)


asyncio.run(main())
