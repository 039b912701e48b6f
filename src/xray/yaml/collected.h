/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_YAML_COLLECTED_H
#define TL_XRAY_YAML_COLLECTED_H
/* What the text of a file holds: its header, and its records in the order of the file. */
#include "xray/format/function_ids.h"
#include "xray/records/reader.h"

struct tl_xray_map;

/* A record. What it has of any length stands in the lists of `struct tl_xray_collected`. */
struct tl_xray_item {
	uint64_t tsc, order;
	size_t extra; /* place of its arguments, or of its payload */
	uint32_t extra_count;
	uint32_t id;
	int32_t thread, process;
	uint16_t cpu, event_type;
	enum tl_xray_kind kind;
	enum tl_xray_action action;
};

/* What is known of a function. */
struct tl_xray_named {
	const char *name; /* in the map's names; NULL: no record has told it */
	uint32_t id;
	uint8_t actions; /* bits of the actions of its records */
};

struct tl_xray_collected {
	struct tl_xray_writer_options header;
	struct tl_xray_item *items;
	size_t count, capacity;
	uint64_t *args;
	size_t arg_count, arg_capacity;
	uint8_t *bytes;
	size_t byte_count, byte_capacity;
	struct tl_xray_map *map; /* names */
	struct tl_xray_ids ids;
	struct tl_xray_named *functions; /* by number of an id */
	size_t function_count, function_capacity;
};

/* Append an item, and the name of its function. False without memory. */
bool tl_xray_collect(struct tl_xray_collected *all, const struct tl_xray_item *item,
		     const char *name);
/* At the end: the map of the names that were told. False without memory. */
bool tl_xray_collect_names(struct tl_xray_collected *all);
bool tl_xray_collect_arg(struct tl_xray_collected *all, uint64_t value);
bool tl_xray_collect_bytes(struct tl_xray_collected *all, const uint8_t *data, size_t size);
void tl_xray_collected_free(struct tl_xray_collected *all);

/* Write them as a log (log.c): thread by thread. */
int tl_xray_collected_write(struct tl_xray_collected *all, struct tl_output *log,
			    struct tl_error *err);

#endif
