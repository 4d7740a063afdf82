import pytest

from benchmarks.references.model import fit


def test_a_model_learns_the_feature_of_right_records() -> None:
    examples = [((number / 10, 1.0), number > 5, 1.0) for number in range(11)] * 20
    model = fit(examples)
    assert model.probability((1.0, 1.0)) > 0.8
    assert model.probability((0.0, 1.0)) < 0.2
    assert model.weights[1] == pytest.approx(0.0, abs=1e-6)


def test_examples_that_are_all_right_have_a_model() -> None:
    model = fit([((0.5, 1.0), True, 1.0)] * 10)
    assert 0.9 < model.probability((0.5, 1.0)) < 1.0
