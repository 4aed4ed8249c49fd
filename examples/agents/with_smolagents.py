"""smolagents, which has no ``async``: the tools of a client that waits."""

from typing import Any

from library import LibraryClient
from scripted import smolagents_model
from smolagents import ToolCallingAgent

with LibraryClient.sync.connect() as library:
    tools = library.tools.as_smolagents()
    agent: Any = ToolCallingAgent(tools=tools, model=smolagents_model(), verbosity_level=0)
    print("said:", agent.run("Which book is about the night? Look at its cover, too."))
