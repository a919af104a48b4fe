"""Studies with people: a web app in which they write, review, judge, simplify and solve (`proband annotate`).

    commands.py, result_commands.py   the steps of the command line, found by the entry point `proband.verbs`
    create.py, project.py             a project's folder: settings, secret, units
    store/                            what people did, in SQLite or PostgreSQL
    visit.py, site/                   what a person may do next, and the pages
    results/                          figures, labels, payments, exports

What people do is declared by the suites of Proband (`Suite.tasks`, `proband.core.human_task`).
"""
