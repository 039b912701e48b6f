/* SPDX-License-Identifier: Apache-2.0 */
/* In place of decompress.c in a build without libzstd. */
#include "perf_data/container/reader.h"

int tl_perf_decompress_feed(struct tl_perf_reader *r, const struct tl_perf_raw_record *raw,
			    struct tl_error *err)
{
	return tl_perf_rule_broken(r, TL_PERF_RULE_ZSTD_ABSENT, raw->offset, raw->size, err);
}

int tl_perf_decompress_next(struct tl_perf_reader *r, struct tl_perf_raw_record *raw,
			    struct tl_error *err)
{
	(void)r, (void)raw, (void)err;
	return 0;
}

int tl_perf_decompress_end(struct tl_perf_reader *r, struct tl_error *err)
{
	(void)r, (void)err;
	return 0;
}

void tl_perf_decompress_rewind(struct tl_perf_reader *r)
{
	(void)r;
}

void tl_perf_decompress_free(struct tl_perf_reader *r)
{
	(void)r;
}
