/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AArch64 program that a QEMU is tried with: what its instructions do by the Arm Architecture
 * Reference Manual is what its recording must say.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/cursor.h"
#include "core/error.h"
#include "core/output.h"
#include "record/emulation/emulate.h"

#define CODE UINT64_C(0x400080)
#define DATA UINT64_C(0x400400)
#define VALUE UINT64_C(0x1234000000005a5a)

enum { STATUS = 42, CODE_AT = 0x80, MEMORY = 0x1000 };
/* Of a file of snapshots. */
enum { HEADER = 24, SNAPSHOT = 2704, VECTOR = 32 };
/* A snapshot in front of the last but five instructions. */
enum { INSTRUCTIONS = 742, EVERY = 737 };

static const uint32_t program[] = {
	/* clang-format off */
	0x10001c01, /* adr x1, DATA */
	0xd28b4b40, /* mov x0, #0x5a5a */
	0xf2e24680, /* movk x0, #0x1234, lsl #48 */
	0xd51bd040, /* msr tpidr_el0, x0 */
	0xd2a01802, /* mov x2, #0xc00000 */
	0xd51b4402, /* msr fpcr, x2 */
	0x4e081c00, /* mov v0.d[0], x0 */
	0x4e181c20, /* mov v0.d[1], x1 */
	0x4e181c1f, /* mov v31.d[1], x0 */
	0xd2800c83, /* mov x3, #100 */
	0xf8008423, /* 0x4000a8: str x3, [x1], #8; into a page of code */
	0x39000423, /* strb w3, [x1, #1] */
	0x79400024, /* ldrh w4, [x1] */
	0xf85f8025, /* ldur x5, [x1, #-8] */
	0x8b0400a6, /* add x6, x5, x4 */
	0xf1000463, /* subs x3, x3, #1 */
	0x54ffff41, /* b.ne 0x4000a8 */
	0x100019e1, /* adr x1, DATA */
	0xad007c20, /* stp q0, q31, [x1] */
	0xa940a027, /* ldp x7, x8, [x1, #8] */
	0xd2800069, /* mov x9, #3 */
	0x25291fe0, /* whilelo p0.b, xzr, x9 */
	0xa400a021, /* ld1b {z1.b}, p0/z, [x1]: three bytes */
	0xe401e021, /* st1b {z1.b}, p0, [x1, #1, mul vl] */
	0x9e620122, /* scvtf d2, x9 */
	0x1e6e1003, /* fmov d3, #1.0 */
	0x1e621862, /* fdiv d2, d3, d2: inexact */
	0x7ee02c84, /* uqsub d4, d4, d0: saturates */
	0xf829002a, /* ldadd x9, x10, [x1] */
	0xf829003f, /* stadd x9, [x1] */
	0xc8aa7c2b, /* cas x10, x11, [x1]; it fails */
	0xc85f7c2c, /* 0x4000fc: ldxr x12, [x1] */
	0x9100058c, /* add x12, x12, #1 */
	0xc80d7c2c, /* stxr w13, x12, [x1] */
	0x35ffffad, /* cbnz w13, 0x4000fc */
	0x94000009, /* bl 0x400130 */
	0x92800000, /* mov x0, #-1 */
	0xd2800728, /* mov x8, #57: close */
	0xd4000001, /* svc #0 */
	0xf100001f, /* cmp x0, #0 */
	0x9a89b02e, /* csel x14, x1, x9, lt */
	0xd53b420f, /* mrs x15, nzcv */
	0x10000090, /* adr x16, 0x400138 */
	0xd61f0200, /* br x16 */
	0xd65f03c0, /* 0x400130: ret */
	0xd503201f, /* nop */
	0xd50b7421, /* 0x400138: dc zva, x1 */
	0xd2800540, /* mov x0, #42 */
	0xd2800bc8, /* mov x8, #94: exit_group */
	0xd4000001, /* svc #0 */
	/* clang-format on */
};

/*
 * x0 to x16 in front of `br x16`; EBADF is 9, and 0x100 is the byte that was stored in front of a
 * zero.
 */
static const uint64_t registers[] = {
	-UINT64_C(9), DATA, 0xc00000,  0, 0x100, 1,          0x101,    DATA, 57, 3,
	VALUE + 6,    0,    VALUE + 7, 0, DATA,  0xa0000000, 0x400138,
};

/*
 * The bytes of its stream: 107 instructions with their PC and 635 without (13, 5), loads and stores
 * of 2932 and 2866, 23 values of 9. And their FNV-1a hash, of a stream that `check` finds no fault
 * in.
 */
enum { STREAM_BYTES = 107 * 13 + 635 * 5 + 2932 + 2866 + 23 * 9 };
static const uint64_t known_hash = UINT64_C(0xfdc002f29fb9d268);

/* ---- the program as a file ---- */

static int write_program(const char *path, struct tl_error *err)
{
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_AARCH64,
		.e_version = EV_CURRENT,
		.e_entry = CODE,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W | PF_X,
		.p_vaddr = CODE - CODE_AT,
		.p_paddr = CODE - CODE_AT,
		.p_filesz = CODE_AT + sizeof(program),
		.p_memsz = MEMORY,
		.p_align = MEMORY,
	};
	uint8_t file[CODE_AT + sizeof(program)] = { 0 };
	struct tl_output *out;
	int status = tl_output_open(&out, path, err);

	memcpy(file, &header, sizeof(header));
	memcpy(file + sizeof(header), &segment, sizeof(segment));
	memcpy(file + CODE_AT, program, sizeof(program));
	if (status < 0)
		return status;
	tl_output_write(out, file, sizeof(file));
	status = tl_output_commit(out, err);
	if (status == 0 && chmod(path, 0700))
		return tl_error_system(err, "cannot make the program executable");
	return status;
}

/* ---- what was recorded ---- */

struct seen {
	uint64_t bytes, hash; /* of the stream */
	uint8_t snapshots[HEADER + 2 * SNAPSHOT];
	bool has_snapshots; /* two, and no more */
};

static void read_seen(const char *folder, struct seen *seen)
{
	char path[TL_RECORD_PATH];
	FILE *file;
	int c;

	*seen = (struct seen){ .hash = UINT64_C(0xcbf29ce484222325) };
	snprintf(path, sizeof(path), "%.4000s/recording.xinsndata.bin", folder);
	file = fopen(path, "rbe");
	for (; file && (c = getc(file)) != EOF; seen->bytes++)
		seen->hash = (seen->hash ^ (uint64_t)c) * UINT64_C(0x100000001b3);
	if (file)
		fclose(file);
	snprintf(path, sizeof(path), "%.4000s/recording.xsnapshot.bin", folder);
	file = fopen(path, "rbe");
	seen->has_snapshots = file &&
			      fread(seen->snapshots, sizeof(seen->snapshots), 1, file) == 1 &&
			      getc(file) == EOF;
	if (file)
		fclose(file);
}

/* A word of the second snapshot (docs/formats/xtrace.md, vectors of 256 bits). */
static uint64_t word(const struct seen *seen, size_t at)
{
	return tl_get64(seen->snapshots + HEADER + SNAPSHOT + at);
}

static bool are_registers_known(const struct seen *seen)
{
	enum { TOTAL = 24, X0 = 32, X30 = X0 + 8 * 30, Z0 = 288, Z31 = Z0 + VECTOR * 31 };
	enum { P0 = Z0 + VECTOR * 32, P1 = P0 + 16, FPCR = P0 + 17 * 16 + VECTOR * VECTOR };
	const uint64_t link = CODE + 0x90;

	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		if (word(seen, X0 + 8 * i) != registers[i])
			return false;
	return word(seen, TOTAL) == EVERY && word(seen, X30) == link && word(seen, Z0) == VALUE &&
	       word(seen, Z0 + 8) == DATA && !word(seen, Z31) && word(seen, Z31 + 8) == VALUE &&
	       word(seen, P0) == 7 && !word(seen, P1) && word(seen, FPCR) == 0xc00000 &&
	       word(seen, FPCR + 8) == 0x08000010 && word(seen, FPCR + 16) == 0xa0000000 &&
	       word(seen, FPCR + 24) == VALUE;
}

bool tl_emulate_is_known_aarch64(const struct tl_emulator *emulator, const char *folder,
				 char reason[TL_RECORD_TEXT])
{
	struct tl_emulator trial = *emulator;
	struct tl_error err = { .text = "" };
	char path[TL_RECORD_PATH], every[32];
	struct seen seen;
	int exit_status = 0;

	snprintf(every, sizeof(every), ",every=%d", EVERY);
	trial.plugin_options = every;
	trial.is_trial = true;
	snprintf(path, sizeof(path), "%.4000s/known", folder);
	if (write_program(path, &err) < 0 ||
	    tl_emulate_known(&trial, path, folder, &exit_status, &err) < 0) {
		snprintf(reason, TL_RECORD_TEXT,
			 "the program that QEMU is tried with could not be recorded: %s", err.text);
		return false;
	}
	read_seen(folder, &seen);
	if (exit_status == STATUS && seen.bytes == STREAM_BYTES && seen.hash == known_hash &&
	    seen.has_snapshots && are_registers_known(&seen))
		return true;
	snprintf(reason, TL_RECORD_TEXT,
		 "this QEMU does not behave as version 7.2: of a known program of %d instructions "
		 "that exits with %d, %" PRIu64 " bytes (hash %016" PRIx64
		 ") and %s registers were "
		 "recorded, and it exited with %d",
		 INSTRUCTIONS, STATUS, seen.bytes, seen.hash,
		 seen.has_snapshots && are_registers_known(&seen) ? "its" : "other", exit_status);
	return false;
}
