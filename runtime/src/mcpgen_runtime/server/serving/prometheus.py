"""Metrics for Prometheus, on a listener of their own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .telemetry import BUCKETS, Metric, Record

_FOLDER = "PROMETHEUS_MULTIPROC_DIR"


def recorder(metric: Metric) -> Record:
    """Return a function that adds an observation to a metric of this process."""
    # Imported by name, because most servers do without it.
    library = _library()
    histogram: Any = library.Histogram(
        f"{metric.name.replace('.', '_')}_seconds",
        metric.description,
        [attribute.replace(".", "_") for attribute in metric.attributes],
        buckets=BUCKETS,
    )

    def record(seconds: float, attributes: Mapping[str, str]) -> None:
        values = [attributes.get(attribute, "") for attribute in metric.attributes]
        histogram.labels(*values).observe(seconds)

    return record


def serve(address: tuple[str, int], folder: str = "") -> None:
    """Serve the metrics of this process, or of all workers that write them into a folder.

    Raises:
        OSError: The port is taken.
    """
    library, (host, port) = _library(), address
    options: dict[str, Any] = {}
    if folder:
        options["registry"] = registry = library.CollectorRegistry()
        multiprocess: Any = import_module("prometheus_client.multiprocess")
        multiprocess.MultiProcessCollector(registry, folder)
    library.start_http_server(port, addr=host.strip("[]"), **options)


def prepare_workers() -> str:
    """Create the folder into which workers write their metrics, and return it."""
    os.environ[_FOLDER] = folder = tempfile.mkdtemp(prefix="metrics-")
    return folder


def clean_up(folder: str) -> None:
    """Remove the folder of the workers."""
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def _library() -> Any:
    return import_module("prometheus_client")
