"""A report as text, JSON, Markdown, annotations, JUnit or SARIF. Pure: text in, text out."""
