# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes one part: reads its texts, embeds them and writes the embeddings."""

import contextlib
import itertools
import os
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import transfold
from corpus_parts import KEY, Part, Problem, first_line, open_parquet

# Texts per call of `embed`. The program computes them in batches of about a thousand tokens,
# texts of any lengths together and without padding: sorting them by length would gain nothing.
TEXTS = 1024


def read_rows(part: Part, columns: list) -> pa.Table:
    with open_parquet(part.file) as file:
        batches = file.iter_batches(part.rows, row_groups=[part.group], columns=columns)
        rows, skipped = [], part.skip
        for batch in batches:
            # The last batches of a group may be smaller than requested.
            taken = batch.slice(min(skipped, len(batch)))
            skipped -= len(batch) - len(taken)
            rows.append(taken.slice(0, part.rows - sum(map(len, rows))))
            if sum(map(len, rows)) == part.rows:
                break
        return pa.Table.from_batches(rows)


def texts_of(part: Part, column: pa.ChunkedArray, name: str, takes_nulls: bool) -> list:
    try:
        texts = column.to_pylist()
    except UnicodeDecodeError as error:
        raise Problem(f"{part.file}: column '{name}', row {part.first} or one of the {part.rows} from it, "
                      f"is not valid UTF-8: {error.reason}") from None
    if not takes_nulls and None in texts:
        raise Problem(f"{part.file}: column '{name}', row {part.first + texts.index(None)} is null; "
                      "without --refuse-nulls its embedding would be null")
    return texts


def embed(program: transfold.Program, texts: list) -> pa.FixedSizeListArray:
    """A vector for each text; null for a null text."""
    given = [text for text in texts if text is not None]
    rows = np.zeros((len(texts), program.dimensions), np.float32)
    places = (i for i, text in enumerate(texts) if text is not None)
    for first in range(0, len(given), TEXTS):
        vectors = program.embed(given[first:first + TEXTS])
        rows[list(itertools.islice(places, len(vectors)))] = vectors
    return pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), program.dimensions,
                                             mask=pa.array([text is None for text in texts]))


def write(table: pa.Table, path: pathlib.Path) -> None:
    """Writes the file atomically: it exists complete, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as file:
            pq.write_table(table, file, compression="zstd", use_dictionary=False,
                           write_statistics=[name for name in table.column_names if name != "embedding"])
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        # Also removes files left by earlier runs that were killed.
        for left in path.parent.glob(f".{path.name}.*.part"):
            with contextlib.suppress(OSError):
                left.unlink()


def do_part(program: transfold.Program, part: Part, column: str, key: str, takes_nulls: bool, settings: dict) -> int:
    """Computes `part` and returns its number of rows. Raises Problem."""
    try:
        # The same column may be the text and the key.
        table = read_rows(part, list(dict.fromkeys([column, key] if key else [column])))
        texts = texts_of(part, table.column(column), column, takes_nulls)
        try:
            vectors = embed(program, texts)
        except transfold.TransfoldError as error:
            raise Problem(f"{part.file}, rows from {part.first}: {error}") from None
        keys = table.column(key) if key else pa.array(range(part.first, part.first + part.rows), pa.int64())
        found = pa.table({key or "row": keys, "embedding": vectors})
        write(found.replace_schema_metadata({KEY: part.origin(settings)}), pathlib.Path(part.output))
    except (OSError, pa.ArrowException) as error:
        raise Problem(f"{part.file}, rows from {part.first}, to {part.output}: {first_line(error)}") from None
    return part.rows
