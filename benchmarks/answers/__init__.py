"""Questions as maintainers ask them, and whether a search quotes the sentences that answer."""
