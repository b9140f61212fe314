# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""audio.py TRANSFOLD MODELS OUT: recordings over HTTP, with the tiny Whisper whose window is 0.4
s."""

import concurrent.futures
import json
import pathlib
import random
import shutil
import subprocess
import sys

import openai

from serving import Server
import speech_model

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
shutil.rmtree(out, ignore_errors=True)
speech_model.write_model(models / "whisper", out / "model")
program = out / "hear"
subprocess.run([transfold, "compile", "-q", out / "model", "-o", program], check=True)
ROUTE, FORM = "/v1/audio/transcriptions", "multipart/form-data; boundary=edge"


def recording(name, samples, times=1):
    drawn = random.Random(name)
    path = out / f"{name}.wav"
    speech_model.write_wav(path, [drawn.gauss(0, 0.2) for _ in range(samples)], times=times)
    return path


def printed(*options):
    """The output of the command for the same options."""
    return subprocess.run([program, "transcribe", *options], capture_output=True, check=True, text=True).stdout


def form(**fields):
    parts = [f'--edge\r\nContent-Disposition: form-data; name="{name}"'.encode()
             + (b'; filename="in.wav"' if name == "file" else b"")
             + b"\r\n\r\n" + (value if isinstance(value, bytes) else value.encode()) + b"\r\n"
             for name, value in fields.items()]
    return b"".join(parts) + b"--edge--\r\n"


def post(server, body, route=ROUTE, **headers):
    status, text = server.request("POST", route, body, {"Content-Type": FORM, **headers})
    return status, json.loads(text)


def message(answer, status):
    assert answer[0] == status, answer
    return answer[1]["error"]["message"]


def check_formats(client, path):
    ask = client.audio.transcriptions.create
    text = printed("--language", "en", path).strip()
    assert ask(model="hear", file=path.open("rb"), language="en").text == text
    assert ask(model="hear", file=path.open("rb"), language="en", response_format="text") == text + "\n"
    for kind in ("srt", "vtt"):
        assert ask(model="hear", file=path.open("rb"), response_format=kind) == printed(f"--{kind}", path)
    verbose = ask(model="hear", file=path.open("rb"), response_format="verbose_json",
                  timestamp_granularities=["segment"])
    known = json.loads(printed("--json", path))
    assert verbose.language == known["language"] and abs(verbose.duration - known["duration"]) < 1e-6
    assert [each.tokens for each in verbose.segments] == [each["tokens"] for each in known["segments"]]
    translated = client.audio.translations.create(model="hear", file=path.open("rb"))
    assert translated.text == printed("--translate", path).strip()


def check_refusals(server, content):
    def refused(status=400, **fields):
        return message(post(server, form(**{"file": content, **fields})), status)
    assert "does not know the language 'xx'" in refused(language="xx")
    assert "'temperature'" in refused(temperature="0.4")
    assert "'prompt'" in refused(prompt="Hello")
    assert "only segment" in refused(**{"timestamp_granularities[]": "word"})
    assert "Did you mean 'language'?" in refused(langauge="en")
    assert "json, text, srt" in refused(response_format="pdf")
    assert "'stream'" in refused(stream="true")
    assert "no model 'other'" in refused(404, model="other")
    assert "'file' is missing" in message(post(server, form(model="hear")), 400)
    assert "in.wav: is an MP3 file" in message(post(server, form(file=b"ID3\4\0\0\0\0")), 400)
    assert "in.wav: has no samples" in message(post(server, form(file=content[:40] + bytes(4))), 400)
    assert "multipart/form-data" in message(server.post(ROUTE, {}), 415)
    assert post(server, b"no form")[0] == 400
    assert post(server, form(file=content), **{"Content-Type": "multipart/form-data"})[0] == 400
    assert post(server, form(**{f"field-{i}": "x" for i in range(100)}))[0] == 400
    assert "longer than 1024 bytes" in refused(language="x" * 2000)
    assert "'file' is given twice" in message(
        post(server, form(file=content).removesuffix(b"--edge--\r\n") + form(file=content)), 400)
    # Browsers send the origin of the page with a form.
    body = form(file=content)
    assert "another site" in message(post(server, body, Origin="http://example.org"), 403)
    own = f"http://{server.address}:{server.port}"
    assert post(server, body, Origin=own)[0] == 200
    # A form in a request that requires JSON.
    assert post(server, body, "/v1/chat/completions")[0] == 404


paths = [recording(f"talk-{i}", 4000 + 5000 * i) for i in range(4)]
with Server(program, "--parallel", 2) as server:
    client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.port}/v1", api_key="any", max_retries=0)
    models_here = server.get("/v1/models")[1]["data"][0]
    assert models_here["transfold"]["routes"] == ["/detokenize", "/tokenize", ROUTE, "/v1/audio/translations"]
    for each in paths[:2]:
        check_formats(client, each)
    check_refusals(server, paths[0].read_bytes())
    # The same results alone and in a batch.
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        asked = [(each, pool.submit(client.audio.transcriptions.create, model="hear", file=each.open("rb")))
                 for each in paths * 4]
        for each, answer in asked:
            assert answer.result().text == printed(each).strip()
    assert server.metric("transfold_heard_seconds_total") > 0

# A client that disconnects frees the server for others; a server that is stopped ends open
# requests.
long = recording("long", 100000, times=300)  # half an hour
with Server(program, "--parallel", 1, "--grace", 0, "--max-body", 1) as server:
    assert post(server, form(file=bytes(1500000)))[0] == 413
with Server(program, "--parallel", 1, "--grace", 0, "--max-body", 100) as server:
    connection = server.connect()
    connection.request("POST", ROUTE, form(file=long.read_bytes()), {"Content-Type": FORM})
    server.until(lambda: server.metric("transfold_running_transcriptions") == 1, "the long one runs")
    connection.close()
    assert post(server, form(file=paths[0].read_bytes()))[0] == 200
    connection = server.connect()
    connection.request("POST", ROUTE, form(file=long.read_bytes()), {"Content-Type": FORM})
    server.until(lambda: server.metric("transfold_running_transcriptions") == 1, "the long one runs")
    server.process.terminate()
    response = connection.getresponse()
    assert response.status == 503, response.status
    server.process.wait(60)
print("audio: as expected")
