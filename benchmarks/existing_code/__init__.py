"""Whether the code that a requirement is about is found, on requirements of public repositories."""
