import pytest

from toolscore_otel.gate.student import NEARLY_NORMAL, t_quantile

TABLE = [
    (0.975, 1, 12.7062),
    (0.975, 2, 4.3027),
    (0.99, 3, 4.5407),
    (0.99, 5, 3.3649),
    (0.975, 10, 2.2281),
    (0.95, 30, 1.6973),
    (0.9995, 9, 4.7809),
    (0.975, 120, 1.9799),
    (0.975, 1000, 1.9623),
]


@pytest.mark.parametrize(("level", "freedom", "value"), TABLE)
def test_quantiles_are_those_of_printed_tables(level, freedom, value):
    assert t_quantile(level, freedom) == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("level", [0.9, 0.99, 0.999, 0.9999])
def test_the_two_ways_meet(level):
    exact, expanded = t_quantile(level, NEARLY_NORMAL), t_quantile(level, NEARLY_NORMAL + 1)
    assert 0 < exact - expanded < 2e-3
