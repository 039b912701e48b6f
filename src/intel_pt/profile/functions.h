/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_FUNCTIONS_H
#define TL_INTEL_PT_PROFILE_FUNCTIONS_H
/*
 * Functions by address. Where a symbol covers an address, that is its function; parts that a
 * compiler split off (`f.cold`) belong to `f`. Elsewhere each called address is a function, named
 * by its entry: [object+0xoffset].
 */
#include "core/memory.h"
#include "intel_pt/profile/faults.h"

struct tl_binary;
struct tl_profile;
struct tl_pt_mapping;

struct tl_pt_function {
	const char *name, *object, *file; /* "" when unknown */
	uint64_t address;                 /* entry, 0: unknown */
	uint32_t line;
	/* the first of those that a profile takes for one function: of one name, object and file */
	uint32_t first;
	bool by_entry; /* it has no symbol: all code from its entry until it returns */
	bool twice;    /* may return more than once: setjmp(), getcontext() */
	bool ran;      /* in any share of a trace */
	bool left_out; /* it is not put into a profile: it was found, but did not run */
};

/* The function of an address. */
struct tl_pt_name {
	uint32_t function; /* TL_NONE: no symbol */
	bool is_entry;
};

/* The source line of an address. */
struct tl_pt_line {
	const char *file; /* "" when unknown */
	uint32_t line;
};

/* A symbol whose function was looked up before. */
struct tl_pt_known_symbol {
	const struct tl_binary *binary; /* NULL: none is known */
	const char *name;               /* as the binary gives it */
	uint64_t start;
	const char *object; /* interned */
	uint32_t function;
	bool split; /* it is a part that was split off */
};
enum { TL_PT_KNOWN_SYMBOLS = 256 };

struct tl_pt_functions {
	const struct tl_pt_feed *feed;
	bool without_lines; /* no debug information is read for the lines of entries */
	struct tl_names names;
	struct tl_pt_function *list;
	size_t count, capacity;
	struct tl_index by_name, by_entry, by_text;
	struct tl_pt_symbol_file
		*binaries; /* files asked for names, also those that could not be opened */
	size_t binary_count, binary_capacity;
	size_t last_binary;                                   /* the one that was asked for last */
	struct tl_pt_known_symbol known[TL_PT_KNOWN_SYMBOLS]; /* by hash of the start */
	struct tl_pt_nameless *nameless;                      /* objects whose code has no names */
	size_t nameless_count, nameless_capacity;
	bool no_memory; /* sticky */
};

void tl_pt_functions_begin(struct tl_pt_functions *functions, const struct tl_pt_feed *feed);
void tl_pt_functions_end(struct tl_pt_functions *functions);

/*
 * Put all of them into a profile; `numbers` has room for the number of each there. 0 or a negative
 * tl_status.
 */
int tl_pt_functions_put(const struct tl_pt_functions *functions, struct tl_profile *profile,
			uint32_t *numbers, struct tl_error *err);

/* Add messages about debug information that could not be read. False: no memory. */
bool tl_pt_functions_damage(const struct tl_pt_functions *functions, struct tl_pt_faults *faults);

/* The function of an address of the feed's present slice. */
struct tl_pt_name tl_pt_functions_name(struct tl_pt_functions *functions, uint64_t ip);
/* The same of an address in a mapping that is known, be it the present slice's or not. */
struct tl_pt_name tl_pt_functions_name_in(struct tl_pt_functions *functions,
					  const struct tl_pt_mapping *mapping, uint64_t ip);
/* The same, with its source line: for it debug information is read. */
struct tl_pt_name tl_pt_functions_line(struct tl_pt_functions *functions, uint64_t ip,
				       struct tl_pt_line *line);
/*
 * Which of the addresses have the symbol of `ip`, whose name was looked up before, or none if it
 * has none: bit i is address i. Unlike a name, this adds no function, as they need not have run.
 * 0 also where that is not known.
 */
unsigned tl_pt_functions_same(struct tl_pt_functions *functions, uint64_t ip, const uint64_t *to,
			      unsigned count);
/* The function that begins at an address that was called; TL_NONE: no memory. */
uint32_t tl_pt_functions_called(struct tl_pt_functions *functions, uint64_t ip);

/*
 * The landing pad for exceptions that come out of the call with this return address. False: none is
 * known.
 */
bool tl_pt_functions_pad(struct tl_pt_functions *functions, uint64_t back, uint64_t *pad);
/*
 * Call `describe` for each object whose code ran without names, with the reason. False: no memory.
 */
bool tl_pt_functions_describe(const struct tl_pt_functions *functions,
			      bool (*describe)(void *arg, const char *object, const char *why),
			      void *arg);

#endif
