"""The server is stopped (SIGKILL and SIGTERM in turn) under 20 clients, while two owners give commands (status, backup,
payments, export, erase, links); every acknowledged answer must be stored once, as it was sent, and paid.

    python benchmarks/annotate_crash.py --database sqlite
    python benchmarks/annotate_crash.py --database postgresql

With PostgreSQL every fourth blow is an immediate stop of the database instead. "Back" is the time from the blow to the
first answer from the database, through the server.
"""

from __future__ import annotations

import argparse
import asyncio

from annotate_parts import load_average
from crashing import BOTH, PER_UNIT, Plan, crash, verify
from servers import database_server
from visitors import judge_study


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--answers", type=int, default=5000)
    parser.add_argument("--back", type=float, default=5.0, help="seconds after which it must be back")
    given = parser.parse_args()
    plan = Plan(kills=given.kills, clients=20, answers=given.answers, owners=2, signals=BOTH)
    settings = {"people": {"overlap": 8}, "pay": {"per-unit": PER_UNIT}}
    with (
        database_server(given.database) as server,
        judge_study(
            server and server.database(), units=given.answers // 4 + 40, candidates=2, settings=settings
        ) as folder,
    ):
        found = asyncio.run(crash(plan, folder, server))
        result = verify(folder, found)
    stops, gone = found.back_database, sum(len(found.of_person[who]) for who in found.erased)
    also = f", after a stop of the database in {max(stops):.1f} s at most" if stops else ""
    print(
        f"{given.database}: {given.kills} blows ({len(stops)} of them to the database), {plan.clients} clients, "
        f"{found.commands.total()} commands, {len(found.acknowledged):,} answers acknowledged, {result['stored']:,} "
        f"stored, {gone} erased, {result['lost']} lost, {result['unpaid']} people not paid for all, "
        f"{result['returned']} erased answers or people that came back, "
        f"{result['altered']} altered, {result['doubled']} doubled, {result['misplaced']} units with a wrong number of "
        f"places; back after a kill in {max(found.back):.1f} s at "
        f"most{also} ({load_average()})"
    )
    assert len(found.acknowledged) >= given.answers
    assert not found.wrong, found.wrong
    del result["stored"]
    assert not any(result.values()), result
    assert max([*found.back, *stops]) < given.back, "too long away"


if __name__ == "__main__":
    main()
