"""The paper's figures and findings beside ours: tables.py, section3.py (the data), anchors.py (later results on
Levy/Holt), claims.py. The study that makes the runs is studies/inference.toml."""
