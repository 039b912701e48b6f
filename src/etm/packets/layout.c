/* SPDX-License-Identifier: Apache-2.0 */
#include "etm/packets/layout.h"

enum where {
	EVERYWHERE,
	V4, /* reserved by ETE */
	ETE,
};

struct header {
	uint8_t kind; /* enum tl_etm_kind */
	uint8_t where;
};

/* By first byte; those that are not named are reserved. */
/* clang-format off */
static const struct header headers[256] = {
	[0x00]            = { TL_ETM_ASYNC, EVERYWHERE }, /* and the extensions */
	[0x01]            = { TL_ETM_TRACE_INFO, EVERYWHERE },
	[0x02 ... 0x03]   = { TL_ETM_TIMESTAMP, EVERYWHERE },
	[0x04]            = { TL_ETM_TRACE_ON, EVERYWHERE },
	[0x05]            = { TL_ETM_FUNCTION_RETURN, V4 },
	[0x06]            = { TL_ETM_EXCEPTION, EVERYWHERE },
	[0x07]            = { TL_ETM_EXCEPTION_RETURN, V4 },
	[0x09]            = { TL_ETM_INSTRUMENTATION, ETE },
	[0x0a]            = { TL_ETM_TRANSACTION_START, ETE },
	[0x0b]            = { TL_ETM_TRANSACTION_COMMIT, ETE },
	[0x0c ... 0x0d]   = { TL_ETM_CYCLES_2, EVERYWHERE },
	[0x0e ... 0x0f]   = { TL_ETM_CYCLES_1, EVERYWHERE },
	[0x10 ... 0x1f]   = { TL_ETM_CYCLES_3, EVERYWHERE },
	[0x20 ... 0x27]   = { TL_ETM_DATA_MARKER, V4 },
	[0x28 ... 0x2c]   = { TL_ETM_DATA_MARKER_UNNUMBERED, V4 },
	[0x2d]            = { TL_ETM_COMMIT, EVERYWHERE },
	[0x2e ... 0x2f]   = { TL_ETM_CANCEL_1, EVERYWHERE },
	[0x30 ... 0x33]   = { TL_ETM_MISPREDICT, EVERYWHERE },
	[0x34 ... 0x37]   = { TL_ETM_CANCEL_2, EVERYWHERE },
	[0x38 ... 0x3f]   = { TL_ETM_CANCEL_3, EVERYWHERE },
	[0x40 ... 0x42]   = { TL_ETM_CONDITIONAL_2, V4 },
	[0x43]            = { TL_ETM_CONDITIONAL_FLUSH, V4 },
	[0x44 ... 0x46]   = { TL_ETM_RESULT_4, V4 },
	[0x48 ... 0x4a]   = { TL_ETM_RESULT_2, V4 },
	[0x4c ... 0x4e]   = { TL_ETM_RESULT_2, V4 },
	[0x50 ... 0x5f]   = { TL_ETM_RESULT_3, V4 },
	[0x68 ... 0x6b]   = { TL_ETM_RESULT_1, V4 },
	[0x6c]            = { TL_ETM_CONDITIONAL_1, V4 },
	[0x6d]            = { TL_ETM_CONDITIONAL_3, V4 },
	[0x6e ... 0x6f]   = { TL_ETM_RESULT_1, V4 },
	[0x70]            = { TL_ETM_IGNORE, EVERYWHERE },
	[0x71 ... 0x7f]   = { TL_ETM_EVENT, EVERYWHERE },
	[0x80 ... 0x81]   = { TL_ETM_CONTEXT, EVERYWHERE },
	[0x82 ... 0x83]   = { TL_ETM_ADDRESS_CONTEXT, EVERYWHERE },
	[0x85 ... 0x86]   = { TL_ETM_ADDRESS_CONTEXT, EVERYWHERE },
	[0x88]            = { TL_ETM_TIMESTAMP_MARKER, EVERYWHERE },
	[0x90 ... 0x92]   = { TL_ETM_ADDRESS_MATCH, EVERYWHERE },
	[0x95 ... 0x96]   = { TL_ETM_ADDRESS_SHORT, EVERYWHERE },
	[0x9a ... 0x9b]   = { TL_ETM_ADDRESS_LONG, EVERYWHERE },
	[0x9d ... 0x9e]   = { TL_ETM_ADDRESS_LONG, EVERYWHERE },
	[0xa0 ... 0xa2]   = { TL_ETM_Q, EVERYWHERE },
	[0xa5 ... 0xa6]   = { TL_ETM_Q, EVERYWHERE },
	[0xaa ... 0xac]   = { TL_ETM_Q, EVERYWHERE },
	[0xaf]            = { TL_ETM_Q, EVERYWHERE },
	[0xb0 ... 0xb2]   = { TL_ETM_SOURCE_MATCH, ETE },
	[0xb4 ... 0xb5]   = { TL_ETM_SOURCE_SHORT, ETE },
	[0xb6 ... 0xb9]   = { TL_ETM_SOURCE_LONG, ETE },
	[0xc0 ... 0xd4]   = { TL_ETM_ATOM_6, EVERYWHERE },
	[0xd5 ... 0xd7]   = { TL_ETM_ATOM_5, EVERYWHERE },
	[0xd8 ... 0xdb]   = { TL_ETM_ATOM_2, EVERYWHERE },
	[0xdc ... 0xdf]   = { TL_ETM_ATOM_4, EVERYWHERE },
	[0xe0 ... 0xf4]   = { TL_ETM_ATOM_6, EVERYWHERE },
	[0xf5]            = { TL_ETM_ATOM_5, EVERYWHERE },
	[0xf6 ... 0xf7]   = { TL_ETM_ATOM_1, EVERYWHERE },
	[0xf8 ... 0xff]   = { TL_ETM_ATOM_3, EVERYWHERE },
};

static const char *const names[TL_ETM_KINDS] = {
	[TL_ETM_RESERVED]               = "reserved",
	[TL_ETM_ASYNC]                  = "async",
	[TL_ETM_DISCARD]                = "discard",
	[TL_ETM_OVERFLOW]               = "overflow",
	[TL_ETM_TRACE_INFO]             = "trace-info",
	[TL_ETM_TIMESTAMP]              = "timestamp",
	[TL_ETM_TRACE_ON]               = "trace-on",
	[TL_ETM_FUNCTION_RETURN]        = "function-return",
	[TL_ETM_EXCEPTION]              = "exception",
	[TL_ETM_EXCEPTION_RETURN]       = "exception-return",
	[TL_ETM_INSTRUMENTATION]        = "instrumentation",
	[TL_ETM_TRANSACTION_START]      = "transaction-start",
	[TL_ETM_TRANSACTION_COMMIT]     = "transaction-commit",
	[TL_ETM_CYCLES_1]               = "cycle-count-1",
	[TL_ETM_CYCLES_2]               = "cycle-count-2",
	[TL_ETM_CYCLES_3]               = "cycle-count-3",
	[TL_ETM_DATA_MARKER]            = "numbered-data-sync",
	[TL_ETM_DATA_MARKER_UNNUMBERED] = "unnumbered-data-sync",
	[TL_ETM_COMMIT]                 = "commit",
	[TL_ETM_CANCEL_1]               = "cancel-1",
	[TL_ETM_CANCEL_2]               = "cancel-2",
	[TL_ETM_CANCEL_3]               = "cancel-3",
	[TL_ETM_MISPREDICT]             = "mispredict",
	[TL_ETM_CONDITIONAL_1]          = "conditional-instruction-1",
	[TL_ETM_CONDITIONAL_2]          = "conditional-instruction-2",
	[TL_ETM_CONDITIONAL_3]          = "conditional-instruction-3",
	[TL_ETM_CONDITIONAL_FLUSH]      = "conditional-flush",
	[TL_ETM_RESULT_1]               = "conditional-result-1",
	[TL_ETM_RESULT_2]               = "conditional-result-2",
	[TL_ETM_RESULT_3]               = "conditional-result-3",
	[TL_ETM_RESULT_4]               = "conditional-result-4",
	[TL_ETM_IGNORE]                 = "ignore",
	[TL_ETM_EVENT]                  = "event",
	[TL_ETM_CONTEXT]                = "context",
	[TL_ETM_ADDRESS_CONTEXT]        = "address-context",
	[TL_ETM_TIMESTAMP_MARKER]       = "timestamp-marker",
	[TL_ETM_ADDRESS_MATCH]          = "address-match",
	[TL_ETM_ADDRESS_SHORT]          = "address-short",
	[TL_ETM_ADDRESS_LONG]           = "address-long",
	[TL_ETM_Q]                      = "q",
	[TL_ETM_SOURCE_MATCH]           = "source-match",
	[TL_ETM_SOURCE_SHORT]           = "source-short",
	[TL_ETM_SOURCE_LONG]            = "source-long",
	[TL_ETM_ATOM_1]                 = "atom-1",
	[TL_ETM_ATOM_2]                 = "atom-2",
	[TL_ETM_ATOM_3]                 = "atom-3",
	[TL_ETM_ATOM_4]                 = "atom-4",
	[TL_ETM_ATOM_5]                 = "atom-5",
	[TL_ETM_ATOM_6]                 = "atom-6",
};
/* clang-format on */

enum tl_etm_kind tl_etm_kind_of(uint8_t header, bool is_ete)
{
	const struct header *h = &headers[header];

	if (h->where == (is_ete ? V4 : ETE))
		return TL_ETM_RESERVED;
	return (enum tl_etm_kind)h->kind;
}

const char *tl_etm_kind_name(enum tl_etm_kind kind)
{
	return names[kind];
}

const char *tl_etm_broken_text(enum tl_etm_broken reason)
{
	static const char *const texts[TL_ETM_BROKEN_REASONS] = {
		[0] = "",
		[TL_ETM_CUT] = "a packet is cut short by the end of the trace",
		[TL_ETM_BAD_HEADER] = "no packet begins with this byte; went on at the next A-Sync",
		[TL_ETM_BAD_EXTENSION] =
			"no extension packet has this second byte; went on at the next A-Sync",
		[TL_ETM_BAD_ASYNC] = "an A-Sync that is not eleven zeros and an 80; went on at the "
				     "next one",
		[TL_ETM_BAD_FIELD] = "a number in a packet has more bytes than it can have; went "
				     "on at the next A-Sync",
	};

	return texts[reason];
}

/*
 * With IDs of contexts of four bytes and of virtual ones of one, addresses of 64 bits, no
 * speculation, and timestamps, context IDs and the return stack on.
 */
const struct tl_etm_config tl_etm_usual_config = {
	.idr0 = 0x28000ea1,
	.idr1 = 0x4100f403,
	.idr2 = 0x00000488,
	.configr = 0x000018c1,
};
