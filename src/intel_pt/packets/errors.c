/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as texts (3.3), and as the library's error value. */
#include <tracelathe/intel_pt.h>

#include "core/error.h"

static const struct {
	enum tl_status status;
	const char *text;
	/* clang-format off */
} errors[TL_PT_ERROR_COUNT] = {
	[TL_PT_OK] = { TL_OK, "OK" },
	[TL_PT_INTERNAL] = { TL_UNSUPPORTED, "internal error" },
	[TL_PT_INVALID] = { TL_BAD_USAGE, "invalid argument" },
	[TL_PT_NOSYNC] = { TL_BAD_FORMAT, "decoder out of sync" },
	[TL_PT_BAD_OPC] = { TL_BAD_RECORD, "unknown opcode" },
	[TL_PT_BAD_PACKET] = { TL_BAD_RECORD, "unknown packet" },
	[TL_PT_BAD_CONTEXT] = { TL_BAD_RECORD, "unexpected packet context" },
	[TL_PT_EOS] = { TL_TRUNCATED, "reached end of trace stream" },
	[TL_PT_BAD_QUERY] = { TL_BAD_RECORD, "trace stream does not match query" },
	[TL_PT_NOMEM] = { TL_NO_MEMORY, "out of memory" },
	[TL_PT_BAD_CONFIG] = { TL_BAD_USAGE, "bad configuration" },
	[TL_PT_NOIP] = { TL_BAD_RECORD, "no ip" },
	[TL_PT_IP_SUPPRESSED] = { TL_BAD_RECORD, "ip has been suppressed" },
	[TL_PT_NOMAP] = { TL_BAD_RECORD, "no memory mapped at this address" },
	[TL_PT_BAD_INSN] = { TL_BAD_RECORD, "unknown instruction" },
	[TL_PT_NO_TIME] = { TL_BAD_RECORD, "no timing information" },
	[TL_PT_NO_CBR] = { TL_BAD_RECORD, "no core:bus ratio" },
	[TL_PT_BAD_IMAGE] = { TL_BAD_USAGE, "bad image" },
	[TL_PT_BAD_LOCK] = { TL_IO, "locking error" },
#ifdef TL_WITHOUT_ZYDIS
	[TL_PT_NOT_SUPPORTED] = { TL_UNSUPPORTED, "this tracelathe was built without Zydis, which "
						  "reads the instructions of the program" },
#else
	[TL_PT_NOT_SUPPORTED] = { TL_UNSUPPORTED, "not supported" },
#endif
	[TL_PT_RETSTACK_EMPTY] = { TL_BAD_RECORD, "compressed return without call" },
	[TL_PT_BAD_RETCOMP] = { TL_BAD_RECORD, "bad compressed return" },
	[TL_PT_BAD_STATUS_UPDATE] = { TL_BAD_RECORD, "bad status update" },
	[TL_PT_NO_ENABLE] = { TL_BAD_RECORD, "expected tracing enabled event" },
	[TL_PT_EVENT_IGNORED] = { TL_BAD_USAGE, "event ignored" },
	[TL_PT_OVERFLOW] = { TL_BAD_RECORD, "overflow" },
	[TL_PT_BAD_FILE] = { TL_IO, "bad file" },
	[TL_PT_BAD_CPU] = { TL_BAD_USAGE, "unknown cpu" },
};
/* clang-format on */

const char *tl_pt_error_text(enum tl_pt_error error)
{
	return (unsigned)error < TL_PT_ERROR_COUNT ? errors[error].text : "internal error.";
}

int tl_pt_fault(struct tl_error *err, enum tl_pt_error error, uint64_t offset)
{
	enum tl_status status =
		(unsigned)error < TL_PT_ERROR_COUNT ? errors[error].status : TL_UNSUPPORTED;

	if (error == TL_PT_OK)
		return 0;
	return tl_error_format(err, "intel-pt",
			       tl_error_at(err, status, offset, tl_pt_error_text(error)));
}

/* clang-format off */
static const char *const names[TL_PT_PKT_COUNT] = {
	[TL_PT_PKT_INVALID] = "invalid",  [TL_PT_PKT_UNKNOWN] = "unknown",  [TL_PT_PKT_PAD] = "pad",
	[TL_PT_PKT_PSB] = "psb",          [TL_PT_PKT_PSBEND] = "psbend",    [TL_PT_PKT_FUP] = "fup",
	[TL_PT_PKT_TIP] = "tip",          [TL_PT_PKT_TIP_PGE] = "tip.pge",
	  [TL_PT_PKT_TIP_PGD] = "tip.pgd",
	[TL_PT_PKT_TNT_8] = "tnt.8",      [TL_PT_PKT_TNT_64] = "tnt.64",
	  [TL_PT_PKT_MODE] = "mode",
	[TL_PT_PKT_PIP] = "pip",          [TL_PT_PKT_VMCS] = "vmcs",        [TL_PT_PKT_CBR] = "cbr",
	[TL_PT_PKT_TSC] = "tsc",          [TL_PT_PKT_TMA] = "tma",          [TL_PT_PKT_MTC] = "mtc",
	[TL_PT_PKT_CYC] = "cyc",          [TL_PT_PKT_STOP] = "stop",        [TL_PT_PKT_OVF] = "ovf",
	[TL_PT_PKT_MNT] = "mnt",          [TL_PT_PKT_EXSTOP] = "exstop",
	  [TL_PT_PKT_MWAIT] = "mwait",
	[TL_PT_PKT_PWRE] = "pwre",        [TL_PT_PKT_PWRX] = "pwrx",        [TL_PT_PKT_PTW] = "ptw",
	[TL_PT_PKT_CFE] = "cfe",          [TL_PT_PKT_EVD] = "evd",
	  [TL_PT_PKT_TRIG] = "trig",
	[TL_PT_PKT_BBP] = "bbp",          [TL_PT_PKT_BIP] = "bip",          [TL_PT_PKT_BEP] = "bep",
};
/* clang-format on */

const char *tl_pt_packet_name(enum tl_pt_packet_kind kind)
{
	return (unsigned)kind < TL_PT_PKT_COUNT ? names[kind] : "invalid";
}
