/* SPDX-License-Identifier: Apache-2.0 */
/* In place of machine_x86.c in a build without Zydis: machines that nothing decodes. */
#include "isa/machines.h"

enum { EM_OF_I386 = 3, EM_OF_X86_64 = 62 };

const struct tl_machine tl_machine_x86_64 = { .number = EM_OF_X86_64, .least = 1 };
const struct tl_machine tl_machine_i386 = { .number = EM_OF_I386, .least = 1 };
