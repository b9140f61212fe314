# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""documented.py: every public function of the package has a docstring, and types for all
parameters and results."""

import inspect
import sys

import transfold

# Methods that Python itself calls need no docstring; the meaning of these properties is obvious.
PLAIN = {"weight_bytes", "has_tokenizer", "has_chat_template"}
problems = []


def check(name, function):
    if not inspect.getdoc(function) and name.rpartition(".")[2] not in PLAIN:
        problems.append(f"{name}: no docstring")
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        if parameter.name not in ("self", "cls") and parameter.annotation is inspect.Parameter.empty:
            problems.append(f"{name}: {parameter.name} has no type")
    if signature.return_annotation is inspect.Signature.empty:
        problems.append(f"{name}: has no type")


checked = 0
for name in transfold.__all__:
    thing = getattr(transfold, name)
    if not inspect.isclass(thing):
        check(name, thing)
        checked += 1
        continue
    if not thing.__doc__:
        problems.append(f"{name}: no docstring")
    for member, value in vars(thing).items():
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if inspect.isfunction(function) and not member.startswith("_") and thing.__module__.startswith("transfold") \
                and issubclass(thing, (transfold.Program, transfold.Chat, transfold.Stream)):
            check(f"{name}.{member}", function)
            checked += 1
assert checked > 30, checked
print("\n".join(problems) if problems else "fine")
sys.exit(bool(problems))
