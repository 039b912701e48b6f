/* SPDX-License-Identifier: Apache-2.0 */
/* The ground floor where memory runs out. */
#include "../temp_fixture.h"

#include "core/memory.h"
#include "core/output.h"
#include "core/trees/path_tree.h"
#include "packers.h"
#include "../refuse.h"

/* ---- arrays, names, arenas ---- */

/* Lists that grow: whatever was put in before memory ran out is still there. */
static int grow_step(const void *input __attribute__((unused)), uint64_t *digest)
{
	uint32_t *list = NULL;
	size_t capacity = 0, count = 0;

	for (; count < 1000; count++) {
		if (!tl_grow(&list, &capacity, count + 1, sizeof(*list)))
			break;
		list[count] = (uint32_t)count * 3;
	}
	for (size_t i = 0; i < count; i++)
		assert_int_equal(list[i], i * 3);
	refuse_note_number(digest, (int64_t)count);
	free(list);
	return count == 1000 ? 0 : TL_NO_MEMORY;
}

/* Names have one number each, from 1 on; those that were added before can be found afterwards. */
static int names_step(const void *input __attribute__((unused)), uint64_t *digest)
{
	struct tl_names names = { 0 };
	uint32_t added = 0;
	char name[32];

	for (uint32_t i = 1; i <= 300; i++) {
		snprintf(name, sizeof(name), "a name that is long: %u", i);
		if (tl_names_add(&names, name, strlen(name)) != i)
			break;
		added = i;
	}
	for (uint32_t i = 1; i <= added; i++) {
		snprintf(name, sizeof(name), "a name that is long: %u", i);
		assert_int_equal(tl_names_add(&names, name, strlen(name)), i);
		assert_string_equal(tl_names_text(&names, name), name);
	}
	refuse_note_number(digest, added);
	tl_names_free(&names);
	return added == 300 ? 0 : TL_NO_MEMORY;
}

enum { PATHS = 60, PATH_STEPS = 40 };

/* Path i has its first i / 2 keys in common with all later ones. */
static bool follow_path(struct tl_path_tree *tree, size_t i, struct tl_path_step *steps)
{
	for (size_t k = 0; k < PATH_STEPS; k++)
		steps[k].key = k < i / 2 ? k : k + 1000 * i;
	return tl_path_tree_follow(tree, 0, steps, PATH_STEPS);
}

/* Paths that were added are found afterwards, which takes no memory. */
static int paths_step(const void *input __attribute__((unused)), uint64_t *digest)
{
	struct tl_path_step steps[PATH_STEPS];
	struct tl_path_tree tree;
	uint32_t ends[PATHS];
	size_t added = 0, nodes;
	bool ok = tl_path_tree_begin(&tree);

	while (ok && added < PATHS) {
		ok = follow_path(&tree, added, steps);
		if (ok)
			ends[added++] = steps[PATH_STEPS - 1].node;
	}
	nodes = tree.count;
	for (size_t i = 0; i < added; i++) {
		assert_true(follow_path(&tree, i, steps));
		assert_int_equal(steps[PATH_STEPS - 1].node, ends[i]);
	}
	assert_int_equal(tree.count, nodes);
	refuse_note_number(digest, (int64_t)nodes);
	tl_path_tree_free(&tree);
	return added == PATHS ? 0 : TL_NO_MEMORY;
}

/* Small pieces share blocks, large ones have a block each. */
static int arena_step(const void *input __attribute__((unused)), uint64_t *digest)
{
	struct tl_arena arena = { 0 };
	int status = 0;

	for (size_t i = 0; i < 200 && !status; i++) {
		size_t size = i * i % 6007;
		char *piece = i % 2 ? tl_arena_alloc(&arena, size)
				    : tl_arena_copy(&arena, "0123456789", i % 11);

		if (!piece)
			status = TL_NO_MEMORY;
		else if (i % 2)
			memset(piece, 0xa5, size);
		else
			refuse_note_text(digest, piece);
	}
	tl_arena_free(&arena);
	return status;
}

TEST(arrays_names_and_paths)
{
	void *zeros;

	assert_true(refuse_each(grow_step, NULL) > 5);
	assert_true(refuse_each(names_step, NULL) > 10);
	assert_true(refuse_each(arena_step, NULL) > 5);
	assert_true(refuse_each(paths_step, NULL) > 10);
	wrap_arm(1, false);
	zeros = tl_zeroed(10, 8);
	wrap_disarm();
	assert_null(zeros);
}

/* ---- outputs ---- */

static int memory_output_step(const void *input __attribute__((unused)), uint64_t *digest)
{
	struct tl_output *out;
	struct tl_error err;
	const char *bytes;
	size_t size;
	int status = tl_output_open_memory(&out, &err);

	if (status)
		return status;
	for (int i = 0; i < 2000; i++)
		tl_put_format(out, "%d %0300d\n", i, i);
	tl_put_format(out, "%05000d", 1); /* more than the room that a format has at first */
	status = tl_output_finish(out, &err);
	bytes = tl_output_bytes(out, &size);
	assert_int_equal(tl_output_failed(out), status != 0);
	/* "None after a failure." */
	assert_true(status == 0 || size == 0);
	refuse_note(digest, bytes, size);
	tl_output_discard(out);
	return status;
}

/* "A failed run leaves the old file or none", and no other file. */
static int file_output_step(const void *input, uint64_t *digest)
{
	static const char text[] = "the new text";
	struct tl_output *out;
	struct tl_error err;
	char content[64] = "";
	int status = tl_output_open(&out, input, &err);

	if (!status) {
		tl_put_text(out, text);
		status = tl_output_commit(out, &err);
	}

	FILE *file = fopen(input, "r");

	assert_non_null(file);
	assert_non_null(fgets(content, sizeof(content), file));
	fclose(file);
	assert_int_equal(temp_count(&temp), 2);
	if (!status)
		assert_string_equal(content, text);
	refuse_note_text(digest, status ? "" : content);
	return status;
}

TEST(outputs)
{
	char path[512];

	assert_true(refuse_each(memory_output_step, NULL) > 5);
	snprintf(path, sizeof(path), "%s", temp_write(&temp, "profile", "the old text", 12));
	/* A link to it leads to it. */
	assert_int_equal(symlink("profile", temp_path(&temp, "link")), 0);
	assert_true(refuse_each(file_output_step, temp.path) >= 5);
}

/* ---- sources ---- */

struct stored {
	const char *path;
	struct packed bytes; /* in place of the path where there is none */
	bool mapped;
};

static int open_stored(struct tl_source **source, const struct stored *stored, struct tl_error *err)
{
	if (stored->path)
		return tl_source_open(source, stored->path, NULL, err);
	return tl_source_open_memory(source, stored->bytes.data, stored->bytes.size, "memory", err);
}

/* The bytes one way or the other; a fault of the input would be a wrong answer. */
static int source_step(const void *input, uint64_t *digest)
{
	const struct stored *stored = input;
	struct tl_source *source;
	struct tl_error err = { 0 };
	uint8_t buffer[5000];
	const uint8_t *data;
	size_t size;
	int64_t got;
	int status = open_stored(&source, stored, &err);

	if (status)
		return status;
	if (stored->mapped) {
		status = tl_source_map(source, &data, &size, &err);
		if (!status)
			refuse_note(digest, data, size);
	} else {
		while ((got = tl_source_read(source, buffer, sizeof(buffer), &err)) > 0)
			refuse_note(digest, buffer, (size_t)got);
		status = (int)got;
	}
	assert_int_equal(err.status, status);
	assert_null(tl_source_fault(source));
	tl_source_close(source);
	return status;
}

TEST(sources_of_every_kind)
{
	static const char text[] = "the content, the content, and once more the content";
	char path[512];

	for (size_t p = 0; p <= PACKERS; p++) {
		struct packed packed = { 0 };

		/* Two frames, so that one decompressor is used again. */
		for (int frame = 0; p < PACKERS && frame < 2; frame++) {
			struct packed one = packers[p].pack((const uint8_t *)text, sizeof(text));

			append(&packed, one.data, one.size);
			free(one.data);
		}
		if (p == PACKERS)
			append(&packed, text, sizeof(text));
		snprintf(path, sizeof(path), "%s",
			 temp_write(&temp, "stored", packed.data, packed.size));
		for (int way = 0; way < 4; way++) {
			struct stored stored = { way & 1 ? path : NULL, packed, way & 2 };

			assert_true(refuse_each(source_step, &stored) > 1);
		}
		free(packed.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_names_and_paths),
		cmocka_unit_test(outputs),
		cmocka_unit_test(sources_of_every_kind),
	};

	return cmocka_run_group_tests_name("core no_memory", tests, temp_setup, temp_teardown);
}
