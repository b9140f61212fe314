# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""page_browser.py TRANSFOLD MODELS OUT: the page of a server, in Chromium."""

import json
import pathlib
import sys

import numpy

from browser import Browser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from serving import Server, compile_talk, compile_vectors  # noqa: E402

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
talk = compile_talk(transfold, models, out / "1")
vectors = compile_vectors(transfold, models, out / "2")
(out / "keys").write_text("a-key\n")
CTRL, SHIFT = 2, 8
HOSTILE = "<img src=x onerror=\"window.owned = 1\"><script>window.owned = 1</script>&amp;"
NOTHING_RAN = "window.owned === undefined && !document.images.length && document.scripts.length === 1"


def is_shown(section):
    return f"find('{section}').offsetParent !== null"


def told(browser, section):
    return browser.value(f"document.querySelector('#{section} output').textContent")


def turns(browser):
    return browser.value("[...turns.querySelectorAll('article p')].map((p) => p.textContent)")


def set_sampling(browser, **fields):
    for name, value in fields.items():
        browser.write(name, str(value))


def open_page(browser, server, section):
    browser.open(f"http://127.0.0.1:{server.port}/")
    browser.until(is_shown(section))


def check_key(browser, server):
    """The key is requested if one is needed; it is kept for the lifetime of the tab, and nowhere
    else."""
    browser.open(f"http://127.0.0.1:{server.port}/")
    browser.until(is_shown("key-form") + " && document.activeElement.id === 'key'")
    assert not browser.value(is_shown("chat"))
    for key, shown in (("wrong", "trouble"), ("a-key", "chat")):
        browser.write("key", key)
        browser.press("Enter")
        browser.until(f"{is_shown(shown)} && sessionStorage.getItem('key') === '{key}'")
    assert not browser.value(is_shown("key-form")) and not browser.value(is_shown("trouble"))
    open_page(browser, server, "chat")
    assert browser.value("localStorage.length === 0 && document.cookie === ''")
    assert browser.value("[document.title, find('name').textContent]") == [HOSTILE, HOSTILE]


def check_chat(browser, server):
    """The turns are the answers of the API to the same messages with the same seed."""
    set_sampling(browser, seed=3, temperature=1, max_tokens=12, system="Be " + HOSTILE)
    messages = [{"role": "system", "content": "Be " + HOSTILE}]
    for text in ("Hello", HOSTILE):
        browser.write("message", text)
        browser.press("Enter", SHIFT)
        browser.press("Enter")
        browser.until("running === null && message.value === ''")
        messages.append({"role": "user", "content": text + "\n"})
        answer = server.post("/v1/chat/completions",
                             {"messages": messages, "seed": 3, "temperature": 1, "max_tokens": 12},
                             Authorization="Bearer a-key")[1]
        messages.append(answer["choices"][0]["message"])
        assert turns(browser) == [each["content"] for each in messages[1:]], (turns(browser), messages)
        usage = answer["usage"]
        assert told(browser, "chat").startswith(f"{usage['completion_tokens']} tokens"), told(browser, "chat")
        assert f"prompt {usage['prompt_tokens']} tokens" in told(browser, "chat")


def check_stream(browser):
    """An answer that arrives byte by byte, with hostile text, and one that breaks off."""
    text = HOSTILE + " é€😀"
    events = [{"choices": [{"delta": {"content": text}}]}, {"choices": [], "usage": {
        "completion_tokens": 1, "prompt_tokens": 2}}]
    lines = [f"data: {json.dumps(event, ensure_ascii=False)}\r\n\r\n" for event in events]
    for end, expected in (("data: [DONE]\n\n", "1 token "), ("", "The answer broke off."),
                          (f'data: {{"error": {{"message": {json.dumps(HOSTILE)}}}}}\n\n', HOSTILE)):
        browser.value("fetch = async () => new Response(new ReadableStream({start(out) {"
                      f"for (const byte of new TextEncoder().encode({json.dumps(''.join(lines) + end)}))"
                      "  out.enqueue(new Uint8Array([byte])); out.close(); }}))")
        browser.value("find('new-chat').click()")
        browser.write("message", "x")
        browser.press("Enter")
        browser.until("running === null && message.value === ''")
        assert turns(browser) == ["x", text], turns(browser)
        assert told(browser, "chat").startswith(expected), told(browser, "chat")


def check_stop(browser, server):
    """Escape ends an answer, also on the server; the partial answer stays."""
    set_sampling(browser, temperature=0, max_tokens=16000)
    browser.write("message", "Hello")
    browser.press("Enter")
    browser.until("turns.querySelector('.assistant p')?.textContent.length > 3")
    browser.press("Escape")
    browser.until("running === null")
    assert told(browser, "chat") == "Stopped." and len(turns(browser)[1]) < 16000
    server.until(lambda: server.metric("transfold_running_completions") == 0, "the end of the answer")
    assert browser.value("conversation.length") == 2


def check_errors(browser, server):
    """The page shows the API's error messages, and restores the question."""
    browser.value("find('new-chat').click()")
    refused = server.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "x" * 17000}]})
    browser.write("message", "x" * 17000)
    browser.press("Enter")
    browser.until("running === null && message.value.length === 17000")
    assert refused[0] == 400 and told(browser, "chat") == f"400: {refused[1]['error']['message']}"
    assert turns(browser) == []
    set_sampling(browser, temperature=3)
    browser.write("message", "x")
    browser.press("Enter")
    browser.until("running === null && message.value === 'x'")
    assert "range" in told(browser, "chat")
    set_sampling(browser, temperature=0)


def check_text(browser, server):
    browser.value("find('kinds').children[1].click()")
    assert browser.value(is_shown("written")) and not browser.value(is_shown("system"))
    set_sampling(browser, temperature=0, max_tokens=10)
    text = "Hello"
    browser.write("written", text)
    for _ in range(2):
        more = server.post("/v1/completions", {"prompt": text, "temperature": 0, "max_tokens": 10})
        text += more[1]["choices"][0]["text"]
        browser.press("Enter", CTRL)
        browser.until(f"running === null && written.value === {json.dumps(text)}")


def check_vectors(browser, server):
    lines = ["the cat sat on the mat.", "on the mat", HOSTILE, "the cat sat on the mat."]
    browser.write("lines", "\n\n  ".join(lines))
    browser.press("Enter", CTRL)
    browser.until("similarities.rows.length === 5")
    shown = browser.value("[...similarities.rows].map((row) => [...row.cells].map((cell) => cell.textContent))")
    answer = server.post("/v1/embeddings", {"input": lines})[1]["data"]
    vectors = numpy.array([each["embedding"] for each in answer])
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    for i, row in enumerate(shown[1:]):
        assert row[0] == f"{i + 1}  {lines[i]}" and row[1 + i] == "1.000", row
        assert numpy.abs(numpy.array(row[1:], float) - vectors @ vectors[i]).max() < 0.00051, row
    assert shown[1][4] == "1.000" and "4 texts" in told(browser, "compare")
    browser.write("lines", "x\n" * 51)
    browser.press("Enter", CTRL)
    browser.until("running === null")
    assert "51 texts" in told(browser, "compare")


with Browser() as browser:
    with Server(talk, "--api-key-file", out / "keys", "--model-name", HOSTILE) as server:
        check_key(browser, server)
        check_chat(browser, server)
        check_stream(browser)
        assert browser.value(NOTHING_RAN)
    with Server(talk, "--context", 16384) as server:
        open_page(browser, server, "chat")
        check_stop(browser, server)
        check_errors(browser, server)
        check_text(browser, server)
    browser.press("Enter", CTRL)
    browser.until("running === null")
    assert "cannot be reached" in told(browser, "text"), told(browser, "text")
    with Server(vectors) as server:
        open_page(browser, server, "compare")
        assert not browser.value(is_shown("settings"))
        check_vectors(browser, server)
        assert browser.value(NOTHING_RAN)
        assert not browser.problems, browser.problems
        # Injected markup does not run.
        browser.value("document.body.insertAdjacentHTML('beforeend', '<p onclick=\"window.owned = 1\">')")
        browser.value("document.body.lastElementChild.click()")
        assert browser.value("window.owned === undefined") and browser.problems
print("page: as expected")
