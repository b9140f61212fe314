# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets the wheel's tag: a wheel that contains the compiler (scripts/wheel.sh) is specific to one platform, but
runs with any Python 3, since nothing in it is compiled against Python."""

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
