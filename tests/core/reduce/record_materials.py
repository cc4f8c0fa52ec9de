"""Specimens of records: JSON and tables, as tools print them."""

from __future__ import annotations

import json
from typing import Final

_SLUICES = [
    {"id": f"sl-{n:03d}", "gate": {"open": n % 3 == 0, "percent": n * 7 % 100}, "levels": [n, n + 2], "state": "ok"}
    for n in range(24)
]

_STATIONS = "".join(f"st-{n:02d},{('north', 'south')[n % 2]},{12 + n * 31 % 77}.5,{1000 + n}\n" for n in range(40))

RECORDS: Final[dict[str, str]] = {
    "json:pretty": json.dumps({"items": _SLUICES, "next": None}, indent=2) + "\n",
    "json:one line": json.dumps(_SLUICES, separators=(",", ":")),
    "json:by id": json.dumps({sluice["id"]: sluice for sluice in _SLUICES}, indent=4),
    "json:lines": "".join(json.dumps(sluice) + "\n" for sluice in _SLUICES),
    "json:behind a log": "GET /sluices\n200 OK, 24 sluices\n" + json.dumps(_SLUICES, indent=1),
    "json:broken off": json.dumps({"data": {"sluices": _SLUICES}}, indent=2)[:2_000],
    "json:numbers": json.dumps([[n, n * n, n * 0.5] for n in range(90)]),
    "table:csv": "station,shore,depth,litres\n" + _STATIONS,
    "table:csv with quotes": "name,note,litres\n" + '"Weir, upper","opens\nat dawn",17\n' * 20,
    "table:tsv": ("station\tshore\tdepth\tlitres\n" + _STATIONS).replace(",", "\t"),
    "table:semicolons": ("station;shore;depth;litres\n" + _STATIONS).replace(",", ";").replace(".5", ",5"),
    "table:aligned": "NAME       READY   STATUS    RESTARTS   AGE\n"
    + "".join(f"pump-{n:02d}    1/1     Running   {n % 3}          {n + 3}d\n" for n in range(30)),
    "table:underlined": "Package    Version\n---------- -------\n"
    + "".join(f"valve-{n:02d}   {n % 4}.{n}.0\n" for n in range(40)),
    "table:markdown": "| station | depth |\n|---------|------:|\n"
    + "".join(f"| st-{n:02d}   | {n * 13 % 50:5d} |\n" for n in range(40)),
    "table:box": "+----+-------+\n| id | depth |\n+----+-------+\n"
    + "".join(f"| {n:2d} | {n * 13 % 50:5d} |\n" for n in range(40))
    + "+----+-------+\n40 rows in set (0.00 sec)\n",
    "table:psql": " id | depth | shore \n----+-------+-------\n"
    + "".join(f" {n:2d} | {n * 13 % 50:5d} | north\n" for n in range(40))
    + "(40 rows)\n",
    "table:behind a preamble": "Connected to the ledger.\nRunning 1 statement\n\nstation,shore,depth,litres\n"
    + _STATIONS,
}
