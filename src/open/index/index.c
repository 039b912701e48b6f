/* SPDX-License-Identifier: Apache-2.0 */
/* The index of an input's calls: made, or taken from a file. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "open/calls.h"
#include "open/index/index_key.h"
#include "open/input.h"
#include "timeline/index/index_file.h"

int tl_input_index(struct tl_input *input, struct tl_call_index **index, struct tl_error *err)
{
	struct tl_calls_options all = { .size = sizeof(all) };
	struct tl_call_source source;
	int status = tl_input_call_source(input, &source, &all, err);

	*index = NULL;
	if (status == 0)
		status = tl_call_index_open(index, &source, err);
	status = (int)tl_input_unchanged(input, status, err);
	if (status < 0) {
		tl_call_index_close(*index);
		*index = NULL;
	}
	return status;
}

int tl_input_index_sample(struct tl_input *input, struct tl_call_index **index,
			  struct tl_error *err)
{
	struct tl_calls_options all = { .size = sizeof(all) };
	struct tl_call_source source;
	int status = tl_input_call_source(input, &source, &all, err);

	*index = NULL;
	if (status == 0)
		status = tl_call_index_begin(index, &source, err);
	if (status == 0)
		status = source.ops->sample
				 ? source.ops->sample(source.handle, &(*index)->tracks, err)
				 : tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
					       "calls of this format are not sampled");
	status = (int)tl_input_unchanged(input, status, err);
	if (status < 0) {
		tl_call_index_close(*index);
		*index = NULL;
	}
	return status;
}

/* ---- an index that is kept in a file ---- */

/* Write it, unless the input has changed since its key was made. 0; 1: not kept; or negative. */
static int write_index(struct tl_input *input, struct tl_call_index *index,
		       const struct tl_packed *key, const char *path, struct tl_error *err)
{
	struct tl_packed now = { .size = 0 };
	struct tl_output *out = NULL;
	int status = tl_index_key_make(input, &index->tracks.source, &now, err);
	bool same = status > 0 && now.size == key->size && !memcmp(now.bytes, key->bytes, now.size);

	free(now.bytes);
	if (!same)
		return status < 0 ? status : 1;
	status = tl_output_open(&out, path, err);
	if (status < 0)
		return status;
	status = tl_call_index_write(index, key, out, err);
	if (status > 0)
		return tl_output_commit(out, err);
	tl_output_discard(out);
	return status < 0 ? status : 1;
}

/* From the file, else from the input. 1: from the file; 0; or negative. */
static int find_index(struct tl_input *input, struct tl_call_index *index, const char *path,
		      struct tl_error *unkept, struct tl_error *err)
{
	struct tl_packed key = { .size = 0 };
	int keyed = tl_index_key_make(input, &index->tracks.source, &key, err), status = keyed;

	if (status > 0)
		status = tl_call_index_read(index, &key, path, err);
	if (status == 0) {
		status = tl_call_index_build(index, err);
		if (status == 0 && keyed > 0)
			write_index(input, index, &key, path, unkept);
	}
	free(key.bytes);
	return status;
}

int tl_input_index_kept(struct tl_input *input, const char *path, struct tl_call_index **index,
			struct tl_error *unkept, struct tl_error *err)
{
	struct tl_calls_options all = { .size = sizeof(all) };
	struct tl_error unheard = { .status = TL_OK };
	struct tl_call_source source;
	int status = tl_input_call_source(input, &source, &all, err);

	*index = NULL;
	if (unkept)
		*unkept = unheard;
	if (status == 0)
		status = tl_call_index_begin(index, &source, err);
	if (status == 0)
		status = find_index(input, *index, path, unkept ? unkept : &unheard, err);
	status = (int)tl_input_unchanged(input, status, err);
	if (status < 0) {
		tl_call_index_close(*index);
		*index = NULL;
	}
	return status;
}
