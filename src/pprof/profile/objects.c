/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/profile/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text/optional.h"
#include "symbols/binary.h"

bool tl_pprof_objects_begin(struct tl_pprof_objects *o, const struct tl_pprof_file *p)
{
	o->p = p;
	o->list = tl_zeroed(p->mapping_count + 1, sizeof(*o->list));
	o->used = tl_zeroed(o->given_count, sizeof(*o->used));
	return o->list && o->used;
}

void tl_pprof_objects_end(struct tl_pprof_objects *o)
{
	for (size_t i = 0; o->list && i <= o->p->mapping_count; i++)
		tl_binary_close(o->list[i].binary);
	free(o->list);
	free(o->used);
	*o = (struct tl_pprof_objects){ .p = o->p };
}

/* ---- which file ---- */

static struct tl_pprof_text base_name(struct tl_pprof_text path)
{
	for (size_t i = path.size; i > 0; i--)
		if (path.text[i - 1] == '/')
			return (struct tl_pprof_text){ path.text + i, path.size - i };
	return path;
}

static bool same_base(struct tl_pprof_text path, const char *other)
{
	const struct tl_pprof_text base = base_name(path);

	return base.size && tl_pprof_text_is(base, tl_file_base_name(other));
}

/* Build ids are hexadecimal; a writer may fill them up with zeros. */
static bool same_build(struct tl_pprof_text wanted, const char *have)
{
	size_t size = strlen(have);

	if (!wanted.size || !size)
		return true;
	if (wanted.size < size || memcmp(wanted.text, have, size))
		return false;
	for (size_t i = size; i < wanted.size; i++)
		if (wanted.text[i] != '0')
			return false;
	return true;
}

/*
 * Open a file as the binary of a mapping. 1; 0: it is another one, or cannot be read; TL_NO_MEMORY.
 */
static int try_file(struct tl_pprof_objects *o, struct tl_pprof_object *object, const char *path,
		    struct tl_pprof_text build_id, struct tl_error *err)
{
	struct tl_error own;
	int status =
		tl_binary_open_asking(&object->binary, path, 0, !o->raw_names, o->debuginfod, &own);

	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	object->why = status < 0 ? own.text : NULL;
	if (status == 0 && !same_build(build_id, tl_binary_build_id(object->binary))) {
		tl_binary_close(object->binary);
		object->binary = NULL;
		object->why = "the file is of another build";
	}
	return object->binary != NULL;
}

/*
 * A binary is that of a mapping if the names agree; the first mapping is by convention that of the
 * program, which may be called otherwise now.
 */
static int try_given(struct tl_pprof_objects *o, struct tl_pprof_object *object, size_t mapping,
		     struct tl_error *err)
{
	const struct tl_pprof_file *p = o->p;
	struct tl_pprof_text file = { "", 0 }, build_id = { "", 0 };
	int status = 0;

	if (mapping < p->mapping_count) {
		file = tl_pprof_string(p, p->mappings[mapping].file);
		build_id = tl_pprof_string(p, p->mappings[mapping].build_id);
	}
	for (size_t i = 0; status == 0 && i < o->given_count; i++) {
		if (!same_base(file, o->given[i].path) && mapping && mapping < p->mapping_count)
			continue;
		status = try_file(o, object, o->given[i].path, build_id, err);
		if (status == 1) {
			o->used[i] = true;
			object->bias = o->given[i].address;
		}
	}
	return status;
}

static int try_named(struct tl_pprof_objects *o, struct tl_pprof_object *object, size_t mapping,
		     struct tl_error *err)
{
	const struct tl_pprof_mapping *m = &o->p->mappings[mapping];
	const struct tl_pprof_text file = tl_pprof_string(o->p, m->file);
	const char *why = object->why;
	char *path;
	int status = 0;

	if (!file.size || *file.text != '/' || memchr(file.text, 0, file.size))
		return 0;
	if (asprintf(&path, "%s%.*s", tl_text_or_empty(o->sysroot), (int)file.size, file.text) < 0)
		return tl_error_memory(err);
	if (tl_file_may_be_named(path))
		status = try_file(o, object, path, tl_pprof_string(o->p, m->build_id), err);
	else
		object->why = why ? why : "there is no such file";
	free(path);
	return status;
}

/* Build ids of linkers are hexadecimal; those of others are in no server. */
static bool is_hexadecimal(struct tl_pprof_text id)
{
	for (size_t i = 0; i < id.size; i++)
		if (!strchr("0123456789abcdef", id.text[i]) || !id.text[i])
			return false;
	return id.size > 0;
}

static int try_servers(struct tl_pprof_objects *o, struct tl_pprof_object *object, size_t mapping,
		       struct tl_error *err)
{
	const struct tl_pprof_text id = tl_pprof_string(o->p, o->p->mappings[mapping].build_id);
	char *text, *path;
	int status;

	if (!o->debuginfod || !is_hexadecimal(id))
		return 0;
	text = strndup(id.text, id.size);
	if (!text)
		return tl_error_memory(err);
	status = o->debuginfod->find(o->debuginfod->arg, TL_DEBUGINFOD_EXECUTABLE, text, &path);
	free(text);
	if (status < 0)
		return tl_error_memory(err);
	if (status == 0)
		return 0;
	status = try_file(o, object, path, id, err);
	free(path);
	return status;
}

static int open_object(struct tl_pprof_objects *o, struct tl_pprof_object *object, size_t mapping,
		       struct tl_error *err)
{
	int status = try_given(o, object, mapping, err);

	object->opened = true;
	if (status == 0 && mapping < o->p->mapping_count)
		status = try_named(o, object, mapping, err);
	if (status == 0 && mapping < o->p->mapping_count)
		status = try_servers(o, object, mapping, err);
	if (!object->binary && !object->why)
		object->why = mapping < o->p->mapping_count
				      ? "no file for it is given"
				      : "the profile does not say which file they belong to";
	return tl_error_or_end(status);
}

/* ---- addresses ---- */

struct tl_binary *tl_pprof_binary_at(struct tl_pprof_objects *o,
				     const struct tl_pprof_location *location,
				     struct tl_pprof_object **object, uint64_t *address,
				     struct tl_error *err)
{
	size_t mapping =
		location->mapping == TL_NONE ? o->p->mapping_count : (size_t)location->mapping;
	const struct tl_pprof_mapping *m;

	*object = &o->list[mapping];
	if (!(*object)->opened && open_object(o, *object, mapping, err) < 0)
		return NULL;
	*address = location->address - (*object)->bias;
	if (!(*object)->binary || (*object)->bias || mapping == o->p->mapping_count)
		return (*object)->binary;
	m = &o->p->mappings[mapping];
	/* Some writers leave the limits out, or have made addresses those of the file already. */
	if (location->address >= m->start && location->address < m->limit)
		*address = tl_binary_linked_address((*object)->binary,
						    location->address - m->start + m->offset);
	return (*object)->binary;
}

/* ---- what is said ---- */

static int tell_object(const struct tl_pprof_objects *o, size_t mapping,
		       struct tl_fault_list *faults, struct tl_error *err)
{
	const struct tl_pprof_object *object = &o->list[mapping];
	const struct tl_fault fault = { "names", NULL, TL_BAD_RECORD, TL_NOWHERE, 0, TL_NOWHERE };
	struct tl_pprof_text file = { "no mapping", 10 };

	if (!object->nameless)
		return 0;
	if (mapping < o->p->mapping_count)
		file = tl_pprof_string(o->p, o->p->mappings[mapping].file);
	return tl_fault_write(faults, &fault, err,
			      "locations of %.*s that are named by their address: %" PRIu64 " (%s)",
			      (int)tl_min(file.size, 200), file.text, object->nameless,
			      object->why ? object->why : "the file has no name for them");
}

int tl_pprof_objects_tell(struct tl_pprof_objects *o, struct tl_fault_list *faults,
			  struct tl_error *err)
{
	const struct tl_fault fault = { "binary", NULL, TL_BAD_RECORD, TL_NOWHERE, 0, TL_NOWHERE };
	int status = 0;

	for (size_t i = 0; status == 0 && i <= o->p->mapping_count; i++)
		status = tell_object(o, i, faults, err);
	for (size_t i = 0; status == 0 && i < o->given_count; i++)
		if (!o->used[i])
			status = tl_fault_write(faults, &fault, err,
						"%.300s was not used: the profile has all names, "
						"or none of its mappings is this file",
						o->given[i].path);
	return status;
}
