"""How well `sdd work --check` recognises definitions that exist already."""
