# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""page.py TRANSFOLD MODELS OUT: prints the page of a server, and which requests get it."""

import base64
import hashlib
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from serving import Server, compile_vectors, error  # noqa: E402

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = compile_vectors(transfold, models, out)
(out / "keys").write_text("a-key\n")


def get(server, method):
    connection = server.connect()
    connection.request(method, "/")
    response = connection.getresponse()
    headers = {name.lower(): value for name, value in response.getheaders()}
    headers.pop("date")  # of the second in which it was asked
    body = response.read().decode()
    connection.close()
    return response.status, headers, body


def hash_of(page, tag):
    """The hash in the format of Content-Security-Policy."""
    content, = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


with Server(program, "--api-key-file", out / "keys") as server:
    status, headers, page = get(server, "GET")
    print("GET / without a key:", status)
    for name in sorted(headers.keys() - {"connection", "keep-alive"}):
        print(f"{name}: {headers[name]}")
    head = get(server, "HEAD")
    assert head == (200, headers, ""), head
    print("HEAD /: the same headers")
    print(page, end="")
    for tag in ("style", "script"):
        assert f"{tag}-src '{hash_of(page, tag)}'" in headers["content-security-policy"], tag
    print("its style and its script are those that the policy names")
    error(server.post("/", {}), 405)
    print("POST /: 405")

with Server(program, "--no-page") as server:
    print("--no-page: 404", error(server.get("/"), 404)["code"])
    listed = server.get("/v1/models")[1]["data"]
    print("routes:", *listed[0]["transfold"]["routes"])
