# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduces a model with a finding: values are replaced by simpler ones of the same type, as long
as the finding is of the same kind."""

from examine import Finding, Unfit
from trees import Node, reachable

# Replacements to try for a scalar.
SIMPLE = {
    ("number",): ["2", "1", "0"],
    ("length",): ["n"],
    ("integer",): ["1"],
    ("real",): ["0.5"],
    ("truth",): [],
}


def slots(model):
    """Each (holder, key) whose value is a node, results first."""
    found = [(model.roots, k) for k in range(len(model.roots))]

    def below(node):
        for k, operand in enumerate(node.operands):
            found.append((node.operands, k))
            below(operand)

    for root in model.roots:
        below(root)
    for declaration in reversed(reachable(model.roots)):
        for name, value in vars(declaration).items():
            if isinstance(value, Node):
                found.append((vars(declaration), name))
                below(value)
    return found


def simpler(node):
    """Possible replacements of `node`, simplest first."""
    for text in SIMPLE.get(node.type, []):
        if node.spec != text:
            yield Node(node.type, text, text)
    below = [each for each in node.walk() if each is not node and each.type == node.type]
    for declaration in node.uses:
        below += [
            value
            for value in vars(declaration).values()
            if isinstance(value, Node) and value.type == node.type
        ]
    below += [
        each.node()
        for each in reachable([node])
        if hasattr(each, "value")
        and hasattr(each, "node")
        and each not in node.uses
        and isinstance(each.value, Node)
        and each.value.type == node.type
    ]
    yield from reversed(below)


def size(model):
    return sum(len(declaration.name) for declaration in reachable(model.roots)) + len(model.spec())


def shortened(arguments, length):
    """The arguments with sequences of at most this length."""
    return {name: [array[:length] for array in arrays] for name, arrays in arguments.items()}


# Smaller sizes to try.
SMALL = {"d": [2, 4], "e": [2], "f": [2, 3], "h": [1, 2], "L": [1, 2], "v": [11]}


def smaller_sizes(model, shows):
    """Sequences and sizes, as small as they may be."""
    for length in (1, 2, 3, 5, 9, 17, 33, 64, 65):
        kept = model.arguments
        if length >= max(map(len, kept["tokens"])):
            break
        model.arguments = shortened(kept, length)
        if shows():
            break
        model.arguments = kept
    for name, values in SMALL.items():
        for value in values:
            sizes, arguments = dict(model.sizes), model.arguments
            if value >= sizes[name]:
                continue
            model.sizes[name] = value
            if name == "h":
                model.sizes["h_kv"] = value // 2 if value % 2 == 0 else value
            if name == "v":
                tokens = [array % value for array in arguments["tokens"]]
                source = [array % value for array in arguments["source"]]
                model.arguments = arguments | {"tokens": tokens, "source": source}
            if shows():
                break
            model.sizes.update(sizes)
            model.arguments = arguments


def smaller(model, finding, examine, tries=150):
    """Changes `model`; returns the finding of the last change that preserved its kind."""

    def shows():
        nonlocal finding, tries
        tries -= 1
        try:
            examine(model)
        except Finding as other:
            if other.kind == finding.kind:
                finding = other
                return True
        except Unfit:
            pass
        except Exception:  # an invalid tree
            pass
        return False

    for sequence in range(len(model.arguments["tokens"])):
        kept = model.arguments
        model.arguments = {name: arrays[sequence : sequence + 1] for name, arrays in kept.items()}
        if shows():
            break
        model.arguments = kept
    smaller_sizes(model, shows)
    changed = True
    while changed and tries > 0:
        changed = False
        for holder, key in slots(model):
            before = holder[key]
            for other in simpler(before):
                length = size(model)
                holder[key] = other
                if tries > 0 and size(model) < length and shows():
                    changed = True
                    break
                holder[key] = before
            if changed:
                break
    return finding
