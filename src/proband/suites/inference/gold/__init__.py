"""From judgments to items with a label.

judged.py      a folder of questionnaires and judgments, read and aggregated
report.py      agreement, workers, retained share and the expert's audit, for the manifest
simulation.py  judgments by simulated annotators for any questionnaires
"""
