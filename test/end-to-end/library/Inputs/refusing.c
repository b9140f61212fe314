/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OpenCL whose driver refuses every kernel: it stands before the system's, whose
 * library it is linked to for all the rest.
 */

int clBuildProgram(void) { return -11; /* CL_BUILD_PROGRAM_FAILURE */ }
