/* SPDX-License-Identifier: Apache-2.0 */
/* Profile files (docs/formats/profile.md) as an input: one file, one profile. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "core/text/optional.h"
#include "open/adapters/profile_file.h"
#include "profile/file/file_list.h"
#include "profile/file/file_read.h"
#include "profile/file/file_write.h"
#include "profile/kway/kway_piece.h"
#include "profile/transform/nanoseconds.h"

struct profile_input {
	struct tl_pfile_reader reader;
	bool opened;
	char **notes; /* of the inputs that the profile was made of, as text */
	enum tl_status *statuses;
	size_t note_count;
};

static int probe_profile_file(const uint8_t *data, size_t size)
{
	return size >= 8 && !memcmp(data, TL_PFILE_MAGIC, 8) ? 100 : 0;
}

static int check_options(const struct tl_input_options *o, struct tl_error *err)
{
	const struct tl_input_filter *f = &o->filter;

	if (f->cpu == TL_NOWHERE && f->from_seconds <= 0 && f->to_seconds <= 0 &&
	    f->thread == TL_NOWHERE && f->process == TL_NOWHERE && !f->part)
		return 0;
	return tl_error_format(err, "profile",
			       tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "times, threads, processes, parts and processors are "
					   "chosen when a profile file is made, not when it is "
					   "read"));
}

static int open_profile_file(struct tl_input *input, const char *const *paths, size_t path_count,
			     const char **failed, struct tl_error *err)
{
	(void)paths;
	(void)path_count;
	(void)failed;
	input->handle = calloc(1, sizeof(struct profile_input));
	if (input->handle)
		return check_options(&input->options, err);
	return tl_error_memory(err);
}

static void free_notes(struct profile_input *p)
{
	while (p->note_count)
		free(p->notes[--p->note_count]);
	free(p->notes);
	free(p->statuses);
	p->notes = NULL;
	p->statuses = NULL;
}

static void close_profile_file(struct tl_input *input)
{
	struct profile_input *p = input->handle;

	free_notes(p);
	tl_pfile_close(&p->reader);
	free(p);
	input->handle = NULL;
}

/* ---- notes ---- */

/* A note with the place that it is about, which is one of another file. NULL without memory. */
static char *note_text(const struct tl_profile_note *note)
{
	char *text = NULL, place[64] = "", record[64] = "";

	if (note->offset != TL_NOWHERE)
		snprintf(place, sizeof(place), " offset 0x%" PRIx64, note->offset);
	if (note->record != TL_NOWHERE)
		snprintf(record, sizeof(record), "%s record %" PRIu64, tl_text_if(*place, ","),
			 note->record);
	if (asprintf(&text, "made from %s%s%s: %s", *note->format ? note->format : "an input",
		     place, record, note->text) < 0)
		return NULL;
	return text;
}

static int keep_notes(struct profile_input *p, const struct tl_profile *profile,
		      struct tl_error *err)
{
	const struct tl_profile_notes *notes = &profile->notes;

	free_notes(p);
	p->notes = calloc(notes->count + 1, sizeof(*p->notes));
	p->statuses = calloc(notes->count + 1, sizeof(*p->statuses));
	if (!p->notes || !p->statuses)
		return tl_error_memory(err);
	for (; p->note_count < notes->count; p->note_count++) {
		p->notes[p->note_count] = note_text(&notes->list[p->note_count]);
		p->statuses[p->note_count] = notes->list[p->note_count].status;
		if (!p->notes[p->note_count])
			return tl_error_memory(err);
	}
	return 0;
}

/* Damage of the profile file itself goes with the profile into the next file. */
static int note_faults(const struct profile_input *p, struct tl_profile *profile,
		       struct tl_error *err)
{
	for (uint64_t i = 0; i < p->reader.fault_count && i < TL_PFILE_FAULTS; i++) {
		const struct tl_pfile_fault *fault = &p->reader.faults[i];
		const struct tl_profile_note note = { fault->status, fault->text,   "profile",
						      fault->offset, fault->length, TL_NOWHERE };

		if (!tl_profile_add_note(profile, &note))
			return tl_error_memory(err);
	}
	return 0;
}

static size_t damage_profile_file(struct tl_input *input, struct tl_damage *places, size_t room,
				  uint64_t *count, uint64_t *skipped_bytes)
{
	const struct profile_input *p = input->handle;
	size_t listed = 0;

	*count = p->reader.fault_count + p->note_count;
	*skipped_bytes = p->reader.skipped_bytes;
	for (uint64_t i = 0; i < p->reader.fault_count && i < TL_PFILE_FAULTS && listed < room; i++)
		places[listed++] = (struct tl_damage){
			.status = p->reader.faults[i].status,
			.text = p->reader.faults[i].text,
			.offset = p->reader.faults[i].offset,
			.length = p->reader.faults[i].length,
			.record = TL_NOWHERE,
		};
	for (size_t i = 0; i < p->note_count && listed < room; i++)
		places[listed++] = (struct tl_damage){
			.status = p->statuses[i],
			.text = p->notes[i],
			.offset = TL_NOWHERE,
			.record = TL_NOWHERE,
		};
	return listed;
}

/* ---- operations ---- */

static int begin(struct tl_input *input, struct tl_error *err)
{
	struct profile_input *p = input->handle;
	const uint8_t *data;
	size_t size;
	int status = tl_source_map(input->source, &data, &size, err);

	tl_pfile_close(&p->reader);
	if (status < 0)
		return status;
	return tl_pfile_open(&p->reader, data, size, input->options.strict, err);
}

/* `packed`: only to be annotated or written, if nothing is chosen. */
static int read_profile(struct tl_input *input, bool packed, struct tl_profile **profile,
			struct tl_error *err)
{
	struct profile_input *p = input->handle;
	const struct tl_input_filter *filter = &input->options.filter;
	/* What the file has is rounded, not sums of that. */
	const bool rounds = input->options.nanoseconds;
	const struct tl_pfile_read_options options = {
		.functions_only = input->options.detail != TL_DETAIL_LINES &&
				  input->options.detail != TL_DETAIL_STACKS && !rounds,
		.table = input->options.detail == TL_DETAIL_TABLE,
		.per_part = input->options.per_thread,
		.jobs = input->options.jobs,
		.packed = packed && !filter->function && !filter->object && !rounds,
	};
	int status = begin(input, err);

	*profile = NULL;
	if (status == 0)
		status = tl_pfile_read(profile, &p->reader, &options, err);
	if (status == 0)
		status = keep_notes(p, *profile, err);
	return status;
}

static int fold_profile_file(struct tl_input *input, struct tl_profile **profile,
			     struct tl_error *err)
{
	int status = read_profile(input, input->options.packed, profile, err);

	if (status == 0)
		status = note_faults(input->handle, *profile, err);
	if (status < 0) {
		tl_profile_free(*profile);
		*profile = NULL;
	}
	return status;
}

int tl_profile_file_streams(struct tl_input *input, struct tl_error *err)
{
	const struct tl_input_filter *filter = &input->options.filter;
	struct tl_kway_piece piece;
	const uint8_t *data;
	bool usable;
	size_t size;
	int status;

	if (input->format->fold != fold_profile_file || input->other_count || filter->function ||
	    filter->object)
		return 0;
	status = tl_source_map(input->source, &data, &size, err);
	if (status < 0)
		return status;
	status = tl_kway_piece_open(&piece, data, size, &usable, err);
	usable = status == 0 && usable && !piece.whole->losses.saturated &&
		 !(input->options.nanoseconds && tl_profile_has_other_clock(piece.whole));
	if (usable)
		status = keep_notes(input->handle, piece.whole, err);
	tl_kway_piece_close(&piece);
	/* What is wrong with a file is said when it is folded. */
	if (status == TL_NO_MEMORY)
		return status;
	return usable;
}

static int describe_profile_file(struct tl_input *input, bool json, struct tl_output *out,
				 struct tl_error *err)
{
	struct profile_input *p = input->handle;
	struct tl_profile *profile;
	int status = read_profile(input, false, &profile, err);

	if (status == 0)
		tl_pfile_describe(&p->reader, profile, json, out);
	tl_profile_free(profile);
	return status;
}

static int dump_profile_file(struct tl_input *input, bool json, struct tl_output *out,
			     struct tl_error *err)
{
	struct profile_input *p = input->handle;
	int status = begin(input, err);

	if (status == 0)
		tl_pfile_dump(&p->reader, json, out);
	return status;
}

static int64_t check_profile_file(struct tl_input *input, bool json, struct tl_output *out,
				  struct tl_error *err)
{
	struct profile_input *p = input->handle;
	struct tl_profile *profile;
	int64_t found = read_profile(input, false, &profile, err);

	if (found == 0)
		found = tl_pfile_check(&p->reader, profile->event_count, json, out, err);
	tl_profile_free(profile);
	return found;
}

static int reencode_profile_file(struct tl_input *input, const char *variant, struct tl_output *out,
				 struct tl_error *err)
{
	struct tl_profile *profile = NULL;
	int status;

	if (variant)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "profile files have no versions to choose from");
	input->options.per_thread = true;
	input->options.packed = true;
	status = fold_profile_file(input, &profile, err);
	if (status == 0)
		status = tl_pfile_write(profile, input->options.jobs, out, err);
	tl_profile_free(profile);
	return status;
}

const struct tl_format tl_profile_file_format = {
	.info = {
		.name = "profile",
		.help = "profile files of tracelathe (.tlp): the whole profile of any input",
		.record_word = "block",
		.written = true,
	},
	.keeps_notes = true,
	.probe = probe_profile_file,
	.open = open_profile_file,
	.close = close_profile_file,
	.fold = fold_profile_file,
	.describe = describe_profile_file,
	.dump = dump_profile_file,
	.check = check_profile_file,
	.reencode = reencode_profile_file,
	.damage = damage_profile_file,
};
