/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees that were drawn, as pprof: each node of each thread comes back by its path, with its values
 * and its thread. protoc decodes what was written; numbers of locations, functions and texts are
 * followed here.
 */
#include "drawn_tree.h"

#include <inttypes.h>

#include "profile/model/model.h"

enum { MOST = 600, NAME = 64, PATH = 256, VALUES = 1 + TREE_EVENTS };

struct sample {
	char path[PATH];
	int64_t thread, values[VALUES];
};

struct decoded {
	char texts[MOST][NAME];
	unsigned text_count;
	unsigned function_names[MOST];     /* by id */
	unsigned location_functions[MOST]; /* by id */
	struct sample samples[MOST];
	unsigned sample_count, type_count;
	uint64_t duration;
	bool has_duration;
};

/* ---- what protoc says ---- */

/* One message a line: "sample { location_id: 2 ... }". */
static char *message_lines(const struct tl_profile *profile)
{
	char command[1024], *bytes, *text;
	size_t size;

	bytes = export_with("pprof", profile, NULL, &size);
	snprintf(command, sizeof(command),
		 "gzip -dc | protoc --decode=Profile -I'%s' profile.proto | tr -s ' \\n' ' ' | "
		 "sed -E 's/(^| )(sample|location|function|string_table|duration_nanos|mapping|"
		 "period_type|period|default_sample_type|sample_type)(:| \\{)/\\n\\2\\3/g'",
		 here());
	text = pipe_through(command, bytes, size);
	free(bytes);
	return text;
}

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

/* The number behind the first "key: " from here on; 0: there is none. */
static uint64_t number_of(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static unsigned place(const char *line, const char *key)
{
	const uint64_t number = number_of(line, key);

	assert_true(number < MOST);
	return (unsigned)number;
}

static void take_text(struct decoded *d, const char *line)
{
	const char *from = strchr(line, '"') + 1, *to = strrchr(line, '"');

	assert_true(d->text_count < MOST && to - from < NAME);
	memcpy(d->texts[d->text_count], from, (size_t)(to - from));
	d->texts[d->text_count++][to - from] = '\0';
}

/* Texts come behind what names them: functions, locations and texts first, samples afterwards. */
static void take_tables(struct decoded *d, const char *line)
{
	if (begins(line, "string_table: "))
		take_text(d, line);
	else if (begins(line, "function {"))
		d->function_names[place(line, " id: ")] = place(line, " name: ");
	else if (begins(line, "location {"))
		d->location_functions[place(line, " id: ")] = place(line, " function_id: ");
	else if (begins(line, "sample_type {"))
		d->type_count++;
	else if (begins(line, "duration_nanos: ")) {
		d->duration = number_of(line, "duration_nanos: ");
		d->has_duration = true;
	}
}

/* Leaf first in the file; the path has the root first. */
static void take_path(const struct decoded *d, const char *line, char *path)
{
	const char *end = strstr(line, " value: ");
	char whole[PATH] = "", more[PATH];

	for (const char *at = line; (at = strstr(at, " location_id: ")) && at < end;) {
		const unsigned function = d->location_functions[place(at, " location_id: ")];

		snprintf(more, sizeof(more), "%.100s%s%.150s",
			 d->texts[d->function_names[function]], *whole ? ";" : "", whole);
		strcpy(whole, more);
		at += strlen(" location_id: ");
	}
	strcpy(path, whole);
}

/* Where no context has calls there is no type for them; costs are the last ones. */
static void take_sample(struct decoded *d, const char *line)
{
	struct sample *sample = &d->samples[d->sample_count++];
	const char *at = strstr(line, " value: ");

	assert_true(d->sample_count < MOST);
	assert_non_null(at);
	take_path(d, line, sample->path);
	for (unsigned i = VALUES - d->type_count; i < VALUES; i++) {
		assert_non_null(at);
		sample->values[i] = strtoll(at + strlen(" value: "), NULL, 10);
		at = strstr(at + 1, " value: ");
	}
	assert_null(at);
	for (at = line; (at = strstr(at, "label { ")) != NULL; at++)
		if (!strcmp(d->texts[place(at, "key: ")], "thread"))
			sample->thread = (int64_t)number_of(at, "num: ");
}

static struct decoded *decode(const struct tl_profile *profile)
{
	struct decoded *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	for (int pass = 0; pass < 2; pass++) {
		char *text = message_lines(profile), *rest;

		for (char *line = strtok_r(text, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			if (!pass)
				take_tables(d, line);
			else if (begins(line, "sample {"))
				take_sample(d, line);
		free(text);
	}
	return d;
}

/* ---- the tree ---- */

static void path_of(const struct tree *tree, int node, char *path)
{
	char more[PATH];

	*path = '\0';
	for (; node >= 0; node = tree->nodes[node].parent) {
		snprintf(more, sizeof(more), "%c%s%.200s", tree->nodes[node].letter,
			 *path ? ";" : "", path);
		strcpy(path, more);
	}
}

static const struct sample *find_sample(const struct decoded *d, const char *path, int64_t thread)
{
	const struct sample *found = NULL;

	for (unsigned i = 0; i < d->sample_count; i++)
		if (d->samples[i].thread == thread && !strcmp(d->samples[i].path, path)) {
			assert_null(found);
			found = &d->samples[i];
		}
	return found;
}

TEST(drawn_trees_come_back)
{
	uint32_t seed = 77;

	need_program("protoc");
	need_program("gzip");
	for (unsigned round = 0; round < 12; round++) {
		struct tree tree;
		struct tl_profile *profile;
		struct decoded *d;

		tree_draw(&tree, &seed, 1 + (int)chance(&seed, TREE_NODES),
			  1 + chance(&seed, TREE_PARTS));
		profile = tree_contexts(&tree, false);
		d = decode(profile);
		assert_int_equal(d->sample_count, (unsigned)tree.count * tree.parts);
		for (int node = 0; node < tree.count; node++)
			for (uint32_t part = 0; part < tree.parts; part++) {
				const struct sample *sample;
				char path[PATH];

				path_of(&tree, node, path);
				sample = find_sample(d, path, part + 1);
				if (!sample)
					fail_msg("round %u: no %s of thread %u", round, path,
						 part + 1);
				assert_int_equal(sample->values[0], tree.nodes[node].calls[part]);
				for (unsigned e = 0; e < TREE_EVENTS; e++)
					assert_int_equal(sample->values[1 + e],
							 tree.nodes[node].self[part][e]);
			}
		assert_false(d->has_duration);
		free(d);
		tl_profile_free(profile);
	}
}

/* ---- how long it took ---- */

static void assert_duration(uint64_t frequency, const uint64_t (*times)[2], uint32_t count,
			    bool known, uint64_t ns)
{
	struct tl_profile *profile = new_profile(frequency, TREE_EVENTS);
	struct decoded *d;
	uint32_t root;

	for (uint32_t part = 0; part < count; part++) {
		assert_int_equal(add_part(profile, 1, part + 1, ""), part);
		profile->parts.list[part].first_ticks = times[part][0];
		profile->parts.list[part].last_ticks = times[part][1];
	}
	root = add_context(profile, TL_NONE, add_function(profile, "", "", "f", 0), 0, 1, 5);
	tl_profile_add_context_cost(profile, root, 0, (const int64_t[]){ 1, 0 });
	finish(profile);
	d = decode(profile);
	assert_int_equal(d->has_duration, known);
	if (known)
		assert_int_equal(d->duration, ns);
	free(d);
	tl_profile_free(profile);
}

/*
 * "duration_nanos": from the first record of any part to the last one of any. Nothing is said where
 * a tick has no known length, no time passed, or a part has no records.
 */
TEST(duration_is_from_the_first_record_to_the_last)
{
	static const uint64_t parts[][2] = { { 500, 900 }, { 300, 700 }, { 0, 0 }, { 600, 1300 } };
	static const uint64_t instant[][2] = { { 400, 400 } };
	static const uint64_t from_nothing[][2] = { { 0, 3000000000 } };
	static const uint64_t wrapped[][2] = { { 1, UINT64_MAX } };

	need_program("protoc");
	need_program("gzip");
	assert_duration(1000000000, parts, 4, true, 1000);
	assert_duration(2000000000, parts, 4, true, 500);
	assert_duration(1000000000, parts + 1, 2, true, 400);
	assert_duration(0, parts, 4, false, 0);
	assert_duration(1000000000, parts + 2, 1, false, 0);
	assert_duration(1000000000, instant, 1, false, 0);
	assert_duration(1000000000, wrapped, 1, false, 0);
	assert_duration(3000000000, from_nothing, 1, true, 1000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_trees_come_back),
		cmocka_unit_test(duration_is_from_the_first_record_to_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
