"""The brief of an issue, and the check of a finished branch against the code that exists."""
