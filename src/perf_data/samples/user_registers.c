/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of samples (UAPI, enum perf_event_x86_regs and enum perf_event_arm_regs). */
#include "perf_data/samples/unwinder.h"

#include <elf.h>

#include "core/text/optional.h"

enum { ABI_32 = 1 };
enum { X86_IP = 8, ARM_PC = 32 };

/* By DWARF number: the number in the mask (System V ABIs, "DWARF Register Number Mapping"). */
static const uint8_t of_64_bits[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23 };
static const uint8_t of_32_bits[] = { 0, 2, 3, 1, 7, 6, 4, 5 };

/* A register by its number in the mask. False: it was not recorded. */
static bool take_register(const struct tl_perf_record *rec, unsigned number, uint64_t *value)
{
	const uint64_t mask = rec->attr->regs_user, before = mask & ((UINT64_C(1) << number) - 1);

	if (!(mask >> number & 1))
		return false;
	*value = tl_get64s(rec->sample.user_registers + 8 * __builtin_popcountll(before),
			   rec->swapped);
	return true;
}

static void put_register(struct tl_cfi_frame *frame, const struct tl_perf_record *rec,
			 unsigned dwarf, unsigned recorded)
{
	if (take_register(rec, recorded, &frame->registers[dwarf]))
		frame->known |= UINT64_C(1) << dwarf;
}

static bool starts(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* A file that does not say what recorded it: only AArch64 has registers with these numbers. */
static bool is_arm(const struct tl_perf_header *header, uint64_t mask)
{
	if (header->arch && *header->arch)
		return starts(header->arch, "aarch64") || starts(header->arch, "arm64");
	return mask >> 24 & 0xff;
}

static bool is_x86(const struct tl_perf_header *header)
{
	const char *arch = tl_text_or_empty(header->arch);

	return !*arch || starts(arch, "x86") || (*arch == 'i' && starts(arch + 2, "86"));
}

bool tl_perf_user_registers(const struct tl_perf_header *header, const struct tl_perf_record *rec,
			    struct tl_cfi_frame *frame, uint16_t *machine)
{
	const bool arm = is_arm(header, rec->attr->regs_user);
	const bool narrow = rec->sample.user_abi == ABI_32;
	const uint8_t *numbers = narrow ? of_32_bits : of_64_bits;
	const unsigned count = narrow ? sizeof(of_32_bits) : sizeof(of_64_bits);

	if (!rec->sample.user_registers || rec->swapped || (arm ? narrow : !is_x86(header)))
		return false;
	*frame = (struct tl_cfi_frame){ .known = 0 };
	*machine = arm ? EM_AARCH64 : narrow ? EM_386 : EM_X86_64;
	for (unsigned i = 0; i < (arm ? ARM_PC : count); i++)
		put_register(frame, rec, i, arm ? i : numbers[i]);
	return take_register(rec, arm ? ARM_PC : X86_IP, &frame->pc) &&
	       frame->known >> tl_cfi_stack_register(*machine) & 1;
}
