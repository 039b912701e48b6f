/* SPDX-License-Identifier: Apache-2.0 */
#include "exercise_profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "profile/file/file_list.h"
#include "profile/file/file_read.h"
#include "profile/file/file_write.h"

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
		*status = tl_pfile_write(profile, out, &err);
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

const char *exercise_profile(const uint8_t *data, size_t size, int *status)
{
	const char *broken = NULL;

	*status = 0;
	for (unsigned way = 0; way < 4 && !broken && *status == 0; way++) {
		const struct tl_pfile_read_options options = { .functions_only = way & 1,
							       .per_part = way & 2 };
		struct tl_profile *profile;
		uint64_t faults;

		*status = read_once(data, size, &options, &profile, &faults);
		if (*status < 0)
			break;
		look_at(profile);
		broken = same_again(profile, status);
		tl_profile_free(profile);
	}
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
