# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A minimal HTTP/1.1 connection on asyncio's streams, so that the clients take little of the
processors on which the server computes."""

import asyncio


class Connection:
    """Kept alive between requests, and reopened if the server has closed it."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def _open(self):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)

    async def _send(self, path, body):
        await self._open()
        self.writer.write(b"POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                          b"Content-Length: %d\r\n\r\n%b" % (path.encode(), len(body), body))
        await self.writer.drain()

    def close(self):
        if self.writer:
            self.writer.close()
        self.reader = self.writer = None

    async def post(self, path, body, see=lambda part: None):
        """The status and the body. Calls `see` with each chunk of a chunked body."""
        was_kept = self.writer is not None
        try:
            try:
                await self._send(path, body)
                head = await self.reader.readuntil(b"\r\n\r\n")
            except (asyncio.IncompleteReadError, ConnectionError):
                if not was_kept:
                    raise
                # The server may close a connection that was idle for a while.
                self.close()
                await self._send(path, body)
                head = await self.reader.readuntil(b"\r\n\r\n")
            lines = head.decode("latin-1").lower().split("\r\n")
            fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
            content = await self._body(fields, see)
            if fields.get("connection") == "close":
                self.close()
            return int(lines[0].split()[1]), content
        except BaseException:
            self.close()  # the rest of an answer must not be read as the next one
            raise

    async def _body(self, fields, see):
        if fields.get("transfer-encoding") != "chunked":
            return await self.reader.readexactly(int(fields["content-length"]))
        parts = []
        while size := int(await self.reader.readline(), 16):
            parts.append((await self.reader.readexactly(size + 2))[:-2])
            see(parts[-1])
        await self.reader.readline()
        return b"".join(parts)

    async def leave(self, path, body, seconds):
        """Sends a request and disconnects after `seconds`, usually before the answer."""
        await self._send(path, body)
        await asyncio.sleep(seconds)
        self.close()
