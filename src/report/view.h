/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_VIEW_H
#define TL_REPORT_VIEW_H
/* The view of a report: a profile, the chosen events, the options with their defaults. */
#include <tracelathe/report.h>

#include "core/arithmetic.h"
#include "profile/derive/cycle_costs.h"

struct tl_view {
	const struct tl_profile *profile;
	struct tl_report_options options; /* complete, whatever size the caller's had */
	struct tl_output *out;
	uint32_t *events; /* the chosen ones, at least one */
	uint32_t event_count;
	bool timed;
	bool ends;            /* the profile knows which calls have ended */
	bool counts_calls;    /* else it is of samples */
	bool several_objects; /* then lines name the object too */
	/* Cycles of functions, if the options ask for them; numbered behind the functions. */
	struct tl_cycle_costs cycles;
};

/* Fill a view; tl_view_close() frees it, also after a failure. */
int tl_view_open(struct tl_view *view, const struct tl_profile *profile,
		 const struct tl_report_options *options, struct tl_output *out,
		 struct tl_error *err);
void tl_view_close(struct tl_view *view);

/* Rows are functions, or some of them together, not files, objects and the like. */
bool tl_view_by_functions(const struct tl_view *view);
/* The unit of a row of the function table: "function", "file", "object", ... */
const char *tl_view_unit(const struct tl_view *view);
/* Total of the first chosen event. */
int64_t tl_view_total(const struct tl_view *view);
/* The least cost of the first chosen event that a tree shows (options.threshold of the total). */
double tl_view_floor(const struct tl_view *view);
/* Units of an event per second where it measures time, else 0. */
uint64_t tl_view_rate(const struct tl_view *view, uint32_t event);

/* The lines before a text report: format, size and losses; then an empty line. */
void tl_view_put_head(const struct tl_view *view);
/* `"format":..,"frequency":..,"events":[..],"total":{..}` and `"losses":{..}` of a JSON report. */
void tl_view_put_json_head(const struct tl_view *view);
void tl_view_put_json_losses(const struct tl_view *view);
/* `"function":..,"object":..,"file":..,"line":..,"id":..` */
void tl_view_put_json_function(const struct tl_view *view, uint32_t function);
/* `{"Ir":1,"Dr":2}` of the chosen events. */
void tl_view_put_json_cost(const struct tl_view *view, const int64_t *cost);
/* `,name:suffix` as a field of CSV (RFC 4180). */
void tl_put_csv_pair(struct tl_output *out, const char *name, const char *suffix);
/* `,E:suffix` for one chosen event, `,cost` for each. */
void tl_view_put_csv_event(const struct tl_view *view, uint32_t chosen, const char *suffix);
void tl_view_put_csv_cost(const struct tl_view *view, const int64_t *cost);

/* Functions of the profile, and the cycles shown. */
uint32_t tl_view_function_count(const struct tl_view *view);
const struct tl_function *tl_view_function(const struct tl_view *view, uint32_t function);
/* The totals of one; of a cycle only those over all parts. */
struct tl_function_totals tl_view_totals(const struct tl_view *view, uint32_t function,
					 uint32_t part);
/* The cycle that stands for a function in a table of cycles: its number behind the functions, or
 * TL_NONE. */
uint32_t tl_view_cycle_of(const struct tl_view *view, uint32_t function);
/* Whether the options chose it: a cycle is chosen by any of its functions. */
bool tl_view_chosen(const struct tl_view *view, uint32_t function);

/* Colors of a terminal. */
#define TL_COLOR_DIM "\033[2m"
#define TL_COLOR_HOT "\033[1;31m"
#define TL_COLOR_WARM "\033[33m"
#define TL_COLOR_END "\033[0m"
/* The color of a cost of the first chosen event, by its share; NULL: none, or not asked for. */
const char *tl_view_color(const struct tl_view *view, int64_t cost);
/* The end of a line that begins with a color where colors are asked for. */
void tl_view_end_line(const struct tl_view *view);

/* Name of a function for people: "(outside)" for TL_NONE. */
const char *tl_view_name(const struct tl_view *view, uint32_t function);
/* Functions by name, then by number: <0, 0, >0. */
int tl_view_compare_names(const struct tl_view *view, uint32_t a, uint32_t b);
/*
 * The function's name, with its file and line, and its object when there are several: the last cell
 * of a line whose other text takes `used` columns. Where the terminal has no room for all of it,
 * the name is shortened, and file and object are left out if the name would have hardly any room.
 */
void tl_view_put_function(const struct tl_view *view, uint32_t function, size_t used);

#endif
