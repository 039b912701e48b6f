/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_INSN_LOG_LOGS_H
#define TESTS_UNIT_INSN_LOG_LOGS_H
/* Logs of instructions read from memory, and the tokens that became of them, as digits. */
#include <stdio.h>
#include <string.h>

#include "../refuse.h"
#include "../unit.h"

#include "insn_log/insn_log.h"

enum { ROOM = 1 << 16 };

/* 1000: nop; 1004: bl 2000; 2000: nop; 2004: ret */
#define NOP "1f2003d5"
#define BL "ff030094"
#define RET "c0035fd6"
#define AT(address) address "000000000000"
#define IN_CALLER                                                                                  \
	"----------------\nIN: caller\n0x00001000:  d503201f  nop      \n"                         \
	"0x00001004:  940003ff  bl       #0x2000\n\n"
#define IN_CALLED                                                                                  \
	"----------------\nIN: called\n0x00002000:  d503201f  nop\n0x00002004:  d65f03c0  ret\n\n"
#define IN_BACK "----------------\nIN: caller\n0x00001008:  d503201f  nop\n\n"
#define RUN(cpu, host, pc) "Trace " cpu ": 0x" host " [00000000/" pc "/00/00] name\n"

static struct tl_insn_log_file log_read;
static struct tl_error error;

static inline int read_sized(const char *text, size_t size, bool strict)
{
	struct tl_source *source = NULL;
	int status = tl_source_open_memory(&source, text, size, "log", &error);

	log_read = (struct tl_insn_log_file){ .faults.strict = strict };
	if (status == 0)
		status = tl_insn_log_read(&log_read, source, &error);
	tl_source_close(source);
	return status;
}

static inline int read_text(const char *text)
{
	return read_sized(text, strlen(text), false);
}

/* The tokens of a processor, as digits. */
static inline const char *tokens_of(size_t number)
{
	static char digits[ROOM];
	size_t size;
	const char *bytes = tl_output_bytes(log_read.cpus[number].tokens, &size);

	assert_true(2 * size < sizeof(digits));
	for (size_t i = 0; i < size; i++)
		sprintf(digits + 2 * i, "%02x", (uint8_t)bytes[i]);
	digits[2 * size] = 0;
	return digits;
}

static inline void expect_tokens(const char *text, const char *tokens)
{
	assert_int_equal(read_text(text), 0);
	assert_string_equal(tokens_of(0), tokens);
	tl_insn_log_end(&log_read);
}

/* The only fault begins so. */
static inline void expect_fault(const char *text, const char *rule)
{
	assert_int_equal(read_text(text), 0);
	assert_int_equal(log_read.faults.count, 1);
	assert_string_equal(log_read.faults.list[0].rule, rule);
	tl_insn_log_end(&log_read);
}

#endif
