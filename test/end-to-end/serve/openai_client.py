# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""openai_client.py TRANSFOLD MODELS OUT: OpenAI's own client, and curl, with our servers."""

import asyncio
import json
import pathlib
import subprocess
import sys
import threading

import openai

from serving import Server, compile_talk, compile_vectors, error

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
talk = compile_talk(transfold, models, out / "1")
vectors = compile_vectors(transfold, models, out / "2")
(out / "keys").write_text("a-key\n")


def client_of(server, kind=openai.OpenAI, key="a-key"):
    return kind(base_url=f"http://127.0.0.1:{server.port}/v1", api_key=key, max_retries=0, timeout=60)


def raised(kind, ask):
    try:
        ask()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


async def many(server, texts):
    async with client_of(server, openai.AsyncOpenAI) as client:
        answers = await asyncio.gather(*(client.chat.completions.create(
            model="talk", messages=[{"role": "user", "content": text}], temperature=0, max_tokens=8)
            for text in texts))
    return [answer.choices[0].message.content for answer in answers]


def curl(server, path, body, *options):
    """The command line of a request."""
    return ["curl", "-sS", "--max-time", "300", f"http://127.0.0.1:{server.port}{path}",
            "-H", "Content-Type: application/json", "-H", "Authorization: Bearer a-key", *options,
            "-d", body if isinstance(body, str) else json.dumps(body)]


def curled(server, path, body):
    """The status, and the body, which is JSON."""
    text = subprocess.run(curl(server, path, body, "-w", "\n%{http_code}"), capture_output=True, check=True,
                          encoding="utf-8").stdout
    content, _, status = text.rpartition("\n")
    return int(status), json.loads(content)


def curled_stream(server, body, text):
    """`curl -N`: events arrive as they are generated."""
    told = subprocess.run(curl(server, CHAT, {**body, "stream": True}, "-N", "-i"), capture_output=True, check=True,
                          encoding="utf-8").stdout
    head, _, events = told.partition("\n\n")
    assert head.startswith("HTTP/1.1 200") and "content-type: text/event-stream" in head.lower(), head
    lines = [line for line in events.splitlines() if line]
    assert all(line.startswith("data: ") for line in lines) and lines[-1] == "data: [DONE]", lines
    parts = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    assert "".join(part["choices"][0]["delta"].get("content", "") for part in parts) == text

    # A long stream has begun, and ends when its reader does.
    endless = {"messages": question, "stream": True, "max_tokens": 8000, "ignore_eos": True}
    with subprocess.Popen(curl(server, CHAT, endless, "-N"), stdout=subprocess.PIPE, text=True) as reader:
        assert json.loads(reader.stdout.readline().removeprefix("data: "))["object"] == "chat.completion.chunk"
        reader.terminate()
    keyed = {"Authorization": "Bearer a-key"}
    server.until(lambda: b"transfold_running_completions 0\n" in server.request("GET", "/metrics", headers=keyed)[1],
                 "the end of what nobody reads")


def curled_errors(server, body):
    for path, wrong, status, code in ((CHAT, {**body, "n": 0}, 400, None), (CHAT, "{", 400, None),
                                      (CHAT, {**body, "model": "other"}, 404, "model_not_found"),
                                      (EMBED, {"input": "x"}, 404, "not_found"),
                                      (CHAT, {**body, "messages": [{"role": "user", "content": "x" * 20000}]},
                                       400, "context_length_exceeded")):
        found = error(curled(server, path, wrong), status)
        assert found["code"] == code and found["message"], (wrong, found)


def too_many(server, path, body, room, ask):
    """Fills the server; then a further request is refused with the client's exception, and a
    client that retries is answered when the others are gone."""
    def told(status):
        return server.metric(f'transfold_requests_total{{route="{path}",status="{status}"}}')

    taken = []
    for number in range(room):
        taken.append(server.connect())
        taken[-1].request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        names = ("transfold_running_completions", "transfold_waiting_completions", "transfold_waiting_embeddings")
        server.until(lambda number=number: sum(map(server.metric, names)) == number + 1, "a place that is taken")
    refused = raised(openai.RateLimitError, lambda: ask(client_of(server)))
    assert refused.code == "queue_full" and refused.type == "rate_limit_error" and refused.status_code == 429, refused
    answers = []
    patient = threading.Thread(target=lambda: answers.append(ask(client_of(server).with_options(max_retries=60))))
    patient.start()
    server.until(lambda: told(429) >= 2, "another refusal")
    for connection in taken:
        connection.close()
    patient.join(120)
    assert len(answers) == 1 and told(200) == 1


CHAT, EMBED = "/v1/chat/completions", "/v1/embeddings"
TEXTS = ["I", "the cat"]
question = [{"role": "user", "content": "Hello"}]
with Server(talk, "--api-key-file", out / "keys") as server:
    client = client_of(server)
    assert [model.id for model in client.models.list()] == ["talk"]
    assert client.models.retrieve("talk").owned_by == "transfold"
    answer = client.chat.completions.create(model="talk", messages=question, temperature=0,
                                            max_completion_tokens=12, seed=1, logprobs=True, top_logprobs=2)
    text = answer.choices[0].message.content
    assert answer.choices[0].finish_reason == "length" and answer.usage.completion_tokens == 12
    assert "".join(token.token for token in answer.choices[0].logprobs.content) == text
    parts = list(client.chat.completions.create(model="talk", messages=question, temperature=0, stream=True,
                                                max_tokens=12, stream_options={"include_usage": True}))
    assert "".join(part.choices[0].delta.content or "" for part in parts if part.choices) == text
    assert parts[-1].usage.completion_tokens == 12
    whole = client.completions.create(model="talk", prompt="Hello", temperature=0, max_tokens=12, logprobs=1)
    streamed = client.completions.create(model="talk", prompt="Hello", temperature=0, max_tokens=12, stream=True)
    assert "".join(part.choices[0].text for part in streamed) == whole.choices[0].text
    texts = [f"Hello {i}" for i in range(8)]
    alone = [asyncio.run(many(server, [text]))[0] for text in texts]
    assert asyncio.run(many(server, texts)) == alone

    # Errors are the client's exceptions.
    raised(openai.AuthenticationError, client_of(server, key="another").models.list)
    raised(openai.NotFoundError, lambda: client.models.retrieve("other"))
    raised(openai.NotFoundError, lambda: client.embeddings.create(model="talk", input="x"))
    refused = raised(openai.BadRequestError, lambda: client.chat.completions.create(
        model="talk", messages=question, n=0))
    assert refused.param == "n" and refused.type == "invalid_request_error", refused

    # The requests of the documentation, with curl.
    asked = {"messages": question, "temperature": 0, "max_tokens": 12}
    assert curled(server, CHAT, asked)[1]["choices"][0]["message"]["content"] == text
    curled_stream(server, asked, text)
    curled_errors(server, asked)

with Server(talk, "--parallel", 1, "--queue", 1) as server:
    too_many(server, CHAT, {"messages": question, "max_tokens": 8000, "ignore_eos": True}, 2,
             lambda client: client.chat.completions.create(model="talk", messages=question, max_tokens=8))

with Server(vectors) as server:
    client = client_of(server)
    numbers = [client.embeddings.create(model="vectors", input=TEXTS, encoding_format=form).data
               for form in ("float", "base64")]
    usual = client.embeddings.create(model="vectors", input=TEXTS)
    for i in range(2):
        assert [float(x) for x in usual.data[i].embedding] == [float(x) for x in numbers[0][i].embedding]
    assert len(usual.data) == 2 and usual.usage.prompt_tokens > 4
    status, body = curled(server, EMBED, {"input": TEXTS})
    assert status == 200 and [each["embedding"] for each in body["data"]] \
        == [[float(x) for x in each.embedding] for each in numbers[0]], body
    assert body["usage"]["prompt_tokens"] == usual.usage.prompt_tokens

with Server(compile_vectors(transfold, models, out / "3", layers=192), "--queue", 1) as server:
    too_many(server, EMBED, {"input": ["the " * 40] * 2048, "truncate": True}, 1,
             lambda client: client.embeddings.create(model="vectors", input=TEXTS))
print("openai: as expected")
