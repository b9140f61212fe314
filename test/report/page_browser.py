# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""page_browser.py ROOT REPORT HOSTILE OUT: the page of a report, in Chromium."""

import pathlib
import sys

root, report, hostile, out = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
sys.path.insert(0, str(root / "test" / "end-to-end" / "serve" / "page"))
from browser import Browser  # noqa: E402

OWN = "document.querySelectorAll('{} .is-own').length"
ATTENTION = """(number => document.querySelector(`#spec [data-equation="${number}"]`))(
    JSON.parse(document.getElementById('data').textContent).equations.findIndex(
        equation => equation.links && equation.text.includes('softmax(')))"""


def tabs(browser):
    return browser.value("[...document.querySelectorAll('[role=tab]')].map(tab => tab.textContent)")


def choose(browser, name):
    browser.value(f"[...document.querySelectorAll('[role=tab]')].find(tab => tab.textContent === '{name}').click()")
    assert browser.value("[...document.querySelectorAll('[role=tabpanel]')].filter(panel => !panel.hidden).length") == 1


def key(browser, name):
    browser.value("(document.activeElement ?? document.body).dispatchEvent("
                  f"new KeyboardEvent('keydown', {{key: '{name}', bubbles: true}}))")


def check_links(browser):
    """From an equation to the operations of each stage, and from an operation to its equation."""
    browser.value(f"{ATTENTION}.click()")
    assert browser.value(OWN.format("#spec")) >= 1
    for name in ("xf", "folded", "staged", "kernels", "host"):
        choose(browser, name)
        shown = browser.value("[...document.querySelectorAll('[role=tabpanel]:not([hidden]) .line.is-own')]"
                              ".map(line => line.textContent)")
        assert any("softmax" in line or "xf.launch" in line for line in shown), (name, shown)
    assert browser.value(f"{ATTENTION}.querySelector('math') !== null")
    choose(browser, "xf")
    key(browser, "Escape")
    assert browser.value("document.querySelectorAll('.is-own').length") == 0
    browser.value("[...document.querySelectorAll('[role=tabpanel]:not([hidden]) .line')]"
                  ".find(line => line.textContent.includes('xf.softmax')).click()")
    assert browser.value(f"{ATTENTION}.classList.contains('is-own')")
    assert browser.value(f"{ATTENTION}.querySelectorAll('.is-place').length") > 0
    assert browser.value("document.querySelectorAll('#spec .is-caller').length") > 0
    key(browser, "Escape")


def check_parts(browser):
    assert tabs(browser) == ["xf", "folded", "staged", "kernels", "host", "machine code", "rewrites", "ledger", "caches",
                             "memory"]
    choose(browser, "rewrites")
    first = browser.value("document.querySelector('.rewrites h3').textContent")
    key(browser, "]")
    assert browser.value("document.querySelector('.rewrites h3').textContent") != first
    key(browser, "[")
    assert browser.value("document.querySelector('.rewrites h3').textContent") == first
    for name, element in (("ledger", "svg path.edge"), ("caches", "table td"), ("memory", "svg rect.value"),
                          ("machine code", "pre")):
        choose(browser, name)
        assert browser.value(f"document.querySelectorAll('[role=tabpanel]:not([hidden]) {element}').length") > 0, name
    choose(browser, "xf")


def check_keys(browser):
    key(browser, "ArrowRight")
    assert browser.value("document.querySelector('[aria-selected=true]').textContent") == "folded"
    key(browser, "ArrowLeft")
    key(browser, "ArrowDown")
    assert browser.value("document.activeElement.classList.contains('equation')")
    assert browser.value(OWN.format("#spec")) >= 1
    key(browser, "/")
    assert browser.value("document.activeElement.id") == "search"
    browser.write("search", "softmax")
    browser.until("document.querySelectorAll('.is-found').length > 0")
    browser.press("Enter")
    browser.until("document.querySelectorAll('.is-current').length === 1")
    browser.press("Escape")
    browser.until("document.querySelectorAll('.is-found').length === 0")


def check_theme(browser):
    paper = "getComputedStyle(document.body).backgroundColor"
    before = browser.value(paper)
    browser.value("document.getElementById('theme').click()")
    assert browser.value(paper) != before
    browser.value("document.getElementById('theme').click()")
    assert browser.value(paper) == before


def check_names(browser):
    """All that can be focused has a name, and references of ARIA lead to elements."""
    assert browser.value("""[...document.querySelectorAll('button, input, select, [tabindex]')].filter(element =>
        !(element.textContent.trim() || element.getAttribute('aria-label') || element.labels?.length ||
          element.getAttribute('aria-labelledby'))).map(element => element.outerHTML)""") == []
    assert browser.value("""[...document.querySelectorAll('[aria-controls], [aria-labelledby]')].every(element =>
        document.getElementById(element.getAttribute('aria-controls') ?? element.getAttribute('aria-labelledby')))""")
    assert browser.value("new Set([...document.querySelectorAll('[id]')].map(element => element.id)).size === "
                         "document.querySelectorAll('[id]').length")


with Browser(width=1500, height=950) as browser:
    browser.open(report.as_uri())
    check_parts(browser)
    check_links(browser)
    check_keys(browser)
    check_theme(browser)
    check_names(browser)
    browser.value(f"{ATTENTION}.click()")
    browser.picture(out / "page.png")
    assert not browser.problems, browser.problems
    browser.open(hostile.as_uri())
    assert browser.value("!document.images.length && document.scripts.length === 2")
    assert not browser.problems, browser.problems
print("page: as expected")
