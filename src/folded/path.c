/* SPDX-License-Identifier: Apache-2.0 */
#include "folded/path.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/cursor.h"

void tl_folded_path_free(struct tl_folded_path *p)
{
	tl_folded_frames_free(&p->frames);
	free(p->text);
	free(p->ends);
	free(p->steps);
}

/* Bytes that two texts begin with alike. */
static size_t common_bytes(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	const size_t size = tl_min(a_size, b_size);
	size_t i = 0;

	while (i + 8 <= size && tl_get64(a + i) == tl_get64(b + i))
		i += 8;
	while (i < size && a[i] == b[i])
		i++;
	return i;
}

size_t tl_folded_path_known(const struct tl_folded_path *p, const uint8_t *stack, size_t size,
			    size_t *common)
{
	size_t known = p->count;

	*common = common_bytes(stack, size, p->text, p->size);
	while (known && p->ends[known - 1] > *common)
		known--;
	/* The last one may go on in one of them. */
	if (known && p->ends[known - 1] < size && stack[p->ends[known - 1]] != ';')
		known--;
	return known;
}

static bool keep_text(struct tl_folded_path *p, const uint8_t *stack, size_t size, size_t common)
{
	if (!tl_grow(&p->text, &p->capacity, size + 1, 1))
		return false;
	memcpy(p->text + common, stack + common, size - common);
	p->size = size;
	return true;
}

static bool room_for_frame(struct tl_folded_path *p, size_t number)
{
	return (number < p->step_capacity ||
		tl_grow(&p->steps, &p->step_capacity, number + 1, sizeof(*p->steps))) &&
	       (number < p->end_capacity ||
		tl_grow(&p->ends, &p->end_capacity, number + 1, sizeof(*p->ends)));
}

/* The ends and hashes of the frames from one on. The number of frames; 0 without memory. */
static size_t cut_frames(struct tl_folded_path *p, const uint8_t *stack, size_t size, size_t number)
{
	size_t next = number ? p->ends[number - 1] + 1 : 0;

	for (; next <= size; next = p->ends[number++] + 1) {
		if (!room_for_frame(p, number))
			return 0;
		p->ends[number] =
			(size_t)(tl_folded_frame_end(&p->frames, stack + next, stack + size,
						     &p->steps[number].hash) -
				 stack);
	}
	return number;
}

bool tl_folded_path_take(struct tl_folded_path *p, const uint8_t *stack, size_t size, size_t known,
			 size_t common)
{
	size_t count, next = known ? p->ends[known - 1] + 1 : 0;

	p->count = 0;
	if (!keep_text(p, stack, size, common))
		return false;
	count = cut_frames(p, stack, size, known);
	for (size_t i = known; i < count; next = p->ends[i++] + 1) {
		const uint32_t frame = tl_folded_frame(&p->frames, stack + next, p->ends[i] - next,
						       p->steps[i].hash);

		if (frame == TL_NONE)
			return false;
		p->steps[i].key = frame;
	}
	p->count = count;
	return count != 0;
}
