"""Facts to English: templates, banks of them, stories and questions."""
