/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a file, with the messages of their violations, and the list of faults. */
#include "perf_data/container/reader.h"

enum { FAULTS_MAX = 1000 };

#define DAMAGE(id, status, text) { id, status, true, text }
#define NOTICE(id, text) { id, TL_BAD_RECORD, false, text }

const struct tl_perf_rule_row tl_perf_rules[TL_PERF_RULE_COUNT] = {
	[TL_PERF_RULE_HEADER_SIZE] =
		DAMAGE("header-size", TL_BAD_FORMAT,
		       "the header's size is neither that of a file nor that of a "
		       "pipe"),
	[TL_PERF_RULE_DATA_SIZE] =
		DAMAGE("data-size", TL_TRUNCATED,
		       "the data section reaches past the end of the file; kept what "
		       "is there"),
	[TL_PERF_RULE_DATA_ZERO] =
		DAMAGE("data-size", TL_TRUNCATED,
		       "the data section has no size: recording was not finished; read "
		       "to the end"),
	[TL_PERF_RULE_ATTR_SIZE] =
		DAMAGE("attr-size", TL_BAD_SIZE,
		       "the attribute section holds no whole attribute; its events are "
		       "unknown"),
	[TL_PERF_RULE_ATTR_IDS] =
		DAMAGE("attr-ids", TL_BAD_SIZE,
		       "ids of an event lie outside the file; the event has none"),
	[TL_PERF_RULE_FEATURE] =
		DAMAGE("feature", TL_BAD_SIZE,
		       "a feature section contradicts itself or lies outside the file; "
		       "skipped"),
	[TL_PERF_RULE_RECORD_CUT] = DAMAGE("record-cut", TL_TRUNCATED,
					   "a record is cut short by the end of the data; kept the "
					   "records before it"),
	[TL_PERF_RULE_RECORD_SIZE] =
		DAMAGE("record-size", TL_BAD_SIZE,
		       "a record's size is impossible; went on at the next record"),
	[TL_PERF_RULE_RECORD_SHORT] = DAMAGE("record-short", TL_BAD_SIZE,
					     "a record is too short for its fields; skipped"),
	[TL_PERF_RULE_RECORD_CONTENT] = DAMAGE("record-content", TL_BAD_RECORD,
					       "a count inside a record exceeds its size; skipped"),
	[TL_PERF_RULE_RECORD_NO_EVENT] =
		DAMAGE("record-event", TL_BAD_RECORD,
		       "a sample of an event that the file does not describe; "
		       "skipped"),
	[TL_PERF_RULE_RECORD_UNKNOWN] =
		NOTICE("record-unknown", "a record of a type that is not known; skipped"),
	[TL_PERF_RULE_DATA_CUT] =
		DAMAGE("data-cut", TL_TRUNCATED,
		       "trace or tracing data of a record are cut short; kept what is "
		       "there"),
	[TL_PERF_RULE_ZSTD] =
		DAMAGE("zstd", TL_BAD_RECORD,
		       "a compressed record cannot be expanded; records in it are lost"),
	[TL_PERF_RULE_ZSTD_CUT] = DAMAGE("zstd-cut", TL_TRUNCATED,
					 "the compressed records end inside a record; it is lost"),
	[TL_PERF_RULE_ZSTD_RATIO] = DAMAGE("zstd-ratio", TL_TOO_LARGE,
					   "compressed records expand to over 1 GiB and 512 times "
					   "their size; the rest is not expanded"),
	[TL_PERF_RULE_ZSTD_ABSENT] =
		DAMAGE("zstd-absent", TL_UNSUPPORTED,
		       "records are compressed with zstd, and this tracelathe was built without "
		       "libzstd; they are lost"),
	[TL_PERF_RULE_ORDER] = NOTICE(
		"order", "a record's time is before the end of the round before the last one"),
	[TL_PERF_RULE_AUX_TRUNCATED] =
		NOTICE("aux-truncated", "the AUX buffer was full: trace is missing after this"),
	[TL_PERF_RULE_AUX_COLLISION] =
		NOTICE("aux-collision",
		       "another user of the tracing hardware was active: trace may be missing"),
	[TL_PERF_RULE_AUX_PARTIAL] = NOTICE("aux-partial", "the trace has gaps inside"),
	[TL_PERF_RULE_LOST] = NOTICE(
		"lost", "the kernel lost records: processes and maps may be wrong from here on"),
	[TL_PERF_RULE_NO_INFO] = NOTICE(
		"auxtrace-info",
		"AUX data without an AUXTRACE_INFO record before them: their format is unknown"),
	[TL_PERF_RULE_AUX_GAP] = NOTICE(
		"aux-gap",
		"AUX data do not begin where those before end: trace is missing between them"),
	[TL_PERF_RULE_AUX_MISSING] =
		NOTICE("aux-missing", "an AUX record announces data that the file does not hold"),
	[TL_PERF_RULE_NO_EVENT] =
		NOTICE("no-event", "AUXTRACE_INFO names a PMU that no event of the file has"),
	[TL_PERF_RULE_JITDUMP] =
		DAMAGE("jitdump", TL_BAD_RECORD,
		       "the program wrote down the code that it compiled, but that file "
		       "(jit-PID.dump) is not there or is damaged; such code has no names"),
	[TL_PERF_RULE_JITDUMP_CLOCK] =
		DAMAGE("jitdump-clock", TL_BAD_RECORD,
		       "the times of a jitdump file are not of the clock of the records (perf "
		       "record -k mono): of several functions at one address the last one counts"),
	[TL_PERF_RULE_PART] = DAMAGE("data-file", TL_TRUNCATED,
				     "a file data.N of the directory is not there; its records are "
				     "missing"),
	[TL_PERF_RULE_PEBS_EVENT] =
		DAMAGE("pebs-event", TL_BAD_RECORD,
		       "a sample in the trace is of a counter that no record gives an event to; "
		       "it is listed without one"),
	[TL_PERF_RULE_PEBS_CUT] =
		DAMAGE("pebs-cut", TL_BAD_RECORD,
		       "a sample in the trace ends before it is complete; it is lost"),
	[TL_PERF_RULE_GUEST_ID] =
		DAMAGE("guest-id", TL_BAD_RECORD,
		       "a record of a process of a virtual machine, and no ID_INDEX record says "
		       "which machine; skipped"),
};

static int list_fault(struct tl_perf_reader *r, const struct tl_perf_fault *fault,
		      struct tl_error *err)
{
	r->faults.count++;
	if (r->faults.listed >= FAULTS_MAX)
		return 0;
	if (!tl_grow(&r->faults.list, &r->faults.capacity, r->faults.listed + 1,
		     sizeof(*r->faults.list)))
		return tl_error_memory(err);
	r->faults.list[r->faults.listed++] = *fault;
	return 0;
}

int tl_perf_rule_broken(struct tl_perf_reader *r, enum tl_perf_rule rule, uint64_t offset,
			uint64_t length, struct tl_error *err)
{
	const struct tl_perf_rule_row *row = &tl_perf_rules[rule];
	const struct tl_perf_fault fault = { row->status, row->text, offset, length, r->at.number };

	if (r->at.number < r->at.known)
		return 0;
	if (r->faults.observe &&
	    r->faults.observe(r->faults.observe_arg, rule, offset, r->at.number))
		return tl_error_at(err, TL_IO, TL_NOWHERE, "stopped by the caller");
	if (!row->damage)
		return 0;
	if (r->options.strict)
		return tl_error_format(
			err, "perf",
			tl_error_in(err, row->status, offset, r->at.number, row->text));
	r->faults.skipped_bytes += length;
	return list_fault(r, &fault, err);
}

const struct tl_perf_fault *tl_perf_faults(const struct tl_perf_reader *r, size_t *listed,
					   uint64_t *count, uint64_t *skipped_bytes)
{
	*listed = r->faults.listed;
	*count = r->faults.count;
	*skipped_bytes = r->faults.skipped_bytes;
	return r->faults.list;
}
