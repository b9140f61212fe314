# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make.py CHAT EMBEDDINGS: the pictures of this folder, with Debian's chromium and fonts-inter.

CHAT is SmolLM2-135M-Instruct.Q4_1.gguf, and EMBEDDINGS all-MiniLM-L6-v2, both compiled.
"""

import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "test" / "end-to-end" / "serve"))
from browser import Browser  # noqa: E402
from serving import Server  # noqa: E402

# Browsers take the font that the system has for sans-serif.
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><include>/etc/fonts/fonts.conf</include>
  <match target="pattern"><edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>
</fontconfig>"""


def chat(browser):
    browser.until("!find('chat').hidden")
    for name, value in {"seed": 7, "temperature": 0.2}.items():
        browser.write(name, str(value))
    for text in ("What is the capital of France?", "Tell me two things to see there."):
        browser.write("message", text)
        browser.press("Enter")
        browser.until("running === null")


def compare(browser):
    browser.until("!find('compare').hidden")
    browser.press("Enter", 2)
    browser.until("running === null")


with tempfile.NamedTemporaryFile("w", suffix=".conf") as fonts:
    fonts.write(FONTS)
    fonts.flush()
    os.environ["FONTCONFIG_FILE"] = fonts.name
    with Browser(1000, 700) as browser:
        for program, act in zip(sys.argv[1:], (chat, compare), strict=True):
            with Server(program, threads=2) as server:
                browser.open(f"http://127.0.0.1:{server.port}/")
                act(browser)
                browser.picture(HERE / f"{act.__name__}.png")
