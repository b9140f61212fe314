# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans the work: the parts of Parquet files, and which of them are finished already.

A part is some rows of a row group. It becomes a separate file, which appears when it is complete:
an existing file need not be computed again. Its metadata records its origin.
"""

import dataclasses
import hashlib
import json
import os
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

KEY = b"transfold.corpus"  # of a part's metadata


class Problem(Exception):
    """An error message of one line: what is wrong, where, and what to do about it."""


@dataclasses.dataclass(frozen=True)
class Part:
    """Rows of a file and the destination of their embeddings; all that a worker needs."""
    file: str         # path from which it is read
    name: str         # path relative to the input folder
    footer: str       # hash of the file's footer: the places of its columns, and their statistics
    group: int        # row group
    skip: int         # rows of the group before the part
    first: int        # index of its first row in the file
    rows: int
    output: str

    def origin(self, settings: dict) -> bytes:
        """The metadata that records its origin. `settings` are those of all parts."""
        made_of = {"file": self.name, "footer": self.footer, "first": self.first, "rows": self.rows}
        return json.dumps(made_of | settings, sort_keys=True).encode()

    def is_done(self, settings: dict) -> bool:
        """Whether its file exists. Raises Problem if that file has another origin."""
        if not os.path.exists(self.output):
            return False
        try:
            found = (pq.read_schema(self.output).metadata or {}).get(KEY)
        except (OSError, pa.ArrowInvalid) as error:
            raise Problem(f"{self.output} cannot be read ({first_line(error)}); delete it, and run again") from None
        if found == self.origin(settings):
            return True
        raise Problem(f"{self.output} was made from other inputs: {difference(found, self.origin(settings))}; "
                      "give another --output, or delete that folder")


def difference(found, expected) -> str:
    if found is None:
        return "this program did not write it"
    there, wanted = json.loads(found), json.loads(expected)
    return ", ".join(f"{key} {there.get(key)}, not {value}" for key, value in wanted.items()
                     if there.get(key) != value) or "it has more settings"


def first_line(error) -> str:
    return str(error).split("\n")[0]


def program_hash(library: str) -> str:
    """Hash of a compiled model: its library, and the weights next to it."""
    path, found = pathlib.Path(library), hashlib.sha256()
    for each in (path, path.with_name(path.stem.removeprefix("lib") + ".weights")):
        if each.exists():
            with each.open("rb") as file:
                while block := file.read(1 << 20):
                    found.update(block)
    return found.hexdigest()[:16]


def open_parquet(path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise Problem(f"{path} cannot be read as a Parquet file: {first_line(error)}") from None


def footer_hash(path) -> str:
    """Hash of the footer, whose length precedes the last four bytes of the file."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(size - 8)
        length = int.from_bytes(file.read(4), "little")
        file.seek(max(0, size - 8 - length))
        return hashlib.sha256(file.read()).hexdigest()[:16]


def is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def check_columns(path, schema: pa.Schema, column: str, key: str) -> None:
    for name, option in ((column, "--column"), (key, "--id")):
        if name and schema.get_all_field_indices(name) == []:
            raise Problem(f"{path} has no column '{name}'; it has {', '.join(schema.names)}; choose one with {option}")
        if name and len(schema.get_all_field_indices(name)) > 1:
            raise Problem(f"{path} has several columns '{name}'")
    kind = schema.field(column).type
    if not is_text(kind):
        raise Problem(f"{path}: column '{column}' has the type {kind}; choose a column of texts with --column")
    if key == "embedding":
        raise Problem("--id embedding: the result has a column of that name; rename the column")


def input_files(folder: pathlib.Path) -> list:
    """(path, name below the folder), in a fixed order."""
    if folder.is_file():
        return [(folder, folder.name)]
    if not folder.is_dir():
        raise Problem(f"--input {folder}: no such folder")
    found = sorted(path for path in folder.rglob("*.parquet") if path.is_file()
                   and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts))
    if not found:
        raise Problem(f"--input {folder}: contains no *.parquet files")
    return [(path, str(path.relative_to(folder))) for path in found]


def plan(source: pathlib.Path, target: pathlib.Path, column: str, key: str, most_rows: int) -> list:
    """All parts; those of a.parquet are written to a/INDEX OF THE FIRST ROW.parquet."""
    parts = []
    for path, name in input_files(source):
        with open_parquet(path) as file:
            check_columns(path, file.schema_arrow, column, key)
            counts = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        footer, first = footer_hash(path), 0
        for group, count in enumerate(counts):
            for skip in range(0, count, most_rows):
                output = target / name.removesuffix(".parquet") / f"{first + skip:012}.parquet"
                parts.append(Part(str(path), name, footer, group, skip, first + skip,
                                  min(most_rows, count - skip), str(output)))
            first += count
    return parts
