"""Asks a running server what it offers, and keeps its raw answers."""

from mcpgen.recording.assemble import Answers, Recorded, assemble

__all__ = ["Answers", "Recorded", "assemble"]
