# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hostile.py SPEC OUTPUT: adds texts to a spec that a page must not interpret as HTML."""

import pathlib
import sys

text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
attack = "</script><img src=x onerror=alert(1)>"
text += f'\n// {attack} <!-- ]]> &lt;\nhostile = "{attack}"\n'
pathlib.Path(sys.argv[2]).write_text(text, encoding="utf-8")
