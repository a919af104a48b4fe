"""Studies with people: a web app to write, review, judge, simplify and solve (`proband annotate`).

    commands.py, result_commands.py   the steps of the command line, found by the entry point `proband.verbs`
    create.py, project.py             a project's folder: settings, secret, units
    store/                            what people did, in SQLite or PostgreSQL
    visit.py, site/                   what a person may do next, and the pages
    results/                          figures, labels, payments, exports
    reviewing.py, other_tools.py      units from another project, a study in Label Studio or Potato
    apply_settings.py, erasing.py     settings brought into the database, the data of one person
    backup.py, bundle.py              copies of a project, files from outside
    terms.py, texts.py, tokens.py     what people agree to and read, their links
    prolific.py, demo.py              recruited people, every kind of task with sample units
    human_task.py, kinds/             what a kind of task is made of, and the kinds for Proband's own suites

Suites declare the kinds of task that serve them (`Suite.tasks`); `tasks.py` finds them there, those of others too.
"""
