"""Warns of a new package with the name of a well-known one, because one would hide the other."""

from __future__ import annotations

import importlib.util
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcpgen.errors import UsageError
from mcpgen.jsontext import is_object

# Packages of products that servers are named after. They are often installed next to a client.
_KNOWN = frozenset(
    """
    airtable algoliasearch anthropic arxiv asana atlassian auth0 boto3 botocore bs4 cassandra
    celery chroma chromadb clickhouse_connect cloudflare cohere confluent_kafka databricks
    datadog deepl django docker docx duckdb duckduckgo_search elasticsearch exa_py fastapi
    feedparser figma firebase_admin firecrawl flask ghapi git github gitlab google
    googleapiclient grafana_api groq hubspot huggingface_hub influxdb_client jira kubernetes
    langchain langfuse linear llama_index matplotlib meilisearch mistralai mlflow monday
    mongoengine mysql neo4j networkx notion_client numpy ollama openai opensearchpy oracledb
    pandas paramiko paypalrestsdk pika pinecone playwright plotly prometheus_client psycopg
    psycopg2 pydantic_ai pymongo pymysql pypdf pyppeteer qdrant_client redis replicate
    requests resend scipy scrapy selenium sendgrid sentry_sdk shodan shopify slack_sdk
    snowflake sqlalchemy square stripe supabase tavily telegram temporalio terraform torch
    transformers trello tweepy twilio vertexai weaviate wikipedia wikipediaapi yaml yfinance
    youtube_transcript_api zendesk zenpy
    """.split()
)


def warning(package: str, path: Path, option: str) -> str:
    """Return a warning if an installed package has the name of a new package, otherwise ""."""
    is_within = any((folder / "__init__.py").exists() for folder in list(path.parents)[:2])
    distribution = "" if path.exists() or is_within else _hidden_distribution(package)
    if not distribution:
        return ""
    clash = f"a package named {package} hides {distribution} from Python, or is hidden"
    return f"{path}: {clash}; {option} gives it another name"


def _hidden_distribution(package: str) -> str:
    """Return the distribution with a package of this name, or ""."""
    if _may_be_installed(package):
        # Reading the files of all distributions takes longer than generating a small package.
        from importlib import metadata

        own = _own_name()
        for name, distributions in metadata.packages_distributions().items():
            conflicts = sorted(
                {distribution for distribution in distributions if _normal(distribution) != own}
            )
            if name.casefold() == package.casefold() and conflicts:
                return f"the installed package of {', '.join(conflicts)}"
    return "a well-known package of that name" if package.casefold() in _KNOWN else ""


def _may_be_installed(package: str) -> bool:
    """Return True if Python finds a module of this name, in upper or lower case."""
    for folder in filter(Path.is_dir, map(Path, sys.path)):
        with suppress(OSError):  # Python can't import from a folder that it can't read, either
            modules = (entry.name.partition(".")[0].casefold() for entry in folder.iterdir())
            if package.casefold() in modules:
                return True
    try:
        return importlib.util.find_spec(package) is not None  # an editable one is outside
    except ValueError:
        return True


def _own_name() -> str:
    """Return the project's own name, whose packages don't count."""
    from mcpgen.files import toml
    from mcpgen.project.discovery import PYPROJECT

    try:
        table: Any = toml.parse_file(Path(PYPROJECT)).get("project", {})
    except UsageError:
        return ""
    name = table.get("name") if is_object(table) else None
    return _normal(name) if isinstance(name, str) else ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
