// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of an OpenCL device, and memory there, used as in programs: all
// values are in one allocation, and the last dimension of each buffer gives the
// offset of its values.

#pragma once

#include "compiler/kernels/build/KernelSymbol.h"
#include "compiler/kernels/build/LoadKernels.h"
#include "test/unit/TemporaryDirectory.h"

#include <HalideRuntime.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <random>
#include <vector>

namespace transfold::test {

inline std::vector<std::byte> bytesOf(const std::vector<float> &numbers) {
  const auto *begin = reinterpret_cast<const std::byte *>(numbers.data());
  return {begin, begin + numbers.size() * sizeof(float)};
}

inline std::vector<float> randomNumbers(int64_t count, std::mt19937 &random) {
  std::vector<float> numbers(count);
  for (float &number : numbers)
    number = (int(random() % 2001) - 1000) / 512.0F;
  return numbers;
}

/// A module's kernels as a shared library, with Halide's runtime for their
/// device: that runtime has initializers, which run when a library is loaded.
class DeviceKernels {
public:
  /// Null if the kernels cannot be built or linked.
  static std::unique_ptr<DeviceKernels> load(mlir::ModuleOp module) {
    auto built = kernels::buildKernels(module);
    if (failed(built))
      return nullptr;
    for (kernels::DeviceObject &object :
         kernels::buildDeviceObjects(module, nullptr))
      built->push_back({object.name, std::move(object.bytes)});
    TemporaryDirectory directory;
    std::string command = "ld.lld -shared -o " + directory.path("kernels.so");
    for (const kernels::BuiltKernel &kernel : *built)
      command += " " + directory.write(kernel.name + ".o", kernel.bytes);
    if (std::system(command.c_str()))
      return nullptr;
    void *library = ::dlopen(directory.path("kernels.so").c_str(), RTLD_NOW);
    if (!library)
      return nullptr;
    return std::unique_ptr<DeviceKernels>(new DeviceKernels(library));
  }
  // The library is not unloaded: OpenCL may still have threads that run its
  // code.

  /// Null if OpenCL finds no device.
  const halide_device_interface_t *device() const {
    // PoCL reads the kind of processor there, and ends the program if it
    // cannot.
    if (!std::filesystem::is_directory("/sys/devices/system/cpu"))
      return nullptr;
    auto *get = reinterpret_cast<const halide_device_interface_t *(*)()>(
        ::dlsym(library, "halide_opencl_device_interface"));
    const halide_device_interface_t *found = get();
    int major = 0, minor = 0;
    return found->compute_capability(nullptr, &major, &minor) == 0 &&
                   (major || minor)
               ? found
               : nullptr;
  }

  kernels::LoadedKernel find(llvm::StringRef kernel) const {
    return {::dlsym(library, kernels::symbolOf(kernel).c_str())};
  }

  /// A function of the library.
  template <typename Function> Function symbol(const std::string &name) const {
    return reinterpret_cast<Function>(::dlsym(library, name.c_str()));
  }

private:
  explicit DeviceKernels(void *library) : library(library) {}
  void *library;
};

class DeviceMemory {
public:
  explicit DeviceMemory(const halide_device_interface_t *interface)
      : interface(interface) {}
  DeviceMemory(const DeviceMemory &) = delete;
  ~DeviceMemory() {
    if (all.device)
      interface->device_free(nullptr, &all);
  }

  /// Adds a buffer with these bytes; the innermost extent first. Returns its
  /// index.
  size_t add(const std::vector<std::byte> &own, halide_type_t type,
             const std::vector<int64_t> &extents) {
    bytes.resize((bytes.size() + 63) / 64 * 64);
    auto part = std::make_unique<Part>();
    part->offset = bytes.size();
    part->size = own.size();
    int64_t stride = 1;
    for (int64_t extent : extents) {
      part->dimensions.emplace_back(0, extent, stride);
      stride *= extent;
    }
    part->dimensions.emplace_back(0, part->offset / type.bytes() + 1, 1);
    part->buffer.type = type;
    part->buffer.dimensions = static_cast<int>(part->dimensions.size());
    part->buffer.dim = part->dimensions.data();
    parts.push_back(std::move(part));
    bytes.insert(bytes.end(), own.begin(), own.end());
    return parts.size() - 1;
  }

  /// Adds a buffer that passes a number in place of an offset.
  void addNumber(int64_t number) {
    auto part = std::make_unique<Part>();
    part->dimensions.emplace_back(0, number + 1, 1);
    part->buffer.type = halide_type_t(halide_type_int, 32);
    part->buffer.dimensions = 1;
    part->buffer.dim = part->dimensions.data();
    parts.push_back(std::move(part));
  }

  /// Copies all buffers to the device's memory; call it once, before any is
  /// used.
  void copyToDevice() {
    bytes.resize((bytes.size() + 63) / 64 * 64);
    row = {0, static_cast<int32_t>(bytes.size() / 4), 1, 0};
    all.type = halide_type_t(halide_type_float, 32);
    all.dimensions = 1;
    all.dim = &row;
    all.host = reinterpret_cast<uint8_t *>(bytes.data());
    all.set_host_dirty();
    ASSERT_EQ(interface->copy_to_device(nullptr, &all, interface), 0);
    for (auto &part : parts) {
      part->buffer.device = all.device;
      part->buffer.device_interface = interface;
    }
  }

  std::vector<halide_buffer_t *> buffers() {
    std::vector<halide_buffer_t *> pointers;
    for (auto &part : parts)
      pointers.push_back(&part->buffer);
    return pointers;
  }

  /// The values of a buffer on the device.
  std::vector<float> read(size_t number) {
    all.set_device_dirty();
    EXPECT_EQ(interface->copy_to_host(nullptr, &all), 0);
    std::vector<float> numbers(parts[number]->size / sizeof(float));
    std::memcpy(numbers.data(), bytes.data() + parts[number]->offset,
                parts[number]->size);
    return numbers;
  }

private:
  struct Part {
    size_t offset = 0, size = 0;
    std::vector<halide_dimension_t> dimensions;
    halide_buffer_t buffer = {};
  };
  const halide_device_interface_t *interface;
  std::vector<std::byte> bytes;
  std::vector<std::unique_ptr<Part>> parts;
  halide_dimension_t row;
  halide_buffer_t all = {};
};

} // namespace transfold::test
