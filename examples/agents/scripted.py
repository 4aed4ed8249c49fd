"""Models that follow a script, where your program has a provider's.

Each makes a mistake first, reads the error, calls again, and asks for a picture. It prints what it
is told, as the library that calls it hands that on.
"""

from __future__ import annotations

import json
from typing import Any

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_catalogue", {"query": "night", "limit": 500}),
    ("search_catalogue", {"query": "night", "limit": 5.0, "from": 1900}),
    ("show_cover", {"id": "B-2"}),
]
"""The first has too high a limit; in the second a whole number is written as a float."""

DONE = "The Night Ferry, from 2011. I have seen its cover."


def hear(told: object) -> None:
    """Print what the model is told."""
    text = told if isinstance(told, str) else str(told)
    print("told:", " ".join(text.split())[:400])


def pydantic_ai_model() -> Any:
    """Return a model for Pydantic AI."""
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn:
            hear([getattr(part, "content", part) for part in messages[-1].parts])
        if turn == len(CALLS):
            return ModelResponse(parts=[TextPart(DONE)])
        name, arguments = CALLS[turn]
        return ModelResponse(parts=[ToolCallPart(name, arguments)])

    return FunctionModel(answer)


def openai_agents_model() -> Any:
    """Return a model for the OpenAI Agents SDK, which would send traces otherwise."""
    from agents import set_tracing_disabled
    from agents.testing import ScriptedModel, assistant_message, function_call

    set_tracing_disabled(True)
    steps: Any = [
        [function_call(name, arguments, call_id=str(turn))]
        for turn, (name, arguments) in enumerate(CALLS)
    ]

    class Hearing(ScriptedModel):
        """Prints what it is told before it answers."""

        async def get_response(self, *args: Any, **kwargs: Any) -> Any:
            given = kwargs.get("input", args[1] if len(args) > 1 else None)
            if isinstance(given, list) and given[-1].get("type") == "function_call_output":
                hear(given[-1]["output"])
            return await super().get_response(*args, **kwargs)

    return Hearing([*steps, [assistant_message(DONE)]])


def langchain_model() -> Any:
    """Return a model for LangChain and LangGraph."""
    from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
    from langchain_core.messages import AIMessage, ToolMessage

    class Scripted(FakeMessagesListChatModel):
        """The fake model has no ``bind_tools`` of its own."""

        def bind_tools(self, *_: Any, **__: Any) -> Any:
            return self

        def _generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> Any:
            if isinstance(messages[-1], ToolMessage):
                hear(messages[-1].content)
            return super()._generate(messages, *args, **kwargs)

    turns = [
        AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": str(turn)}])
        for turn, (name, arguments) in enumerate(CALLS)
    ]
    return Scripted(responses=[*turns, AIMessage(DONE)])


def smolagents_model() -> Any:
    """Return a model for smolagents."""
    from smolagents.models import (
        ChatMessage,
        ChatMessageToolCall,
        ChatMessageToolCallFunction,
        MessageRole,
        Model,
    )

    class Scripted(Model):
        """Answers with the next call."""

        turn = -1

        def generate(self, messages: list[ChatMessage], *_: Any, **__: Any) -> ChatMessage:
            self.turn += 1
            if self.turn:
                hear(messages[-1].content)
            script = [*CALLS, ("final_answer", {"answer": DONE})]
            name, arguments = script[self.turn]
            if "from" in arguments:  # whose name there is one of Python, and no float will do
                arguments = {"query": "night", "limit": 5, "from_": 1900}
            call = ChatMessageToolCallFunction(arguments=arguments, name=name)
            calls = [ChatMessageToolCall(call, "1", "function")]
            return ChatMessage(MessageRole.ASSISTANT, "", tool_calls=calls)

    return Scripted()


def openai_answers() -> Any:
    """Return what sends the requests of OpenAI's SDK, and answers them."""
    import httpx2

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent = json.loads(request.content)
        in_chat = "messages" in sent
        past = sent["messages" if in_chat else "input"]
        turn = sum(
            item.get("type") == "function_call" or item.get("role") == "assistant" for item in past
        )
        if turn:
            hear(past[-1]["content" if in_chat else "output"])
        name, arguments = CALLS[turn] if turn < len(CALLS) else ("", {})
        given = {"name": name, "arguments": json.dumps(arguments)}
        if in_chat:
            calls = [{"id": str(turn), "type": "function", "function": given}] if name else None
            message = {
                "role": "assistant",
                "content": None if name else DONE,
                "tool_calls": calls,
            }
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            body = {"id": "1", "object": "chat.completion", "choices": [choice]}
            return httpx2.Response(200, json={**body, "created": 1, "model": "scripted"})
        text = {"type": "output_text", "text": DONE, "annotations": []}
        done = {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }
        call = {"type": "function_call", "id": f"f{turn}", "call_id": str(turn), **given}
        output = call if name else done
        return httpx2.Response(200, json={"id": "1", "object": "response", "output": [output]})

    return httpx2.AsyncClient(transport=httpx2.MockTransport(answer))


def anthropic_answers() -> Any:
    """Return what sends the requests of Anthropic's SDK, and answers them."""
    import httpx2

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent = json.loads(request.content)
        turn = sum(message["role"] == "assistant" for message in sent["messages"])
        if turn:
            hear(sent["messages"][-1]["content"][0])
        content: dict[str, Any] = {"type": "text", "text": DONE}
        if turn < len(CALLS):
            name, arguments = CALLS[turn]
            use = {"type": "tool_use", "id": f"toolu_{turn}"}
            content = {**use, "name": name, "input": arguments}
        body = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [content],
            "stop_reason": "tool_use" if turn < len(CALLS) else "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=body)

    return httpx2.AsyncClient(transport=httpx2.MockTransport(answer))


def google_answers() -> Any:
    """Return what sends the requests of google-genai, and answers them."""
    import httpx2

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent = json.loads(request.content)
        turn = sum(content["role"] == "model" for content in sent["contents"])
        if turn:
            hear(sent["contents"][-1]["parts"][0])
        part: dict[str, Any] = {"text": DONE}
        if turn < len(CALLS):
            name, arguments = CALLS[turn]
            part = {"functionCall": {"id": f"call_{turn}", "name": name, "args": arguments}}
        content = {"role": "model", "parts": [part]}
        return httpx2.Response(200, json={"candidates": [{"content": content}]})

    return httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
