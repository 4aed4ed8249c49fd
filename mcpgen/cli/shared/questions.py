"""Asks for the missing options of `mcpgen init server`."""

from __future__ import annotations

from collections.abc import Callable

import click

from mcpgen.contract.scaffold import Outline, prompt_name, resource_uri, tool_name, uri_template


def ask_missing(outline: Outline) -> Outline:
    """Ask for the missing parts of an outline. Invalid answers are prompted for again."""
    return Outline(
        name=outline.name or click.prompt("Name that the server reports", err=True),
        version=outline.version,
        instructions=outline.instructions or _ask_one("Purpose (may be empty)"),
        tools=outline.tools
        or _several("A tool, such as search(query, limit?: integer)", tool_name),
        prompts=outline.prompts or _several("A prompt, such as compare(product)", prompt_name),
        resources=outline.resources or _several("A resource, such as acme://terms", resource_uri),
        templates=outline.templates
        or _several("A resource template, such as acme://products/{id}", uri_template),
    )


def _ask_one(question: str, check: Callable[[str], str] = str) -> str:
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
            raise click.UsageError(f"{name} exists already")
        return answer.strip()

    while answer := _ask_one(f"{question} (empty to finish)", check):
        answers[read(answer)] = answer
    return list(answers.values())
