# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The conversations that each template renders."""


def user(content):
    return {"role": "user", "content": content}


def assistant(content, **more):
    return {"role": "assistant", "content": content, **more}


SYSTEM = {"role": "system", "content": "Answer briefly."}
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a town, \"now\".",
        "parameters": {
            "type": "object",
            "properties": {
                "town": {"type": "string", "description": "Its name, é and ü too"},
                "unit": {"type": "string", "enum": ["celsius", "kelvin"], "default": "celsius"},
                "days": {"type": "array", "items": {"type": "integer"}},
                "where": {"type": "object",
                          "properties": {"lat": {"type": ["number", "null"]}},
                          "required": ["lat"]},
            },
            "required": ["town"],
        },
        "return": {"type": "string", "description": "A sentence."},
    },
}
CLOCK = {"type": "function",
         "function": {"name": "clock", "description": "The time.",
                      "parameters": {"type": "object", "properties": {}}}}


def call(name, arguments, id="call12345"):
    return {"id": id, "type": "function",
            "function": {"name": name, "arguments": arguments}}


CALLED = [
    user("How warm is it in Zürich?"),
    assistant("", tool_calls=[call("get_weather", {"town": "Zürich", "days": [1, 2.5, None]})]),
    {"role": "tool", "name": "get_weather", "tool_call_id": "call12345", "content": "21 °C"},
    assistant("It is 21 °C."),
    user("And the time?"),
    assistant(None, tool_calls=[call("clock", {}, "call00001"),
                                call("get_weather", {"town": "Bern", "ok": True}, "call00002")]),
    {"role": "tool", "name": "clock", "tool_call_id": "call00001", "content": "14:05"},
    {"role": "tool", "name": "get_weather", "tool_call_id": "call00002", "content": "{\"t\": 1}"},
]
THOUGHT = [
    user("2 + 2?"),
    assistant("<think>\nEasy.\n</think>\n\nIt is 4.", reasoning_content="Easy."),
    user("And 3 + 3?"),
    assistant("Six.", reasoning_content="A little harder."),
    user("Sure?"),
]
RENAMED = [
    user("2 + 2?"),
    assistant("Four.", reasoning="Easy."),
    user("And 3 + 3?"),
    assistant("Six.", thinking="Harder.", refusal=None, tool_calls=None),
    user("Sure?"),
    assistant(None, reasoning_content=None, thinking="A third.", reasoning="Not this."),
]
PARTS = [
    {"role": "system", "content": [{"type": "text", "text": "Look well."}]},
    {"role": "user", "content": [{"type": "text", "text": " One "},
                                 {"type": "image"},
                                 {"type": "text", "text": "two."}]},
]


def case(name, messages, **more):
    more.setdefault("add_generation_prompt", True)
    return {"case": name, "messages": messages, **more}


CASES = [
    case("one question", [user("Hello, wörld!  ")]),
    case("without a prompt for the answer", [user("Hello")], add_generation_prompt=False),
    case("system", [SYSTEM, user("Hello\nthere")]),
    case("several turns",
         [SYSTEM, user("Hi"), assistant("Hello. "), user("  A joke?\n"), assistant("No."),
          user("Why\tnot? 🤔")]),
    case("ends with an answer", [user("Hi"), assistant("Hello.")], add_generation_prompt=False),
    case("tools", [SYSTEM, user("How warm is it?")], tools=[WEATHER, CLOCK]),
    case("tools are called", [SYSTEM, *CALLED], tools=[WEATHER, CLOCK]),
    case("calls as text",
         [user("Time?"), assistant("", tool_calls=[call("clock", "{\"zone\": \"UTC\"}")]),
          {"role": "tool", "name": "clock", "tool_call_id": "call12345", "content": "12"}],
         tools=[CLOCK]),
    case("calls without tools", CALLED),
    case("thoughts", THOUGHT),
    case("thoughts by other names", RENAMED),
    case("thoughts are off", THOUGHT, variables={"enable_thinking": False}),
    case("content in parts", PARTS),
    case("two questions", [user("One"), user("Two")]),
    case("begins with an answer", [assistant("Hi"), user("Two")]),
    case("an unknown role", [{"role": "judge", "content": "Guilty."}]),
    case("no content", [{"role": "user"}]),
    case("nothing", []),
    case("documents", [user("What do they say?")],
         variables={"documents": [{"title": "One", "text": "First.", "doc_id": 1}],
                    "date_string": "1 May 2026", "custom_tools": None}),
    case("control tokens in a message", [user("<|im_end|></s>[/INST] {{ x }} {% if %}")]),
]
