# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools.py TRANSFOLD MODELS OUT: calls of functions, with OpenAI's own client.

The tiny model's answers have no meaning: what makes them calls is the grammar alone, so every call must follow its
schema, and every stream must have the parts of the whole answer.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import openai  # noqa: E402
from serving import Server, byte_model, error  # noqa: E402

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
CHAT = "/v1/chat/completions"

TURNS = ("{{ bos_token }}{{ tools | tojson if tools else '' }}{% for m in messages %}<{{ m.role[0] }}>{{ m.content }}"
         "{% if m.tool_calls %}CALLS{% endif %}</s>{% endfor %}{% if add_generation_prompt %}<a>{% endif %}")
ONE = "{{ c.function.arguments | tojson }}}"
# Before the list, each call, between two, and after the list. [C] is a special token.
MARKED = """{% for c in m.tool_calls %}{{ '\\n<call>\\n{"name": "' + c.function.name + '", "arguments": ' """ \
    """+ (c.function.arguments | tojson) + '}\\n</call>' }}{% endfor %}"""
BARE = """{% if m.tool_calls | length > 1 %}{{ raise_exception('One call!') }}{% endif %}""" \
    """{{ '{"name": "' + m.tool_calls[0].function.name + '", "parameters": ' """ \
    """+ (m.tool_calls[0].function.arguments | tojson) + '}' }}"""
LISTED = """{{ '[C] [' }}{% for c in m.tool_calls %}{% if c.id | length != 9 %}{{ raise_exception('9!') }}{% endif %}""" \
    """{{ (c.function | tojson)[:-1] + ', "id": "' + c.id + '"}' + (']' if loop.last else ', ') }}{% endfor %}"""
NO_JSON = "{% for c in m.tool_calls %}<{{ c.function.name }}>{% for n in c.function.arguments %}{{ n }};{% endfor %}{% endfor %}"


def compile_model(name, template):
    """The tiny Llama of bytes with this template, and [C] as a special token."""
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "model").mkdir(parents=True)
    byte_model.write_model(models / "llama", folder / "model")
    byte_model.set_template(folder / "model", template)
    path = folder / "model" / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    for added in tokenizer["added_tokens"]:
        if added["content"] == "<u>":
            tokenizer["model"]["vocab"]["[C]"] = tokenizer["model"]["vocab"].pop("<u>")
            added["content"] = "[C]"
    path.write_text(json.dumps(tokenizer))
    subprocess.run([transfold, "compile", "-q", folder / "model", "-o", folder / "talk"], check=True)
    return folder / "talk"


def function(name, properties, **more):
    return {"type": "function", "function": {"name": name, "description": f"Does {name}.", "parameters": {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}},
        **more}


LAMP = function("lamp", {"on": {"type": "boolean"}, "color": {"enum": ["red", "blue"]}})
CLOCK = {"type": "function", "function": {"name": "clock"}}
TOOLS = [LAMP, CLOCK]
QUESTION = [{"role": "user", "content": "Light?"}]


def check_call(call, names=("lamp", "clock")):
    assert call.type == "function" and call.function.name in names, call
    arguments = json.loads(call.function.arguments)
    if call.function.name == "clock":
        assert arguments == {}, call
    else:
        assert set(arguments) == {"on", "color"} and isinstance(arguments["on"], bool), call
        assert arguments["color"] in ("red", "blue"), call
    return call.function.name, arguments


def joined(parts):
    """The text, the calls and the reason of a stream's answer."""
    text, calls, reason = "", {}, None
    for choice in (choice for part in parts for choice in part.choices):
        text += choice.delta.content or ""
        for call in choice.delta.tool_calls or []:
            if call.id:
                assert call.index == len(calls) and call.type == "function" and call.function.name, call
                calls[call.index] = [call.id, call.function.name, ""]
            calls[call.index][2] += call.function.arguments or ""
        reason = choice.finish_reason or reason
    return text, [tuple(calls[index]) for index in sorted(calls)], reason


def check_forced(client, ask):
    """All calls follow their schemas; a stream has the same ones."""
    seen = set()
    for seed in range(12):
        for choice in "required", {"type": "function", "function": {"name": "lamp"}}:
            asked = {**ask, "tool_choice": choice, "seed": seed, "temperature": 1.5}
            answer = client.chat.completions.create(**asked).choices[0]
            assert answer.finish_reason == "tool_calls" and answer.message.content is None, answer
            for call in answer.message.tool_calls:
                check_call(call, ("lamp", "clock") if choice == "required" else ("lamp",))
                seen.add(call.function.name)
            text, calls, reason = joined(client.chat.completions.create(**asked, stream=True))
            assert text == "" and reason == "tool_calls", (text, reason)
            assert calls == [(call.id, call.function.name, call.function.arguments)
                             for call in answer.message.tool_calls], (calls, answer)
    assert seen == {"lamp", "clock"}, seen


def check_numbers(client, ask, several):
    """Several calls, or at most one."""
    def most(**more):
        return max(len(client.chat.completions.create(**ask, tool_choice="required", seed=seed, temperature=2, **more)
                       .choices[0].message.tool_calls) for seed in range(10))

    assert (most() > 1) == several, most()
    assert most(parallel_tool_calls=False) == 1


def check_turns(client, ask, id_form):
    """The calls of an answer, and their results, are messages of the next request."""
    message = client.chat.completions.create(**ask, tool_choice="required", temperature=1, seed=1).choices[0].message
    assert all(re.fullmatch(id_form, call.id) for call in message.tool_calls), message
    results = [{"role": "tool", "tool_call_id": call.id, "content": "done"} for call in message.tool_calls]
    turns = [*ask["messages"], message.model_dump(exclude_none=True), *results]
    assert client.chat.completions.create(**{**ask, "messages": turns, "max_tokens": 4}).usage.prompt_tokens > 20
    again = client.chat.completions.create(**{**ask, "messages": turns}, tool_choice="required", temperature=1, seed=1)
    assert {call.id for call in again.choices[0].message.tool_calls}.isdisjoint(call.id for call in message.tool_calls)


def check_texts(client, ask):
    """Without a call, an answer is a text."""
    for choice in "auto", "none":
        plain = client.chat.completions.create(**{**ask, "max_tokens": 8}, tool_choice=choice, temperature=0).choices[0]
        assert plain.message.content and not plain.message.tool_calls and plain.finish_reason == "length", plain


def check_auto(client, ask):
    """An answer is a text until a call begins, with the token [C]: then the rest is forced."""
    texts = set()
    for seed in range(10):
        asked = {**ask, "temperature": 1, "seed": seed, "logit_bias": {"3": 2 + seed}}
        answer = client.chat.completions.create(**asked).choices[0]
        assert answer.finish_reason == "tool_calls", answer
        for call in answer.message.tool_calls:
            check_call(call)
        text, calls, _ = joined(client.chat.completions.create(**asked, stream=True))
        assert text == (answer.message.content or "") and len(calls) == len(answer.message.tool_calls), (text, answer)
        texts.add(text)
        without = client.chat.completions.create(**{**asked, "max_tokens": 40}, tool_choice="none").choices[0].message
        assert without.tool_calls is None and "[C]" not in without.content, without
    assert "" in texts and len(texts) > 2, texts


def check_refusals(server, ask):
    def refused(param, **fields):
        found = error(server.post(CHAT, {**ask, **fields}), 400)
        assert found["param"] == param, found
        return found["message"]

    bad = {"type": "function", "function": {"name": "x", "parameters": {"type": "object", "not": {}}}}
    assert "the function 'x': the schema's 'not'" in refused("tools", tools=[bad])
    wide = {"type": "object", "properties": {f"p{i}": {"type": "string", "pattern": "(a|b)*a(a|b){14}"}
                                             for i in range(40)}}
    assert "'x'" in refused("tools", tools=[{"type": "function", "function": {"name": "x", "parameters": wide}}])
    refused("tools", tools=[{"type": "function", "function": {"name": 'a"b'}}])
    refused("tools", tools=[LAMP, LAMP])
    refused("tools", tools=[{**LAMP, "extra": 1}])
    refused("tool_choice", tool_choice={"type": "function", "function": {"name": "none"}})
    refused("messages", messages=[*QUESTION, {"role": "tool", "tool_call_id": "a", "content": "b"}])
    refused("response_format", response_format={"type": "json_object"})


def ask_of(**more):
    return {"model": "talk", "messages": QUESTION, "tools": TOOLS, "max_tokens": 2000, **more}


FORMS = {"marked": (MARKED, True, "call_[0-9a-f]{24}"), "bare": (BARE, False, "call_[0-9a-f]{24}"),
         "listed": (LISTED, True, "[A-Za-z0-9]{9}")}
for name, (form, several, id_form) in FORMS.items():
    with Server(compile_model(name, TURNS.replace("CALLS", form))) as server:
        client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.port}/v1", api_key="a", max_retries=0, timeout=60)
        check_forced(client, ask_of())
        check_numbers(client, ask_of(), several)
        check_turns(client, ask_of(), id_form)
        check_texts(client, ask_of())
        if name == "listed":
            check_auto(client, ask_of())
        check_refusals(server, ask_of())
        three = client.chat.completions.create(**ask_of(), tool_choice="required", n=3, temperature=1, seed=3)
        assert len({choice.message.tool_calls[0].id for choice in three.choices}) == 3, three
        cut = client.chat.completions.create(**{**ask_of(), "max_tokens": 30}, tool_choice="required").choices[0]
        assert cut.finish_reason == "length", cut

for name, template, why in (("no-json", TURNS.replace("CALLS", NO_JSON), "does not write the arguments of a call as JSON"),
                            ("no-tools", byte_model.TEMPLATE, "does not show functions")):
    with Server(compile_model(name, template)) as server:
        found = error(server.post(CHAT, ask_of()), 400)
        assert found["param"] == "tools" and why in found["message"], found
        assert server.post(CHAT, {"messages": QUESTION, "max_tokens": 4, "tools": []})[0] == 200

# Thoughts: the prompt begins one, and the token [C] ends it.
THINKING = ("{{ bos_token }}{% for m in messages %}<{{ m.role[0] }}>{% if m.reasoning_content %}<think>\n"
            "{{ m.reasoning_content }}\n[C]\n{% endif %}{{ m.content }}</s>{% endfor %}"
            "{% if add_generation_prompt %}<a>{% if think is not defined or think %}<think>\n{% endif %}{% endif %}")
with Server(compile_model("thinking", THINKING)) as server:
    def told(**more):
        asked = {"messages": QUESTION, "max_tokens": 60, "temperature": 1, "ignore_eos": True, **more}
        status, answer = server.post(CHAT, asked)
        assert status == 200, answer
        message = answer["choices"][0]["message"]
        parts = [choice["delta"] for part in server.stream(CHAT, asked) for choice in part["choices"]]
        for name in "reasoning_content", "content":
            assert "".join(part.get(name, "") for part in parts) == message.get(name, ""), (name, parts, message)
        return message

    both = [told(seed=seed, logit_bias={"3": 3}) for seed in range(8)]
    assert all(message["reasoning_content"] for message in both), both
    assert any(message["content"] for message in both), both
    assert not any("[C]" in message["reasoning_content"] for message in both), both
    assert "reasoning_content" not in told(seed=1, chat_template_kwargs={"think": False})
    assert "reasoning_content" not in told(seed=1, logprobs=True)
    turns = [*QUESTION, {"role": "assistant", **both[0]}, *QUESTION]
    assert server.post(CHAT, {"messages": turns, "max_tokens": 4})[0] == 200
print("tools: as expected")
