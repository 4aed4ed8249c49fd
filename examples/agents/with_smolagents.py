"""smolagents, which has no ``async``: the tools of a client that waits."""

from typing import Any

from bookshelf import BookshelfClient
from scripted import smolagents_model
from smolagents import ToolCallingAgent

with BookshelfClient.sync.connect() as bookshelf:
    tools = bookshelf.tools.as_smolagents()
    agent: Any = ToolCallingAgent(tools=tools, model=smolagents_model(), verbosity_level=0)
    print("said:", agent.run("Which book is about the night? Look at its cover, too."))
