"""Studies with people: a web app to write, review, judge, simplify and solve (`proband annotate`).

    commands.py, result_commands.py   the steps of the command line, found by the entry point `proband.verbs`
    create.py, project.py             a project's folder: settings, secret, units
    store/                            what people did, in SQLite or PostgreSQL
    visit.py, site/                   what a person may do next, and the pages
    results/                          figures, labels, payments, exports
    human_task.py, kinds/             what a kind of task is made of, and the kinds for Proband's own suites

Suites declare the kinds of task that serve them (`Suite.tasks`); `tasks.py` finds them there, those of others too.
"""
