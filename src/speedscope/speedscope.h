/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SPEEDSCOPE_SPEEDSCOPE_H
#define TL_SPEEDSCOPE_SPEEDSCOPE_H
/* speedscope's own JSON format (docs/formats/speedscope.md): frames, and profiles that use them. */
#include "foreign/json.h"

extern const struct tl_foreign_reader tl_speedscope_reader;

/* How sure it is that this is such a file, 0 .. 100. */
int tl_speedscope_probe(const uint8_t *data, size_t size);

/* What the values of a profile count. */
struct tl_speedscope_unit {
	const char *name;
	int scale; /* times: nanoseconds are 10^scale of them */
	bool is_time;
	const char *event, *unit; /* of the profile's event */
};

/* A call begins or ends. */
struct tl_speedscope_event {
	struct tl_decimal at;
	uint32_t frame;
	bool begin;
};

enum tl_speedscope_type {
	TL_SPEEDSCOPE_UNKNOWN,
	TL_SPEEDSCOPE_SAMPLED,
	TL_SPEEDSCOPE_EVENTED,
};

/*
 * The present profile: its members may come in any order, so its values are kept until it ends.
 * Nodes, weights and events have their arrays for all profiles.
 */
struct tl_speedscope_profile {
	uint64_t offset;
	enum tl_speedscope_type type;
	uint32_t name;
	const struct tl_speedscope_unit *unit;
	uint32_t *nodes; /* of samples, below the part's root; 0: a bad one */
	size_t node_count, node_capacity;
	struct tl_decimal *weights;
	size_t weight_count, weight_capacity;
	bool all_samples, all_weights; /* the lists were read to their ends */
	/*
	 * A fault of the text in the list of samples may cost some of them, or make two of one. The
	 * samples before `sure` have the weights of their numbers, those from `behind` on have them
	 * counted from the end, and of the others nothing is known. Both SIZE_MAX: there was none.
	 */
	size_t sure, behind;
	uint64_t resumed; /* as the reader had it at the last sample */
	struct tl_speedscope_event *events;
	size_t event_count, event_capacity;
};

struct tl_speedscope_read {
	struct tl_foreign_json reader;
	struct tl_foreign_frame *frames; /* by their number in the file */
	size_t frame_count, frame_capacity;
	uint64_t frame_limit; /* more than any number of a frame that was used */
	struct tl_speedscope_profile profile;
	uint32_t root;  /* of the present profile's part */
	uint32_t ticks; /* the event of evented profiles that become stacks */
	uint64_t profiles, samples, events;
	uint64_t empty;                          /* samples without a frame that have a weight */
	const struct tl_speedscope_unit **units; /* of the threads of spans */
	size_t unit_capacity;
};

/* One profile, whose begin is the present token (profile.c). */
int tl_speedscope_take_profile(void *speedscope, struct tl_error *err);
/* Its end: samples become stacks, events become calls (values.c). */
int tl_speedscope_finish_profile(struct tl_speedscope_read *s, struct tl_error *err);

/* The unit of a name; that of "none" where it is unknown. */
const struct tl_speedscope_unit *tl_speedscope_unit_of(const struct tl_json *json);

#endif
