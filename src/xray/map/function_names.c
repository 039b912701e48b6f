/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/map/function_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "xray/map/map.h"

static int compile(regex_t *regex, bool *used, const char *pattern, struct tl_error *err)
{
	int bad = pattern ? regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB) : 0;

	*used = pattern && !bad;
	if (bad == REG_ESPACE)
		return tl_error_memory(err);
	if (bad)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "not a POSIX extended regular expression");
	return 0;
}

int tl_xray_names_begin(struct tl_xray_function_names *names, struct tl_xray_map *map,
			const char *function, const char *object, struct tl_error *err)
{
	int status;

	*names = (struct tl_xray_function_names){ .map = map };
	status = compile(&names->function, &names->by_function, function, err);
	if (status == 0)
		status = compile(&names->object, &names->by_object, object, err);
	if (status < 0)
		tl_xray_names_end(names);
	return status;
}

void tl_xray_names_end(struct tl_xray_function_names *names)
{
	if (names->by_function)
		regfree(&names->function);
	if (names->by_object)
		regfree(&names->object);
	tl_xray_ids_free(&names->ids);
	tl_arena_free(&names->arena);
	free(names->names);
	*names = (struct tl_xray_function_names){ 0 };
}

static bool look_up(struct tl_xray_function_names *names, uint32_t id,
		    struct tl_xray_function_name *name)
{
	struct tl_xray_function known;
	char unnamed[16];

	*name = (struct tl_xray_function_name){ .name = "", .file = "", .object = "" };
	if (names->map && tl_xray_map_lookup(names->map, id, &known))
		*name = (struct tl_xray_function_name){ known.name, known.file, known.object,
							known.line, false,      known.address };
	if (!*name->name) {
		snprintf(unnamed, sizeof(unnamed), "#%" PRIu32, id);
		name->name = tl_arena_copy(&names->arena, unnamed, strlen(unnamed));
	}
	if (!name->name || (names->map && tl_xray_map_short_of_memory(names->map)))
		return false;
	name->wanted =
		(!names->by_function || !regexec(&names->function, name->name, 0, NULL, 0)) &&
		(!names->by_object || !regexec(&names->object, name->object, 0, NULL, 0));
	return true;
}

uint32_t tl_xray_names_add(struct tl_xray_function_names *names, uint32_t id)
{
	struct tl_xray_function_name name;

	if (!look_up(names, id, &name) ||
	    !tl_grow(&names->names, &names->capacity, names->ids.count + 1, sizeof(*names->names)))
		return TL_NONE;
	names->names[names->ids.count] = name;
	return tl_xray_ids_add(&names->ids, id);
}
