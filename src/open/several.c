/* SPDX-License-Identifier: Apache-2.0 */
/* Several files as one input: no file twice, and joining the logs of processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/source.h"
#include "open/format.h"
#include "open/several.h"
#include "profile/merge/merge.h"

/* ---- the same file twice ---- */

struct file {
	const char *path;
	size_t number; /* among the paths given */
	dev_t device;
	ino_t inode;
	off_t size;
	uint64_t hash; /* of its bytes, or of the first ones; among files of one size */
};

static int compare_files(const void *left, const void *right)
{
	const struct file *a = left, *b = right;

	if (a->size != b->size)
		return tl_compare(a->size, b->size);
	if (a->device != b->device)
		return tl_compare(a->device, b->device);
	return tl_compare(a->inode, b->inode);
}

static int refuse_same(struct tl_error *err)
{
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the same file is given twice");
}

/* Streams cannot be compared; a file that is missing is reported when it is opened. */
static size_t list_files(struct file *files, const char *const *paths, size_t count)
{
	struct stat status;
	size_t listed = 0;

	for (size_t i = 0; i < count; i++)
		if (strcmp(paths[i], "-") && !stat(paths[i], &status) && S_ISREG(status.st_mode))
			files[listed++] =
				(struct file){ paths[i],       i, status.st_dev, status.st_ino,
					       status.st_size, 0 };
	if (listed)
		qsort(files, listed, sizeof(*files), compare_files);
	return listed;
}

static bool same_file(const struct file *a, const struct file *b)
{
	return a->device == b->device && a->inode == b->inode;
}

enum { COMPARE_BYTES = 1 << 16 };

static bool same_streams(FILE *a, FILE *b, char *room)
{
	size_t got, others;

	do {
		got = fread(room, 1, COMPARE_BYTES, a);
		others = fread(room + COMPARE_BYTES, 1, COMPARE_BYTES, b);
		if (got != others || memcmp(room, room + COMPARE_BYTES, got) != 0)
			return false;
	} while (got == COMPARE_BYTES);
	return !ferror(a) && !ferror(b);
}

/* A file that cannot be read here is taken as different. */
static bool same_bytes(const struct file *a, const struct file *b, char *room)
{
	FILE *left = fopen(a->path, "rbe"), *right = fopen(b->path, "rbe");
	bool same = left && right && same_streams(left, right, room);

	if (left)
		fclose(left);
	if (right)
		fclose(right);
	return same;
}

/* Of a file that cannot be read here it is that of what could be. */
static uint64_t hash_bytes(const struct file *file, bool whole, char *room)
{
	FILE *in = fopen(file->path, "rbe");
	uint64_t hash = 0;
	size_t got = in ? COMPARE_BYTES : 0;

	while (got == COMPARE_BYTES) {
		got = fread(room, 1, COMPARE_BYTES, in);
		hash = tl_hash_pair(hash, tl_hash_bytes(room, got));
		if (!whole)
			break;
	}
	if (in)
		fclose(in);
	return hash;
}

static int by_hash(const void *left, const void *right)
{
	return tl_compare(((const struct file *)left)->hash, ((const struct file *)right)->hash);
}

static void sort_by_hash(struct file *files, size_t count, bool whole, char *room)
{
	for (size_t i = 0; i < count; i++)
		files[i].hash = hash_bytes(&files[i], whole, room);
	qsort(files, count, sizeof(*files), by_hash);
}

/* How many of the files, of which there is one, are of the size and the hash of the first one. */
static size_t count_alike(const struct file *files, size_t count)
{
	size_t alike = 1;

	while (alike < count && files[alike].size == files->size &&
	       files[alike].hash == files->hash)
		alike++;
	return alike;
}

/* Among files that may be the same. */
static const struct file *find_copy_of_any(const struct file *files, size_t count, char *room)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			if (same_bytes(&files[i], &files[j], room))
				return files[i].number > files[j].number ? &files[i] : &files[j];
	return NULL;
}

/*
 * Among files that begin alike. Two are compared, up to where they differ; many are read whole once
 * each, so that each is only compared with those of its hash, the first of which is a copy.
 */
static const struct file *find_copy_of_begin(struct file *files, size_t count, char *room)
{
	const struct file *copy = NULL;

	if (count > 2 && files->size > COMPARE_BYTES)
		sort_by_hash(files, count, true, room);
	for (size_t i = 0, alike; !copy && i < count; i += alike) {
		alike = count_alike(files + i, count - i);
		copy = find_copy_of_any(files + i, alike, room);
	}
	return copy;
}

/*
 * A file with the bytes of another: the one given later. Only files of one size are compared; empty
 * files add nothing, so several of them are no mistake.
 */
static const struct file *find_copy(struct file *files, size_t count, char *room)
{
	const struct file *copy = NULL;

	for (size_t i = 0, alike; !copy && i < count; i += alike) {
		alike = count_alike(files + i, count - i);
		if (alike < 2 || !files[i].size)
			continue;
		sort_by_hash(files + i, alike, false, room);
		for (size_t j = i, begin; !copy && j < i + alike; j += begin) {
			begin = count_alike(files + j, i + alike - j);
			copy = find_copy_of_begin(files + j, begin, room);
		}
	}
	return copy;
}

int tl_input_distinct(const char *const *paths, size_t count, bool by_content, const char **failed,
		      struct tl_error *err)
{
	struct file *files = malloc((count + 1) * sizeof(*files));
	char *room = malloc((size_t)2 * COMPARE_BYTES);
	const struct file *copy = NULL;
	size_t listed;
	int status = tl_error_unless_made(files && room, err);

	listed = status == 0 ? list_files(files, paths, count) : 0;
	for (size_t i = 1; status == 0 && i < listed; i++)
		if (same_file(&files[i - 1], &files[i])) {
			*failed = files[i].path;
			status = refuse_same(err);
		}
	if (status == 0 && by_content)
		copy = find_copy(files, listed, room);
	if (copy) {
		*failed = copy->path;
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "holds the same bytes as another of the files: is it a copy?");
	}
	free(files);
	free(room);
	return status;
}

/* ---- joining ---- */

static uint64_t hash_file(const struct tl_input_file *file)
{
	return tl_hash_pair(file->device, file->inode);
}

static bool reads_file(const void *context, const void *key, uint32_t number)
{
	const struct tl_input *input = context;
	const struct tl_input_file *a = number ? &input->others[number - 1]->file : &input->file,
				   *b = key;

	return a->device == b->device && a->inode == b->inode;
}

/* Streams cannot be compared. */
static void note_file(struct tl_input *input)
{
	const char *path = tl_source_name(input->source);
	struct stat about;

	if (strcmp(path, "-") && !stat(path, &about) && S_ISREG(about.st_mode))
		input->file = (struct tl_input_file){ about.st_dev, about.st_ino };
}

/* The files that the input has got since this was called last. False without memory. */
static bool note_files(struct tl_input *input)
{
	for (; input->noted <= input->other_count; input->noted++) {
		struct tl_input *part = input->noted ? input->others[input->noted - 1] : input;

		note_file(part);
		if (part->file.inode &&
		    !tl_index_add(&input->files, hash_file(&part->file), (uint32_t)input->noted))
			return false;
	}
	return true;
}

/* The same as tl_input_distinct() of all files, without asking the system for all of them again. */
static int check_distinct(struct tl_input *input, struct tl_input *other, struct tl_error *err)
{
	if (!note_files(input))
		return tl_error_memory(err);
	note_file(other);
	if (other->file.inode && tl_index_find(&input->files, hash_file(&other->file), reads_file,
					       input, &other->file) != TL_NONE)
		return refuse_same(err);
	return 0;
}

int tl_input_join(struct tl_input *input, struct tl_input *other, const char **failed,
		  struct tl_error *err)
{
	struct tl_input **grown;
	int status;

	if (input->format != other->format || input->format->many_paths || other->other_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "files of this format are inputs of their own");
	status = check_distinct(input, other, err);
	if (status < 0) {
		if (failed && status == TL_BAD_USAGE)
			*failed = tl_source_name(other->source);
		return status;
	}
	grown = realloc(input->others, (input->other_count + 1) * sizeof(*grown));
	if (!grown)
		return tl_error_memory(err);
	input->others = grown;
	other->path = tl_source_name(other->source);
	input->others[input->other_count++] = other;
	return 0;
}

int tl_input_order_as_sum(struct tl_profile **profile, struct tl_error *err)
{
	struct tl_profile *in_file_order = *profile;
	const struct tl_profile *const list[] = { in_file_order };
	int status;

	*profile = NULL;
	if (in_file_order->pack)
		status = tl_merge_packs(profile, &in_file_order, 1, err);
	else
		status = tl_profile_merge(profile, list, 1, err);
	tl_profile_free(in_file_order);
	return status;
}

int tl_input_relate(struct tl_input *input, struct tl_error *err)
{
	int status;

	if (input->related || !input->format->relate)
		return 0;
	status = input->format->relate(input, err);
	input->related = status == 0;
	return status;
}

/* A file that is given twice is refused where it is joined, so both belong together. */
static uint64_t file_mark(const struct tl_input *input)
{
	struct stat about;

	if (stat(tl_source_name(input->source), &about))
		return 0;
	return tl_hash_pair(tl_hash_pair(about.st_dev, about.st_ino), 0x66696c65);
}

size_t tl_input_kinship(const struct tl_input *input, uint64_t *marks, size_t room)
{
	size_t count;

	if (!input->format->kinship)
		return 0;
	/* Copies of logs without buffers are found out, too. */
	if (room > 0)
		marks[0] = file_mark(input);
	if (room > 1)
		marks[1] = 0;
	count = input->format->kinship(input, room > 1 ? marks + 1 : NULL, room ? room - 1 : 0);
	return 1 + (count ? count : 1);
}

uint32_t tl_input_shares(const struct tl_input *input)
{
	/* What a log inherited from another one is known when all of them are folded. */
	if (!input->format->shares || input->other_count)
		return 1;
	return input->format->shares(input);
}

bool tl_input_chains_shares(const struct tl_input *input)
{
	return input->format->chains ? input->format->chains(input)
				     : input->format->info.chains_shares;
}

static int tell_progress(void *arg, uint64_t done, uint64_t total)
{
	const struct tl_input *input = arg;

	if (input->quiet)
		return 0;
	return input->options.progress(input->options.progress_arg, done, total);
}

struct tl_source_options tl_input_source_options(struct tl_input *input)
{
	return (struct tl_source_options){
		.size = sizeof(struct tl_source_options),
		.progress = input->options.progress ? tell_progress : NULL,
		.progress_arg = input,
	};
}
