# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""serve_load.py chats|vectors PROGRAM: many concurrent clients of a server under the thread
sanitizer. They send requests, disconnect, and are connected when it is stopped."""

import contextlib
import http.client
import json
import pathlib
import signal
import socket
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).parents[1] / "end-to-end" / "serve"))
from serving import Server  # noqa: E402

kind, program = sys.argv[1], pathlib.Path(sys.argv[2])
ROUNDS = 24  # rounds of each client before the server is stopped
# The possible statuses: an answer, a full queue, or a server that is stopping.
EXPECTED = {200, 429, 503}


def chat(client, **more):
    # Some prompts have a common prefix, so that its KV cache is reused.
    text = "the same beginning of " + "x" * (client % 3)
    return "/v1/chat/completions", {"messages": [{"role": "user", "content": text}], "max_tokens": 24,
                                    "ignore_eos": True, **more}


def post(server, path, body):
    return server.request("POST", path, body)[0]


def whole(server, client):
    return post(server, *chat(client, logprobs=True, top_logprobs=3))


def streamed(server, client):
    return post(server, *chat(client, stream=True, stream_options={"include_usage": True}))


def last(server):
    """Long streams; stopping the server ends one of them."""
    text = b""
    with contextlib.suppress(OSError, http.client.HTTPException):  # the server has already ended
        while b"server_stopping" not in text:
            text = server.request("POST", *chat(0, stream=True, max_tokens=8000))[1]


def completed(server, client):
    return post(server, "/v1/completions", {"prompt": "abc" * (client + 1), "max_tokens": 8, "seed": client})


def refused(server, client):
    status = post(server, "/v1/completions", {"prompt": "x", "max_tokens": -1 - client})
    assert status in (400, 503), status
    return 200


def embedded(server, client):
    return post(server, "/v1/embeddings", {"input": ["the cat sat on the mat.", "I"] * (client + 1)})


def vanished(server, client):
    """Disconnects before the answer, or in the middle of it."""
    path, body = (chat(client, stream=client % 2 == 0, max_tokens=4000) if kind == "chats" else
                  ("/v1/embeddings", {"input": ["the cat sat on the mat."] * 500}))
    content = json.dumps(body).encode()
    head = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n")
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(head.encode() + content)
        if body.get("stream"):
            connection.recv(100)


def watched(server, client):
    for path in ("/metrics", "/health", "/v1/models", "/", "/nothing")[client % 2:]:
        status = server.request("GET", path)[0]
        assert status in EXPECTED or (path, status) == ("/nothing", 404), (path, status)
    return 200


ways = [whole, streamed, completed, refused, vanished, watched] if kind == "chats" else \
    [embedded, embedded, vanished, watched]
answered, wrong = [], []
enough = threading.Semaphore(0)


def work(server, client):
    """Sends all kinds of requests in turn until the server does not answer."""
    count = 0
    try:
        while True:
            status = ways[(client + count) % len(ways)](server, client)
            assert status in EXPECTED | {None}, status
            answered.append(status)
            count += 1
            if count == ROUNDS:
                enough.release()
    except (OSError, http.client.HTTPException) as error:
        # This is an error unless the server is being stopped, which needs ROUNDS of all clients.
        if count < ROUNDS:
            wrong.append(repr(error))
    except Exception as error:  # an exception in a thread would be lost
        wrong.append(repr(error))
    enough.release()


with Server(program, "--parallel", 3, "--queue", 6, "--grace", 0, threads=2) as server:
    # First a request on an idle server.
    assert ways[0](server, 1) == 200
    clients = [threading.Thread(target=work, args=(server, client)) for client in range(10)]
    others = [threading.Thread(target=last, args=(server,))] if kind == "chats" else []
    for client in others + clients:
        client.start()
    for _ in clients:
        assert enough.acquire(timeout=120), "the clients have no answers"
    server.process.send_signal(signal.SIGTERM)
    for client in others + clients:
        client.join(120)
    server.process.wait(60)  # a second signal would end it immediately
assert not wrong, (wrong, server.log[-4000:])
assert answered.count(200) > len(clients), answered
assert "ThreadSanitizer" not in server.log, server.log
print(f"{kind}: {answered.count(200)} answered, asked to stop meanwhile, nothing found")
