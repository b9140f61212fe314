# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""openai_client.py TRANSFOLD MODELS OUT: OpenAI's own client, and curl, with our servers."""

import asyncio
import json
import pathlib
import subprocess
import sys

import openai

from serving import Server, compile_talk, compile_vectors

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

    # Errors are those that the client knows.
    raised(openai.AuthenticationError, client_of(server, key="another").models.list)
    raised(openai.NotFoundError, lambda: client.models.retrieve("other"))
    raised(openai.NotFoundError, lambda: client.embeddings.create(model="talk", input="x"))
    error = raised(openai.BadRequestError, lambda: client.chat.completions.create(
        model="talk", messages=question, n=2))
    assert error.param == "n" and error.type == "invalid_request_error", error

    # As the documentation has it, with curl.
    ran = subprocess.run(["curl", "-sS", f"http://127.0.0.1:{server.port}/v1/chat/completions",
                          "-H", "Content-Type: application/json", "-H", "Authorization: Bearer a-key",
                          "-d", json.dumps({"messages": question, "temperature": 0, "max_tokens": 12})],
                         capture_output=True, check=True)
    assert json.loads(ran.stdout)["choices"][0]["message"]["content"] == text

with Server(vectors) as server:
    client = client_of(server)
    numbers = [client.embeddings.create(model="vectors", input=["I", "the cat"], encoding_format=form).data
               for form in ("float", "base64")]
    usual = client.embeddings.create(model="vectors", input=["I", "the cat"])
    for i in range(2):
        assert [float(x) for x in usual.data[i].embedding] == [float(x) for x in numbers[0][i].embedding]
    assert len(usual.data) == 2 and usual.usage.prompt_tokens > 4
print("openai: as expected")
