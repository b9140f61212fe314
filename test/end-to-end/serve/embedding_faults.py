# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""embedding_faults.py TRANSFOLD MODELS OUT: faults of clients of an embedding server.

The model is deep, so that a request of 2048 texts takes many seconds: everything that must happen
while it is open does so on any machine. After each fault the server answers as before.
"""

import json
import pathlib
import sys

import exposition
from serving import Server, compile_vectors, error

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = compile_vectors(transfold, models, out, layers=192)
EMBED = "/v1/embeddings"
SMALL = {"input": ["the cat sat on the mat.", "I"]}
MOST = 2048
LARGE = {"input": ["the " * 40] * MOST, "truncate": True, "encoding_format": "base64"}


def send(server, body):
    """Sends a request; returns its connection without reading the answer."""
    connection = server.connect()
    connection.request("POST", EMBED, json.dumps(body), {"Content-Type": "application/json"})
    return connection


def waiting(server):
    return server.metric("transfold_waiting_embeddings")


def occupied(server):
    """Sends a large request, which stays in the queue until its last text is computed."""
    connection = send(server, LARGE)
    server.until(lambda: waiting(server) == 1, "a request in the queue")
    return connection


def idle(server):
    """Waits until the only active request is that for the metrics."""
    server.until(lambda: waiting(server) == 0
                 and server.metric("transfold_active_requests") == 1, "an idle server")


def answered(server, status):
    return server.metric(f'transfold_requests_total{{route="{EMBED}",status="{status}"}}')


def answers(server):
    assert server.post(EMBED, SMALL) == usual


def full_queue(server):
    """While one request waits, the next one is refused with a time to retry, and is then
    answered."""
    connection = occupied(server)
    refused = send(server, SMALL)
    response = refused.getresponse()
    found = error((response.status, json.loads(response.read())), 429)
    assert found["type"] == "rate_limit_error" and found["code"] == "queue_full", found
    assert int(response.getheader("Retry-After")) >= 1
    refused.close()
    assert server.get("/health")[0] == 200 and waiting(server) == 1
    connection.close()
    idle(server)
    answers(server)


def vanish(server):
    """A client that disconnects frees its place: the rest of its texts is not computed."""
    gone, done = answered(server, 499), server.metric("transfold_embedded_texts_total")
    connection = occupied(server)
    connection.close()
    idle(server)
    server.until(lambda: answered(server, 499) == gone + 1, "one that left")
    assert server.metric("transfold_embedded_texts_total") < done + MOST
    answers(server)


with Server(program, "--queue", 1) as server:
    usual = server.post(EMBED, SMALL)
    assert usual[0] == 200, usual
    full_queue(server)
    vanish(server)
    idle(server)
    descriptors = server.descriptors()
    for _ in range(3):
        full_queue(server)
        vanish(server)
    idle(server)
    server.until(lambda: server.descriptors() <= descriptors, "closed connections")
    assert exposition.check(server)["transfold_embedded_texts_total"][0] == "counter"

# Other requests are answered while a large one is computed, with the same bits, and after its
# client disconnects.
with Server(program, "--queue", 8) as server:
    connections = [send(server, LARGE) for _ in range(4)]
    server.until(lambda: waiting(server) == 4, "four in the queue")
    answers(server)
    for connection in connections[:3]:
        connection.close()
    server.until(lambda: waiting(server) == 1, "one in the queue")
    server.until(lambda: answered(server, 499) == 3, "three that left")
    answers(server)
    connections[3].close()
    idle(server)

# A deadline ends a request that takes too long, and no other.
with Server(program, "--deadline", 1) as server:
    assert error(server.post(EMBED, LARGE), 504)["code"] == "deadline_exceeded"
    assert server.metric("transfold_embedded_texts_total") < MOST
    idle(server)
    answers(server)

# A client that waits for an answer when the server stops gets an error with the reason.
with Server(program, "--grace", 0) as server:
    connection = occupied(server)
    server.process.terminate()
    response = connection.getresponse()
    assert error((response.status, json.loads(response.read())), 503)["code"] == "server_stopping"
    connection.close()
    server.process.wait(60)  # a second signal would end it immediately
print("embedding faults: as expected")
