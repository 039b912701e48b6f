/* SPDX-License-Identifier: Apache-2.0 */
/* The damage that all files of an input met. */
#include <stdlib.h>

#include "core/sized.h"
#include "core/source.h"
#include "open/format.h"

enum { DAMAGE_LISTED = 1000, COUNTED = 64 };

/* Append the places of one file to those listed already. */
static void add_damage(struct tl_input *input, struct tl_damage *places, size_t room,
		       size_t *listed, uint64_t *count, uint64_t *skipped_bytes)
{
	const struct tl_error *fault = tl_source_fault(input->source);
	uint64_t own_count = 0, own_bytes = 0;
	size_t first = *listed;

	if (fault && *listed < room)
		places[(*listed)++] = (struct tl_damage){
			.status = fault->status,
			.text = fault->text,
			.offset = fault->offset,
			.record = TL_NOWHERE,
		};
	if (input->format->damage)
		*listed += input->format->damage(input, places + *listed, room - *listed,
						 &own_count, &own_bytes);
	for (size_t i = first; input->path && i < *listed; i++)
		places[i].path = input->path;
	*count += own_count + (fault != NULL);
	*skipped_bytes += own_bytes;
}

uint64_t tl_input_damage_count(struct tl_input *input, uint64_t *skipped_bytes)
{
	/* Places are counted where there is room for them: without memory, here. */
	struct tl_damage counted[COUNTED], *places = counted;
	uint64_t count = 0, skipped = 0;
	size_t room = COUNTED, listed = 0;

	if (!input->damage)
		input->damage = calloc(DAMAGE_LISTED, sizeof(*input->damage));
	if (input->damage) {
		places = input->damage;
		room = DAMAGE_LISTED;
	}
	add_damage(input, places, room, &listed, &count, &skipped);
	for (size_t i = 0; i < input->other_count; i++)
		add_damage(input->others[i], places, room, &listed, &count, &skipped);
	input->damage_listed = input->damage ? listed : 0;
	if (skipped_bytes)
		*skipped_bytes = skipped;
	return count;
}

int tl_input_damage(const struct tl_input *input, size_t number, struct tl_damage *damage,
		    size_t size)
{
	int status;

	if (number >= input->damage_listed)
		return 0;
	status = tl_give(damage, size, sizeof(*damage), &input->damage[number], sizeof(*damage));
	if (status < 0)
		return status;
	return 1;
}
