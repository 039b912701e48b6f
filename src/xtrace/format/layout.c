/* SPDX-License-Identifier: Apache-2.0 */
/* The token bytes and the records of a layout, from tables (2.3, 2.4). */
#include "xtrace/format/layout.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

/* ---- tokens ---- */

enum token_class { CLASS_INST = 1, CLASS_MEM = 2, CLASS_VAL = 3, CLASS_MISC = 4, CLASS_TIME = 7 };

/* Classes of one token per value of their high bits; INST and MEM are made by rule. */
static const struct token_row {
	enum tl_xtrace_kind kind;
	enum token_class token_class;
	uint8_t code;
	uint16_t payload; /* 0: it depends on the layout, or on the table below */
			  /* clang-format off */
} rows[] = {
	/* "VAL tokens store data of key registers; six sub-tokens" */
	{ TL_XTRACE_STXR, CLASS_VAL, 0, 8 },
	{ TL_XTRACE_MRS, CLASS_VAL, 1, 8 },
	{ TL_XTRACE_SVCARG, CLASS_VAL, 2, 8 },
	{ TL_XTRACE_SVCRET, CLASS_VAL, 3, 8 },
	{ TL_XTRACE_DC, CLASS_VAL, 4, 8 },
	{ TL_XTRACE_TARGET_B, CLASS_VAL, 5, 8 },
	/* "MISC tokens"; 0 and 2 are not described (A13) */
	{ TL_XTRACE_ALLGPR, CLASS_MISC, 1, TL_XTRACE_GPR_BYTES },
	{ TL_XTRACE_FLAGS, CLASS_MISC, 3, 8 },
	{ TL_XTRACE_SYSCALL_VEC, CLASS_MISC, 4, 0 },
	/* "TIME tokens record the memory access order"; the payload is not described (A11) */
	{ TL_XTRACE_TIME, CLASS_TIME, 0, 0 },
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const char *const kind_names[TL_XTRACE_KIND_COUNT] = {
	[TL_XTRACE_NONE] = "NONE",         [TL_XTRACE_INST] = "INST",
	[TL_XTRACE_PCINST] = "PCINST",     [TL_XTRACE_LOAD] = "LOAD",
	[TL_XTRACE_STORE] = "STORE",       [TL_XTRACE_STXR] = "STXR",
	[TL_XTRACE_MRS] = "MRS",           [TL_XTRACE_SVCARG] = "SVCARG",
	[TL_XTRACE_SVCRET] = "SVCRET",     [TL_XTRACE_DC] = "DC",
	[TL_XTRACE_TARGET_B] = "TARGET_B", [TL_XTRACE_ALLGPR] = "ALLGPR",
	[TL_XTRACE_FLAGS] = "MISC_FLAGS",  [TL_XTRACE_SYSCALL_VEC] = "SYSCALL_VEC",
	[TL_XTRACE_TIME] = "TIME",         [TL_XTRACE_UNKNOWN] = "UNKNOWN",
};

const char *tl_xtrace_kind_name(enum tl_xtrace_kind kind)
{
	return (unsigned)kind < TL_XTRACE_KIND_COUNT ? kind_names[kind] : "?";
}

static void set_token(struct tl_xtrace_tokens *tokens, unsigned byte, enum tl_xtrace_kind kind,
		      size_t size)
{
	tokens->kind[byte] = (uint8_t)kind;
	tokens->size[byte] = (uint16_t)size;
}

static void make_regular(struct tl_xtrace_tokens *tokens)
{
	for (unsigned el = 0; el < 4; el++) {
		set_token(tokens, tl_xtrace_token_byte(TL_XTRACE_INST, el), TL_XTRACE_INST, 5);
		set_token(tokens, tl_xtrace_token_byte(TL_XTRACE_PCINST, el), TL_XTRACE_PCINST, 13);
	}
	for (unsigned k = 0; (1u << k) <= TL_XTRACE_MAX_ACCESS; k++) {
		set_token(tokens, tl_xtrace_token_byte(TL_XTRACE_LOAD, k), TL_XTRACE_LOAD,
			  9 + (1u << k));
		set_token(tokens, tl_xtrace_token_byte(TL_XTRACE_STORE, k), TL_XTRACE_STORE,
			  9 + (1u << k));
	}
}

/* One "04=8" of the tokens to skip (A13); what is known is not to be redefined. */
static const char *skip_one(struct tl_xtrace_tokens *tokens, const char *text)
{
	char *end;
	unsigned long byte = strtoul(text, &end, 16), payload;

	if (end == text || *end != '=' || byte > UINT8_MAX || tokens->kind[byte] != TL_XTRACE_NONE)
		return NULL;
	text = end + 1;
	payload = strtoul(text, &end, 10);
	if (end == text || *text == '-' || (*end && *end != ',') || payload >= UINT16_MAX)
		return NULL;
	set_token(tokens, (unsigned)byte, TL_XTRACE_UNKNOWN, payload + 1);
	return *end ? end + 1 : end;
}

int tl_xtrace_tokens_make(struct tl_xtrace_tokens *tokens, const struct tl_xtrace_layout *layout,
			  const char *skip_unknown, struct tl_error *err)
{
	memset(tokens, 0, sizeof(*tokens));
	make_regular(tokens);
	for (size_t i = 0; i < ROWS; i++) {
		unsigned byte =
			(unsigned)rows[i].code << (8 - layout->code_bits) | rows[i].token_class;
		size_t size = rows[i].payload ? rows[i].payload + 1u : 0;

		if (rows[i].kind == TL_XTRACE_TIME)
			size = layout->time_bytes + 1;
		set_token(tokens, byte, rows[i].kind, size);
	}
	while (skip_unknown && *skip_unknown) {
		skip_unknown = skip_one(tokens, skip_unknown);
		if (!skip_unknown)
			return tl_error_at(
				err, TL_BAD_USAGE, TL_NOWHERE,
				"tokens to skip are TOKEN=BYTES[,...], an undefined token byte in "
				"hexadecimal and its payload, such as 04=8");
	}
	return 0;
}

uint8_t tl_xtrace_token_byte(enum tl_xtrace_kind kind, unsigned parameter)
{
	switch (kind) {
	case TL_XTRACE_INST:
		return (uint8_t)(parameter << 6 | CLASS_INST);
	case TL_XTRACE_PCINST:
		return (uint8_t)(parameter << 6 | 1u << 3 | CLASS_INST);
	case TL_XTRACE_LOAD:
		return (uint8_t)(parameter << 4 | CLASS_MEM);
	case TL_XTRACE_STORE:
		return (uint8_t)(parameter << 4 | 1u << 3 | CLASS_MEM);
	default:
		break;
	}
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].kind == kind)
			return (uint8_t)((unsigned)rows[i].code << 3 | rows[i].token_class);
	return 0;
}

/* ---- snapshot records ---- */

static const char *const sysreg_names[TL_XTRACE_SYSREGS] = {
	"fpcr",    "fpsr",     "nzcv",    "tpidr_el0", "tpidrro_el0", "ttbr0_el1",
	"elr_el1", "spsr_el1", "esr_el1", "tpidr_el1", "daif",
};

const char *tl_xtrace_sysreg_name(unsigned number)
{
	return number < TL_XTRACE_SYSREGS ? sysreg_names[number] : "?";
}

struct tl_xtrace_layout tl_xtrace_own_layout(uint32_t vector_bits)
{
	return (struct tl_xtrace_layout){
		.header_bytes = TL_XTRACE_HEADER_BYTES,
		.predicates = 16,
		.sysreg_bytes = 8,
		.za = true,
		.vector_bits = vector_bits,
		.time_bytes = 8,
		.code_bits = 5,
	};
}

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

struct tl_xtrace_record_layout tl_xtrace_record_layout(const struct tl_xtrace_layout *layout)
{
	uint32_t vector = layout->vector_bits / 8, predicate = vector / 8;
	struct tl_xtrace_record_layout r = { .z = 32 + TL_XTRACE_GPR_BYTES };

	r.z_stride = layout->fixed_z ? TL_XTRACE_MAX_ACCESS : vector;
	r.p_stride = layout->pad_blocks ? predicate : round_up(predicate, 16);
	r.p = r.z + 32 * r.z_stride;
	r.ffr = r.p + round_up(layout->predicates * r.p_stride, 16);
	r.za = r.ffr + round_up(predicate, 16);
	r.sysregs = r.za + (layout->za ? vector * vector : 0);
	r.vector_bits = r.sysregs + round_up(TL_XTRACE_SYSREGS * layout->sysreg_bytes, 8);
	r.size = r.vector_bits + 8;
	return r;
}
