"""Shares sessions, rate limits, subscriptions and tasks among the replicas of a server."""
