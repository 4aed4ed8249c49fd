"""What `mcpgen init server` asks on a terminal, for what no option says."""

from __future__ import annotations

from collections.abc import Callable

import click

from mcpgen.contract.scaffold import Outline, prompt_name, resource_uri, tool_name, uri_template


def completed(outline: Outline) -> Outline:
    """Ask for what an outline lacks; an answer that cannot be is asked again."""
    return Outline(
        name=outline.name or click.prompt("What does the server call itself", err=True),
        version=outline.version,
        instructions=outline.instructions or _one("What is it for (may be empty)"),
        tools=outline.tools
        or _several("A tool, such as search(query, limit?: integer)", tool_name),
        prompts=outline.prompts or _several("A prompt, such as compare(product)", prompt_name),
        resources=outline.resources or _several("A resource, such as acme://terms", resource_uri),
        templates=outline.templates
        or _several("A resource template, such as acme://products/{id}", uri_template),
    )


def _one(question: str, check: Callable[[str], str] = str) -> str:
    answer: str = click.prompt(question, default="", show_default=False, err=True, value_proc=check)
    return answer


def _several(question: str, read: Callable[[str], str]) -> list[str]:
    """Ask until the answer is empty."""
    answers: dict[str, str] = {}

    def check(answer: str) -> str:
        try:
            name = read(answer) if answer.strip() else ""
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if name in answers:
            raise click.UsageError(f"{name} is there already")
        return answer.strip()

    while answer := _one(f"{question} (empty: no more)", check):
        answers[read(answer)] = answer
    return list(answers.values())
