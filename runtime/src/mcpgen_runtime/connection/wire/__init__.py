"""JSON-RPC messages, parsed one by one below the SDK's parser."""
