# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hosts.py TRANSFOLD MODELS OUT: the host names under which a server answers."""

import pathlib
import socket
import sys

from serving import Server, compile_vectors, error

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = compile_vectors(transfold, models, out)
(out / "keys").write_text("a-key\n")
OWN = ["127.0.0.1", "localhost", "LocalHost", "[::1]"]
OTHERS = ["site.example", "localhost.site.example", "127.0.0.1.site.example", "xlocalhost", "0.0.0.0",
          "127.0.0.2", "[::2]", "[::1].site.example", "localhost:80:80", "[", "\xff", "x" * 1000]


def answers(server, *hosts):
    """The names are accepted with and without a port, for any path."""
    for host in hosts:
        for name in (host, f"{host}:{server.port}", f"{host}:1"):
            assert server.get("/health", Host=name)[0] == 200, name
            assert server.post("/v1/embeddings", {"input": "I"}, Host=name)[0] == 200, name


def refuses(server, *hosts):
    for host in hosts:
        for name in (host, f"{host}:{server.port}"):
            for path in ("/", "/health", "/metrics", "/v1/models", "/nothing"):
                assert error(server.get(path, Host=name), 403)["code"] == "host_not_allowed", name
            error(server.post("/v1/embeddings", {"input": "I"}, Host=name), 403)
            assert server.request("HEAD", "/", headers={"Host": name})[0] == 403, name


def without_host(server, version):
    """Only HTTP/1.0 permits requests without a Host. Browsers use a newer version."""
    with socket.create_connection((server.address, server.port), timeout=60) as connection:
        connection.sendall(f"GET /health {version}\r\n\r\n".encode())
        return connection.recv(1 << 16).split()[1].decode()


with Server(program) as server:
    answers(server, *OWN)
    refuses(server, *OTHERS)
    print("on 127.0.0.1: other names are refused")
    print(error(server.get("/v1/models", Host="site.example"), 403)["message"])
    print("without a name:", without_host(server, "HTTP/1.1"), without_host(server, "HTTP/1.0"))

with Server(program, "--allow-host", "models.example", "--allow-host", "127.0.0.2:80") as server:
    answers(server, "models.example", "Models.Example", "127.0.0.2", *OWN)
    refuses(server, "site.example", "site.models.example")
    print("--allow-host: two more names")

with Server(program, "--host", "127.0.0.2") as server:
    answers(server, "127.0.0.2", *OWN)
    refuses(server, "site.example")
with Server(program, "--host", "0.0.0.0") as server:
    answers(server, "site.example")
with Server(program, "--host", "0.0.0.0", "--allow-host", "models.example") as server:
    answers(server, "models.example")
    refuses(server, "site.example")
with Server(program, "--api-key-file", out / "keys") as server:
    # A page of another site has no key.
    assert error(server.get("/v1/models", Host="site.example"), 401)
    assert server.get("/health", Host="site.example")[0] == 200
print("on 127.0.0.2, on 0.0.0.0, with keys: as they should")
