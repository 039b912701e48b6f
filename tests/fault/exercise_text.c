/* SPDX-License-Identifier: Apache-2.0 */
#include "exercise_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/callgrind.h>
#include <tracelathe/export.h>

#include "parts.h"
#include "profile/model/unsized.h"

struct bytes {
	const uint8_t *data;
	size_t size;
};

struct opened {
	struct tl_source *source;
	struct tl_callgrind_reader *reader;
	struct tl_error err;
};

static bool open_text(struct opened *o, struct bytes in, bool strict)
{
	const struct tl_callgrind_options options = { .size = sizeof(options), .strict = strict };

	*o = (struct opened){ .source = NULL };
	return !tl_source_open_memory(&o->source, in.data, in.size, "memory", &o->err) &&
	       !tl_callgrind_open(&o->reader, o->source, &options, &o->err);
}

static void close_text(struct opened *o)
{
	tl_callgrind_close(o->reader);
	tl_source_close(o->source);
}

/* ---- items ---- */

struct sums {
	uint64_t faults, calls;
	int64_t self; /* of the first column */
	bool overflow;
};

static const char *bad_item(const struct opened *o, const struct tl_callgrind_item *item,
			    uint64_t size)
{
	if (!item->kind || item->kind >= TL_CALLGRIND_KIND_COUNT)
		return "an item of no kind";
	if (item->offset > size || item->length > size - item->offset)
		return "an item reaches past the end of the input";
	if (item->kind == TL_CALLGRIND_NAME && !tl_callgrind_name(o->reader, item->name.number))
		return "a name without a text";
	return NULL;
}

static void add_item(struct sums *sums, const struct tl_callgrind_item *item)
{
	if (item->kind == TL_CALLGRIND_COST && item->cost_count)
		sums->overflow |= __builtin_add_overflow(sums->self, item->costs[0], &sums->self);
	if (item->kind == TL_CALLGRIND_CALL)
		sums->overflow |= __builtin_add_overflow(sums->calls, item->count, &sums->calls);
}

static const char *bad_faults(const struct opened *o, uint64_t size, uint64_t *count)
{
	size_t listed;
	uint64_t skipped;
	const struct tl_callgrind_fault *faults =
		tl_callgrind_faults(o->reader, &listed, count, &skipped);

	if (listed > *count || listed > 1000)
		return "more faults listed than counted, or than 1000";
	if (skipped > size)
		return "more bytes skipped than there are";
	for (size_t i = 0; i < listed; i++)
		if (faults[i].offset > size || faults[i].length > size - faults[i].offset ||
		    !faults[i].text)
			return "a fault without a text or behind the end";
	return NULL;
}

static const char *walk(struct bytes in, struct sums *sums)
{
	struct opened o;
	struct tl_callgrind_item item;
	const char *broken = open_text(&o, in, false) ? NULL : "a text cannot be opened";
	int status = broken ? -1 : 1;

	*sums = (struct sums){ .faults = 0 };
	/* Offsets are those of the expanded text, whose size only the reader knows. */
	if (!broken && strcmp(tl_source_compression(o.source), "none") != 0)
		in.size = SIZE_MAX;
	while (!broken && (status = tl_callgrind_next(o.reader, &item, sizeof(item), &o.err)) > 0) {
		broken = bad_item(&o, &item, in.size);
		add_item(sums, &item);
	}
	if (!broken && status < 0)
		broken = "reading fails where it should skip";
	if (!broken && tl_callgrind_next(o.reader, &item, sizeof(item), &o.err))
		broken = "the end of the items did not stay";
	if (!broken)
		broken = bad_faults(&o, in.size, &sums->faults);
	close_text(&o);
	return broken;
}

/* "--strict stops at the first fault", and only there. */
static const char *walk_strictly(struct bytes in, uint64_t faults)
{
	struct opened o;
	struct tl_callgrind_item item;
	int status = 1;

	if (!open_text(&o, in, true))
		return "a text cannot be opened strictly";
	while (status > 0)
		status = tl_callgrind_next(o.reader, &item, sizeof(item), &o.err);
	close_text(&o);
	if (faults && status >= 0)
		return "strict reading passes over a fault";
	if (!faults && status < 0)
		return "strict reading stops where there is no fault";
	if (status < 0 &&
	    (o.err.status != (enum tl_status)status || !o.err.text || o.err.offset > in.size))
		return "a strict error without a text or behind the end";
	return NULL;
}

/* ---- profiles ---- */

static struct tl_profile *fold(struct bytes in, enum tl_callgrind_detail detail)
{
	const struct tl_callgrind_fold_options options = {
		.size = sizeof(options),
		.part = TL_NOWHERE,
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.detail = detail,
	};
	struct tl_profile *profile = NULL;
	struct opened o;

	if (open_text(&o, in, false) &&
	    tl_callgrind_fold(&o.reader, 1, &options, &profile, &o.err) < 0)
		profile = NULL;
	close_text(&o);
	return profile;
}

/* No call and no cost is lost or invented; both ways of folding say the same of every function. */
static const char *compare(const struct tl_profile *lines, const struct tl_profile *functions,
			   const struct sums *sums)
{
	uint64_t calls = 0;

	if (tl_profile_function_count(lines) < tl_profile_function_count(functions))
		return "the number of functions depends on the detail";
	for (uint32_t i = 0; i < tl_profile_function_count(functions); i++) {
		struct tl_function_totals all;

		tl_profile_totals_of(functions, i, TL_NONE, &all);
		calls += all.calls;
	}
	if (sums->overflow)
		return NULL;
	if (calls != sums->calls)
		return "the calls of the functions are not those of the lines";
	for (uint32_t e = 0; e < tl_profile_event_count(lines); e++)
		if (tl_profile_total(lines)[e] != tl_profile_total(functions)[e] &&
		    !tl_profile_losses_of(lines).saturated)
			return "the total depends on the detail";
	return NULL;
}

struct tally {
	uint64_t violations;
	uint64_t size;
	const char *broken;
};

static int count_violation(void *arg, const struct tl_callgrind_violation *violation)
{
	struct tally *tally = arg;

	tally->violations += violation->damage;
	if (!violation->rule || !violation->text)
		tally->broken = "a violation without a rule or a text";
	if (violation->offset != TL_NOWHERE && violation->offset > tally->size)
		tally->broken = "a violation behind the end of the input";
	return 0;
}

static const char *check(struct bytes in, uint64_t faults)
{
	struct tally tally = { .size = in.size };
	struct opened o;
	int64_t found = -1;

	if (open_text(&o, in, false))
		found = tl_callgrind_check(o.reader, count_violation, &tally, &o.err);
	close_text(&o);
	if (found < 0)
		return "a profile that can be folded cannot be checked";
	if ((uint64_t)found != tally.violations)
		return "the number of violations is not that of the calls that tell damage";
	if (faults && !found)
		return "damage that breaks no rule";
	return tally.broken;
}

/* ---- writing ---- */

/* As a Callgrind file, in memory of its own. */
static bool write_text(const struct tl_profile *profile, enum tl_export_compression compression,
		       struct bytes *to)
{
	const struct tl_export_options options = { .size = sizeof(options),
						   .compression = compression };
	struct tl_output *out;
	struct tl_error err;
	bool ok = !tl_output_open_memory(&out, &err);

	*to = (struct bytes){ NULL, 0 };
	if (!ok)
		return false;
	ok = !tl_exporter_find("callgrind")->write(profile, &options, out, &err);
	if (ok) {
		const char *bytes = tl_output_bytes(out, &to->size);
		uint8_t *copy = malloc(to->size + 1);

		memcpy(copy, bytes, to->size);
		to->data = copy;
	}
	tl_output_discard(out);
	return ok;
}

static bool same_totals(const struct tl_profile *a, const struct tl_profile *b)
{
	if (tl_profile_event_count(a) != tl_profile_event_count(b))
		return false;
	return !memcmp(tl_profile_total(a), tl_profile_total(b),
		       tl_profile_event_count(a) * sizeof(int64_t));
}

/* With costs near the limit it depends on their order whether a sum fits. */
static bool sums_may_not_fit(const struct tl_profile *profile)
{
	uint32_t events = tl_profile_event_count(profile);

	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++)
		for (uint32_t e = 0; e < events; e++)
			if (tl_profile_line_cost(profile, i)[e] / 1024 > INT64_MAX >> 14 ||
			    tl_profile_line_cost(profile, i)[e] / 1024 < INT64_MIN >> 14)
				return true;
	return tl_profile_losses_of(profile).saturated != 0;
}

static const char *write_and_read(const struct tl_profile *profile,
				  enum tl_export_compression compression)
{
	struct bytes once = { NULL, 0 }, twice = { NULL, 0 };
	struct tl_profile *again = NULL;
	struct sums sums;
	const char *broken = NULL;
	bool large = sums_may_not_fit(profile);

	if (!write_text(profile, compression, &once))
		return "a profile cannot be written";
	broken = walk(once, &sums);
	if (!broken && sums.faults && !large)
		broken = "what was written has faults";
	again = broken ? NULL : fold(once, TL_CALLGRIND_LINES);
	if (!broken && (!again || !same_totals(profile, again)) && !large)
		broken = "what was written is another profile";
	if (!broken && again && !large) {
		if (!write_text(again, compression, &twice))
			broken = "what was read again cannot be written";
		else if (once.size != twice.size || memcmp(once.data, twice.data, once.size) != 0)
			broken = "written twice is not the same";
	}
	tl_profile_free(again);
	free((void *)(uintptr_t)once.data);
	free((void *)(uintptr_t)twice.data);
	return broken;
}

const char *exercise_round_trip(const uint8_t *data, size_t size,
				enum tl_export_compression compression)
{
	struct tl_profile *profile = fold((struct bytes){ data, size }, TL_CALLGRIND_LINES);
	const char *broken = profile ? write_and_read(profile, compression) : NULL;

	tl_profile_free(profile);
	return broken;
}

/* Offsets are those of the expanded text, whose size is not known here. */
static bool is_compressed(struct bytes in)
{
	struct opened o;
	bool compressed =
		open_text(&o, in, false) && strcmp(tl_source_compression(o.source), "none") != 0;

	close_text(&o);
	return compressed;
}

static const char *fold_twice(struct bytes in, const struct sums *sums)
{
	struct tl_profile *lines = fold(in, TL_CALLGRIND_LINES);
	struct tl_profile *functions = fold(in, TL_CALLGRIND_FUNCTIONS);
	const char *broken = NULL;

	if (!lines != !functions)
		broken = "whether a profile can be folded depends on the detail";
	else if (lines)
		broken = compare(lines, functions, sums);
	tl_profile_free(lines);
	tl_profile_free(functions);
	return broken;
}

static bool can_be_folded(struct bytes in)
{
	struct tl_profile *profile = fold(in, TL_CALLGRIND_FUNCTIONS);
	bool can = profile != NULL;

	tl_profile_free(profile);
	return can;
}

const char *exercise_reading(const uint8_t *data, size_t size)
{
	const struct bytes in = { data, size };
	struct sums sums;
	const char *broken;

	if (is_compressed(in))
		return NULL;
	broken = walk(in, &sums);
	if (!broken && exercise_does(0, 3))
		broken = walk_strictly(in, sums.faults);
	if (!broken && exercise_does(1, 3))
		broken = fold_twice(in, &sums);
	if (!broken && exercise_does(2, 3) && can_be_folded(in))
		broken = check(in, sums.faults);
	return broken;
}

const char *exercise_text(const uint8_t *data, size_t size)
{
	const char *broken = exercise_reading(data, size);

	for (int c = TL_COMPRESS_NAMES; !broken && c <= TL_COMPRESS_NONE; c++)
		broken = exercise_round_trip(data, size, (enum tl_export_compression)c);
	return broken;
}

/* ---- mutations of text ---- */

struct line {
	size_t start, size; /* with its newline */
};

static struct line line_at(const uint8_t *data, size_t size, size_t at)
{
	struct line line = { at, 0 };
	const uint8_t *stop;

	while (line.start && data[line.start - 1] != '\n')
		line.start--;
	stop = memchr(data + line.start, '\n', size - line.start);
	line.size = stop ? (size_t)(stop - data) + 1 - line.start : size - line.start;
	return line;
}

static void delete_bytes(uint8_t *data, size_t *size, size_t at, size_t count)
{
	memmove(data + at, data + at + count, *size - at - count);
	*size -= count;
}

static const char *delete_line(uint8_t *data, size_t *size, struct line line, struct random *random)
{
	(void)random;
	delete_bytes(data, size, line.start, line.size);
	return "line deleted";
}

static const char *double_line(uint8_t *data, size_t *size, struct line line, struct random *random)
{
	(void)random;
	if (line.size > MUTATE_GROWTH)
		return "nothing";
	memmove(data + line.start + line.size, data + line.start, *size - line.start);
	*size += line.size;
	return "line doubled";
}

static const char *join_lines(uint8_t *data, size_t *size, struct line line, struct random *random)
{
	(void)random;
	if (line.size && data[line.start + line.size - 1] == '\n')
		delete_bytes(data, size, line.start + line.size - 1, 1);
	return "lines joined";
}

static const char *cut_line(uint8_t *data, size_t *size, struct line line, struct random *random)
{
	size_t keep = line.size > 1 ? random_below(random, line.size - 1) : 0;

	if (line.size > 1)
		delete_bytes(data, size, line.start + keep, line.size - 1 - keep);
	return "line cut";
}

static const char *other_character(uint8_t *data, size_t *size, struct line line,
				   struct random *random)
{
	static const char characters[] = "0123456789+-*()=: .xexfn#\t\r\n";

	(void)size;
	if (line.size)
		data[line.start + random_below(random, line.size)] =
			(uint8_t)characters[random_below(random, sizeof(characters) - 1)];
	return "another character";
}

static const char *move_line(uint8_t *data, size_t *size, struct line line, struct random *random)
{
	uint8_t copy[MUTATE_GROWTH];
	struct line to;

	if (!line.size || line.size > sizeof(copy))
		return "nothing";
	memcpy(copy, data + line.start, line.size);
	delete_bytes(data, size, line.start, line.size);
	to = *size ? line_at(data, *size, random_below(random, *size)) : (struct line){ 0, 0 };
	memmove(data + to.start + line.size, data + to.start, *size - to.start);
	memcpy(data + to.start, copy, line.size);
	*size += line.size;
	return "line moved";
}

static const char *insert_text(uint8_t *data, size_t *size, struct line line, struct random *random)
{
	static const char *const texts[] = {
		"18446744073709551615 ",
		"-9223372036854775808 ",
		"0x",
		"(4294967295)",
		"fn=(1)\n",
		"calls=0 0\n",
		"jump=1 1\n",
		"events: A B\n",
		"positions: instr bb line\n",
		"totals: 1\n",
		"part: 2\n",
		"+",
		"* ",
		"1e99 ",
		"event: X = 2 Ir - Dr\n",
		"cfn=(2)\n",
		"fn=(3) (1)'2'(3)\n",
	};
	const char *text = texts[random_below(random, sizeof(texts) / sizeof(texts[0]))];
	size_t length = strlen(text),
	       at = line.start +
		    (text[length - 1] == '\n' ? 0 : random_below(random, line.size + 1));

	memmove(data + at + length, data + at, *size - at);
	memcpy(data + at, text, length);
	*size += length;
	return "text inserted";
}

const char *mutate_text(uint8_t *data, size_t *size, struct random *random)
{
	static const char *(*const kinds[])(uint8_t *, size_t *, struct line, struct random *) = {
		delete_line,     double_line,     join_lines, cut_line,
		other_character, other_character, move_line,  insert_text,
	};
	struct line line;

	if (!*size)
		return "nothing";
	line = line_at(data, *size, random_below(random, *size));
	return kinds[random_below(random, sizeof(kinds) / sizeof(kinds[0]))](data, size, line,
									     random);
}
