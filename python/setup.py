# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel's tag: with a compiler in it (scripts/wheel.sh), it is for one kind of machine and for
any Python 3, since nothing in it was compiled against Python."""

import pathlib

import setuptools
from setuptools.command.bdist_wheel import bdist_wheel

HAS_COMPILER = (pathlib.Path(__file__).parent / "transfold" / "_compiler").exists()


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = not HAS_COMPILER

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Distribution(setuptools.Distribution):
    def has_ext_modules(self):
        return HAS_COMPILER


setuptools.setup(cmdclass={"bdist_wheel": Wheel}, distclass=Distribution)
