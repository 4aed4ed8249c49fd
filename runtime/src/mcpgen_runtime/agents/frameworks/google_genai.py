"""Tools as function declarations of google-genai, whose calls ``run`` makes."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ..definitions.dialects import adapt_schema
from ..tool import AgentTool


def adapt_tools(tools: Iterable[AgentTool[Any]]) -> list[Any]:
    """Return a ``google.genai.types.Tool`` with a declaration of each tool."""
    framework = import_module("google.genai.types")
    declared = [_declare_function(framework, tool) for tool in tools]
    return [framework.Tool(function_declarations=declared)] if declared else []


def _declare_function(framework: Any, tool: AgentTool[Any]) -> Any:
    fit = adapt_schema(tool.schema, "gemini")
    return framework.FunctionDeclaration(
        name=tool.name,
        description=f"{tool.description}{fit.note}",
        parameters_json_schema=fit.schema,  # "parameters" supports only some keywords
    )
