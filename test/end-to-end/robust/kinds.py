# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kinds.py TRANSFOLD MODELS DIR EXAMPLES: true and false are not numbers.

Each number of a configuration becomes false, then true. Either that is refused with a message, or
the key is not read, as the list below says.
"""

import json
import pathlib
import re
import subprocess
import sys

transfold, models, folder, examples = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
SPECS = {"llama": "llama", "gpt_neox": "gpt_neox", "bert": "bert", "t5": "t5", "gemma3_text": "gemma3", "gpt_oss": "gpt_oss"}
# Keys that std/hf.xf ignores, and keys that other keys disable or replace.
IDLE = re.compile("initializer_.*|.*dropout.*|(bos|pad)_token_id|pretraining_tp|label2id.*|router_aux_loss_coef|initial_context_length|"
                  "_sliding_window_pattern")
# For these keys generation_config.json takes precedence.
BESIDE = {"eos_token_id", "decoder_start_token_id"}
INSTEAD = {"gpt_neox": {"max_position_embeddings"}, "t5": {"max_position_embeddings"}}


def numbers(value, path=()):
    """The paths of all numbers."""
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from numbers(inner, (*path, key))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def changed(content, path, value):
    copy = json.loads(json.dumps(content))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(copy)


def check(name, spec):
    model = folder / name
    model.mkdir()
    for file in (models / name).iterdir():
        if file.is_file() and file.suffix != ".test":
            (model / file.name).symlink_to(file)
    for file in (model / "config.json", model / "generation_config.json"):
        if not file.exists():
            continue
        content = json.loads(file.read_text())
        isBeside = file.name == "config.json" and (model / "generation_config.json").exists()
        file.unlink()
        for path in numbers(content):
            idle = IDLE.fullmatch(".".join(map(str, path))) or (isBeside and path[-1] in BESIDE) \
                or path[-1] in INSTEAD.get(name, ())
            for value in (False, True):
                file.write_text(changed(content, path, value))
                run = subprocess.run([transfold, "check", examples / f"{spec}.xf", model], capture_output=True, text=True)
                said = run.stdout + run.stderr
                assert run.returncode == 1 and "error: " in said or (idle and run.returncode == 0), (name, path, value, said)
        file.write_text(json.dumps(content))


for name, spec in SPECS.items():
    check(name, spec)
print("numbers are asked for")
