"""Asks a running server what it offers, and keeps its raw answers."""

from mcpgen.recording.build_contract import Answers, Recorded, assemble

__all__ = ["Answers", "Recorded", "assemble"]
