"""The bytes of a server, below the SDK's parser: each answer read on its own."""
