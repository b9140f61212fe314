# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""protocol.py TRANSFOLD MODELS OUT: HTTP according to RFC 9110 and 9112, as a program serves it."""

import gzip
import json
import pathlib
import re
import resource
import socket
import subprocess
import sys

from serving import Server, compile_vectors, error

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = compile_vectors(transfold, models, out)
(out / "keys").write_text("sk-one\n")
EMBED = "/v1/embeddings"
TEXT = {"input": "I"}
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
LAST = HEALTH + b"Connection: close\r\n\r\n"


def raw(server, content):
    """Everything that the server sends until it closes the connection."""
    with socket.create_connection((server.address, server.port), timeout=60) as connection:
        connection.sendall(content)
        received = b""
        while part := connection.recv(1 << 16):
            received += part
        return received


def status_of(answer):
    return int(answer.split()[1])


def headers_of(server, method, path):
    connection = server.connect()
    connection.request(method, path)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, dict(response.getheaders())


def names(server, keyed):
    for kind in ("application/json", "Application/JSON", "application/json ; charset=utf-8"):
        assert server.post(EMBED, TEXT, **{"Content-Type": kind})[0] == 200, kind
    error(server.post(EMBED, TEXT, **{"Content-Type": "application/jsonp"}), 415)
    for given in ("Bearer sk-one", "bearer sk-one", "BEARER  sk-one"):
        assert keyed.get("/v1/models", Authorization=given)[0] == 200, given
    for given in ("Basic sk-one", "Bearer sk-on", "Bearer", "sk-one"):
        error(keyed.get("/v1/models", Authorization=given), 401)
    for path, methods in (("/health", "GET, HEAD"), (EMBED, "POST")):
        status, headers = headers_of(server, "DELETE", path)
        assert status == 405 and headers["Allow"] == methods, headers
        assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", headers["Date"]), headers
    print("names in any case, with spaces and parameters")


def framing(server):
    received = raw(server, HEALTH + b"\r\n" + HEALTH + b"\r\n" + LAST)
    print("requests in one packet:", received.count(b"HTTP/1.1 200 OK"), "answers")
    post = f"POST {EMBED} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()
    body = json.dumps(TEXT).encode()
    for content in (post + b"Content-Length: %d\r\nContent-Length: %d\r\n\r\n" % (len(body), len(body + LAST)),
                    post + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % len(body)):
        received = raw(server, content + body + LAST)
        assert status_of(received) == 400 and received.count(b"HTTP/1.1") == 1, received
    print("one that hides another: 400 and the end")
    packed = gzip.compress(body)
    print("Content-Encoding:", error(server.post(EMBED, packed, **{"Content-Encoding": "gzip"}), 415)["message"])
    assert server.post(EMBED, TEXT, **{"Content-Encoding": "Identity"})[0] == 200
    print("without a body:", *(status_of(raw(server, f"POST {path} HTTP/1.1\r\nHost: localhost\r\n"
                                             "Connection: close\r\n\r\n".encode()))
                               for path in (EMBED, "/nothing", "/health")))
    # The host in the target takes precedence over the Host field.
    print("absolute targets:", *(status_of(raw(server, f"GET http://{host}/health HTTP/1.1\r\nHost: localhost\r\n"
                                               "Connection: close\r\n\r\n".encode()))
                                 for host in ("127.0.0.1", "site.example")))
    received = raw(server, b"GET /v1/models HTTP/1.0\r\n\r\n")
    assert status_of(received) == 200 and b"chunked" not in received, received


def many(server):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    idle = [socket.create_connection((server.address, server.port), timeout=60) for _ in range(2000)]
    assert server.get("/health")[0] == 200
    assert server.post(EMBED, TEXT)[0] == 200
    for connection in idle:
        connection.sendall(LAST)
    for connection in idle:
        assert status_of(connection.recv(1 << 16)) == 200
        connection.close()
    print("2000 idle connections: all are answered")


# A usual soft limit for open files.
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
with Server(program) as server, Server(program, "--api-key-file", out / "keys") as keyed:
    names(server, keyed)
    framing(server)
    many(server)
for option in ("--host", "--allow-host", "--api-key-file", "--model-name"):
    ran = subprocess.run([program, "serve", "--port", "0", option, ""], capture_output=True, text=True, timeout=60)
    assert ran.returncode and option in ran.stderr and "it is empty" in ran.stderr, ran
print("options that are empty: refused")
