/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choosing among several programs and shared objects for a trace, which names none. A file can be
 * the program if its map has all that the trace did in it; the first such file is chosen, programs
 * before shared objects. xray_shared.c chooses the other objects.
 */
#include "open/adapters/xray_maps.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/error.h"
#include "core/memory.h"
#include "symbols/binary.h"
#include "xray/map/object_ids.h"

/* ---- opening ---- */

static bool is_program(const struct tl_xray_map *map)
{
	struct tl_section section;

	return !map->binary || !tl_binary_is_pie(map->binary) ||
	       tl_binary_section(map->binary, ".interp", &section);
}

static int add(struct tl_xray_maps *maps, const struct tl_xray_candidate *candidate,
	       struct tl_error *err)
{
	if (!tl_grow(&maps->list, &maps->capacity, maps->count + 1, sizeof(*maps->list))) {
		tl_xray_map_close(candidate->map);
		return tl_error_memory(err);
	}
	maps->list[maps->count++] = *candidate;
	return 0;
}

/* A file without a map is reported at the end if another file has one. */
static int open_file(struct tl_xray_maps *maps, const struct tl_binary_spec *spec, const char *path,
		     bool demangle, struct tl_error *err)
{
	struct tl_xray_candidate candidate = { .path = spec->path,
					       .in_folder = path != spec->path };
	int status = tl_xray_map_open(&candidate.map, path, spec->address, demangle, err);

	if (status == TL_NO_MEMORY)
		return status;
	if (status < 0) {
		candidate.text =
			err && err->text ? err->text : tl_status_name((enum tl_status)status);
		candidate.status = (enum tl_status)status;
	} else {
		candidate.program = is_program(candidate.map);
	}
	if (candidate.in_folder && !candidate.map)
		return 0;
	return add(maps, &candidate, err);
}

static int open_folder(struct tl_xray_maps *maps, const struct tl_binary_spec *spec, bool demangle,
		       struct tl_error *err)
{
	struct dirent **names;
	int count = scandir(spec->path, &names, NULL, alphasort), status = 0;

	if (count < 0)
		return tl_error_system(err, "cannot read the folder");
	for (int i = 0; i < count; i++) {
		size_t size = strlen(spec->path) + strlen(names[i]->d_name) + 2;
		char *path = status == 0 ? malloc(size) : NULL;
		struct stat found;

		if (status == 0 && !path)
			status = tl_error_memory(err);
		if (path) {
			snprintf(path, size, "%s/%s", spec->path, names[i]->d_name);
			if (!stat(path, &found) && S_ISREG(found.st_mode))
				status = open_file(maps, spec, path, demangle, err);
		}
		free(path);
		free(names[i]);
	}
	free(names);
	return status;
}

static int open_binary(struct tl_xray_maps *maps, const struct tl_binary_spec *spec, bool demangle,
		       struct tl_error *err)
{
	struct stat found;

	if (!stat(spec->path, &found) && S_ISDIR(found.st_mode))
		return open_folder(maps, spec, demangle, err);
	return open_file(maps, spec, spec->path, demangle, err);
}

static int open_yaml(struct tl_xray_maps *maps, const char *path, struct tl_error *err)
{
	struct tl_xray_candidate candidate = { .path = path, .program = true };
	int status = tl_xray_map_open_yaml(&candidate.map, path, err);

	if (status < 0)
		return status;
	return add(maps, &candidate, err);
}

/* ---- beside the log ---- */

static int use_objects(struct tl_xray_maps *maps, const char *path, struct tl_error *err)
{
	struct tl_xray_candidate candidate = { .map = maps->recorded.map,
					       .path = path,
					       .program = true };

	maps->recorded.map = NULL;
	return add(maps, &candidate, err);
}

/* The program must still be the one that ran; else functions have no names, which is told. */
static int use_program(struct tl_xray_maps *maps, bool demangle, struct tl_error *err)
{
	const struct tl_xray_recorded *recorded = &maps->recorded;
	const struct tl_binary_spec spec = { .path = recorded->program };
	const struct tl_xray_map *map;
	const char *id;
	int status = open_file(maps, &spec, recorded->program, demangle, err);

	if (status < 0)
		return status;
	map = maps->list[maps->count - 1].map;
	id = map ? tl_binary_build_id(map->binary) : "";
	if (map && strcmp(*id ? id : "-", recorded->program_id) == 0)
		return 0;
	maps->recorded_fault = map ? "is not the file that was recorded (its build id is another): "
				     "functions are shown by number"
				   : "was recorded, but is not here any more: functions are shown "
				     "by number";
	tl_xray_map_close(maps->list[--maps->count].map);
	return 0;
}

static int open_recorded(struct tl_xray_maps *maps, const char *path, bool demangle,
			 struct tl_error *err)
{
	size_t size = strlen(path) + sizeof(".map");
	char *beside = malloc(size);
	struct stat found;
	int status = 0;

	if (!beside)
		return tl_error_memory(err);
	snprintf(beside, size, "%s.map", path);
	if (!stat(beside, &found) && S_ISREG(found.st_mode))
		status = tl_xray_recorded_open(&maps->recorded, beside, demangle, err);
	free(beside);
	if (status == 0 && maps->recorded.program)
		return use_program(maps, demangle, err);
	if (status == 0 && maps->recorded.map)
		return use_objects(maps, path, err);
	return status;
}

/*
 * Files without a map are asked for nothing where the recorder wrote which objects ran: they may
 * still be read for their code. True: the recorded names are used.
 */
static bool prefer_recorded(struct tl_xray_maps *maps, const char *path, bool demangle, int *status,
			    struct tl_error *err)
{
	const size_t given = maps->count;

	*status = path ? open_recorded(maps, path, demangle, err) : 0;
	if (*status < 0 || maps->count == given)
		return false;
	maps->count -= given;
	memmove(maps->list, maps->list + given, maps->count * sizeof(*maps->list));
	return true;
}

static int open_all(struct tl_xray_maps *maps, const char *path,
		    const struct tl_input_options *options, const char **about,
		    struct tl_error *err)
{
	struct tl_error ignored, *first = err;
	bool any = false;
	int status = 0;

	if (options->programs.map) {
		*about = options->programs.map;
		return open_yaml(maps, options->programs.map, err);
	}
	if (!options->programs.binary_count)
		return path ? open_recorded(maps, path, !options->raw_names, err) : 0;
	for (size_t i = 0; status == 0 && i < options->programs.binary_count; i++) {
		if (!any)
			*about = options->programs.binaries[i].path;
		status = open_binary(maps, &options->programs.binaries[i], !options->raw_names,
				     i ? &ignored : first);
	}
	for (size_t i = 0; i < maps->count; i++)
		any |= maps->list[i].map != NULL;
	if (status < 0 || any ||
	    prefer_recorded(maps, path, !options->raw_names, &status, &ignored))
		return status;
	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	*about = options->programs.binaries[0].path;
	if (!maps->count || maps->list[0].path != options->programs.binaries[0].path)
		return tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
				   "no file in this folder has an XRay instrumentation map");
	return maps->list[0].status;
}

int tl_xray_maps_named(struct tl_xray_maps *maps, const char *path, struct tl_error *err)
{
	struct tl_xray_candidate candidate = { .path = path, .program = true };

	candidate.map = calloc(1, sizeof(*candidate.map));
	if (candidate.map)
		return add(maps, &candidate, err);
	return tl_error_memory(err);
}

/* Names that the trace itself has are used where no file is given. False: they are not used. */
static bool use_own_names(struct tl_xray_maps *maps, const struct tl_input_options *options)
{
	struct tl_xray_map *own = maps->count ? maps->list[0].map : NULL;

	if (!own)
		return false;
	tl_xray_map_finish(own);
	if (own->function_count && !options->programs.map && !options->programs.binary_count)
		return true;
	tl_xray_map_close(own);
	maps->count = 0;
	return false;
}

int tl_xray_maps_open(struct tl_xray_maps *maps, const char *path,
		      const struct tl_input_options *options, const char **failed,
		      struct tl_error *err)
{
	static const struct tl_xray_uses nothing;
	const char *about = *failed;
	int status = 0;

	if (!use_own_names(maps, options))
		status = open_all(maps, path, options, &about, err);
	if (status < 0) {
		*failed = about;
		return status;
	}
	tl_xray_maps_choose(maps, &nothing);
	return 0;
}

void tl_xray_maps_close(struct tl_xray_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		tl_xray_map_close(maps->list[i].map);
	free(maps->list);
	tl_xray_recorded_close(&maps->recorded);
}

/* ---- choosing ---- */

/*
 * The first file that can be the program, programs before shared objects. All files are asked, so
 * that each keeps the reason why it cannot be the program, also behind the one that is.
 */
static struct tl_xray_candidate *choose_program(struct tl_xray_maps *maps,
						const struct tl_xray_uses *uses)
{
	struct tl_xray_candidate *chosen = NULL;

	for (int programs = 1; programs >= 0; programs--)
		for (size_t i = 0; i < maps->count; i++) {
			struct tl_xray_candidate *c = &maps->list[i];

			if (!c->map || c->program != (programs != 0))
				continue;
			c->text = tl_xray_map_refutes(c->map, 0, uses);
			if (!c->text && !chosen)
				chosen = c;
		}
	if (chosen)
		chosen->used = true;
	return chosen;
}

bool tl_xray_maps_choose(struct tl_xray_maps *maps, const struct tl_xray_uses *uses)
{
	const struct tl_xray_map *before = maps->map;
	struct tl_xray_candidate *program;

	for (size_t i = 0; i < maps->count; i++)
		if (maps->list[i].map) {
			maps->list[i].used = false;
			maps->list[i].text = NULL;
		}
	program = choose_program(maps, uses);
	maps->map = program ? program->map : NULL;
	maps->objects_text = NULL;
	if (maps->map && maps->map->spans)
		return maps->map != before;
	return tl_xray_maps_choose_objects(maps, uses) || maps->map != before;
}

int tl_xray_maps_find(struct tl_xray_maps *maps, struct tl_xray_reader *reader,
		      struct tl_error *err)
{
	int status = maps->count ? tl_xray_collect_uses(reader, err) : 0;

	if (status == 0 && maps->count)
		tl_xray_maps_choose(maps, &reader->uses);
	return status;
}

/* ---- telling ---- */

static const char no_names[] = "has no function names (is it stripped?): functions are shown by id";

static const char *tell_candidate(const struct tl_xray_maps *maps,
				  const struct tl_xray_candidate *c)
{
	if (!c->map)
		return c->text;
	if (c->used)
		return c->map->binary && c->map->asked && !c->map->named ? no_names : NULL;
	if (c->text && (c->program || !maps->map))
		return c->text;
	return c->program ? "could be the program that ran, as could another of the given files: "
			    "names are those of the first"
			  : NULL;
}

static size_t put_place(struct tl_damage *places, size_t room, size_t told, enum tl_status status,
			const char *path, const char *text)
{
	if (!text || told >= room)
		return told;
	places[told] = (struct tl_damage){
		.status = status,
		.path = path,
		.text = text,
		.offset = TL_NOWHERE,
		.record = TL_NOWHERE,
	};
	return told + 1;
}

/* What the recorder said of the log. */
static size_t tell_recorded(const struct tl_xray_maps *maps, struct tl_damage *places, size_t room,
			    size_t told)
{
	const struct tl_xray_recorded *recorded = &maps->recorded;
	const struct tl_xray_objects *spans = maps->map ? maps->map->spans : NULL;
	const struct tl_xray_object *object;

	told = put_place(places, room, told, TL_BAD_FORMAT, recorded->program,
			 maps->recorded_fault);
	if (recorded->lost_reason)
		told = put_place(places, room, told, TL_TRUNCATED, NULL,
				 "the recorder could not write all records (FILE.map says why): "
				 "calls are missing");
	if (recorded->overwritten)
		told = put_place(places, room, told, TL_OK, NULL,
				 "a ring: earlier records were overwritten, as --ring asks");
	if (recorded->cut)
		told = put_place(places, room, told, TL_OK, NULL,
				 "the process did not end by exit(): calls that were open then are "
				 "unfinished");
	for (size_t i = 0; spans && (object = tl_xray_objects_fault(spans, i)); i++)
		told = put_place(places, room, told, TL_BAD_FORMAT, object->path, object->fault);
	return told;
}

size_t tl_xray_maps_damage(const struct tl_xray_maps *maps, struct tl_damage *places, size_t room)
{
	struct tl_damage place = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	const char *folder = NULL;
	size_t told = 0;

	for (size_t i = 0; i < maps->count; i++) {
		const struct tl_xray_candidate *c = &maps->list[i];

		place.text = tell_candidate(maps, c);
		place.status = c->map ? TL_BAD_FORMAT : c->status;
		place.path = c->path;
		/* One note for all files of a folder is enough. */
		if (c->in_folder && !c->used) {
			if (maps->map || (folder && !strcmp(folder, c->path)))
				continue;
			folder = c->path;
			place.text = "no file in this folder can be the program that ran; no names "
				     "were used";
		}
		if (place.text && told < room)
			places[told++] = place;
	}
	place.path = NULL;
	if (maps->objects_text && told < room) {
		place.text = maps->objects_text;
		place.status = maps->objects_status;
		places[told++] = place;
	}
	if (maps->objects_full && told < room) {
		place.text = "functions of 15 shared objects ran, which is as many as records tell "
			     "apart: those of a 16th would be shown as functions of the program";
		place.status = TL_OK;
		places[told++] = place;
	}
	return tell_recorded(maps, places, room, told);
}
