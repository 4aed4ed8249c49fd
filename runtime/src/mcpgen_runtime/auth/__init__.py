"""Authorization of HTTP connections: tokens, stored logins and their renewal."""
