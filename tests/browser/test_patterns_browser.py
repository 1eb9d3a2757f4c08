"""The page of a table of patterns in headless Chromium, on a phone and on a wide screen."""

import os

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

import thresher as t

MOLECULES = ["CCO", "CCN", "c1ccccc1Cl", "CC(=O)Oc1ccccc1C(=O)O", "ClCCl", "c1ccccc1", "CCCl", "OCC(O)CO"] * 6
LABELS = np.where(["Cl" in each for each in MOLECULES], "chlorine", "none")


@pytest.mark.parametrize("width", [400, 1300])
def test_nothing_is_wider_than_the_screen(tmp_path, width):
    model = t.GraphClassifier(alpha=0.005, charges=True, max_edges=8, on_invalid="skip").fit(
        MOLECULES, LABELS
    )
    table = model.pattern_table([*MOLECULES, "C1" + 80 * "C"], [*LABELS, "none"])
    (tmp_path / "page.html").write_text(table.to_html("A_title_" + 60 * "x"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["BROWSER"], args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto((tmp_path / "page.html").as_uri())
        too_wide = page.evaluate(
            "[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > "
            "document.documentElement.clientWidth + 1).map((e) => e.tagName)"
        )
        heading = page.evaluate("getComputedStyle(document.querySelector('td'), '::before').content")
        browser.close()
    assert too_wide == []
    assert heading == ('"effect"' if width == 400 else "none")
