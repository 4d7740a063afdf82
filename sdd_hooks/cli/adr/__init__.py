"""`sdd adr`: create decision records."""
