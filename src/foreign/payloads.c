/* SPDX-License-Identifier: Apache-2.0 */
/* What instants say: their arguments, beside the spans, as few spans have any. */
#include <string.h>

#include "foreign/spans.h"

bool tl_foreign_payload_add(struct tl_foreign_spans *s, struct tl_foreign_thread *t,
			    const struct tl_foreign_argument *arguments, uint32_t count)
{
	if (!tl_grow(&t->payloads, &t->payload_capacity, t->payload_count + 1,
		     sizeof(*t->payloads)) ||
	    !tl_grow(&s->arguments, &s->argument_capacity, s->argument_count + count,
		     sizeof(*s->arguments)))
		return false;
	memcpy(s->arguments + s->argument_count, arguments, count * sizeof(*arguments));
	t->payloads[t->payload_count++] = (struct tl_foreign_payload){
		.order = t->spans[t->count - 1].order,
		.count = count,
		.first = s->argument_count,
	};
	s->argument_count += count;
	return true;
}

const struct tl_foreign_argument *tl_foreign_payload_of(const struct tl_foreign_spans *s,
							const struct tl_foreign_thread *t,
							uint32_t order, uint32_t *count)
{
	size_t low = 0, high = t->payload_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (t->payloads[middle].order < order)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	if (low == t->payload_count || t->payloads[low].order != order)
		return NULL;
	*count = t->payloads[low].count;
	return &s->arguments[t->payloads[low].first];
}
