"""What is found, judged by a policy: findings, and the report that they make."""
