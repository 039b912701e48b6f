/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_ADAPTERS_FOREIGN_H
#define TL_OPEN_ADAPTERS_FOREIGN_H
/* The operations of the formats that src/foreign/ serves; the row of each has its open(). */
#include "foreign/foreign.h"
#include "open/format.h"

int tl_foreign_open(struct tl_input *input, const struct tl_foreign_reader *reader,
		    const char *const *paths, struct tl_error *err);
void tl_foreign_close(struct tl_input *input);
int tl_foreign_profile(struct tl_input *input, struct tl_profile **profile, struct tl_error *err);
int tl_foreign_info(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err);
int tl_foreign_dump(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err);
int64_t tl_foreign_check(struct tl_input *input, bool json, struct tl_output *out,
			 struct tl_error *err);
int tl_foreign_calls(struct tl_input *input, struct tl_call_source *source,
		     struct tl_calls_options *options, struct tl_error *err);
int tl_foreign_draw(struct tl_input *input, struct tl_timeline *timeline, struct tl_error *err);
/* Faults as places of damage, at most `room`; how many. */
size_t tl_foreign_list_faults(const struct tl_foreign_faults *faults, struct tl_damage *places,
			      size_t room);
size_t tl_foreign_damage(struct tl_input *input, struct tl_damage *places, size_t room,
			 uint64_t *count, uint64_t *skipped_bytes);

#endif
