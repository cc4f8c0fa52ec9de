from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.tools.pagerank import pagerank

NODES = 12
WEIGHTS = st.floats(0.01, 1_000)
GRAPHS = st.lists(st.dictionaries(st.integers(0, NODES - 1), WEIGHTS, max_size=5), min_size=NODES, max_size=NODES)
STARTS = st.lists(st.floats(0.01, 10), min_size=NODES, max_size=NODES)


@given(GRAPHS, STARTS, st.floats(0, 100))
def test_ranks_sum_to_one_and_none_is_negative(links: list[dict[int, float]], start: list[float], idle: float) -> None:
    ranks = pagerank(links, start, idle=idle)
    assert sum(ranks) == pytest.approx(1)
    assert min(ranks) >= 0


@given(GRAPHS, STARTS, st.integers(0, NODES - 1))
def test_node_that_readers_start_at_more_ranks_no_lower(
    links: list[dict[int, float]], start: list[float], node: int
) -> None:
    more = [weight + (5 if number == node else 0) for number, weight in enumerate(start)]
    before, after = (pagerank(links, weights, tolerance=1e-12, most=500)[node] for weights in (start, more))
    assert after >= before - 1e-9


@given(GRAPHS, STARTS, st.floats(0.1, 50))
def test_only_the_proportions_of_the_weights_count(
    links: list[dict[int, float]], start: list[float], factor: float
) -> None:
    scaled = [{target: weight * factor for target, weight in row.items()} for row in links]
    assert pagerank(scaled, start) == pytest.approx(pagerank(links, [weight * factor for weight in start]))


def test_nodes_without_links_keep_the_share_that_readers_start_with() -> None:
    assert pagerank([{}, {}, {}, {}], [1, 1, 1, 1]) == pytest.approx([0.25] * 4)
    assert pagerank([{}, {}], [3, 1]) == pytest.approx([0.75, 0.25])


def test_node_that_is_linked_to_more_ranks_higher() -> None:
    ranks = pagerank([{2: 1.0}, {2: 1.0}, {}, {}], [1] * 4)
    assert ranks[2] > ranks[0] == ranks[1] == ranks[3]


def test_nodes_of_a_cycle_rank_alike() -> None:
    assert pagerank([{1: 2.0}, {2: 2.0}, {0: 2.0}], [1, 1, 1]) == pytest.approx([1 / 3] * 3)
    assert pagerank([{0: 1.0}], [1]) == pytest.approx([1])


def test_node_where_nobody_starts_and_nothing_leads_has_no_rank() -> None:
    assert pagerank([{1: 1.0}, {0: 1.0}, {0: 1.0}], [1, 1, 0])[2] == 0


def test_leaf_with_one_weak_link_hands_on_little_of_what_it_has() -> None:
    links = [{1: 100.0}, {2: 1.0}, {}]
    assert pagerank(links, [1, 1, 1], idle=50)[2] < pagerank(links, [1, 1, 1])[2] / 1.3


def test_time_that_is_over_ends_it_with_a_ranking() -> None:
    ranks = pagerank([{1: 1.0}, {}], [1, 1], expired=lambda: True)
    assert sum(ranks) == pytest.approx(1)
    assert ranks[1] > ranks[0]
