/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and headers against what the streams show (2.1, 2.2). A value that the published text does
 * not tell (A3) is any: only 0 and 1 of the three kinds mean something.
 */
#include "xtrace/check/check.h"

#include <inttypes.h>

#include "xtrace/format/snapshot.h"

/* Where fields are in a header. */
enum { AT_POINT = 4, AT_VERSION = 8, AT_DIVISION = 16, AT_TYPE = 17, AT_ORDER = 18 };
/* "In the listed order" (A3). */
enum { BY_USER = 0, BY_ALL = 1, OF_THREAD = 0, OF_CORE = 1, HAS_NO_ORDER = 0, HAS_ORDER = 1 };
/* Accesses without TIME before it is said that there is none; intervals that show a division. */
enum { ENOUGH_ACCESSES = 3, ENOUGH_INTERVALS = 2 };

static void violate(struct tl_xtrace_check_stream *s, enum tl_xtrace_rule_number rule,
		    uint64_t offset)
{
	tl_xtrace_report(s, rule, offset, TL_NOWHERE, TL_NOWHERE);
}

/* ---- one stream ---- */

/* "Whether the access order is recorded", against TIME. */
static void check_order(struct tl_xtrace_check_stream *s)
{
	const struct tl_xtrace_check_content *content = &s->content;
	unsigned order = s->stream->info.access_order;

	if (order == HAS_NO_ORDER && content->timed)
		tl_xtrace_expected(s, "1, as the stream has TIME");
	else if (order == HAS_ORDER && !content->timed && content->accesses >= ENOUGH_ACCESSES)
		tl_xtrace_expected(s, "0, as the stream has no TIME");
	else
		return;
	violate(s, TL_XTRACE_RULE_HEADER_ORDER, AT_ORDER);
}

/* "Thread or core": the kernel is in the streams of cores, and in no others (A19). */
static void check_type(struct tl_xtrace_check_stream *s)
{
	const struct tl_xtrace_check_content *content = &s->content;
	unsigned type = s->stream->info.stream_type;

	if (type == OF_THREAD && content->kernel)
		tl_xtrace_expected(s, "1, as the stream has instructions above EL0");
	else if (type == OF_CORE && !content->kernel && content->returns)
		tl_xtrace_expected(s, "0, as system calls return without the kernel");
	else
		return;
	violate(s, TL_XTRACE_RULE_HEADER_STREAM, AT_TYPE);
}

/* Whether all intervals between snapshots are of one length, by user instructions and by all. */
static void measure_intervals(const struct tl_xtrace_check_stream *s, bool *user, bool *all)
{
	const struct tl_xtrace_stream *stream = s->stream;
	struct tl_xtrace_snapshot first, second, before, now;

	tl_xtrace_snapshot_decode(stream, 0, &first);
	tl_xtrace_snapshot_decode(stream, 1, &second);
	before = second;
	*user = *all = true;
	for (uint32_t i = 2; i < stream->info.snapshots && (*user || *all); i++) {
		tl_xtrace_snapshot_decode(stream, i, &now);
		*user = *user && now.user - before.user == second.user - first.user;
		*all = *all && now.total - before.total == second.total - first.total;
		before = now;
	}
}

/* "By user instructions or by all": the one kind of intervals are equal, the others are not. */
static void check_division(struct tl_xtrace_check_stream *s)
{
	unsigned division = s->stream->info.division;
	bool user, all;

	if (s->stream->info.snapshots <= ENOUGH_INTERVALS)
		return;
	measure_intervals(s, &user, &all);
	if (division == BY_USER && !user && all)
		tl_xtrace_expected(s, "1, as snapshots divide all instructions evenly");
	else if (division == BY_ALL && !all && user)
		tl_xtrace_expected(s, "0, as snapshots divide user instructions evenly");
	else
		return;
	violate(s, TL_XTRACE_RULE_HEADER_DIVISION, AT_DIVISION);
}

static void check_point(struct tl_xtrace_check_stream *s)
{
	const struct tl_xtrace_stream_info *info = &s->stream->info;

	if (!info->global_snapshot || !info->snapshots || info->global_snapshot < info->snapshots)
		return;
	tl_xtrace_expected(s, "less than %" PRIu32 ", the number of snapshots", info->snapshots);
	violate(s, TL_XTRACE_RULE_HEADER_POINT, AT_POINT);
}

void tl_xtrace_check_header(struct tl_xtrace_check_stream *s)
{
	const struct tl_xtrace_stream_info *info = &s->stream->info;

	if (!info->has_header)
		return;
	/* "Thread streams always use hint 9." */
	if (info->hint == 13 && info->stream_type == OF_THREAD) {
		tl_xtrace_expected(s, "hint9, as the header says that the stream is a thread's");
		violate(s, TL_XTRACE_RULE_NAME_HINT, TL_NOWHERE);
	}
	check_type(s);
	check_division(s);
	check_order(s);
	check_point(s);
}

/* ---- streams of one group, which one run of one collector has written ---- */

static void check_same(struct tl_xtrace_check_stream *s, uint64_t value, uint64_t others,
		       uint64_t offset)
{
	if (value == others)
		return;
	tl_xtrace_expected(s, "%" PRIu64 ", as in the group's first header", others);
	violate(s, TL_XTRACE_RULE_HEADER_GROUP, offset);
}

static void check_headers_agree(struct tl_xtrace_check_stream *s,
				const struct tl_xtrace_stream_info *first)
{
	const struct tl_xtrace_stream_info *info = &s->stream->info;

	check_same(s, info->version, first->version, AT_VERSION);
	check_same(s, info->division, first->division, AT_DIVISION);
	check_same(s, info->stream_type, first->stream_type, AT_TYPE);
	check_same(s, info->access_order, first->access_order, AT_ORDER);
}

void tl_xtrace_check_group_headers(struct tl_xtrace_check_stream *streams, uint32_t count)
{
	const struct tl_xtrace_stream_info *first = NULL;
	bool main_core = false;

	/* Names that tell no time of beginning make no group. */
	if (!*streams[0].stream->info.timestamp)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_xtrace_stream_info *info = &streams[i].stream->info;

		if (!info->has_header)
			continue;
		if (first)
			check_headers_agree(&streams[i], first);
		else
			first = info;
		/* "The main core uses hint 9, and the others hint 13." */
		if (main_core && info->hint == 9 && info->stream_type == OF_CORE) {
			tl_xtrace_expected(&streams[i], "hint13, as another core has hint9");
			violate(&streams[i], TL_XTRACE_RULE_NAME_HINT, TL_NOWHERE);
		}
		main_core = main_core || (info->hint == 9 && info->stream_type == OF_CORE);
	}
}
