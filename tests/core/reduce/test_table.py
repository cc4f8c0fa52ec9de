"""What of a table is shown: its header, and the rows that are worth the most."""

from __future__ import annotations

import csv
import io

import pytest

from penstock.core.content import content_of_bytes, content_of_text
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.measure import Size
from penstock.core.policy import Policy
from penstock.core.reduce import sample_of
from penstock.core.reduce.contract import Ask, Room, Sample
from penstock.core.reduce.table import TABLE, fit
from penstock.core.view import View

HEADER = "station,shore,litres,state,note"
ROWS = [
    f"st-{n:04d},{('north', 'south')[n % 2]},{500 + n * 37 % 90},open,checked in round {n % 9}" for n in range(3_000)
]


def table(changed: dict[int, str] | None = None) -> str:
    rows = [(changed or {}).get(number, row) for number, row in enumerate(ROWS)]
    return "\n".join([HEADER, *rows]) + "\n"


def view_of(text: str | bytes, chars: int = 4_000, query: str = "") -> View:
    content = content_of_bytes(text) if isinstance(text, bytes) else content_of_text(text)
    view = bound(Case(content, Policy(Limits(chars=chars)), "chars", query=query))
    assert view.kind == "table"
    assert len(view.text) <= chars
    return view


@pytest.mark.parametrize("query", ["", "which stations are on the north shore?"])
def test_header_ends_and_odd_rows_of_3000_are_shown(query: str) -> None:
    failed, far, rare = "st-1200,north,530,failed,no water", "st-0700,south,99000,open,ok", "st-2100,east,530,open,ok"
    view = view_of(table({1200: failed, 700: far, 2100: rare}), query=query)
    assert view.text.startswith(HEADER + "\n" + ROWS[0] + "\n")
    for row in (failed, far, rare, ROWS[-1]):
        assert row + "\n" in view.text


def test_row_that_is_asked_for_is_shown() -> None:
    assert ROWS[1_717] in view_of(table(), 1_000, "Row with station=st-1717, shore=south").text


def test_rows_that_are_hidden_are_counted() -> None:
    view = view_of(table())
    shown = sum(line in ROWS for line in view.text.splitlines())
    assert f"hidden: {3_000 - shown:,} rows" in view.text
    assert sum(gap.newlines for gap in view.gaps) == 3_000 - shown


def test_gap_tells_its_rows_only_where_its_lines_do_not() -> None:
    assert not any(gap.tally for gap in view_of(table()).gaps)
    folded = view_of("a,b,c\n" + '"one\ntwo",2,3\n' * 400)
    assert sum(gap.tally.many for gap in folded.gaps if gap.tally) == sum(gap.newlines for gap in folded.gaps) / 2 > 0


def test_room_is_filled_from_the_end_behind_three_rows() -> None:
    view = view_of(table())
    assert len(view.text) > 3_700
    assert "".join(f"{row}\n" for row in (HEADER, *ROWS[:3])) + "[... 5-" in view.text
    assert "\n".join(ROWS[-50:]) in view.text


def test_rows_that_are_only_unusual_leave_most_of_the_room() -> None:
    # Every tenth row has a value of its own, which would be shown instead of a run of rows.
    odd = {n: f"st-{n:04d},{'abcdefghij'[n // 10 % 10] * 3},{500 + n % 90},open,ok" for n in range(0, 300, 10)}
    view = view_of(table(odd))
    assert 0 < sum(row in view.text for n, row in odd.items() if n > 2) <= 6
    assert view.text.count("[... ") <= 7
    assert sum(line in (*ROWS, *odd.values()) for line in view.text.splitlines()) > 80


@pytest.mark.parametrize("mark", ["\t", ";", "|", "  |  "])
def test_error_row_is_shown_whatever_parts_the_cells(mark: str) -> None:
    text = table({1500: "st-1500,north,501,failed,no water"}).replace(",", mark)
    assert mark.join(["st-1500", "north", "501", "failed", "no water"]) in view_of(text).text


def test_box_is_shown_with_its_rules_and_footer() -> None:
    rule = "+------+-------+\n"
    rows = "".join(f"| {n:4d} | {n % 50:5d} |\n" for n in range(900))
    view = view_of(rule + "|   id | depth |\n" + rule + rows + rule + "900 rows in set (0.01 sec)\n")
    assert view.text.startswith(rule + "|   id | depth |\n" + rule + "|    0 |")
    assert rule + "900 rows in set" in view.text
    assert sum(gap.tally.many for gap in view.gaps if gap.tally) < 900


def test_aligned_text_shows_what_is_not_running() -> None:
    rows = [f"pump-{n:04d}   1/1     Running   {n % 3}          {n % 40 + 3}d\n" for n in range(900)]
    rows[400] = "pump-0400   0/1     Error     9          3d\n"
    rows[600] = "pump-0600   1/1     Running   812        3d\n"
    view = view_of("NAME        READY   STATUS    RESTARTS   AGE\n" + "".join(rows))
    assert rows[400] in view.text and rows[600] in view.text


def test_quoted_cell_over_several_lines_is_one_row() -> None:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["name", "note", "state"])
    for n in range(400):
        writer.writerow([f"weir {n}", f"opens at dawn,\nsays the keeper {n}", "failed" if n == 200 else "ok"])
    view = view_of(out.getvalue())
    assert '"opens at dawn,\nsays the keeper 200",failed' in view.text.replace("\r\n", "\n")
    for part in view.text.split("[...")[:-1]:
        assert part.count('"') % 2 == 0, "no row is cut inside of a quoted cell"


def test_quote_that_stands_for_itself_does_not_make_one_row_of_the_rest() -> None:
    text = table({40: 'st-0040,north,501,open,a 5" pipe'})
    view = view_of(text)
    assert view.text.count("\n") > 20 and ROWS[-1] in view.text


def test_numbers_with_units_are_numbers() -> None:
    rows = [f"disk{n},{n % 50 + 10}%,{n % 9 + 1}.5G,${1_000 + n % 30:,}\n".replace("$1,", "$1") for n in range(500)]
    rows[250] = "disk250,-4%,900T,$\n"
    assert rows[250] in view_of("name,used,size,cost\n" + "".join(rows)).text


def test_row_with_other_cells_does_not_shift_those_behind_it() -> None:
    few, many, failed = "st-0300,north", "st-0600,north,501,open,a,b,c", "st-1200,north,530,failed,no water"
    shown = view_of(table({300: few, 600: many, 1200: failed})).text
    assert failed in shown and "st-1199" not in shown


@pytest.mark.parametrize("mark", [",", "|"])
def test_cell_that_is_no_utf8_leaves_the_others_as_they_are(mark: str) -> None:
    text = table({700: "st-0700,south,99000,open,\xff", 1200: "st-1200,\xe4,530,failed,no water"}).replace(",", mark)
    view = view_of(text.encode("latin-1"))
    for shown in ("st-0700,south,99000,open,\ufffd", "st-1200,\ufffd,530,failed,no water"):
        assert shown.replace(",", mark) in view.text


def test_number_far_from_all_others_is_shown_in_a_column_with_empty_cells() -> None:
    far = "st-0700,south,99000,open,ok"
    assert far in view_of(table({n: f"st-{n:04d},north,,open,ok" for n in range(90, 2_000, 100)} | {700: far})).text


def test_long_row_is_shown_by_its_start() -> None:
    text = HEADER + "\n" + ",".join(["a", "b", "1", "open", "x" * 9_000]) + "\n" + "\n".join(ROWS) + "\n"
    view = view_of(text, 8_000)
    assert "x" * 1_000 in view.text and ROWS[-1] in view.text


def test_header_that_is_too_long_is_shown_in_part() -> None:
    header = ",".join(f"column_{n}" for n in range(400))
    text = header + "\n" + (",".join(["1"] * 400) + "\n") * 50
    assert view_of(text, 1_500).text.startswith("column_0,column_1,")


def test_text_of_another_kind_is_shown_all_the_same() -> None:
    for data in (b"", b"\n\n\n", b"one\ntwo", b'"open\n' * 40, b"a" * 9_000):
        content = content_of_bytes(data)
        choice = TABLE.reduce(content, Ask()).choose(Room(400, None, None, Size(20, 1, 20)))
        assert sum(stop - start for start, stop in choice.spans) >= min(len(data), 300)


@pytest.mark.parametrize(
    "text",
    [
        "src/a.py:1:a, b, c\nsrc/a.py:7:d, e, f\n" * 9,
        '{"a":1,"b":2,"c":3}\n' * 9,
        "<td>a,b,c</td>\n" * 9,
        "the rest of it\n" * 9,
        "one,two,three\n",
    ],
)
def test_what_is_of_another_kind_is_left_to_it(text: str) -> None:
    assert fit(sample_of(content_of_text(text), "text")) == 0


def test_table_at_the_start_of_something_else_is_less_sure() -> None:
    rows = b"a,b,c,d\n" * 200
    assert (
        fit(Sample(rows, "text", middle=rows, size=9_000)) > fit(Sample(rows, "text", b"text\n" * 50, size=9_000)) > 0
    )
    assert fit(Sample(b"a,b,c,d", "text", size=9_000)) == 0
