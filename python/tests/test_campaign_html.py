"""How a campaign shows itself in Jupyter."""

from xml.etree import ElementTree

import numpy as np
from campaigns import POOL, make

import acuity


def test_it_shows_itself_and_escapes_names(tmp_path):
    nasty = '<script>&"\'</script>'
    levels = [acuity.Level(nasty + "a", accuracy=0.8, cost=1), acuity.Level("&amp;" * 5, accuracy=1.0, cost=3)]
    with acuity.create(
        tmp_path / "a & <b>.acuity", pool=POOL, levels=levels, budget=10, name=nasty, unit=nasty, classes=[nasty, "<i>"],
        ids=[f"{nasty}{i}" for i in range(40)], inputs=[nasty, "b"],
    ) as campaign:
        for said in (nasty, "<i>", nasty):
            campaign.tell(campaign.ask(), said)
        campaign.ask()
        page = campaign._repr_html_()
        ElementTree.fromstring(page)
        assert "<script" not in page and "<i>" not in page and "&lt;script&gt;" in page
        assert campaign._repr_html_().count("<svg") == 2


def test_control_characters_are_shown_as_escapes(tmp_path):
    nasty = '"><script>alert(1)</script></svg>]]>&\x1b[31m\x9b\u202e\nINJECTED\x07'
    with acuity.create(
        tmp_path / "a\x1b\n.acuity", pool=POOL, levels=[acuity.Level("l" + nasty, noise_sd=0.1, cost=1)], budget=10,
        name="n" + nasty, unit="u" + nasty, ids=[f"{nasty}{i}" for i in range(40)], inputs=["a" + nasty, "b"],
    ) as campaign:
        campaign.tell(campaign.ask(), 0.5)
        page, line = campaign._repr_html_(), repr(campaign)
    page += campaign._repr_html_()  # closed
    ElementTree.fromstring(f"<div>{page}</div>")
    assert "<script" not in page and "\\x1b[31m" in page and "\\u202e" in page
    for shown in (page, line):
        assert not [letter for letter in shown if ord(letter) < 0x20 or 0x7F <= ord(letter) <= 0x9F or letter == "\u202e"]


def test_it_shows_the_belief_along_one_input():
    line = np.linspace(0, 5, 30)[:, None]
    for other in ({}, {"budget": None}, {"levels": [acuity.Level("a", accuracy=0.8, cost=1)]}, {"pool": line[:1]}):
        with make(None, **{"pool": line, "inputs": ["<x>"], **other}) as campaign:
            ElementTree.fromstring(campaign._repr_html_())
            campaign.tell(campaign.ask(), 1)
            page = campaign._repr_html_()
            assert ElementTree.fromstring(page).find(".//polyline") is not None
            assert "nan" not in page and "1 annotations" in page
            assert page.count("<circle") == (0 if campaign.binary else 1)


def test_an_answer_elsewhere_or_with_its_own_noise_is_shown():
    with make(None, pool=np.linspace(0, 5, 30)[:, None]) as campaign:
        campaign.ask(2)
        campaign.tell(1, 0.1, x=[99.0])
        campaign.tell(2, 0.2, noise_sd=0.5)
        ElementTree.fromstring(campaign._repr_html_())


def test_numbers_of_any_size_have_a_place_in_the_picture():
    for answers in ([1e150, -1e150, 1e-300], [5e-324, 0.0, 5e-324], [1e150] * 3, [0.0]):
        for cost in (1e-300, 1.0, 3e14):
            with make(None, pool=np.linspace(0, 5, 30)[:, None], budget=None) as campaign:
                for suggestion, answer in zip(campaign.ask(len(answers)), answers):
                    campaign.tell(suggestion, answer, cost=cost)
                page = campaign._repr_html_()
                ElementTree.fromstring(page)
                numbers = page.replace("infinite", "")
                assert "nan" not in numbers and "inf" not in numbers, (answers, cost)
                assert len(page) < 100_000


def test_amounts_have_their_unit_and_answers_their_noise():
    with make(None, unit="core h") as campaign:
        campaign.tell(campaign.ask(), 0.25)
        page = campaign._repr_html_()
        assert "<th>cost (core h)</th>" in page and "0.25 ± 0.3" in page and "1 core h</text>" in page


def test_suggestions_predictions_and_models_are_tables_in_a_notebook():
    made = acuity.create(
        pool={"<b>": POOL[:, 0]}, levels=[acuity.Level("a & b", noise_sd=0.1, cost=1)], budget=9, amplitude=1.0, lengthscale=1.0, fit="never"
    )
    one = made.ask()._repr_html_()
    assert "&lt;b&gt;" in one and "a &amp; b" in one and "<b>&lt;" not in one.replace("<b>&lt;b&gt;</b>", "")
    shown = made.prediction(POOL[:, :1])._repr_html_()
    assert shown.count("<tr>") == 11 and f"{len(POOL)} rows, the first 10 shown" in shown
    model = acuity.GPRegressor(optimiser=None, noise_variance=0.1)
    assert "not yet" in model._repr_html_()
    assert "amplitude_" in model.fit(POOL, POOL[:, 0])._repr_html_()
