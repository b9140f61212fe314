# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chromium without a window, which is told what to do in its DevTools protocol.

The protocol goes through two pipes, a message in JSON and a zero byte after it, so that no
library for WebSockets is needed.
"""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium")
# Its sandbox takes rights that root in a container lacks. The pages are our own. It asks
# nobody for updates and lists.
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
           "--no-first-run", "--disable-background-networking", "--disable-component-update",
           "--disable-sync", "--remote-debugging-pipe"]


class Browser:
    """A browser with one page, as long as the block runs."""

    def __init__(self, width=1000, height=700):
        self.folder = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # It reads from descriptor 3, and writes to 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", PROGRAM, *OPTIONS,
             f"--user-data-dir={self.folder.name}", "about:blank"],
            pass_fds=(commands, answers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(commands)
        os.close(answers)
        self.width, self.height = width, height
        self.rest, self.number, self.session, self.problems = b"", 0, None, []

    def __enter__(self):
        pages = self.call("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in pages if each["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=self.width, height=self.height,
                  deviceScaleFactor=1, mobile=False)
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(timeout=10)
        except (OSError, AssertionError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.folder.cleanup()

    def read(self):
        while b"\0" not in self.rest:
            part = os.read(self.answers, 1 << 16)
            if not part:
                raise AssertionError(f"{PROGRAM} has ended")
            self.rest += part
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def note(self, event):
        """What goes wrong in a page: exceptions that nobody caught, and what a policy forbids."""
        given = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.problems.append(given["exceptionDetails"])
        elif event.get("method") == "Log.entryAdded" and given["entry"]["source"] == "security":
            self.problems.append(given["entry"]["text"])

    def call(self, method, **params):
        """The result of a command; events before it are noted."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.note(answer)

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete'")

    def value(self, script):
        """What an expression in the page is, once its promise holds."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, (script, answer)
        return answer["result"].get("value")

    def until(self, condition):
        """Waits for what must come; a test that waits in vain fails."""
        for _ in range(3000):
            if self.value(condition):
                return
            time.sleep(0.02)
        raise AssertionError(f"waited in vain for {condition}; the page says: "
                             + self.value("document.body.innerText"))

    def write(self, element, text):
        """Replaces what is in a field, as if it were typed."""
        self.value(f"field = document.getElementById('{element}'); field.focus(); field.select()")
        self.call("Input.insertText", text=text)

    def press(self, key, modifiers=0):
        """A key; 2 stands for Ctrl and 8 for Shift."""
        code, text = {"Enter": (13, "\r"), "Escape": (27, "")}[key]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=modifiers,
                      windowsVirtualKeyCode=code, text=text)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
