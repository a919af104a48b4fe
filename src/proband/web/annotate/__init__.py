"""Templates, style and script of the web app for people."""
