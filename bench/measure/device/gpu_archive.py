# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The archive of programs for a machine with a GPU, and manifest.json in it."""

import json
import lzma
import pathlib
import tarfile

from measure.problem import Problem

MANIFEST = "manifest.json"
VERSION = 2
# All programs contain the same runtime: with a dictionary that spans several of them it is
# stored once. Unpacking takes as much memory as the dictionary.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 4, "dict_size": 128 << 20}]


def write(path, folder, manifest):
    """Packs the programs of the manifest, which lie in `folder`; returns the archive's MB."""
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        with lzma.open(part, "wb", filters=FILTERS) as packed, \
                tarfile.open(fileobj=packed, mode="w") as archive:
            for name in (MANIFEST, *names_in(manifest)):
                archive.add(folder / name, name)
        part.replace(path)
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    return path.stat().st_size / 1e6


def names_in(manifest):
    """The files of the manifest: programs, and the results that they are compared with."""
    entries = manifest["goldens"] + manifest["measured"]
    return [entry[file] for entry in entries for file in ("program", "reference") if file in entry]


def unpack(path, folder):
    """Unpacks the programs of an archive into `folder`; returns its manifest."""
    try:
        with tarfile.open(path, "r:xz") as archive:
            for member in archive:
                plain = pathlib.PurePath(member.name).name == member.name and member.isfile()
                if not plain:
                    raise Problem(f"{path}: {member.name} is not a file that `gpu.sh pack` writes")
                (folder / member.name).write_bytes(archive.extractfile(member).read())
                (folder / member.name).chmod(0o755)
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Problem(f"there is no archive {path}, or no {MANIFEST} in it; `bench/gpu.sh pack` "
                      "writes one on the machine where transfold is built") from None
    except (OSError, tarfile.TarError, lzma.LZMAError, EOFError, ValueError) as error:
        raise Problem(f"{path} cannot be unpacked ({error}); copy it again") from None
    if manifest.get("version") != VERSION:
        raise Problem(f"{path} is of another version of transfold; pack it with this checkout")
    return manifest
