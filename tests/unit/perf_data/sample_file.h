/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PERF_DATA_SAMPLE_FILE_H
#define TESTS_UNIT_PERF_DATA_SAMPLE_FILE_H
/*
 * Files of samples, put together by hand, and their profiles. Names come from a list such as
 * run-time compilers write (/tmp/perf-PID.map), below a sysroot of the test's own.
 */
#include "folded.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* IP, CALLCHAIN, PERIOD beside the common fields. */
#define TYPE (COMMON_TYPE | 1 | 32 | 256)
#define KERNEL ((uint64_t)-128)
#define USER ((uint64_t)-512)
#define GUEST_USER ((uint64_t)-2560)

enum { PID = 10, TID = 11, MODE_KERNEL = 1, MODE_USER = 2, MODE_GUEST_USER = 5 };

static struct file f;
static char root[] = "/tmp/tl-samples-XXXXXX";
static size_t data_at = DATA_AT;

/* ---- records ---- */

static inline void begin(void)
{
	f.big = false;
	data_at = DATA_AT;
	file_begin(&f, TYPE);
	options = (struct tl_perf_sample_options){
		.thread = TL_NOWHERE, .process = TL_NOWHERE, .cpu = TL_NOWHERE, .sysroot = root
	};
}

struct at {
	uint32_t pid, tid, cpu;
	uint64_t time, period;
	uint16_t mode;
};

static inline void put_sample(struct at at, const uint64_t *chain, size_t count)
{
	put_header(&f, TL_PERF_SAMPLE, at.mode, 8 + 56 + 8 * count);
	put64(&f, 77);
	put64(&f, count ? chain[count > 1] : 0x1000);
	put32(&f, at.pid);
	put32(&f, at.tid);
	put64(&f, at.time);
	put32(&f, at.cpu);
	put32(&f, 0);
	put64(&f, at.period);
	put64(&f, count);
	for (size_t i = 0; i < count; i++)
		put64(&f, chain[i]);
}

static const struct at usual = { PID, TID, 1, 100, 7, MODE_USER };

/* ---- what stands behind the call chain ---- */

static inline void begin_wide(const struct wide_attr *attr)
{
	begin();
	file_begin_wide(&f, attr);
	data_at = WIDE_DATA_AT;
}

/* A sample's fields up to its call chain, and `more` words behind that. */
static inline void put_wide_sample(const uint64_t *chain, size_t count, const uint64_t *more,
				   size_t words)
{
	put_sample(usual, chain, count);
	f.bytes[f.size - 8 * (count + 8) + 6] = (uint8_t)(8 * (count + 8 + words));
	f.bytes[f.size - 8 * (count + 8) + 7] = (uint8_t)(8 * (count + 8 + words) >> 8);
	for (size_t i = 0; i < words; i++)
		put64(&f, more[i]);
}

/* ---- results ---- */

static inline int fold_file(void)
{
	patch64(&f, 48, f.size - data_at);
	return fold_bytes(&f);
}

static inline void fold(void)
{
	assert_int_equal(fold_file(), 0);
}

/* Periods and samples whose stack is `path`, in all parts. */
static inline void assert_stack(const char *path, int64_t period, int64_t samples)
{
	int64_t found[2] = { 0, 0 };
	char text[512];

	for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
		const int64_t *self = tl_profile_context_self(profile, i);

		path_of(i, text);
		if (strcmp(text, path) != 0)
			continue;
		found[0] += self[0];
		found[1] += self[1];
	}
	assert_int_equal(found[0], period);
	assert_int_equal(found[1], samples);
}

static inline void assert_remark(const char *text)
{
	assert_int_equal(remarks.count, 1);
	assert_string_equal(remarks.list[0], text);
}

/* ---- names of addresses ---- */

/* A file below the sysroot. */
static inline void write_file(const char *name, const void *data, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
}

static inline void write_names(uint32_t pid, const char *text)
{
	char name[64];

	snprintf(name, sizeof(name), "tmp/perf-%u.map", pid);
	write_file(name, text, strlen(text));
}

static inline int make_root(void **state)
{
	char path[64];

	(void)state;
	if (!mkdtemp(root))
		return -1;
	snprintf(path, sizeof(path), "%s/tmp", root);
	return mkdir(path, 0700);
}

static inline int remove_root(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	return system(command) ? -1 : 0;
}

#endif
