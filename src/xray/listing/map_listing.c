/* SPDX-License-Identifier: Apache-2.0 */
/* The instrumentation map for reading: by function as text, by sled as YAML, CSV and JSON. */
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "xray/format/yaml_text.h"
#include "xray/map/map.h"

struct listing {
	struct tl_xray_map *map;
	struct tl_output *out;
};

static struct tl_xray_function function_of(const struct listing *l, const struct tl_xray_sled *sled)
{
	struct tl_xray_function function = { .name = "", .file = "", .object = "" };

	tl_xray_map_lookup(l->map, sled->id, &function);
	return function;
}

static void put_hex(struct tl_output *out, uint64_t value)
{
	tl_put_format(out, "0x%llx", (unsigned long long)value);
}

static void put_kind(struct tl_output *out, const struct tl_xray_sled *sled)
{
	const char *name = tl_xray_sled_kind_name(sled->kind);

	if (name)
		tl_put_text(out, name);
	else
		tl_put_format(out, "kind-%u", sled->kind);
}

/* ---- YAML, the bytes of `llvm-xray extract --symbolize` ---- */

static void put_yaml(const struct listing *l)
{
	tl_put_text(l->out, "---\n");
	for (size_t i = 0; i < l->map->sled_count; i++) {
		const struct tl_xray_sled *sled = &l->map->sleds[i];
		const char *name;

		tl_put_format(
			l->out, "- { id: %u, address: 0x%llX, function: 0x%llX, kind: ", sled->id,
			(unsigned long long)sled->address, (unsigned long long)sled->function);
		put_kind(l->out, sled);
		tl_put_format(l->out, ", always-instrument: %s, function-name: ",
			      sled->always ? "true" : "false");
		name = function_of(l, sled).name;
		tl_xray_put_yaml_text(l->out, name, strlen(name));
		if (sled->version)
			tl_put_format(l->out, ", version: %u", sled->version);
		tl_put_text(l->out, " }\n");
	}
	tl_put_text(l->out, "...\n");
}

/* ---- CSV and JSON ---- */

static void put_csv(const struct listing *l)
{
	tl_put_text(l->out, "id,address,function,kind,always,version,name,file,line\n");
	for (size_t i = 0; i < l->map->sled_count; i++) {
		const struct tl_xray_sled *sled = &l->map->sleds[i];
		struct tl_xray_function function = function_of(l, sled);

		tl_put_format(l->out, "%u,0x%llx,0x%llx,", sled->id,
			      (unsigned long long)sled->address,
			      (unsigned long long)sled->function);
		put_kind(l->out, sled);
		tl_put_format(l->out, ",%u,%u,", sled->always, sled->version);
		tl_put_csv(l->out, function.name);
		tl_put_char(l->out, ',');
		tl_put_csv(l->out, function.file);
		tl_put_char(l->out, ',');
		if (function.line)
			tl_put_u64(l->out, function.line);
		tl_put_char(l->out, '\n');
	}
}

static void put_json_sled(const struct listing *l, const struct tl_xray_sled *sled)
{
	struct tl_xray_function function = function_of(l, sled);

	tl_put_format(l->out, "{\"id\":%u,\"address\":\"", sled->id);
	put_hex(l->out, sled->address);
	tl_put_text(l->out, "\",\"function\":\"");
	put_hex(l->out, sled->function);
	tl_put_text(l->out, "\",\"kind\":\"");
	put_kind(l->out, sled);
	tl_put_format(l->out,
		      "\",\"always\":%s,\"version\":%u,\"name\":", sled->always ? "true" : "false",
		      sled->version);
	tl_put_json(l->out, function.name, strlen(function.name));
	tl_put_text(l->out, ",\"file\":");
	tl_put_json(l->out, function.file, strlen(function.file));
	tl_put_text(l->out, ",\"line\":");
	if (function.line)
		tl_put_u64(l->out, function.line);
	else
		tl_put_text(l->out, "null");
	tl_put_char(l->out, '}');
}

static void put_json(const struct listing *l)
{
	tl_put_text(l->out, "{\"sleds\":[");
	for (size_t i = 0; i < l->map->sled_count; i++) {
		if (i)
			tl_put_char(l->out, ',');
		put_json_sled(l, &l->map->sleds[i]);
	}
	tl_put_text(l->out, "]}\n");
}

/* ---- text ---- */

enum { ADDRESS_COLUMNS = 2 + 16 };

/* "function-enter, function-exit x2": the sleds from `first` on that are of one function. */
static size_t put_sleds(const struct listing *l, size_t first)
{
	const struct tl_xray_sled *sleds = l->map->sleds;
	size_t end = first, at = first;

	while (end < l->map->sled_count && sleds[end].id == sleds[first].id)
		end++;
	while (at < end) {
		size_t same = at + 1;

		while (same < end && sleds[same].kind == sleds[at].kind)
			same++;
		if (at > first)
			tl_put_text(l->out, ", ");
		put_kind(l->out, &sleds[at]);
		if (same - at > 1)
			tl_put_format(l->out, " x%zu", same - at);
		at = same;
	}
	return end;
}

static void put_text(const struct listing *l)
{
	size_t functions = l->map->function_count, sleds = l->map->sled_count, next;

	tl_put_format(l->out, "%zu function%s, %zu sled%s\n\n", functions,
		      functions == 1 ? "" : "s", sleds, sleds == 1 ? "" : "s");
	tl_put_format(l->out, "%10s  %*s  function, sleds\n", "id", ADDRESS_COLUMNS, "address");
	for (size_t i = 0; i < l->map->sled_count; i = next) {
		const struct tl_xray_sled *sled = &l->map->sleds[i];
		struct tl_xray_function function = function_of(l, sled);

		tl_put_format(l->out, "%10u  %#*llx  ", sled->id, ADDRESS_COLUMNS,
			      (unsigned long long)sled->function);
		if (*function.name)
			tl_put_shown(l->out, function.name, strlen(function.name));
		else
			tl_put_text(l->out, "?");
		if (*function.file) {
			tl_put_text(l->out, "  ");
			tl_put_shown(l->out, function.file, strlen(function.file));
			tl_put_format(l->out, ":%u", function.line);
		}
		tl_put_text(l->out, "  (");
		next = put_sleds(l, i);
		tl_put_text(l->out, ")\n");
	}
}

int tl_xray_map_put(struct tl_xray_map *map, enum tl_xray_map_form form, struct tl_output *out,
		    struct tl_error *err)
{
	static void (*const put[])(const struct listing *) = {
		[TL_XRAY_MAP_TEXT] = put_text,
		[TL_XRAY_MAP_YAML] = put_yaml,
		[TL_XRAY_MAP_CSV] = put_csv,
		[TL_XRAY_MAP_JSON] = put_json,
	};
	const struct listing listing = { map, out };

	if ((unsigned int)form >= sizeof(put) / sizeof(*put))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "no such form of an instrumentation map");
	put[form](&listing);
	if (tl_xray_map_short_of_memory(map))
		return tl_error_memory(err);
	return 0;
}
