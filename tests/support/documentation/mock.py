"""What the Python in docs/mock.md takes for granted."""

from library import LibraryClient
