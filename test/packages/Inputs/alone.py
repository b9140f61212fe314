# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""alone.py serve PROGRAM: a program serves an embedding.

alone.py chroot FOLDER: FOLDER/model does, with FOLDER as its root folder, and as a user without
an account."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys

how, where = sys.argv[1:]
in_folder = how == "chroot"
process = subprocess.Popen(
    ["/model" if in_folder else where, "serve", "--host", "127.0.0.1", "--port", "0", "--threads", "1", "--quiet"],
    stdout=subprocess.PIPE, text=True, env={},
    **({"preexec_fn": lambda: (os.chroot(where), os.chdir("/"), os.setgroups([]), os.setgid(65532), os.setuid(65532))}
       if in_folder else {}))
try:
    line = process.stdout.readline()
    port = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", line)
    assert port, line
    connection = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=60)
    connection.request("POST", "/v1/embeddings", json.dumps({"input": "Ithe cats"}),
                       {"Content-Type": "application/json"})
    answer = json.load(connection.getresponse())
    print(len(answer["data"][0]["embedding"]), "numbers over HTTP")
finally:
    process.send_signal(signal.SIGTERM)
    status = process.wait(30)
assert status == 0, status
