"""Serves over stdio or HTTP: limits, health checks, draining, metrics and logs."""
