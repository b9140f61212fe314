# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""faults.py TRANSFOLD MODELS OUT: faults of clients and networks.

After each fault the server answers as before; at the end it holds no resources of any of them.
"""

import json
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

import exposition
from serving import Server, compile_talk, error

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = compile_talk(transfold, models, out)
# The address sanitizer keeps up to 256 MB of freed memory, to find accesses to it.
KEPT_FREE = (512 << 20) if b"__asan_init" in program.read_bytes() else 0
CHAT = "/v1/chat/completions"


def chat(text="Hello", **more):
    return {"messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 8, **more}


HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
ENDLESS = chat(max_tokens=8000, ignore_eos=True, stream=True)


def raw(server, content=b""):
    """A connection over which `content` was sent."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    connection.sendall(content)
    return connection


def post(body, more="", length=None):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    size = len(content) if length is None else length
    return (f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {size}\r\n{more}\r\n").encode() + content


def answer_of(connection):
    """Everything received until the other side closes."""
    received = b""
    try:
        while part := connection.recv(1 << 16):
            received += part
    except ConnectionResetError:
        pass
    connection.close()
    return received


def answers(server):
    status, body = server.post(CHAT, chat())
    assert status == 200 and body["choices"][0]["message"]["content"] == usual, body


def idle(server):
    server.until(lambda: server.metric("transfold_running_completions") == 0
                 and server.metric("transfold_waiting_completions") == 0
                 and server.metric("transfold_active_requests") == 1, "an idle server")


def fill(server):
    """Starts two long requests, and four that wait."""
    connections = [raw(server, post(ENDLESS)) for _ in range(2)]
    server.until(lambda: server.metric("transfold_running_completions") == 2, "two that run")
    connections += [raw(server, post(ENDLESS)) for _ in range(4)]
    server.until(lambda: server.metric("transfold_waiting_completions") == 4, "a full queue")
    return connections


def too_long(server):
    """Prompts that cannot fit, as large as the limit of bodies and several at once, are refused
    before they are tokenized."""
    before = server.memory()
    content = post({"prompt": "1" * 7000000}, "Connection: close\r\n").replace(CHAT.encode(), b"/v1/completions")
    connections = [raw(server, content) for _ in range(6)]
    for connection in connections:
        received = answer_of(connection)
        assert received.startswith(b"HTTP/1.1 400") and b"has more than 8192 tokens" in received, received[:500]
    most = before + (160 << 20) + KEPT_FREE
    assert server.memory("VmHWM") < most, (before, server.memory("VmHWM"))
    answers(server)


def vanish(server):
    """Clients disconnect in the middle of a stream, of a request without a stream, and in the
    queue."""
    for body in [ENDLESS] * 3 + [{**ENDLESS, "stream": False}] * 3:
        connection = raw(server, post(body))
        if body["stream"]:
            assert connection.recv(10)
        else:
            server.until(lambda: server.metric("transfold_running_completions") > 0, "a start")
        connection.close()
        idle(server)
        answers(server)
    for connection in fill(server):
        connection.close()
    idle(server)


def halves(server):
    """Incomplete requests: others are answered meanwhile."""
    open_ones = [raw(server, content) for content in [
        b"", b"POST", b"POST /v1/chat/completions HTTP/1.1\r\nContent-", post(chat())[:-20],
        post(chat(), length=100000)]]
    answers(server)
    for connection in open_ones:
        connection.close()
    # A client that closes its sending side is not waited for.
    closed = raw(server, post(chat())[:-20])
    closed.shutdown(socket.SHUT_WR)
    assert b" 200 " not in answer_of(closed)
    answers(server)


def long_headers(server):
    """Endless headers, of one line or of many, are refused or cut off; headers within the limit
    are accepted."""
    within = b"".join(b"X-%d: " % i + b"x" * 7000 + b"\r\n" for i in range(8))
    last = HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n" + within + b"\r\n")
    assert answer_of(raw(server, last)).startswith(b"HTTP/1.1 200 ")
    first = b"GET /health HTTP/1.1\r\n"
    for content in [first + b"X: " + b"x" * (1 << 20), first + b"X: x\r\n" * (1 << 18),
                    first + b"X: " + b"x" * (1 << 20) + b"\r\n\r\n",
                    first + b"X: x\r\n" * (1 << 18) + b"\r\n", post(chat(), "X: x\r\n" * (1 << 18))]:
        connection = raw(server)
        try:
            connection.sendall(content)
        except ConnectionError:
            pass  # the connection was closed before everything was sent
        received = answer_of(connection)
        assert not received or received.startswith(b"HTTP/1.1 4"), (content[:40], received[:200])
        answers(server)


def nonsense(server):
    for content in [b"\x00\x01\x02\x03\r\n\r\n", b"GET\r\n\r\n", b"NONSENSE / HTTP/1.1\r\n\r\n",
                    b"GET /" + b"x" * 5000 + b" HTTP/1.1\r\n\r\n"]:
        assert answer_of(raw(server, content)).startswith(b"HTTP/1.1 4"), content
    bad = [b"", b"{", b"[]", b"null", b'{"messages": [{"role": "user", "content": "\xff\xfe"}]}',
           b'{"messages": "\xed\xa0\x80"}', b'{"messages": ' + b"[" * 100 + b"]" * 100 + b"}",
           b'{"messages": ' + b"[" * 1000000 + b"}", b'{"messages": [{"role": {"a": 1}}]}',
           json.dumps(chat(stop=[1])).encode(), json.dumps(chat(temperature=1e308)).encode(),
           b'{"messages": [{"role": "user", "content": "x"}], "temperature": NaN}']
    for content in bad:
        error(server.post(CHAT, content), 400)
    # Bodies that are too large, with a declared length and without one.
    large = json.dumps(chat("x" * (10 << 20))).encode()
    error(server.post(CHAT, large), 413)
    chunks = b"".join(b"100000\r\n" + b"x" * (1 << 20) + b"\r\n" for _ in range(10)) + b"0\r\n\r\n"
    head = post(b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    assert b" 413 " in answer_of(raw(server, head + chunks))
    # A prompt that is too long for the context.
    assert error(server.post(CHAT, chat("word " * 200000)), 400)["code"] == "context_length_exceeded"
    answers(server)


def slow_reader(server):
    """A client that does not read delays no others, and is disconnected."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", server.port))
    connection.sendall(post({**ENDLESS, "logprobs": True, "top_logprobs": 20}))
    answers(server)
    connection.close()
    idle(server)


def full_queue(server):
    """Two requests run, four wait, further ones are refused."""
    connections = fill(server)
    refused = error(server.post(CHAT, chat()), 429)
    assert refused["type"] == "rate_limit_error" and refused["code"] == "queue_full", refused
    assert server.get("/health")[0] == 200
    for connection in connections:
        connection.close()
    idle(server)
    answers(server)


def crowd(server):
    """Idle connections and incomplete requests delay no others: there are more of them than the
    server has threads, and all are answered."""
    kept = [raw(server, HEALTH) for _ in range(100)]
    for connection in kept:
        assert b" 200 " in connection.recv(1 << 16)
    dripping = [raw(server, content) for content in (HEALTH[:-4], post(chat())[:-2]) * 200]
    for connection in dripping:
        connection.sendall(b" ")
    answers(server)
    assert server.get("/health")[0] == 200
    for connection in kept:
        connection.sendall(HEALTH)
        assert b" 200 " in connection.recv(1 << 16)
    for connection in kept + dripping:
        connection.close()
    idle(server)


faults = [too_long, vanish, halves, long_headers, nonsense, slow_reader, full_queue, crowd]
with Server(program, "--parallel", 2, "--queue", 4) as server:
    usual = server.post(CHAT, chat())[1]["choices"][0]["message"]["content"]
    for fault in faults:
        fault(server)
        exposition.check(server)
    idle(server)
    # Repeats the faults: memory and descriptors do not grow.
    memory, descriptors = server.memory(), server.descriptors()
    for _ in range(2):
        for fault in faults:
            fault(server)
    idle(server)
    server.until(lambda: server.descriptors() <= descriptors, "closed connections")
    assert server.memory() < memory + (24 << 20) + KEPT_FREE, (memory, server.memory())
assert "terminate" not in server.log, server.log


def stop_under_load(grace):
    """Open requests finish, or end with an error that gives the reason."""
    with Server(program, "--parallel", 2, "--queue", 8, "--grace", grace) as server:
        short = chat(max_tokens=7000, ignore_eos=True, stream=True)
        open_ones = [raw(server, post(short if grace else ENDLESS, "Connection: close\r\n")) for _ in range(6)]
        # A request that comes after the signal is refused: first all six must have arrived.
        server.until(lambda: server.metric("transfold_running_completions") == 2 and
                     server.metric("transfold_waiting_completions") == 4, "a start")
        received = [None] * 6

        def read(index):
            received[index] = answer_of(open_ones[index])

        readers = [threading.Thread(target=read, args=(index,)) for index in range(6)]
        for reader in readers:
            reader.start()
        server.process.send_signal(signal.SIGTERM)
        if grace:
            server.until(lambda: server.process.poll() is not None
                         or error_or_health(server) == 503, "an end")
        for reader in readers:
            reader.join(60)
        for text in received:
            assert (b"data: [DONE]" if grace else b"server_stopping") in text, text[-500:]
        server.process.wait(60)


def error_or_health(server):
    try:
        return server.request("GET", "/health")[0]
    except OSError:
        return 503


stop_under_load(60)
stop_under_load(0)

# Two servers cannot use one port, and the second reports that.
with Server(program) as server:
    ran = subprocess.run([program, "serve", "--port", str(server.port)], capture_output=True, text=True)
    assert ran.returncode == 1 and "cannot listen on 127.0.0.1" in ran.stderr, ran
print("faults: as expected")
