/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of ETMv4 and ETE: what must hold of any bytes is in tests/fault/exercise_input.c. What was
 * executed, over a program that is at many addresses, is whole streams of tokens, which have as
 * many instructions as were counted, and fold into a profile.
 */
#include "etm/flow/executed.h"
#include "exercise_input.h"
#include "fuzz.h"
#include "parts.h"
#include "token_stream.h"

/* NOP, BL +28, CBZ X0 +12, NOP, B -16, WFI, ISB, BR X1, NOP, RET: at the addresses 1000 to 1027. */
static const uint8_t program[] = {
	0x1f, 0x20, 0x03, 0xd5, 0x07, 0x00, 0x00, 0x94, 0x60, 0x00, 0x00, 0xb4, 0x1f, 0x20,
	0x03, 0xd5, 0xfc, 0xff, 0xff, 0x17, 0x7f, 0x20, 0x03, 0xd5, 0xdf, 0x3f, 0x03, 0xd5,
	0x20, 0x00, 0x1f, 0xd6, 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6,
};

static const uint8_t *code_at(void *arg, uint64_t address, size_t *size)
{
	(void)arg;
	if (address < 0x1000 || address >= 0x1000 + sizeof(program))
		return NULL;
	*size = 0x1000 + sizeof(program) - (size_t)address;
	return program + (address - 0x1000);
}

static void use_stream(struct tl_etm_stream *stream)
{
	const void *bytes;
	size_t size;

	FUZZ_MUST(!tl_etm_stream_finish(stream, &bytes, &size, NULL));
	use_token_stream(bytes, size, stream->instructions);
}

/*
 * The depth of speculation comes from the first byte: it is no packet's. Strict reading wants all
 * registers; else the others are assumed.
 */
static struct tl_etm_registers registers_of(uint8_t first, bool strict)
{
	struct tl_etm_registers registers = { .idr8 = first & 31 };

	if (strict) {
		registers.idr0 = 0x28000ea1;
		registers.idr1 = first & 32 ? 0x4100ff03 : 0x4100f403;
		registers.idr2 = 0x488;
		registers.configr = first & 64 ? 0x8c1 : 0x18c1;
	}
	return registers;
}

static void execute(const uint8_t *data, size_t size, bool strict)
{
	const struct tl_etm_registers registers = registers_of(size ? data[0] : 0, strict);
	struct tl_etm_file file = { .faults.strict = strict };
	struct tl_etm_executed executed = { .faults.strict = strict };
	int status = tl_etm_file_open(&file, data, size, &registers, NULL);

	if (status == 0)
		status = tl_etm_execute(&executed, &file, code_at, NULL, NULL);
	FUZZ_MUST(status <= 0 && status != TL_NO_MEMORY);
	for (size_t i = 0; status == 0 && i < executed.streams.count; i++)
		use_stream(&executed.streams.list[i]);
	tl_etm_executed_end(&executed);
	tl_etm_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int status;

	exercise_chosen_by(data, size);
	FUZZ_MUST(!exercise_input("etm", data, size, &status));
	execute(data, size, false);
	execute(data, size, true);
	return 0;
}
