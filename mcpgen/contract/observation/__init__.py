"""Infers result types from recorded results of tools."""
