"""A person's visit: one address, GET shows what is next, POST does it.

Forms work without a script and then redirect; with the script they are sent by `fetch`, which asks for JSON and gets
`{"saved": true}` when the answer is on the disk.
"""
