# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints messages of the language server, a line for each thing."""

import json
import pathlib
import urllib.parse

SEVERITIES = {1: "error", 2: "warning"}


def path(uri, folder):
    """The path in the folder of the test."""
    name = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(uri).path))
    return name.relative_to(folder.resolve()) if name.is_relative_to(folder.resolve()) else name


def span(range_):
    start, end = range_["start"], range_["end"]
    return f"{start['line']}:{start['character']}-{end['line']}:{end['character']}"


def notification(message, folder):
    if message.get("method") != "textDocument/publishDiagnostics":
        print(json.dumps(message))
        return
    params = message["params"]
    name = path(params["uri"], folder)
    print(f"{name}: {len(params['diagnostics'])} diagnostics")
    for each in params["diagnostics"]:
        print(f"{name}:{span(each['range'])}: {SEVERITIES[each['severity']]} {each['code']} {each['message']}")
        for related in each.get("relatedInformation", []):
            place, message = related["location"], related["message"].replace(str(folder.resolve()) + "/", "")
            print(f"  {path(place['uri'], folder)}:{span(place['range'])}: {message}")


def symbols(list_, indent):
    for each in list_:
        print(f"{indent}{each['name']} ({each['kind']}) {span(each['range'])} {span(each['selectionRange'])} "
              f"{each.get('detail', '')}".rstrip())
        symbols(each.get("children", []), indent + "  ")


def answer(command, message, folder):
    if message is None:
        print("no answer")
    elif "error" in message:
        print(f"error {message['error']['code']}, id {json.dumps(message.get('id'))}: {message['error']['message']}"
              .replace(str(folder.resolve()) + "/", ""))
    elif message["result"] is None or command not in PRINTERS:
        print(json.dumps(message["result"], ensure_ascii=False))
    else:
        PRINTERS[command](message["result"], folder)


def hover(result, folder):
    print(f"hover {span(result['range'])}")
    print(result["contents"]["value"].replace(str(folder.resolve()) + "/", ""))


def locations(result, folder):
    print(len(result), "places")
    for each in result:
        print(f"{path(each['uri'], folder)}:{span(each['range'])}")


def highlights(result, folder):
    for each in result:
        print(span(each["range"]))


def completion(result, folder):
    for each in result["items"]:
        print(f"{each['label']} ({each['kind']}) {each.get('detail', '')}".rstrip())
    print(len(result["items"]), "items")


def actions(result, folder):
    print(len(result), "actions")
    for each in result:
        print(each["kind"], each["title"], [fixed["code"] for fixed in each["diagnostics"]])
        for uri, edits in each["edit"]["changes"].items():
            for edit in edits:
                print(f"  {path(uri, folder)}:{span(edit['range'])}: {edit['newText']}")


def rename(result, folder):
    for uri, edits in result["changes"].items():
        for edit in edits:
            print(f"{path(uri, folder)}:{span(edit['range'])}: {edit['newText']}")


PRINTERS = {"hover": hover, "definition": locations, "references": locations, "highlight": highlights,
            "completion": completion, "actions": actions, "rename": rename,
            "symbols": lambda result, folder: symbols(result, "")}
