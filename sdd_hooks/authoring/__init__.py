"""Write decision records and specifications: create, number, rename, and change their status."""
