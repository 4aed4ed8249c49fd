"""Names used by the Python examples in docs/agents.md."""

from typing import Any

from bookshelf import BookshelfClient, agent_tools, connect_all

from mcpgen.demo import server


class Model:
    """Calls one tool, then stops."""

    async def calls(
        self, messages: list[Any], offered: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the calls that it wants."""
        assert "withdraw_items" not in [item["name"] for item in offered]
        if len(messages) > 1:
            assert "The Night Ferry" in messages[-1]["output"]
            return []
        arguments = '{"query": "night"}'
        call = {"type": "function_call", "call_id": "1", "name": "search_catalogue"}
        return [{**call, "arguments": arguments}]


model = Model()


def print(*_: object) -> None:  # noqa: A001 - of which a test wants to hear nothing
    """Print nothing."""
