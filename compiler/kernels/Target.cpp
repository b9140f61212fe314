// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/Target.h"

#include <Halide.h>

#include <stdexcept>

namespace transfold::kernels {

Machine describeMachine(const std::string &name) {
  if (name != "host" && !Halide::Target::validate_target_string(name))
    throw std::runtime_error("'" + name + "' is not a target");
  Halide::Target target =
      name == "host" ? Halide::get_host_target() : Halide::Target(name);
  Machine machine;
  machine.target = target.to_string();
  machine.vector = target.natural_vector_size<float>();
  bool hasMany = target.arch != Halide::Target::X86 ||
                 target.has_feature(Halide::Target::AVX512) ||
                 target.has_feature(Halide::Target::AVX512_Skylake);
  machine.registers = hasMany ? 32 : 16;
  return machine;
}

} // namespace transfold::kernels
