"""Generates self-contained HTML pages from contracts."""

from mcpgen.codegen.pages.contract_page import contract_page
from mcpgen.codegen.pages.html import render_page

__all__ = ["contract_page", "render_page"]
