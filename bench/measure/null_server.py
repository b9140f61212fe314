# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""null_server.py FILE: answers every request with that file immediately, so that only the
clients take time."""

import asyncio
import pathlib
import re
import sys

content = pathlib.Path(sys.argv[1]).read_bytes()
answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
    len(content), content)


async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            await reader.readexactly(int(re.search(rb"Content-Length: (\d+)", head)[1]))
            writer.write(answer)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main())
