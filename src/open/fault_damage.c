/* SPDX-License-Identifier: Apache-2.0 */
#include "open/fault_damage.h"

#include "core/arithmetic.h"

size_t tl_fault_damage(const struct tl_fault_list *faults, struct tl_damage *places, size_t room,
		       uint64_t *count, uint64_t *skipped_bytes)
{
	size_t listed = tl_min(faults->count, room);

	*count = faults->total;
	*skipped_bytes = faults->skipped_bytes;
	for (size_t i = 0; i < listed; i++)
		places[i] = (struct tl_damage){
			.status = faults->list[i].status,
			.text = faults->list[i].text,
			.offset = faults->list[i].offset,
			.length = faults->list[i].length,
			.record = faults->list[i].record,
		};
	return listed;
}

static int put_line(void *arg, const struct tl_fault *fault)
{
	struct tl_fault_lines *lines = arg;

	tl_fault_put(lines->out, lines->json, fault);
	lines->told++;
	return 0;
}

void tl_fault_lines_begin(struct tl_fault_lines *lines, struct tl_fault_list *faults, bool json,
			  struct tl_output *out)
{
	*lines = (struct tl_fault_lines){ .out = out, .json = json };
	faults->tell = put_line;
	faults->arg = lines;
}
