"""Read what records of other tools say, to write it into the frontmatter that sdd reads."""
