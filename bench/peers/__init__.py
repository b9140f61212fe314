# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers of encoders. Importing this package imports neither their libraries nor NumPy:
they are imported when a peer is created."""

import importlib.util

from peers.ctranslate2 import CTranslate2
from peers.openvino import OpenVino
from peers.ort import OnnxRuntime
from peers.pytorch import PyTorch

ENCODERS = {peer.name: peer for peer in (OnnxRuntime, OpenVino, CTranslate2, PyTorch)}


def missing(peer, precision):
    """The packages of the peer that are not installed."""
    needs = (*peer.needs, *peer.needs_for.get(precision, ()))
    return [package for package in needs if not importlib.util.find_spec(package)]
