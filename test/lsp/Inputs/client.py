# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""client.py SERVER EXAMPLES FOLDER < SCRIPT: a client of the language server.

Runs the lines of SCRIPT that begin with "> ", and prints what the server answers. FOLDER is made anew; it has the specs.

  > copy NAME              copies a spec of EXAMPLES with std/, and opens it
  > write NAME TEXT        writes and opens a file; in TEXT, "; " is the end of a line
  > disk NAME BYTES        writes a file with these bytes, as Python spells them, and does not open it
  > open NAME              opens a file that exists
  > replace NAME OLD => NEW   changes the open text
  > close NAME, save NAME
  > hover NAME LINE WORD   also definition, references, highlight, completion, actions: at the begin of WORD in the line,
                           or at its end if WORD begins with "$"
  > rename NAME LINE WORD => NEW
  > symbols NAME
  > send TEXT              sends any text as a message
  > header TEXT            sends any bytes, without a header
  > request METHOD JSON, notify METHOD JSON
  > end                    closes the input
Positions are printed as the protocol has them: lines and UTF-16 units from 0.
"""

import ast
import json
import pathlib
import shutil
import subprocess
import sys

import show

server, examples, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
process = subprocess.Popen([server, *sys.argv[4:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
texts, versions, number = {}, {}, 0
METHODS = {"hover": "hover", "definition": "definition", "references": "references", "highlight": "documentHighlight",
           "completion": "completion", "actions": "codeAction", "rename": "rename"}


def send(text):
    data = text.encode("utf-8")
    process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
    process.stdin.flush()


def receive():
    """The next message; None at the end."""
    length = None
    while True:
        line = process.stdout.readline()
        if not line:
            return None
        if not line.strip():
            break
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(process.stdout.read(length))


def notify(method, params):
    send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))


def request(method, params):
    """The reply; notifications that come before it are printed."""
    global number
    number += 1
    send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
    while True:
        message = receive()
        if message is None or message.get("id") == number:
            return message
        show.notification(message, folder)


def settle():
    """Prints the notifications of what was sent before."""
    request("transfold/nothing", {})


def uri(name):
    return (folder / name).resolve().as_uri()


def position(name, line, word):
    """Where a word begins or, with `$`, ends, in UTF-16 units."""
    text = texts[name].split("\n")[int(line) - 1]
    column = text.index(word.removeprefix("$")) + (len(word) - 1 if word.startswith("$") else 0)
    return {"line": int(line) - 1, "character": len(text[:column].encode("utf-16-le")) // 2}


def open_text(name, text):
    texts[name], versions[name] = text, 1
    notify("textDocument/didOpen", {"textDocument": {"uri": uri(name), "languageId": "xf", "version": 1, "text": text}})


def replace(name, old, new):
    assert old in texts[name], old
    texts[name] = texts[name].replace(old, new, 1)
    versions[name] += 1
    notify("textDocument/didChange", {"textDocument": {"uri": uri(name), "version": versions[name]},
                                      "contentChanges": [{"text": texts[name]}]})


def ask(command, name, line, word):
    word, _, new = word.partition(" => ")
    at = position(name, line, word)
    params = {"textDocument": {"uri": uri(name)}, "position": at, "context": {"includeDeclaration": True},
              "newName": new}
    if command == "actions":
        params |= {"range": {"start": at, "end": at}, "context": {"diagnostics": []}}
    show.answer(command, request("textDocument/" + METHODS[command], params), folder)


def run(command, rest):
    name, _, text = rest.partition(" ")
    if command == "copy":
        shutil.copytree(examples / "std", folder / "std", dirs_exist_ok=True)
        shutil.copy(examples / name, folder / name)
        open_text(name, (folder / name).read_text(encoding="utf-8"))
    elif command == "write":
        (folder / name).write_text(text.replace("; ", "\n") + "\n", encoding="utf-8")
        open_text(name, (folder / name).read_text(encoding="utf-8"))
    elif command == "disk":
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(ast.literal_eval(f"b'{text}'"))
    elif command == "open":
        open_text(name, (folder / name).read_text(encoding="utf-8"))
    elif command == "replace":
        replace(name, *text.split(" => "))
    elif command in ("close", "save"):
        notify("textDocument/did" + command.capitalize(), {"textDocument": {"uri": uri(name)}})
    elif command == "symbols":
        show.answer(command, request("textDocument/documentSymbol", {"textDocument": {"uri": uri(name)}}), folder)
    elif command == "send":
        send(rest)
        show.answer("send", receive(), folder)
    elif command == "header":
        process.stdin.write(rest.encode("utf-8").decode("unicode_escape").encode("latin-1"))
        process.stdin.flush()
    elif command == "request":
        show.answer(name, request(name, json.loads(text or "{}")), folder)
    elif command == "notify":
        notify(name, json.loads(text or "{}"))
    elif command == "end":
        process.stdin.close()
    else:
        ask(command, name, *text.split(" ", 1))
    if command in ("copy", "write", "open", "replace", "close", "save"):
        settle()


for line in sys.stdin:
    if line.startswith("> "):
        print(line.strip())
        command, _, rest = line[2:].strip().partition(" ")
        run(command, rest)
if not process.stdin.closed:
    process.stdin.close()
print("exit code", process.wait())
