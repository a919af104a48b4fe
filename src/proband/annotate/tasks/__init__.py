"""The kinds of task, one file each. A kind reads units, shows them, reads answers and makes something of them."""
