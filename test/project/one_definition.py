# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No name is defined twice in files that can be linked together.

Two classes with the same qualified name and different members violate the one-definition rule of
C++: the linker keeps one of the two copies of their constructors and uses it for both, without a
message. At -O2 most are inlined and nothing happens; at -O0 memory is corrupted. The same holds for
inline functions and templates.

  one_definition.py [FILE...]   checks these files instead of the project's

It reads definitions of classes, enumerations and functions at namespace level. Those in anonymous
namespaces and static functions are local to a file.
"""

import collections
import pathlib
import re
import sys

import files

SKIPPED = re.compile(
    r"""//[^\n]* | /\*.*?\*/
      | R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])*'
      | ^[ \t]*\#(?:\\\n|[^\n])*""", re.DOTALL | re.MULTILINE | re.VERBOSE)
TOKEN = re.compile(r"[A-Za-z_]\w*|::|\S")
TYPES = {"class", "struct", "union", "enum"}
ENDS = {":", "final", "{"}


def head_of_type(head):
    """The name of the class or enumeration whose `{` follows these tokens; None for anything
    else."""
    depth = 0
    for at, word in enumerate(head):
        # Template parameters, attributes and function parameters are in brackets.
        if word in "<([":
            depth += 1
        elif word in ">)]":
            depth -= 1
        elif depth == 0 and word in TYPES:
            break
    else:
        return None
    rest = head[at + 1:]
    if rest[:1] in (["class"], ["struct"]):  # of an enumeration
        rest = rest[1:]
    while rest[:1] == ["["]:
        rest = rest[rest.index("]") + 1:]
        if rest[:1] == ["]"]:
            rest = rest[1:]
    end = next((k for k, word in enumerate(rest) if word in ENDS), len(rest))
    if "(" in rest[:end] or "=" in rest[:end]:
        return None
    return "".join(rest[:end])


def head_of_function(head):
    """The name and the parameters of the function whose `{` follows; None for anything else."""
    if "(" not in head or "=" in head[:head.index("(")] or "static" in head:
        return None
    # The first bracket outside of <…> opens the parameters.
    depth, begin = 0, None
    for at, word in enumerate(head):
        if word == "(" and depth == 0 and at > 0:
            begin = at
            break
        depth += (word == "<") - (word == ">" and head[at - 1] != "-")
    if begin is None or not re.match(r"\w", head[begin - 1]):
        return None
    first = begin - 1
    if head[first - 1] == "~":
        first -= 1
    while first >= 2 and head[first - 1] == "::":
        first -= 2
    depth = 0
    for end in range(begin, len(head)):
        depth += (head[end] == "(") - (head[end] == ")")
        if depth == 0:
            break
    qualifier = " const" if head[end + 1:end + 2] == ["const"] else ""
    template = " ".join(head[:first]) + " " if head[0] == "template" else ""
    return template + "".join(head[first:begin]) + "(" + " ".join(head[begin + 1:end]) + ")" + qualifier


def definitions(text):
    """The qualified names that `text` defines, with their lines."""
    # Line numbers are kept.
    text = SKIPPED.sub(lambda match: "\n" * match.group().count("\n"), text)
    scopes = []  # (name, whether what is in it is looked at, the words that go on after it)
    head = []
    for match in TOKEN.finditer(text):
        word = match.group()
        looked_at = all(scope[1] for scope in scopes)
        if word == "}":
            head = scopes.pop()[2] if scopes else []
        elif word == ";":
            head = []
        elif word != "{":
            head.append(word)
        else:
            line = text.count("\n", 0, match.start()) + 1
            inside = "::".join(scope[0] for scope in scopes)
            after = []
            if not looked_at:
                scopes.append(("", False, after))
            elif "namespace" in head[:2]:
                name = "".join(word for word in head[head.index("namespace") + 1:] if word != "inline")
                scopes.append((name, bool(name), after))
            elif head == ["extern"]:  # "C", which SKIPPED took away
                scopes.append(("C", True, after))
            elif head.count("(") > head.count(")"):  # a parameter's default
                after = head
                scopes.append(("", False, after))
            else:
                name = head_of_type(head) or head_of_function(head)
                if name:
                    yield f"{inside}::{name}", line
                # Members belong to their class; names in functions are local.
                scopes.append(("", False, after))
            head = []


def sources():
    """The files to read, and whether each can be linked with every other: tests are separate
    programs."""
    if len(sys.argv) > 1:
        return [(pathlib.Path(name), True) for name in sys.argv[1:]]
    return [(path, path.parts[0] != "test") for path in files.tracked(".cpp", ".h")
            if path.parts[0] in ("base", "compiler", "dialect", "runtime", "test")]


def main():
    found = collections.defaultdict(dict)
    for path, product in sources():
        for name, line in definitions(files.read(path)):
            if not name.endswith("::main(int argc , char * * argv)"):
                # Two in one file are alternatives for the preprocessor, or a compiler error.
                found[name].setdefault(path, (product, f"{path}:{line}"))
    files.finish([f"{' and '.join(place for _, place in places.values())}: {name} is defined more than once; "
                  "give one of them another name, or put it into an anonymous namespace"
                  for name, places in found.items()
                  if len(places) > 1 and any(product for product, _ in places.values())])


if __name__ == "__main__":
    main()
