"""Released data sets as examples, one file per format; `formats.py` tells them apart.

The direction differs: Levy & Dagan and Levy/Holt rows put the hypothesis LEFT and the premise RIGHT, Holt's own files
and Zeichner's the premise LEFT.
"""
