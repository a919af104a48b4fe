"""The web pages: entry by signed link, the person's visit, the owner's desk."""
