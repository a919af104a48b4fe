"""Item analysis: reliability of a ranking, difficulty, group differences, short tests (`proband items`)."""
