# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# summary.py RESULTS.json CACHE: prints the slowest tests, and lit's results in one
# line; the exit status says whether all tests passed.

import json
import os
import re
import sys

results, cache = sys.argv[1:]
models = {"minilm": "all-MiniLM-L6-v2"}
here = os.path.dirname(os.path.abspath(__file__))


def skipped_without_reason(name):
    """Whether a test was skipped although the model that it requires exists."""
    path = os.path.join(here, name.split(" :: ", 1)[1])
    if not os.path.isfile(path):
        return False
    with open(path, encoding="utf-8") as file:
        required = re.findall(r"REQUIRES:(.*)", file.read())
    return any(
        re.search(rf"\b{feature}\b", line)
        and os.path.exists(os.path.join(cache, folder, "model.safetensors"))
        for line in required
        for feature, folder in models.items()
    )


with open(results, encoding="utf-8") as file:
    tests = json.load(file)["tests"]
passed = failed = 0
for test in sorted(tests, key=lambda test: test["name"]):
    name, code = test["name"], test["code"]
    if code in ("PASS", "XFAIL", "FLAKYPASS"):
        passed += 1
    elif code in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
        wrong = bool(os.environ.get("CI")) and skipped_without_reason(name)
        failed += wrong
        print(f"skipped: {name}" + (" (but its model is in the cache)" if wrong else ""))
    else:
        failed += 1
        print(f"failed: {name} ({code})")
timed = [(test.get("elapsed") or 0, test["name"].split(" :: ", 1)[1]) for test in tests]
slowest = [f"{name} {seconds:.0f} s" for seconds, name in sorted(timed, reverse=True)[:20] if seconds >= 1]
print("slowest: " + ", ".join(slowest))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
