/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_FACTS_H
#define TL_CORE_FACTS_H
/*
 * The description of a file that `info` prints: a tree of named values, written in the order of the
 * calls, as indented text or as one JSON object. Names are those of JSON ("cycle_frequency"); text
 * shows them with blanks ("cycle frequency").
 */
#include <tracelathe/core.h>

struct tl_facts {
	struct tl_output *out;
	bool json;
	unsigned depth;
	bool first; /* nothing written at this depth yet */
};

void tl_facts_begin(struct tl_facts *facts, struct tl_output *out, bool json);
void tl_facts_end(struct tl_facts *facts);

void tl_fact_text(struct tl_facts *facts, const char *name, const char *value);
void tl_fact_u64(struct tl_facts *facts, const char *name, uint64_t value);
void tl_fact_i64(struct tl_facts *facts, const char *name, int64_t value);
void tl_fact_double(struct tl_facts *facts, const char *name, double value);
void tl_fact_bool(struct tl_facts *facts, const char *name, bool value);
/* A named object, closed by tl_facts_close(). */
void tl_facts_object(struct tl_facts *facts, const char *name);
/*
 * A named list; its members are objects begun with tl_facts_item(). Both closed by
 * tl_facts_close*().
 */
void tl_facts_list(struct tl_facts *facts, const char *name);
void tl_facts_item(struct tl_facts *facts);
void tl_facts_close(struct tl_facts *facts);
void tl_facts_close_list(struct tl_facts *facts);

#endif
