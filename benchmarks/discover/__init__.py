"""How well `sdd discover` finds the decisions of public repositories."""
