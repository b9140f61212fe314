# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The requests of the clients: of mixed lengths, the same in every run; and the parsing of
their answers."""

import json
import random

WORDS = ("the of and to in a is that for it as was with be by on not he his but at are this have from or had "
         "an they which one you were all her she there would their we him been has when who will no more if out "
         "so up said what its about than into them can only other time new some could these two may first then "
         "do any like my now over such our man me even most made after also did many off before must well back "
         "through years much where your way down should because long each just state those people too").split()


class Requests:
    """`count` different requests: texts from the fewest to the most words, in a mixed order.

    path: the URL's path; bodies: the request bodies, as bytes; texts: the texts in them.
    """

    def __init__(self, kind, count, words, tokens):
        made = random.Random(1)
        lengths = [words[0] + (words[1] - words[0]) * i // max(1, count - 1) for i in range(count)]
        made.shuffle(lengths)
        self.kind = kind
        self.texts = [" ".join(made.choice(WORDS) for _ in range(length)) for length in lengths]
        self.tokens = [made.randint(*tokens) for _ in range(count)]
        if kind == "embeddings":
            self.path = "/v1/embeddings"
            bodies = [{"input": text, "encoding_format": "base64"} for text in self.texts]
        else:
            self.path = "/v1/chat/completions"
            # Half of them are sampled. With an end-of-text token the work would depend on the model.
            bodies = [{"messages": [{"role": "user", "content": text}], "max_tokens": self.tokens[i],
                       "ignore_eos": True, "temperature": i % 2, "seed": i, "stream": True,
                       "stream_options": {"include_usage": True}} for i, text in enumerate(self.texts)]
        self.bodies = [json.dumps(body).encode() for body in bodies]

    def means(self):
        """The mean words of a text and the mean tokens of an answer."""
        count = len(self.texts)
        return sum(len(text.split()) for text in self.texts) / count, sum(self.tokens) / count

    def read(self, content):
        """The content of an answer, which must be the same for each repetition, and its tokens."""
        if self.kind == "embeddings":
            answer = json.loads(content)
            return str([each["embedding"] for each in answer["data"]]), answer["usage"]["prompt_tokens"]
        text, tokens = "", 0
        for event in content.split(b"\n\n"):
            if not event.startswith(b"data: {"):
                continue
            part = json.loads(event[6:])
            if "error" in part:
                raise ValueError(part["error"])
            if part.get("usage"):
                tokens = part["usage"]["completion_tokens"]
            if part["choices"]:
                text += part["choices"][0]["delta"].get("content") or ""
        return text, tokens
