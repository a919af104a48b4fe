"""The web app where people write, review, judge, simplify and solve. It meets the suites in files only."""
