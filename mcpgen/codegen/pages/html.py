"""Renders pages as self-contained HTML files with a content security policy."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any

from mcpgen_runtime.display import Html, visible

from mcpgen.codegen.pages.values import ComparisonPage, ContractPage
from mcpgen.files import resources

if TYPE_CHECKING:
    from jinja2 import Environment

MARK = '<meta name="generator" content="mcpgen docs">'
"""Marks a page as generated, so that the next run may replace the file."""
_FOLDER = "pages"
_TEMPLATES = {ContractPage: "contract.html.jinja", ComparisonPage: "comparison.html.jinja"}


def render_page(page: ContractPage | ComparisonPage) -> Html:
    """Return the HTML file of a page.

    Every value is escaped, with invisible characters as escapes. The policy allows the page's own
    style and script, by their hashes, and no request.
    """
    template = _environment().get_template(_TEMPLATES[type(page)])
    style, script = _asset("style.css"), _asset("script.js")
    text = template.render(page=page, mark=_markup(MARK), style=style, script=script, csp=_policy())
    return Html(text)


@cache
def _policy() -> str:
    """Return the content security policy (CSP level 3), for a meta element."""
    hashes = {
        kind: base64.b64encode(hashlib.sha256(_asset(name).encode()).digest()).decode()
        for kind, name in (("style", "style.css"), ("script", "script.js"))
    }
    own = [f"{kind}-src 'sha256-{digest}'" for kind, digest in hashes.items()]
    return "; ".join(["default-src 'none'", *own, "base-uri 'none'", "form-action 'none'"])


@cache
def _asset(name: str) -> Any:
    path = resources.folder("templates") / _FOLDER / name
    return _markup(path.read_text(encoding="utf-8").rstrip("\n"))


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - only files of this distribution


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(resources.folder("templates") / _FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
        finalize=_finalize,
    )


def _finalize(value: object) -> object:
    """Escape invisible characters. HTML is escaped by jinja2 itself."""
    return visible(value) if type(value) is str else value
