/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOREIGN_JSON_H
#define TL_FOREIGN_JSON_H
/*
 * Going through a JSON text: members of objects and elements of arrays are handed to functions of
 * the format, and a fault costs the element of the array in which it is.
 */
#include "core/text/decimal.h"
#include "core/text/json.h"
#include "foreign/foreign.h"

struct tl_foreign_json {
	struct tl_foreign_file *file;
	struct tl_json json;
	bool ended;       /* by a fault behind which nothing more was found */
	bool open_end;    /* an array may end with the text, behind any element */
	uint64_t record;  /* the number of the present element, as faults tell it */
	uint64_t resumed; /* faults of the text behind which an element was found */
};

/*
 * Takes a value, which it has to read to its end. A member: the present token is its key; an
 * element: it is the first one of the element. 0 or negative, also a fault of the text.
 */
typedef int tl_foreign_value_fn(void *arg, struct tl_error *err);

/* Members of the object whose begin is the present token. */
int tl_foreign_json_members(struct tl_foreign_json *reader, tl_foreign_value_fn *member, void *arg,
			    struct tl_error *err);
/*
 * Elements of the array whose begin is the present token; they begin with `open`, '{' or '[', or 0:
 * behind a fault there is no next one.
 */
int tl_foreign_json_elements(struct tl_foreign_json *reader, uint8_t open,
			     tl_foreign_value_fn *element, void *arg, struct tl_error *err);
/* Read a text: an object or array, which is the present token when `value` is called. */
int tl_foreign_json_text(struct tl_foreign_json *reader, struct tl_source *source,
			 tl_foreign_value_fn *value, void *arg, struct tl_error *err);

/* Behind a key: the value is passed over. */
int tl_foreign_json_skip(struct tl_foreign_json *reader, struct tl_error *err);
/* Behind a key: the value if it is a number; false in *is where it is none. */
int tl_foreign_json_number(struct tl_foreign_json *reader, struct tl_decimal *number, bool *is,
			   struct tl_error *err);
/* Behind a key: the number of a text among the names of the stacks; 0 where it is no text. */
int tl_foreign_json_name(struct tl_foreign_json *reader, uint32_t *name, struct tl_error *err);
/* The same of the present token. */
int tl_foreign_json_name_here(struct tl_foreign_json *reader, uint32_t *name, struct tl_error *err);
/* A fault of what a text says, from `offset` up to here. 0, or in strict mode a status. */
int tl_foreign_json_bad(struct tl_foreign_json *reader, const char *rule, uint64_t offset,
			const char *text, struct tl_error *err);

/* A number as JSON. */
void tl_foreign_put_decimal(struct tl_output *out, const struct tl_decimal *number);

#endif
