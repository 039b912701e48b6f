/* SPDX-License-Identifier: Apache-2.0 */
#include "open/index/index_key.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/file.h"

static bool put_text(struct tl_packed *key, const char *text)
{
	return text ? tl_pack_text(key, text) : tl_pack_number(key, 0);
}

static bool put_time_and_size(struct tl_packed *key, const struct stat *st)
{
	return tl_pack_number(key, (uint64_t)st->st_size) &&
	       tl_pack_number(key, (uint64_t)st->st_mtim.tv_sec) &&
	       tl_pack_number(key, (uint64_t)st->st_mtim.tv_nsec);
}

/* ---- the files of the input ---- */

enum { SAMPLES = 64, SAMPLE_BYTES = 4096 };

/* A hash of pieces from begin to end. A piece that cannot be read is not like one that can. */
static uint64_t sample_file(int fd, uint64_t size)
{
	uint8_t piece[SAMPLE_BYTES];
	uint64_t hash = 0, last = tl_excess(size, SAMPLE_BYTES);

	for (uint64_t i = 0; i < SAMPLES; i++) {
		uint64_t at = last / (SAMPLES - 1) * i;
		ssize_t got = tl_file_read_at(fd, piece, sizeof(piece),
					      (off_t)(i == SAMPLES - 1 ? last : at));

		hash = tl_hash_pair(hash, got < 0 ? 0 : tl_hash_bytes(piece, (size_t)got));
	}
	return hash;
}

/* 1; 0: this is no file that stays; or negative. */
static int put_file(struct tl_packed *key, const char *path, struct tl_error *err)
{
	int fd = tl_file_open_regular(path);
	struct stat st;
	int status = fd >= 0 && fstat(fd, &st) == 0;

	if (status && !(put_time_and_size(key, &st) &&
			tl_pack_number(key, sample_file(fd, (uint64_t)st.st_size))))
		status = tl_error_memory(err);
	if (fd >= 0)
		close(fd);
	return status;
}

static int put_files(struct tl_input *input, struct tl_packed *key, struct tl_error *err)
{
	int status = put_file(key, tl_source_name(input->source), err);

	for (size_t i = 0; status > 0 && input->format->source; i++) {
		const struct tl_source *source = input->format->source(input, i);

		if (!source)
			break;
		status = put_file(key, tl_source_name(source), err);
	}
	return status;
}

/* ---- programs ---- */

/* One that is not there is as good as one that is empty: when it comes, the key changes. */
static bool put_program(struct tl_packed *key, const char *path)
{
	struct stat st = { .st_size = 0 };

	if (path && stat(path, &st) < 0)
		st = (struct stat){ .st_size = 0 };
	return put_text(key, path) && put_time_and_size(key, &st);
}

static bool put_programs(const struct tl_input *input, const struct tl_call_source *source,
			 struct tl_packed *key)
{
	const struct tl_input_programs *programs = &input->options.programs;
	const char *path;
	bool kept = put_program(key, programs->map) && put_text(key, programs->sysroot) &&
		    put_text(key, programs->build_id_dir) && put_text(key, programs->guest_root) &&
		    tl_pack_number(key, programs->debuginfod != NULL);

	for (size_t i = 0; kept && i < programs->binary_count; i++)
		kept = put_program(key, programs->binaries[i].path) &&
		       tl_pack_number(key, programs->binaries[i].address);
	for (size_t i = 0; kept && i < programs->raw_count; i++)
		kept = put_program(key, programs->raws[i].path) &&
		       tl_pack_number(key, programs->raws[i].offset) &&
		       tl_pack_number(key, programs->raws[i].end) &&
		       tl_pack_number(key, programs->raws[i].address);
	if (!source->ops->program)
		return kept;
	for (size_t i = 0; kept && (path = source->ops->program(source->handle, i)); i++)
		kept = put_program(key, path);
	return kept;
}

/* ---- options ---- */

static bool put_options(const struct tl_input_options *o, struct tl_packed *key)
{
	const char *const texts[] = {
		o->filter.function, o->filter.object,       o->intel_pt.cpu_model,
		o->xtrace.layout,   o->xtrace.skip_unknown, o->address_filter,
	};
	const uint64_t numbers[] = {
		o->filter.thread,
		o->filter.process,
		o->filter.cpu,
		o->filter.part,
		o->intel_pt.mtc_freq,
		o->intel_pt.nom_freq,
		o->intel_pt.cpuid_15_eax,
		o->intel_pt.cpuid_15_ebx,
		o->intel_pt.cpuid_15_ecx,
		o->intel_pt.tsc_hz,
		o->etm.trcidr0,
		o->etm.trcidr1,
		o->etm.trcidr2,
		o->etm.trcidr8,
		o->etm.trcconfigr,
		o->etm.trctraceidr,
		o->xray.tid16,
		(uint64_t)o->xray.bit_order,
		o->raw_names,
		o->strict,
	};
	bool kept = true;

	for (size_t i = 0; kept && i < sizeof(texts) / sizeof(*texts); i++)
		kept = put_text(key, texts[i]);
	for (size_t i = 0; kept && i < sizeof(numbers) / sizeof(*numbers); i++)
		kept = tl_pack_number(key, numbers[i]);
	return kept;
}

int tl_index_key_make(struct tl_input *input, const struct tl_call_source *source,
		      struct tl_packed *key, struct tl_error *err)
{
	if (!put_text(key, tl_version()) || !put_text(key, input->format->info.name) ||
	    !put_options(&input->options, key) || !put_programs(input, source, key))
		return tl_error_memory(err);
	return put_files(input, key, err);
}
