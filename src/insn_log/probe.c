/* SPDX-License-Identifier: Apache-2.0 */
/* Which log it is, by its first lines. */
#include <string.h>

#include "core/arithmetic.h"
#include "insn_log/insn_log.h"
#include "insn_log/text.h"

enum { LOOKED_AT = 64 * 1024 };

/* "core   0: 0x0000000080000000 (0x00000297) auipc", with --log-commits "core   0: 3 0x..." */
static bool is_spike(struct tl_insn_log_text line)
{
	uint64_t number;

	if (!tl_insn_log_take(&line, "core "))
		return false;
	tl_insn_log_skip_blanks(&line);
	if (!tl_insn_log_take_decimal(&line, &number) || !tl_insn_log_take(&line, ": "))
		return false;
	if (!tl_insn_log_take(&line, "0x")) {
		if (!tl_insn_log_take_decimal(&line, &number) || !tl_insn_log_take(&line, " 0x"))
			return false;
	}
	return tl_insn_log_take_hex(&line, &number, NULL) && tl_insn_log_take(&line, " (0x");
}

/* `0, 0x400580, 0xd503201f, "nop"` */
static bool is_execlog(struct tl_insn_log_text line)
{
	uint64_t number;

	return tl_insn_log_take_decimal(&line, &number) && tl_insn_log_take(&line, ", 0x") &&
	       tl_insn_log_take_hex(&line, &number, NULL) && tl_insn_log_take(&line, ", 0x") &&
	       tl_insn_log_take_hex(&line, &number, NULL) && tl_insn_log_take(&line, ", \"");
}

/* "1 clk IT (1) 00000000 d503201f O EL1h_n", "1 clk cpu0 R X0 00" */
static bool is_tarmac(struct tl_insn_log_text line)
{
	static const char *const units[] = { "clk", "cs", "ps", "ns", "us", "tic", "cyc" };
	static const char *const kinds[] = { "IT", "IS", "ES", "R" };
	struct tl_insn_log_text word;
	uint64_t time;
	bool good = false;

	tl_insn_log_skip_blanks(&line);
	if (!tl_insn_log_take_decimal(&line, &time) || !tl_insn_log_take_word(&line, &word))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		good |= tl_insn_log_is(&word, units[i]);
	for (unsigned words = 0; good && words < 2 && tl_insn_log_take_word(&line, &word); words++)
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (tl_insn_log_is(&word, kinds[i]))
				return true;
	return false;
}

/* "IN: main" behind a line of dashes, or "Trace 0: 0x7f01 [...]", earlier without "0: " */
static bool is_qemu(struct tl_insn_log_text line, bool *dashes)
{
	const bool behind = *dashes;
	uint64_t number;

	*dashes = tl_insn_log_take(&line, "----------------") && line.at == line.end;
	if (behind && tl_insn_log_take(&line, "IN:"))
		return true;
	if (!tl_insn_log_take(&line, "Trace "))
		return false;
	tl_insn_log_take_cpu(&line, &number);
	return tl_insn_log_take(&line, "0x") && tl_insn_log_take_hex(&line, &number, NULL) &&
	       tl_insn_log_go_behind(&line, '[');
}

static enum tl_insn_log_form form_of(struct tl_insn_log_text line, bool *dashes)
{
	if (is_qemu(line, dashes))
		return TL_INSN_LOG_QEMU;
	if (is_execlog(line))
		return TL_INSN_LOG_EXECLOG;
	if (is_tarmac(line))
		return TL_INSN_LOG_TARMAC;
	return is_spike(line) ? TL_INSN_LOG_SPIKE : TL_INSN_LOG_NONE;
}

enum tl_insn_log_form tl_insn_log_recognize(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + tl_min(size, (size_t)LOOKED_AT);
	bool dashes = false;

	while (data < end) {
		const uint8_t *stop = memchr(data, '\n', (size_t)(end - data));
		struct tl_insn_log_text line = { data, stop ? stop : end };
		enum tl_insn_log_form form;

		if (line.end > line.at && line.end[-1] == '\r')
			line.end--;
		form = form_of(line, &dashes);
		if (form)
			return form;
		data = stop ? stop + 1 : end;
	}
	return TL_INSN_LOG_NONE;
}

int tl_insn_log_probe(const uint8_t *data, size_t size)
{
	return tl_insn_log_recognize(data, size) ? 80 : 0;
}

const char *tl_insn_log_form_name(enum tl_insn_log_form form)
{
	static const char *const names[] = {
		[TL_INSN_LOG_NONE] = "none",       [TL_INSN_LOG_QEMU] = "qemu",
		[TL_INSN_LOG_EXECLOG] = "execlog", [TL_INSN_LOG_TARMAC] = "tarmac",
		[TL_INSN_LOG_SPIKE] = "spike",
	};

	return names[form];
}
