#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Embeds a column of Parquet files with a compiled model, on all machines of a Ray cluster.

    embed_corpus.py --program minilm --input corpus/ --output embeddings/ --column text --id id

An interrupted run continues when it is started again: finished parts are not computed again.
"""

import argparse
import pathlib
import sys
import time

try:
    import corpus_ray
    import corpus_work
    import transfold
    from corpus_parts import Problem, plan, program_hash
except ImportError as missing:
    sys.exit(f"embed_corpus.py: error: {missing}; pip install pyarrow 'ray[data]' transfold-*.whl")

EXAMPLES = """examples:
  embed_corpus.py --program minilm --input corpus/ --output embeddings/
  embed_corpus.py --program minilm --input corpus/ --output embeddings/ --address auto
  embed_corpus.py --program libs/libminilm.so --input one.parquet --output embeddings/ --local
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--program", required=True, help="libNAME.so, its folder, or the name that it was compiled under")
    add("--input", required=True, type=pathlib.Path, metavar="DIR", help="folder of *.parquet files, or one such file")
    add("--output", required=True, type=pathlib.Path, metavar="DIR", help="folder for the embeddings")
    add("--column", default="text", help="column with the texts (%(default)s)")
    add("--id", metavar="COLUMN", help="column to store with each embedding (default: `row`, the row in the file)")
    add("--refuse-nulls", action="store_true", help="null is an error (default: its embedding is null)")
    add("--rows", type=int, default=16384, help="maximum number of rows of a part (%(default)s)")
    add("--address", help="address of a Ray cluster (default: one on this machine, for this run)")
    add("--actors", type=int, default=0, help="number of actors (default: as many as processors allow)")
    add("--threads", type=int, default=1, help="threads of each actor (%(default)s)")
    add("--local", action="store_true", help="without Ray: one part after another, in this process")
    return parser.parse_args()


class Progress:
    """Prints a line on standard error every few seconds, and one at the end."""

    def __init__(self, parts: list, todo: list):
        self.parts, self.left = len(parts), len(todo)
        self.rows, self.rows_left = sum(part.rows for part in parts), sum(part.rows for part in todo)
        self.begin = self.told = time.monotonic()
        self.made = 0
        if self.left < self.parts:
            print(f"{self.parts - self.left} of {self.parts} parts exist already", file=sys.stderr)

    def add(self, rows: int) -> None:
        self.left -= 1
        self.rows_left -= rows
        self.made += rows
        if time.monotonic() - self.told > 5 or not self.left:
            self.tell()

    def tell(self) -> None:
        self.told = time.monotonic()
        rate = self.made / max(self.told - self.begin, 1e-9)
        line = (f"{self.parts - self.left} of {self.parts} parts, {self.rows - self.rows_left} of {self.rows} rows, "
                f"{rate:.3g} rows/s")
        if self.left:
            line += f", {self.rows_left / max(rate, 1e-9) / 60:.1f} min left"
        print(line, file=sys.stderr, flush=True)


def main() -> None:
    given = parse()
    for option, least in (("rows", 1), ("actors", 0), ("threads", 1)):
        if getattr(given, option) < least:
            raise Problem(f"--{option}: expected {least} or more")
    source, target = given.input.resolve(), given.output.resolve()
    if target == source or source in target.parents:
        raise Problem("--output is inside --input, so the next run would read it; give a folder next to it")
    program = transfold.Program.load(given.program, threads=given.threads)
    if "embed" not in program.tasks:
        raise Problem(f"--program {given.program} does not embed; its tasks: {', '.join(program.tasks) or 'nothing'}")
    library = str(pathlib.Path(program.path).resolve())
    settings = {"program": program_hash(library), "column": given.column, "id": given.id}
    parts = plan(source, target, given.column, given.id, given.rows)
    todo = [part for part in parts if not part.is_done(settings)]
    progress = Progress(parts, todo)
    options = {"column": given.column, "key": given.id, "takes_nulls": not given.refuse_nulls, "settings": settings}
    if given.local or not todo:
        made = (corpus_work.do_part(program, part, **options) for part in todo)
    else:
        program.close()
        made = corpus_ray.run(todo, library, options, given.address, given.actors, given.threads)
    for rows in made:
        progress.add(rows)
    print(f"{progress.rows} embeddings in {len(parts)} parts are in {given.output}")


if __name__ == "__main__":
    try:
        main()
    except (Problem, transfold.TransfoldError) as problem:
        sys.exit(f"embed_corpus.py: error: {problem}")
    except KeyboardInterrupt:
        sys.exit("embed_corpus.py: stopped; start it again to continue from here")
