# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""corpus.py COMPILER MODELS EXAMPLES OUT WAY: a corpus in Parquet, embedded by examples/corpus.

WAY is --local, or --ray for the same on a cluster of this machine.
"""

import json
import pathlib
import random
import shutil
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

compiler, models, examples, out = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
script, local = examples / "corpus" / "embed_corpus.py", sys.argv[5] == "--local"
tools = pathlib.Path(__file__).parents[1] / "tools"
shutil.rmtree(out, ignore_errors=True)
(out / "corpus" / "more").mkdir(parents=True)
subprocess.run([sys.executable, tools / "texts.py", "make", models / "roberta", out / "texts"], check=True)
vectors, library = out / "vectors", out / "libvectors.so"
for options in (["-o", vectors], ["--emit=lib", "-o", library]):
    subprocess.run([compiler, "compile", "-q", out / "texts" / "embed", *options], check=True)

# --- A corpus: two files, one of several row groups, with texts that are null -----------------------

chosen = random.Random(1)
texts = [" ".join(chosen.choices(["the", "cat", "sat", "\u00e9", "mat"], k=chosen.randint(0, 8))) for _ in range(50)]
texts[0], texts[7], texts[13] = 'new\nline "\0" \U0001f408', None, ""
ids = [f"id {i}" for i in range(50)]
big = pa.table({"key": ids[:41], "text": texts[:41], "other": range(41)})
pq.write_table(big, out / "corpus" / "a.parquet", row_group_size=16)
pq.write_table(pa.table({"key": ids[41:], "text": pa.array(texts[41:], pa.large_string()).dictionary_encode()}),
               out / "corpus" / "more" / "b.parquet")
(out / "corpus" / "_empty.parquet").write_bytes(b"")


def is_ended_by_ray(ran):
    """Whether Ray did not start, or ended together with its driver and without a message of the
    script, as happens on a machine that is busy with other tests."""
    said_nothing = ran.returncode != 0 and "embed_corpus.py: " not in ran.stderr and "Traceback" not in ran.stderr
    return "error: Ray " in ran.stderr or said_nothing


# The same use of Ray, without transfold.
RAY_ALONE = """
import ray, ray.data
class Same:
    def __call__(self, row):
        return row
ray.init(include_dashboard=False, log_to_driver=False)
rows = ray.data.from_items([{"x": i} for i in range(10)], override_num_blocks=10)
rows = rows.map(Same, compute=ray.data.ActorPoolStrategy(size=1))
assert sorted(row["x"] for row in rows.iter_rows()) == list(range(10))
"""
ATTEMPTS = 5


def run(output, *options, source=out / "corpus", ok=True, is_local=local, program=library, wrap=()):
    """Runs the script; returns its standard error."""
    words = [sys.executable, *(wrap or [script]), "--program", program, "--input", source, "--output", output, *options]
    words = [str(word) for word in words + ["--local"] * is_local]
    said = ""
    for _ in range(ATTEMPTS):
        ran = subprocess.run(words, capture_output=True, text=True)
        said += ran.stderr
        if wrap:
            return ran.returncode
        if is_local or not is_ended_by_ray(ran):
            break
    else:
        # This is not a failure of the script if Ray fails without it, too.
        if any(subprocess.run([sys.executable, "-c", RAY_ALONE], capture_output=True).returncode
               for _ in range(ATTEMPTS)):
            print("corpus: Ray does not run on this machine")
            sys.exit()
    assert (ran.returncode == 0) == ok, ran.stdout + said
    assert "Traceback" not in ran.stderr, said
    return said


def parts(folder):
    """The bytes of all files, by their names."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


KEYS = ["--id", "key", "--rows", 6]
run(out / "whole", *KEYS, is_local=True)
whole = parts(out / "whole")
assert len(whole) == 3 + 3 + 2 + 2 and "a/000000000016.parquet" in whole, whole.keys()

# --- The bits of `embed` ----------------------------------------------------------------------------

found = pq.read_table(out / "whole")
assert found.schema.names == ["key", "embedding"], found.schema
assert found.schema.field("embedding").type == pa.list_(pa.float32(), 64)
rows = dict(zip(found["key"].to_pylist(), found["embedding"].to_pylist()))
assert rows.keys() == set(ids) and rows["id 7"] is None
there = [i for i, text in enumerate(texts) if text is not None and "\0" not in text]
lines = subprocess.run([vectors, "embed", "--json", "--", *(texts[i] for i in there)],
                       check=True, capture_output=True, text=True).stdout.splitlines()
for i, line in zip(there, lines, strict=True):
    assert (np.array(json.loads(line)["embedding"], "float32") == np.array(rows[ids[i]], "float32")).all(), i

# --- Killed in the middle, and started again ----------------------------------------------------------

# The process is killed after it has begun the third part.
KILL = """
import os, signal, sys
sys.path.insert(0, sys.argv.pop(1))
import corpus_work, embed_corpus
write, count = corpus_work.pq.write_table, 0
def killed(table, file, **options):
    global count
    count += 1
    if count == 3:
        file.write(b"PAR1, and no more")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    write(table, file, **options)
corpus_work.pq.write_table = killed
embed_corpus.main()
"""
assert run(out / "killed", *KEYS, is_local=True, wrap=["-c", KILL, script.parent]) == -9
left = parts(out / "killed")
assert len([name for name in left if name.endswith(".part")]) == 1 and len(left) == 3, left.keys()
said = run(out / "killed", *KEYS)
assert "2 of 10 parts exist already" in said, said
assert parts(out / "killed") == whole
times = {name: (out / "killed" / name).stat().st_mtime_ns for name in whole}
assert "10 of 10 parts exist already" in run(out / "killed", *KEYS)
assert times == {name: (out / "killed" / name).stat().st_mtime_ns for name in whole}

# --- Other settings, and mistakes ------------------------------------------------------------------------

if not local:
    said = run(out / "no", "--refuse-nulls", ok=False)
    assert "row 7 is null" in said, said
    said = run(out / "no", "--threads", 100, "--actors", 3, ok=False)
    assert "100 threads: the cluster has" in said, said
    print("corpus: as expected")
    sys.exit()

run(out / "rows", source=out / "corpus" / "a.parquet")
found = pq.read_table(out / "rows")
assert found["row"].to_pylist() == list(range(41)) and found["embedding"].to_pylist()[40] == rows["id 40"]


sys.path.append(str(script.parent))
import embed_corpus  # noqa: E402


def complain(part, *options, output="no", source=out / "corpus", program=library):
    """Checks that the script ends with a message of one line."""
    sys.argv = ["embed_corpus.py", "--local", *(str(word) for word in (
        "--program", program, "--input", source, "--output", out / output, *options))]
    try:
        embed_corpus.main()
    except (embed_corpus.Problem, embed_corpus.transfold.TransfoldError) as problem:
        assert part in str(problem) and "\n" not in str(problem), problem
    else:
        raise AssertionError(f"nothing was said of: {part}")


said = run(out / "no", "--column", "words", ok=False)
assert said.startswith("embed_corpus.py: error: ") and said.count("\n") == 1, said


complain("has no column 'words'; it has key, text, other; choose one with --column", "--column", "words")
complain("has no column 'number'; it has", "--id", "number")
complain("has the type int64; choose a column of texts", "--column", "other", source=out / "corpus" / "a.parquet")
complain("row 7 is null", "--refuse-nulls")
complain("no such folder", source=out / "nowhere")
complain("contains no *.parquet files", source=out / "texts")
complain("is inside --input", output="corpus/embeddings")
complain("--rows: expected 1 or more", "--rows", 0)
complain("libnone.so", program=out / "libnone.so")
(out / "wrong").mkdir()
(out / "wrong" / "a.parquet").write_text("no Parquet")
complain("wrong/a.parquet cannot be read as a Parquet file", source=out / "wrong")
broken = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(np.array([0, 1], "int32")), pa.py_buffer(b"\xff")])
pq.write_table(pa.table({"text": broken}), out / "wrong" / "a.parquet")
complain("is not valid UTF-8", source=out / "wrong")
pq.write_table(pa.table({"embedding": ["x"], "text": ["x"]}), out / "wrong" / "a.parquet")
complain("rename the column", "--id", "embedding", source=out / "wrong")
pq.write_table(pa.table([pa.array(["x"])] * 2, names=["text", "text"]), out / "wrong" / "a.parquet")
complain("several columns 'text'", source=out / "wrong")
assert not (out / "no").exists()
# The existing parts are of another run.
complain("000000000000.parquet was made from other inputs: id None, not key", "--id", "key", output="rows",
         source=out / "corpus" / "a.parquet")
complain("rows 16, not 6", "--rows", 6, output="rows", source=out / "corpus" / "a.parquet")
pq.write_table(big.slice(0, 40), out / "corpus" / "a.parquet", row_group_size=16)
complain("footer", output="rows", source=out / "corpus" / "a.parquet")
(out / "whole" / "a" / "000000000000.parquet").write_bytes(b"")
complain("delete it, and run again", *KEYS, output="whole")
print("corpus: as expected")
