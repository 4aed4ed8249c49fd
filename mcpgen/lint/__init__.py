"""What a server's author could do better, found by rules that are data, and reported."""
