/* SPDX-License-Identifier: Apache-2.0 */
#include "exercise_profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "parts.h"
#include "profile/file/file_list.h"
#include "profile/file/file_read.h"
#include "profile/file/file_write.h"
#include "profile/kway/kway.h"

static int read_once(const uint8_t *data, size_t size, const struct tl_pfile_read_options *options,
		     struct tl_profile **profile, uint64_t *faults)
{
	struct tl_pfile_reader reader;
	struct tl_output *out = NULL;
	struct tl_error err;
	int status = tl_pfile_open(&reader, data, size, false, &err);

	*profile = NULL;
	*faults = 0;
	if (status == 0)
		status = tl_pfile_read(profile, &reader, options, &err);
	if (status == 0)
		status = tl_output_open_memory(&out, &err);
	if (status == 0) {
		*faults = reader.fault_count;
		tl_pfile_describe(&reader, *profile, true, out);
		tl_pfile_dump(&reader, false, out);
		status = (int)tl_pfile_check(&reader, (*profile)->event_count, true, out, &err);
		status = status > 0 ? 0 : status;
	}
	tl_output_discard(out);
	tl_pfile_close(&reader);
	if (status < 0) {
		tl_profile_free(*profile);
		*profile = NULL;
	}
	return status;
}

/* Every number that a report asks for, so that a sanitizer sees what is behind it. */
static void look_at(const struct tl_profile *profile)
{
	struct tl_latency latency;

	for (uint32_t f = 0; f < profile->functions.table.count; f++)
		for (uint32_t part = 0; part <= profile->parts.count; part++)
			tl_profile_latency_of(
				profile, f, part < profile->parts.count ? part : TL_NONE, &latency);
}

static struct tl_output *written(const struct tl_profile *profile, int *status)
{
	struct tl_output *out = NULL;
	struct tl_error err;

	*status = tl_output_open_memory(&out, &err);
	if (*status == 0)
		*status = tl_pfile_write(profile, 1, out, &err);
	if (*status == 0 && tl_output_failed(out))
		*status = TL_NO_MEMORY;
	return out;
}

static const char *same_again(const struct tl_profile *profile, int *status)
{
	static const struct tl_pfile_read_options all = { .per_part = true };
	struct tl_output *first = written(profile, status), *second = NULL;
	struct tl_profile *again = NULL;
	const char *broken = NULL;
	uint64_t faults = 0;
	size_t size, other;

	if (*status == 0) {
		const char *bytes = tl_output_bytes(first, &size);

		*status = read_once((const uint8_t *)bytes, size, &all, &again, &faults);
		if (faults)
			broken = "what was written has faults";
		else if (*status < 0 && *status != TL_NO_MEMORY)
			broken = "what was written cannot be read";
	}
	if (again)
		second = written(again, status);
	if (*status == 0 && !broken) {
		const char *bytes = tl_output_bytes(first, &size);
		const char *others = tl_output_bytes(second, &other);

		if (size != other || memcmp(bytes, others, size) != 0)
			broken = "what was read is written in another way";
	}
	tl_output_discard(first);
	tl_output_discard(second);
	tl_profile_free(again);
	return broken;
}

/* ---- as a stream ---- */

static struct tl_output *stream_of(struct tl_kway_piece *pieces, int *status)
{
	struct tl_kway_piece *const list[] = { &pieces[0], &pieces[1] };
	struct tl_kway_result result;
	struct tl_output *out = NULL;
	struct tl_error err;

	*status = tl_output_open_memory(&out, &err);
	if (*status == 0)
		*status = tl_kway_merge(list, 2, -1, out, &result, &err);
	if (*status == 0 && tl_output_failed(out))
		*status = TL_NO_MEMORY;
	return out;
}

static struct tl_output *sum_of(const uint8_t *data, size_t size, int *status)
{
	const struct tl_pfile_read_options options = { .per_part = true };
	struct tl_profile *profile, *sum = NULL;
	struct tl_output *out = NULL;
	struct tl_error err;
	uint64_t faults;

	*status = read_once(data, size, &options, &profile, &faults);
	if (*status == 0)
		*status = tl_profile_merge(
			&sum, (const struct tl_profile *const[]){ profile, profile }, 2, &err);
	if (*status == 0)
		out = written(sum, status);
	tl_profile_free(profile);
	tl_profile_free(sum);
	return out;
}

static const char *compare_sums(struct tl_kway_piece *pieces, const uint8_t *data, size_t size,
				int *status)
{
	struct tl_output *stream = stream_of(pieces, status), *sum = NULL;
	const char *broken = NULL, *a, *b;
	size_t a_size, b_size;

	if (*status == 0)
		sum = sum_of(data, size, status);
	if (*status == 0) {
		a = tl_output_bytes(stream, &a_size);
		b = tl_output_bytes(sum, &b_size);
		if (a_size != b_size || memcmp(a, b, a_size) != 0)
			broken = "a stream of it is another sum than that of its profiles";
	}
	tl_output_discard(stream);
	tl_output_discard(sum);
	return broken;
}

/* The file added to itself: as a stream, where it can be one, and in memory. */
static const char *exercise_stream(const uint8_t *data, size_t size, int *status)
{
	struct tl_kway_piece pieces[2];
	bool usable[2];
	struct tl_error err;
	const char *broken = NULL;

	for (int i = 0; i < 2; i++) {
		int opened = tl_kway_piece_open(&pieces[i], data, size, &usable[i], &err);

		if (*status == 0)
			*status = opened;
	}
	if (*status == 0 && usable[0] &&
	    tl_kway_fits((struct tl_kway_piece *const[]){ &pieces[0], &pieces[1] }, 2))
		broken = compare_sums(pieces, data, size, status);
	tl_kway_piece_close(&pieces[0]);
	tl_kway_piece_close(&pieces[1]);
	return broken;
}

/* What a table of functions says, read without arcs and from them. */
static const char *compare_tables(const struct tl_profile *a, const struct tl_profile *b)
{
	if (tl_profile_function_count(a) != tl_profile_function_count(b))
		return "a table alone has other functions";
	for (uint32_t i = 0; i < tl_profile_function_count(a); i++) {
		struct tl_function_totals x, y;

		tl_profile_function_totals(a, i, TL_NONE, &x, sizeof(x));
		tl_profile_function_totals(b, i, TL_NONE, &y, sizeof(y));
		if (x.calls != y.calls ||
		    memcmp(x.self, y.self, tl_profile_event_count(a) * sizeof(*x.self)) != 0 ||
		    memcmp(x.inclusive, y.inclusive,
			   tl_profile_event_count(a) * sizeof(*x.inclusive)) != 0)
			return "a table alone has other sums";
	}
	return NULL;
}

static const char *exercise_table(const uint8_t *data, size_t size, int *status)
{
	static const struct tl_pfile_read_options ways[] = {
		{ .functions_only = true }, { .functions_only = true, .table = true }
	};
	struct tl_profile *profiles[2] = { NULL, NULL };
	uint64_t faults[2] = { 0, 0 };
	const char *broken = NULL;

	for (int i = 0; i < 2 && *status >= 0; i++)
		*status = read_once(data, size, &ways[i], &profiles[i], &faults[i]);
	if (*status >= 0 && faults[0] != faults[1])
		broken = "a table alone tells other damage";
	else if (*status >= 0)
		broken = compare_tables(profiles[0], profiles[1]);
	tl_profile_free(profiles[0]);
	tl_profile_free(profiles[1]);
	return broken;
}

const char *exercise_profile(const uint8_t *data, size_t size, int *status)
{
	const char *broken = NULL;

	*status = 0;
	for (unsigned way = 0; way < 4 && !broken && *status == 0; way++) {
		const struct tl_pfile_read_options options = { .functions_only = way & 1,
							       .per_part = way & 2 };
		struct tl_profile *profile;
		uint64_t faults;

		if (!exercise_does(way, 6))
			continue;
		*status = read_once(data, size, &options, &profile, &faults);
		if (*status < 0)
			break;
		look_at(profile);
		broken = same_again(profile, status);
		tl_profile_free(profile);
	}
	if (!broken && *status == 0 && exercise_does(4, 6))
		broken = exercise_stream(data, size, status);
	if (!broken && *status == 0 && exercise_does(5, 6))
		broken = exercise_table(data, size, status);
	return broken;
}

static void put32(uint8_t *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

void repair_profile(uint8_t *data, size_t size)
{
	size_t at = TL_PFILE_HEADER, stored;

	if (size < at)
		return;
	memcpy(data, TL_PFILE_MAGIC, 8);
	put32(data + 8, TL_PFILE_VERSION);
	put32(data + 12, (uint32_t)crc32_z(0, data, 12));
	while (at < size) {
		uint8_t *next = memmem(data + at, size - at, TL_PFILE_BLOCK, 4);

		if (!next || (size_t)(data + size - next) < TL_PFILE_BLOCK_HEADER)
			return;
		at = (size_t)(next - data) + TL_PFILE_BLOCK_HEADER;
		stored = next[24] | (size_t)next[25] << 8 | (size_t)next[26] << 16;
		if (stored > size - at)
			stored = size - at;
		put32(next + 28, (uint32_t)crc32_z(0, data + at, stored));
		put32(next + 36, (uint32_t)crc32_z(0, next, 36));
		at += stored;
	}
}
