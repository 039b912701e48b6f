/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences and interned texts. */
#include "perfetto/state.h"

void tl_perfetto_state_free(struct tl_perfetto_state *s)
{
	free(s->sequences);
	free(s->interned);
	free(s->tracks);
	free(s->clocks);
	tl_index_free(&s->interned_index);
	tl_index_free(&s->track_index);
	*s = (struct tl_perfetto_state){ .foreign = s->foreign };
}

/* Packets of one sequence come in runs, and there are few sequences: the last ones first. */
struct tl_perfetto_sequence *tl_perfetto_sequence(struct tl_perfetto_state *s, uint32_t id)
{
	for (size_t i = s->sequence_count; i-- > 0;)
		if (s->sequences[i].id == id)
			return &s->sequences[i];
	if (!tl_grow(&s->sequences, &s->sequence_capacity, s->sequence_count + 1,
		     sizeof(*s->sequences)))
		return NULL;
	s->sequences[s->sequence_count] = (struct tl_perfetto_sequence){ .id = id };
	return &s->sequences[s->sequence_count++];
}

static uint64_t hash_of(const struct tl_perfetto_interned *i)
{
	return tl_hash_pair(i->iid, ((uint64_t)i->sequence << 32 | i->generation) * 2 + i->kind);
}

static bool same_interned(const void *context, const void *key, uint32_t number)
{
	const struct tl_perfetto_interned *have =
		&((const struct tl_perfetto_state *)context)->interned[number];
	const struct tl_perfetto_interned *wanted = key;

	return have->iid == wanted->iid && have->sequence == wanted->sequence &&
	       have->generation == wanted->generation && have->kind == wanted->kind;
}

bool tl_perfetto_intern(struct tl_perfetto_state *s, const struct tl_perfetto_interned *interned)
{
	uint32_t number =
		tl_index_find(&s->interned_index, hash_of(interned), same_interned, s, interned);

	if (number == TL_NONE) {
		number = (uint32_t)s->interned_count;
		if (!tl_grow(&s->interned, &s->interned_capacity, s->interned_count + 1,
			     sizeof(*s->interned)) ||
		    !tl_index_add(&s->interned_index, hash_of(interned), number))
			return false;
		s->interned_count++;
	}
	s->interned[number] = *interned;
	return true;
}

const struct tl_perfetto_interned *tl_perfetto_known(const struct tl_perfetto_state *s,
						     const struct tl_perfetto_sequence *sequence,
						     enum tl_perfetto_kind kind, uint64_t iid)
{
	const struct tl_perfetto_interned key = {
		.sequence = sequence->id,
		.generation = sequence->generation,
		.iid = iid,
		.kind = kind,
	};
	uint32_t number = tl_index_find(&s->interned_index, hash_of(&key), same_interned, s, &key);

	return number == TL_NONE ? NULL : &s->interned[number];
}
