# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The tests mirror the folders of the project. They can use:
#
#   %transfold %transfold-opt   the compiler and the dialect's mlir-opt
#   %transfold-lsp              the language server
#   %fake %fake-weights         programs with the runtime and hand-written entries
#   %fake-generator %fake-translator %fake-transcriber   such programs that generate tokens
#   %python                     the Python that has NumPy
#   %root %examples             the sources, the specs
#   %models %tools              tiny models with goldens, the scripts that compare with them
#   %user-cache                 the cache that all checkouts share: TRANSFOLD_CACHE, ~/.cache/transfold
#   %minilm                     the folder of all-MiniLM-L6-v2 (REQUIRES: minilm)
#   %smollm2 %gemma3            GGUF files (REQUIRES: smollm2, gemma3)
#   %speech                     Whisper tiny.en of CTranslate2 (REQUIRES: speech)
#   %goldens                    TRANSFOLD_GOLDENS: expected results that are not shipped
#   %widen-tensors              prints the values of a checkpoint's tensors
#   REQUIRES: opencl            an OpenCL device, such as PoCL's
#   REQUIRES: ptxas             NVIDIA's assembler: PTXAS, or on the PATH
#   REQUIRES: all-on-device     TRANSFOLD_ALL_ON_DEVICE is set; takes minutes
#   %tsan                       the build folder of the preset tsan (REQUIRES: tsan)
#   REQUIRES: spirv-val         validates kernels for Vulkan
#   REQUIRES: oclgrind          an OpenCL device that reports races
#   REQUIRES: x86-64            a machine with x86-64, for sizes of its programs
#   REQUIRES: arm               a runtime for ARM, and QEMU, which runs its programs
#   REQUIRES: chromium          Debian's package of that name, which setup.sh does not install
#   REQUIRES: nvim              Neovim 0.7 or later, which setup.sh does not install
#   REQUIRES: node              Node.js, which `scripts/setup.sh tests` installs
#   REQUIRES: terminal          a pseudo-terminal, which needs /dev/pts
#   REQUIRES: fresh-machine     root, mmdebstrap and Debian's archive; always in CI
#   REQUIRES: static-libc       a static C library, for compile --static
#   REQUIRES: chroot            root rights, to change a program's root folder
#   REQUIRES: groff, zsh, fish, dpkg-deb   programs that some machines lack
#   %fuzzers                    the folder of the programs of test/fuzz (REQUIRES: fuzz)
#   %fuzz                       runs a target of test/fuzz for TRANSFOLD_FUZZ_SECONDS (REQUIRES: fuzz)
#   %random-specs               the number of random models: TRANSFOLD_RANDOM_SPECS
#   %mypy                       checks types of Python (REQUIRES: mypy): `scripts/setup.sh tests`
#   %corpus-python              a Python with pyarrow (REQUIRES: pyarrow), and Ray or Spark
#                               (REQUIRES: ray, pyspark): TRANSFOLD_CORPUS_PYTHON, or %python,
#                               where `scripts/setup.sh tests` installs all but Spark, which needs Java
#   %sentence-pieces            tokenizes texts with a SentencePiece model
#   %pieces-python              a Python with sentencepiece and protobuf (REQUIRES: sentencepiece):
#                               TRANSFOLD_PIECES_PYTHON, or %python: `scripts/setup.sh tests`
#   %constraint-samples         random texts that follow a schema
#   REQUIRES: jsonschema        the package of that name in %python: `scripts/setup.sh tests`
#   REQUIRES: z3, cvc5          the solvers of these names in %python: `scripts/setup.sh tests`
#   FileCheck, not, count, split-file

import ctypes
import os
import platform
import pty
import shutil
import subprocess
import sys
import urllib.request

import lit.formats

sys.path.insert(0, os.path.join(config.source, "scripts"))
import mirrors  # noqa: E402

# lit starts with the tests that take longest. On the first run it reads .lit_test_times.txt next to this file
# (seconds and names of the tests that take ten seconds or more), later its own file in the build folder.
config.name = "transfold"
# With an external bash, since some tests loop over files.
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = {".mlir", ".test"}
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build, "test")

bin = os.path.join(config.build, "bin")
cache = os.environ.get("TRANSFOLD_CACHE") or os.path.expanduser("~/.cache/transfold")
minilm = os.path.join(cache, "all-MiniLM-L6-v2")
if os.path.exists(os.path.join(minilm, "model.safetensors")):
    config.available_features.add("minilm")

# Real models as GGUF files. The expected outputs of Gemma are not shipped: they are in TRANSFOLD_GOLDENS.
goldens = os.environ.get("TRANSFOLD_GOLDENS", "")
gguf_files = {"smollm2": os.path.join(cache, "SmolLM2-135M-Instruct.Q4_1.gguf"),
              "gemma3": os.path.join(cache, "gemma-3-270m.Q4_K_M.gguf")}
for name, file in gguf_files.items():
    if os.path.exists(file) and (name != "gemma3" or os.path.exists(f"{goldens}/{name}")):
        config.available_features.add(name)

# The expected transcriptions of Whisper are not shipped either.
speech = os.path.join(cache, "whisper-tiny-en-ct2")
if os.path.exists(os.path.join(speech, "model.bin")) and os.path.exists(f"{goldens}/whisper_tiny_en"):
    config.available_features.add("speech")


def has_opencl():
    # PoCL reads the kind of processor there, and ends the program if it cannot.
    if not os.path.isdir("/sys/devices/system/cpu"):
        return False
    count = ctypes.c_uint(0)
    try:
        ctypes.CDLL("libOpenCL.so").clGetPlatformIDs(0, None, ctypes.byref(count))
    except OSError:
        return False
    return count.value > 0


if has_opencl():
    config.available_features.add("opencl")
if os.environ.get("TRANSFOLD_ALL_ON_DEVICE"):
    config.available_features.add("all-on-device")


# Assembles kernels for GPUs, without a GPU.
ptxas = os.environ.get("PTXAS") or shutil.which("ptxas")
if ptxas and shutil.which(ptxas):
    config.available_features.add("ptxas")
    config.environment["PTXAS"] = ptxas


# scripts/setup.sh arm
if platform.machine() == "x86_64":
    config.available_features.add("x86-64")
if shutil.which("qemu-aarch64-static") and os.path.exists(
        os.path.join(config.build, "lib", "aarch64-linux-gnu", "libtransfold-runtime.a")):
    config.available_features.add("arm")


def compilers():
    """A folder with `cc` and `c++`, which users of libraries call, on a machine that has LLVM's compilers only."""
    folder = os.path.join(config.test_exec_root, "compilers")
    os.makedirs(folder, exist_ok=True)
    for name, program in ("cc", "clang"), ("c++", "clang++"):
        link = os.path.join(folder, name)
        if not shutil.which(name) and not os.path.lexists(link):
            os.symlink(os.path.join(config.llvm_tools, program), link)
    return folder


# Programs that some tests need, such as those for the page of a server and its script.
for program in ("chromium", "node", "nvim", "spirv-val", "oclgrind"):
    if shutil.which(program):
        config.available_features.add(program)


def has_terminal():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


if has_terminal():
    config.available_features.add("terminal")
# A separate disk for a test needs root rights, and a system that permits mounting.
if subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"],
                  capture_output=True, check=False).returncode == 0:
    config.available_features.add("mount")


if any(os.path.exists(os.path.join(folder, "rcrt1.o")) and os.path.exists(os.path.join(folder, "libc.a"))
       for folder in (f"/usr/lib/{os.uname().machine}-linux-gnu", "/usr/lib64", "/usr/lib")):
    config.available_features.add("static-libc")
if os.geteuid() == 0:
    config.available_features.add("chroot")
for program in ("groff", "zsh", "fish", "dpkg-deb"):
    if shutil.which(program):
        config.available_features.add(program)


def can_make_machine():
    """Whether test/project/machine/fresh-machine.sh can run: as root, with a reachable archive."""
    archive = mirrors.archive()
    if os.geteuid() != 0 or not shutil.which("mmdebstrap") or not archive:
        return False
    try:
        urllib.request.urlopen(f"{archive}/dists/bookworm/Release", timeout=10)
    except (OSError, ValueError):  # ValueError: a kind of address that only apt knows
        return False
    return True


# From the Python environment of the build, or installed by hand.
mypy = [config.python, "-m", "mypy"]
if subprocess.run([*mypy, "--version"], capture_output=True, check=False).returncode != 0:
    mypy = [shutil.which("mypy")]
if mypy[0]:
    config.available_features.add("mypy")


# Packages that are not in every build environment. They are searched without importing them.
def packages_in(python, *names):
    return subprocess.run(
        [python, "-c", "import importlib.util as u, sys; "
         "print(*(name for name in sys.argv[1:] if u.find_spec(name)))", *names],
        capture_output=True, text=True, check=False).stdout.split()


corpus_python = os.environ.get("TRANSFOLD_CORPUS_PYTHON") or config.python
found = packages_in(corpus_python, "pyarrow", "ray", "pyspark")
if "pyarrow" in found:
    config.available_features.update(found)
pieces_python = os.environ.get("TRANSFOLD_PIECES_PYTHON") or config.python
if len(packages_in(pieces_python, "sentencepiece", "google")) == 2:
    config.available_features.add("sentencepiece")
config.available_features.update(packages_in(config.python, "jsonschema", "z3", "cvc5"))


# In CI a machine that cannot be made is a failure, not a reason to skip.
if os.environ.get("CI") or can_make_machine():
    config.available_features.add("fresh-machine")
for variable, value in os.environ.items():
    if variable.lower().endswith("_proxy"):
        config.environment[variable] = value
fuzzers = os.path.join(config.source, "build-fuzz", "bin")
if os.path.exists(os.path.join(fuzzers, "TokenizerFuzzer")):
    config.available_features.add("fuzz")
seconds = os.environ.get("TRANSFOLD_FUZZ_SECONDS") or "2"
random_specs = os.environ.get("TRANSFOLD_RANDOM_SPECS") or ("15" if config.sanitize else "60")
tsan = os.path.join(config.source, "build-tsan")
if os.path.exists(os.path.join(tsan, "bin", "fake-program")):
    config.available_features.add("tsan")

if config.sanitize:
    config.available_features.add("sanitizers")
    # These have builds and sanitizers of their own.
    config.available_features -= {"fuzz", "tsan"}

# The longer names first: %transfold is the beginning of %transfold-opt.
config.substitutions += [
    ("%transfold-lsp", os.path.join(bin, "transfold-lsp")),
    ("%transfold-opt", os.path.join(bin, "transfold-opt")),
    ("%transfold", os.path.join(bin, "transfold")),
    *((f"%fake-{kind}", os.path.join(bin, f"fake-{kind}"))
      for kind in ("weights", "generator", "translator", "transcriber")),
    ("%fake", os.path.join(bin, "fake-program")),
    ("%python", config.python),
    ("%corpus-python", corpus_python),
    ("%pieces-python", pieces_python),
    ("%sentence-pieces", os.path.join(bin, "sentence-pieces")),
    ("%constraint-samples", os.path.join(bin, "constraint-samples")),
    ("%mypy", " ".join(word or "" for word in mypy)),
    ("%random-specs", random_specs),
    ("%root", config.source),
    ("%build", config.build),
    ("%models", os.path.join(config.test_source_root, "end-to-end", "models")),
    ("%tools", os.path.join(config.test_source_root, "end-to-end", "tools")),
    ("%examples", os.path.join(config.source, "examples")),
    ("%user-cache", cache),
    ("%minilm", minilm),
    *((f"%{name}", file) for name, file in gguf_files.items()),
    ("%speech", speech),
    ("%goldens", goldens),
    ("%widen-tensors", os.path.join(config.build, "bin", "widen-tensors")),
    # For programs that tests link with a runtime that has sanitizers.
    ("%sanitizers", f"-fsanitize={config.sanitize}" if config.sanitize else ""),
    ("%tsan", tsan),
    ("%fuzzers", fuzzers),  # before the shorter word
    ("%fuzz", f"{config.python} {config.source}/test/fuzz/fuzz.py {fuzzers} %t {seconds}"),
]
# The last folder has CMake, where the system has none.
config.environment["PATH"] = os.pathsep.join(
    [config.llvm_tools, os.environ["PATH"], compilers(), os.path.dirname(config.python)])
config.environment["LC_ALL"] = "C.UTF-8"
# A finding of a sanitizer ends the program by a signal, so that `not` does not mistake it
# for the error that a test expects.
# LLVM is not instrumented, but its inline functions are: LLVM fills containers and arenas
# that these have marked as unused, and has its own signal stack in each thread.
config.environment["ASAN_OPTIONS"] = ":".join([
    "abort_on_error=1", "detect_stack_use_after_return=0",
    "allow_user_poisoning=0", "detect_container_overflow=0", "use_sigaltstack=0"])
config.environment["UBSAN_OPTIONS"] = "abort_on_error=1:print_stacktrace=1"
config.environment["LSAN_OPTIONS"] = f"suppressions={config.source}/test/leaks.txt:print_suppressions=0"
# With a shared cache, kernels that several tests need are built once.
config.environment["TRANSFOLD_CACHE"] = os.path.join(config.build, "test", "cache")
# PoCL also caches the code that it generates for them.
config.environment["POCL_CACHE_DIR"] = os.path.join(config.build, "test", "pocl")
for variable in ["TRANSFOLD_SPECS", "TRANSFOLD_VENV"]:
    config.environment.pop(variable, None)
