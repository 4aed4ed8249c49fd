"""Rules on prompts and their arguments."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, DANGEROUS, ChangeRule

RULES = (
    ChangeRule(
        "P01",
        "prompt-removed",
        BREAKING.for_audiences("wire", "source", "agent"),
        "a prompt was removed",
        "Getting it fails, and its method is no longer generated.",
        ('prompts: ["review"]', "prompts: []"),
        "Stop using it.",
    ),
    ChangeRule(
        "P02",
        "prompt-added",
        COMPATIBLE.for_audiences("agent"),
        "there is a new prompt",
        "Everything that worked still works.",
        ("prompts: []", 'prompts: ["review"]'),
    ),
    ChangeRule(
        "P03",
        "prompt-argument-required",
        BREAKING.for_audiences("wire", "source"),
        "a prompt has a new required argument, or one became required",
        "Getting it without the argument is rejected.",
        ('"arguments": []', '"arguments": [{"name": "code", "required": true}]'),
        "Pass it.",
    ),
    ChangeRule(
        "P04",
        "prompt-argument-removed",
        {**DANGEROUS.for_audiences("wire"), **BREAKING.for_audiences("source")},
        "an argument of a prompt was removed",
        "It has no effect or is rejected, and its keyword is no longer generated.",
        ('"arguments": [{"name": "code"}]', '"arguments": []'),
        "Stop passing it.",
    ),
    ChangeRule(
        "P05",
        "prompt-argument-optional",
        COMPATIBLE.for_audiences("wire", "source"),
        "a prompt has a new optional argument, or one became optional",
        "Everything that worked still works.",
        ('"arguments": []', '"arguments": [{"name": "style"}]'),
    ),
    ChangeRule(
        "P06",
        "prompt-method-renamed",
        BREAKING.for_audiences("source"),
        "the generated method of a prompt has another name",
        "The prompt's name is the same, but another prompt took its Python name.",
        ('prompts: ["code-review"]', 'prompts: ["code-review", "code_review"]'),
        "Call the method by its new name.",
    ),
)
