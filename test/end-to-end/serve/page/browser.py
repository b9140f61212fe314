# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Headless Chromium, controlled through its DevTools protocol.

The protocol uses two pipes, with a zero byte after each JSON message, so that no WebSocket library
is needed.
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
# Its sandbox needs rights that root in a container lacks. The pages are our own. It must not
# request updates or lists.
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
           "--no-first-run", "--disable-background-networking", "--disable-component-update",
           "--disable-sync", "--remote-debugging-pipe"]


class Browser:
    """A browser with one page, open for the duration of a `with` block."""

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
        """Records the problems of a page: uncaught exceptions, and violations of its security
        policy."""
        given = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.problems.append(given["exceptionDetails"])
        elif event.get("method") == "Log.entryAdded" and given["entry"]["source"] == "security":
            self.problems.append(given["entry"]["text"])

    def call(self, method, **params):
        """The result of a command; events that arrive before it are recorded."""
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
        """The value of an expression in the page, after its promise is fulfilled."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, (script, answer)
        return answer["result"].get("value")

    def until(self, condition):
        """Waits for a condition; fails if it is not reached."""
        for _ in range(3000):
            if self.value(condition):
                return
            time.sleep(0.02)
        raise AssertionError(f"waited in vain for {condition}; the page says: "
                             + self.value("document.body.innerText"))

    def write(self, element, text):
        """Replaces the contents of a field, as if they were typed."""
        self.value(f"field = document.getElementById('{element}'); field.focus(); field.select()")
        self.call("Input.insertText", text=text)

    def press(self, key, modifiers=0):
        """Presses a key; the modifier 2 is Ctrl and 8 is Shift."""
        code, text = {"Enter": (13, "\r"), "Escape": (27, "")}[key]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=modifiers,
                      windowsVirtualKeyCode=code, text=text)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
