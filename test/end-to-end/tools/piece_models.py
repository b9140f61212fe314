# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small SentencePiece models for tests, trained by the `sentencepiece` package.

The corpus is random: words of a few syllables of several scripts, drawn with a seed, so that equal
versions of the package train equal models.
"""

import io
import random

import sentencepiece

SYLLABLES = ["ba", "ke", "li", "mo", "nu", "sha", "tre", "vor", "wick", "zen", "é", "ß", "ü",
             "да", "ни", "во", "の", "日", "本", "a", "e", "s", "t", "ing", "er"]
MARKS = [".", ",", "!", "?", "-", "'", "…"]


def corpus(lines=4000, seed=5):
    """Sentences of random words, some with numbers."""
    draw = random.Random(seed)
    words = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))) for _ in range(600)]
    weights = [1 / (place + 5) for place in range(len(words))]
    for _ in range(lines):
        chosen = draw.choices(words, weights, k=draw.randint(3, 12))
        if draw.random() < 0.2:
            chosen.append(str(draw.randint(0, 2000)))
        yield " ".join(chosen) + draw.choice(MARKS)


def train(path, lines=None, **options):
    """Writes a model; `options` are those of the package's trainer."""
    model = io.BytesIO()
    settings = {"vocab_size": 400, "character_coverage": 0.998, "num_threads": 1,
                "minloglevel": 2, **options}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(list(corpus()) if lines is None else lines),
        model_writer=model, **settings)
    path.write_bytes(model.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


# Unusual texts.
TEXTS = [
    "", " ", "   ", "a", " a", "a ", "  a  b  ", "bakeli monu", "Bakeli Monu!", "shatrevor wick.",
    "\t", "a\tb", "a\nb", "a\r\nb", "\u00a0a\u00a0b", "a\u3000b", "a\u200bb", "\ufeffa", "\u00ada",
    "\u2581", "\u2581a", "a\u2581b", "a \u2581 b", "\u2581\u2581", "e\u0301", "\u00e9", "ke\u0301li",
    "\ufb01", "\u00bd", "\u2460", "\uff21\uff22\uff23", "\uff76\uff9e", "\u212b", "\u1e9b\u0323",
    "日本の日", "日本語", "данивода", "ДАНИ", "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a\U0001f600b", "\U0001f600\U0001f600", "x\U0001f600y z", "\u0627\u0644\u0639", "\u0939\u093f\u0928",
    "0", "12", "2000", "3.14", "1,000", "a1b2", "...", "!!!", "?!", "'s", "--", "\u2026\u2026",
    "<unk>", "<s>", "</s>", "<0x41>", "<pad>", "<sep>", "a<sep>b", "<sep><sep>", " <sep> ", "<sep>a",
    "@user", "@@user", "a @user b", "user", "ab@userab", "日<sep>日", "\u0000", "a\u0000b", "\u0001\u001f",
    "\u007f\u0085", "\u2028\u2029", "\ue000", "\ufffd", "\U0010ffff", "zenzenzenzenzen" * 20, "a " * 50,
    "sss" * 40, "aaaaaaaaaaaaaaaaaaaaaaaa", "the quick brown fox", "I can't", "\"quoted\"", "\u201cquoted\u201d",
    "a-b_c/d\\e", "http://a.b/c?d=e&f", "e" * 300, "ing er ing er", "ingering", "wickwick wick",
    "\u0301", "a\u0301\u0302\u0303", "\u1100\u1161\u11a8", "\uac01", "\u0e33", "\u00c5ngstr\u00f6m", "Stra\u00dfe",
]
