"""A report of contract tests as text, JSON, JUnit or SARIF. Pure: text in, text out."""
