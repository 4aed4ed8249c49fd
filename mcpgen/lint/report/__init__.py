"""A report of lint as text, JSON or SARIF. Pure: text in, text out."""
