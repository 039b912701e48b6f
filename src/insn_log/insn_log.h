/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INSN_LOG_INSN_LOG_H
#define TL_INSN_LOG_INSN_LOG_H
/*
 * Logs of executed A64 instructions that emulators and models write as text
 * (docs/formats/insn-log.md), read into instruction streams as xtrace has them: one for each
 * processor of the log, in memory. The values of accesses are not kept: they are zeros.
 */
#include "core/memory.h"
#include "core/output.h"
#include "foreign/faults.h"

enum tl_insn_log_form {
	TL_INSN_LOG_NONE,
	TL_INSN_LOG_QEMU,    /* qemu -d in_asm,exec,nochain */
	TL_INSN_LOG_EXECLOG, /* QEMU's plugin execlog */
	TL_INSN_LOG_TARMAC,  /* Arm's models and what writes as they do */
	TL_INSN_LOG_SPIKE,   /* recognised, not read: RISC-V */
};

/* The stream of a processor. */
struct tl_insn_log_cpu {
	uint64_t id;
	struct tl_output *tokens; /* in memory (docs/formats/xtrace.md, 2.4) */
	uint64_t instructions;
	uint64_t pc; /* of the last instruction */
	uint32_t opcode;
	unsigned el;
};

struct tl_insn_log_file {
	enum tl_insn_log_form form;
	struct tl_foreign_faults faults;
	struct tl_insn_log_cpu *cpus;
	size_t cpu_count, cpu_capacity;
	uint64_t lines, instructions, blocks, loads, stores;
	/* the log says which memory was accessed */
	bool has_accesses;
};

/* How sure it is that the bytes begin such a log, 0 .. 100. */
int tl_insn_log_probe(const uint8_t *data, size_t size);
enum tl_insn_log_form tl_insn_log_recognize(const uint8_t *data, size_t size);
/* "qemu", "execlog", "tarmac", "spike"; static. */
const char *tl_insn_log_form_name(enum tl_insn_log_form form);

/*
 * Read a log from the begin to the end; `log` is zero-filled but for `faults.strict`, and is to be
 * ended in any case. 0; negative: nothing in it can be used, or in strict mode the first fault.
 */
int tl_insn_log_read(struct tl_insn_log_file *log, struct tl_source *source, struct tl_error *err);
void tl_insn_log_end(struct tl_insn_log_file *log);

#endif
