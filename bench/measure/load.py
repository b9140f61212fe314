# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Concurrent clients of a server, each of which sends its next request when it has an answer."""

import asyncio
import collections
import dataclasses
import itertools
import random
import time

from measure.connection import Connection

# A request that takes longer is an error.
PATIENCE = 120


@dataclasses.dataclass
class Tally:
    """The outcomes of requests."""
    seconds: float = 0          # from the first request to the last answer
    processor: float = 0        # processor time of the clients, in seconds
    tokens: int = 0
    left: int = 0               # requests whose client disconnected before the answer
    differing: int = 0          # answers that differ from the first one to the same request
    latencies: list = dataclasses.field(default_factory=list)
    firsts: list = dataclasses.field(default_factory=list)  # until a stream's first text
    statuses: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def add(self, other):
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def errors(self):
        return sum(count for status, count in self.statuses.items() if status != 200)


class Load:
    """The requests, and the first answer to each."""

    def __init__(self, requests, leaving=0):
        self.requests, self.leaving, self.answers = requests, leaving, {}
        self.sample = b""  # the body of one answer

    def run(self, port, clients, seconds=None, count=None, tell=lambda done: None):
        """Runs until `seconds` are over or `count` requests are done; calls `tell` after each."""
        return asyncio.run(self._run(port, clients, seconds, count, tell))

    async def _run(self, port, clients, seconds, count, tell):
        tally, numbers = Tally(), itertools.count()
        begin, processor = time.perf_counter(), time.process_time()

        def following():
            """The next request's index, or None at the end."""
            if seconds and time.perf_counter() - begin >= seconds:
                return None
            number = next(numbers)
            return None if count and number >= count else number

        async def client(own):
            connection, mood = Connection(port), random.Random(own)
            while (number := following()) is not None:
                await self._one(connection, number % len(self.requests.bodies), mood, tally)
                tell(sum(tally.statuses.values()) + tally.left)
            connection.close()

        await asyncio.gather(*map(client, range(clients)))
        tally.seconds = time.perf_counter() - begin
        tally.processor = time.process_time() - processor
        return tally

    async def _one(self, connection, which, mood, tally):
        path, body = self.requests.path, self.requests.bodies[which]
        begin, firsts = time.perf_counter(), []

        def see(part):
            if not firsts and b'"content":"' in part.replace(b'"content":""', b"").replace(b" ", b""):
                firsts.append(time.perf_counter() - begin)

        try:
            if mood.random() < self.leaving:
                await connection.leave(path, body, mood.random() / 20)
                tally.left += 1
                return
            status, content = await asyncio.wait_for(connection.post(path, body, see), PATIENCE)
            latency = time.perf_counter() - begin
            if status == 200:
                said, tokens = self.requests.read(content)
                self.sample = self.sample or content
                tally.tokens += tokens
                tally.latencies.append(latency)
                tally.firsts += firsts
                tally.differing += self.answers.setdefault(which, said) != said
        except (OSError, EOFError, asyncio.TimeoutError, ValueError, KeyError) as error:
            connection.close()
            status = type(error).__name__
        tally.statuses[status] += 1
