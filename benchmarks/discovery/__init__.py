"""How many of the records of public repositories are found, and whether they are read rightly."""
