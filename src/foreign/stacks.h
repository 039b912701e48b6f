/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOREIGN_STACKS_H
#define TL_FOREIGN_STACKS_H
/*
 * Stacks with costs, as a tree: what a file of samples or of folded stacks is made into. Frames
 * are interned; a node is a frame below another node. The root of a part is a child of node 0.
 */
#include "core/memory.h"
#include "core/trees/path_tree.h"
#include "core/text/decimal.h"
#include "profile/model/model.h"

/* Numbers of names; 0: unknown. */
struct tl_foreign_frame {
	uint32_t name, object, file, line;
};

/* Kinds of costs that are kept apart; the last one is that of all others. */
enum { TL_FOREIGN_EVENTS = 64 };

/* A kind of cost. */
struct tl_foreign_event {
	uint32_t name, unit; /* names */
	unsigned places;     /* costs count units of 10^-places */
	int64_t *costs;      /* by node, or by places of frames (`flat`), up to `capacity` */
	size_t capacity;
};

/* A thread, or whatever the input has side by side. */
struct tl_foreign_part {
	uint64_t process, thread; /* TL_NOWHERE: unknown */
	uint32_t command;         /* a name */
	uint64_t samples;
	uint64_t first_ticks, last_ticks; /* both 0: unknown */
};

struct tl_foreign_stacks {
	struct tl_names names; /* 0 is "" */
	struct tl_foreign_frame *frames;
	size_t frame_count, frame_capacity;
	struct tl_index frame_index;
	uint32_t *named; /* by name: 1 + the frame of which the name alone is known; 0: none yet */
	size_t named_capacity;
	struct tl_foreign_part *parts;
	size_t part_count, part_capacity;
	struct tl_index part_index;
	struct tl_path_tree tree; /* keys are frames, those of the children of node 0 parts */
	struct tl_foreign_event *events;
	size_t event_count, event_capacity;
	bool flat;  /* sums of frames alone, without nodes: what a table of functions needs */
	bool alike; /* siblings may be of one frame, as keys became others */
	uint64_t saturated; /* sums that did not fit */
	uint64_t rounded;   /* costs that had more decimals than are kept */
};

/* False without memory. */
bool tl_foreign_stacks_begin(struct tl_foreign_stacks *stacks);
void tl_foreign_stacks_free(struct tl_foreign_stacks *stacks);

/* The number of a frame, added if it is new; TL_NONE without memory. */
uint32_t tl_foreign_stacks_frame(struct tl_foreign_stacks *stacks,
				 const struct tl_foreign_frame *frame);
/* The same of a frame of which the name alone is known, which has a number already. */
uint32_t tl_foreign_stacks_of_name(struct tl_foreign_stacks *stacks, uint32_t name);
/* The same by its text. */
uint32_t tl_foreign_stacks_named(struct tl_foreign_stacks *stacks, const char *name, size_t size);
/*
 * The number of the part of a process, thread and command, added if it is new; TL_NONE without
 * memory.
 */
uint32_t tl_foreign_stacks_part(struct tl_foreign_stacks *stacks,
				const struct tl_foreign_part *part);
/* The number of the event of a name, added with its unit if it is new; TL_NONE without memory. */
uint32_t tl_foreign_stacks_event(struct tl_foreign_stacks *stacks, const char *name, size_t size,
				 const char *unit);

/* What costs are counted of where there are no nodes: a frame's own, and all with what it calls. */
static inline uint32_t tl_foreign_flat_self(uint32_t frame)
{
	return 2 * frame;
}

static inline uint32_t tl_foreign_flat_inclusive(uint32_t frame)
{
	return 2 * frame + 1;
}

/* For the function below. */
bool tl_foreign_stacks_room(struct tl_foreign_stacks *stacks, uint32_t event, uint32_t node);

/* The child of a node, added if it is new; 0 without memory. */
static inline uint32_t tl_foreign_stacks_child(struct tl_foreign_stacks *s, uint32_t parent,
					       uint32_t frame)
{
	return tl_path_tree_child(&s->tree, parent, frame);
}

/* Add to the cost of a node. False without memory. */
static inline bool tl_foreign_stacks_count(struct tl_foreign_stacks *s, uint32_t node,
					   uint32_t event, int64_t cost)
{
	if (node >= s->events[event].capacity && !tl_foreign_stacks_room(s, event, node))
		return false;
	tl_add_cost(&s->events[event].costs[node], cost, &s->saturated);
	return true;
}

/*
 * A number that may have decimals as a cost of an event: where there are some, its costs are
 * counted in thousandths, millionths or billionths from then on, so that sums stay exact.
 */
int64_t tl_foreign_stacks_scaled(struct tl_foreign_stacks *stacks, uint32_t event,
				 const struct tl_decimal *cost);
/* Add such a number to the cost of a node. False without memory. */
bool tl_foreign_stacks_count_decimal(struct tl_foreign_stacks *stacks, uint32_t node,
				     uint32_t event, const struct tl_decimal *cost);

#endif
