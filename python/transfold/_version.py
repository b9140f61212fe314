# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
VERSION = "0.1.0"
