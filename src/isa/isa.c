/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>

#include "isa/machines.h"

static const struct tl_machine *const machines[] = { &tl_machine_x86_64, &tl_machine_i386,
						     &tl_machine_aarch64 };

struct tl_disassembler {
	const struct tl_machine *machine;
	void *state;
};

static const struct tl_machine *find_machine(unsigned number)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i]->number == number && machines[i]->decode)
			return machines[i];
	return NULL;
}

bool tl_isa_known(unsigned machine)
{
	return find_machine(machine) != NULL;
}

struct tl_disassembler *tl_disassembler_open(unsigned machine)
{
	const struct tl_machine *found = find_machine(machine);
	struct tl_disassembler *made = found ? malloc(sizeof(*made)) : NULL;

	if (!made)
		return NULL;
	made->machine = found;
	made->state = found->open();
	if (made->state)
		return made;
	free(made);
	return NULL;
}

void tl_disassembler_close(struct tl_disassembler *disassembler)
{
	if (!disassembler)
		return;
	disassembler->machine->close(disassembler->state);
	free(disassembler);
}

void tl_disassemble(struct tl_disassembler *disassembler, const uint8_t *code, size_t size,
		    uint64_t address, struct tl_insn *insn)
{
	const struct tl_machine *machine = disassembler->machine;

	*insn = (struct tl_insn){ .kind = TL_INSN_OTHER };
	if (machine->decode(disassembler->state, code, size, address, insn))
		return;
	/* The rest of a cut instruction may be less than the least. */
	*insn = (struct tl_insn){ .length =
					  size < machine->least ? (unsigned)size : machine->least };
	if (insn->length == 4)
		snprintf(insn->text, sizeof(insn->text), ".inst 0x%02x%02x%02x%02x", code[3],
			 code[2], code[1], code[0]);
	else
		snprintf(insn->text, sizeof(insn->text), ".byte 0x%02x", code[0]);
}
