"""From dependency trees to assertions: one dialect, the rules, and the formats that hold trees or become them."""
