/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: files, pipes and memory; reading, mapping, progress. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "core/source.h"
#include "sources.h"

/* ---- what cannot be opened ---- */

static void open_fails(const char *path, int code, const char *text)
{
	struct tl_source *source = (struct tl_source *)1;
	struct tl_error err = { 0 };

	assert_int_equal(tl_source_open(&source, path, NULL, &err), TL_IO);
	assert_int_equal(err.status, TL_IO);
	assert_int_equal(err.sys_errno, code);
	assert_true(err.offset == TL_NOWHERE);
	assert_string_equal(err.text, text);
	assert_null(source);
}

static void missing_files_and_directories_are_errors(void **state)
{
	open_fails(temp_path(*state, "missing"), ENOENT, "cannot open");
	open_fails(((struct temp *)*state)->directory, EISDIR, "is a directory");
	temp_write(*state, "file", "x", 1);
	open_fails(temp_path(*state, "file/below"), ENOTDIR, "cannot open");
	/* Page 0 is not mapped. */
	open_fails("/proc/self/mem", EIO, "cannot read");
}

/* ---- as they are ---- */

static void plain_files_of_any_size(void **state)
{
	uint8_t *content = make_content(1000000);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *path = temp_write(*state, "plain", content, sizes[i]);
		struct tl_source *source = open_at(path);

		assert_string_equal(tl_source_name(source), path);
		assert_string_equal(tl_source_compression(source), "none");
		assert_int_equal(tl_source_stored_size(source), sizes[i]);
		assert_int_equal(read_and_compare(source, content, sizes[i]), sizes[i]);
		assert_clean(source);
		source = open_at(path);
		assert_maps(source, content, sizes[i]);
		assert_clean(source);
	}
	free(content);
}

TEST(plain_memory)
{
	uint8_t *content = make_content(300000);
	struct packed packed = { content, 300000 };
	struct tl_source *source = open_bytes(&packed);
	const uint8_t *data;
	size_t size;

	assert_int_equal(read_and_compare(source, content, 300000), 300000);
	assert_clean(source);
	source = open_bytes(&packed);
	assert_maps(source, content, 300000);
	/* The caller's bytes, not a copy. */
	tl_source_map(source, &data, &size, NULL);
	assert_ptr_equal(data, content);
	assert_clean(source);
	free(content);
	source = open_bytes(&(struct packed){ NULL, 0 });
	assert_maps(source, (const uint8_t *)"", 0);
	assert_clean(source);
}

/* Files of /proc are regular, of size 0, and not empty. */
TEST(files_that_do_not_know_their_size)
{
	struct tl_source *source = open_at("/proc/self/cmdline");
	const uint8_t *data;
	size_t size, wanted;
	char *text = temp_read("/proc/self/cmdline", &wanted);

	assert_int_equal(tl_source_stored_size(source), 0);
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	assert_int_equal(size, wanted);
	assert_memory_equal(data, text, size);
	free(text);
	assert_clean(source);
}

/* ---- pipes ---- */

static void *feed_late(void *arg)
{
	usleep(50000);
	return feed(arg);
}

TEST(pipes_are_read_and_mapped)
{
	uint8_t *content = make_content(1000000);

	for (int map = 0; map < 2; map++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			pthread_t thread;
			struct feed arg = { .data = content, .size = sizes[i] };
			struct tl_source *source = open_pipe(&thread, &arg);

			assert_int_equal(tl_source_stored_size(source), 0);
			if (map)
				assert_maps(source, content, sizes[i]);
			else
				assert_int_equal(read_and_compare(source, content, sizes[i]),
						 sizes[i]);
			assert_clean(source);
			pthread_join(thread, NULL);
		}
	}
	free(content);
}

/* Someone else made the pipe non-blocking: its bytes are waited for. */
TEST(a_pipe_that_does_not_block_is_waited_for)
{
	uint8_t *content = make_content(300000);
	struct feed arg = { .data = content, .size = 300000 };
	int ends[2], copy = dup(STDIN_FILENO);
	pthread_t thread;

	assert_int_equal(pipe(ends), 0);
	arg.fd = ends[1];
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(pthread_create(&thread, NULL, feed_late, &arg), 0);
	struct tl_source *source = open_at("-");
	const uint8_t *data;
	size_t size;
	int status = tl_source_map(source, &data, &size, NULL);

	dup2(copy, STDIN_FILENO);
	close(copy);
	pthread_join(thread, NULL);
	assert_int_equal(status, 0);
	assert_int_equal(size, 300000);
	assert_memory_equal(data, content, size);
	assert_clean(source);
	free(content);
}

/* "-" is standard input, from where it stands. */
static void standard_input_is_read_from_where_it_stands(void **state)
{
	uint8_t *content = make_content(5000);
	const char *path = temp_write(*state, "plain", content, 5000);

	for (int from = 0; from < 2000; from += 1000) {
		int copy = dup(STDIN_FILENO), fd = open(path, O_RDONLY);

		assert_int_equal(lseek(fd, from, SEEK_SET), from);
		dup2(fd, STDIN_FILENO);
		close(fd);
		struct tl_source *source = open_at("-");

		assert_string_equal(tl_source_name(source), "-");
		assert_maps(source, content + from, (size_t)(5000 - from));
		assert_clean(source);
		/* It is not ours to close. */
		assert_int_not_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
		dup2(copy, STDIN_FILENO);
		close(copy);
	}
	free(content);
}

/* ---- views ---- */

/* Let the process have so much more address space than it has now. @return what it might have */
static struct rlimit limit_address_space(rlim_t more)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long long pages = 0;
	struct rlimit before, limit;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%llu", &pages), 1);
	fclose(file);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	return before;
}

enum { MANY_BYTES = 48 << 20, ROOM_FOR_VIEWS = 24 << 20 };

static void assert_views(struct tl_source *source, const uint8_t *content)
{
	static const struct {
		uint64_t offset;
		size_t size;
	} parts[] = { { 0, 1 },
		      { 4095, 2 },
		      { 4096, 4096 },
		      { 1234567, 3 << 20 },
		      { MANY_BYTES - 1, 1 },
		      { 12345, 1 } };
	struct tl_source_view view = { .data = NULL };
	const uint8_t *data;
	struct tl_error err;
	size_t size;

	assert_int_equal(tl_source_map_or_view(source, &data, &size, &err), 0);
	assert_null(data);
	assert_int_equal(size, MANY_BYTES);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		assert_int_equal(
			tl_source_view(source, &view, parts[i].offset, parts[i].size, &err), 0);
		assert_memory_equal(view.data, content + parts[i].offset, parts[i].size);
	}
	/* What does not fit is told, and the view shows nothing. */
	assert_int_equal(tl_source_view(source, &view, 0, MANY_BYTES, &err), TL_NO_MEMORY);
	assert_null(view.data);
	assert_int_equal(tl_source_map(source, &data, &size, &err), TL_NO_MEMORY);
	assert_int_equal(tl_source_view(source, &view, 7, 7, &err), 0);
	tl_source_view_end(&view);
	tl_source_view_end(&view);
	assert_clean(source);
}

/* Files, and what is in a temporary file. */
static void bytes_that_the_address_space_cannot_hold_are_viewed(void **state)
{
#ifdef __SANITIZE_ADDRESS__
	skip(); /* it needs address space without end */
#endif
	uint8_t *content = make_content(MANY_BYTES);
	struct packed packed = pack_zstd(content, MANY_BYTES);
	const char *path = temp_write(*state, "plain", content, MANY_BYTES);
	struct rlimit before = limit_address_space(ROOM_FOR_VIEWS);
	assert_views(open_at(path), content);
	assert_views(open_bytes(&packed), content);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	free(packed.data);
	free(content);
}

/* Nothing else changes: small files are mapped, and all are where there is no limit. */
static void bytes_that_fit_are_mapped(void **state)
{
	uint8_t *content = make_content(MANY_BYTES);
	const char *path = temp_write(*state, "plain", content, MANY_BYTES);
	struct tl_source *source = open_at(path);
	const uint8_t *data;
	size_t size;

	assert_int_equal(tl_source_map_or_view(source, &data, &size, NULL), 0);
	assert_int_equal(size, MANY_BYTES);
	assert_memory_equal(data, content, size);
	assert_maps(source, content, size);
	assert_clean(source);
	free(content);
}

/* ---- the temporary file ---- */

static void a_temporary_directory_that_is_not_there_is_an_error(void **state)
{
	struct packed packed = pack_zstd((const uint8_t *)"content", 7);
	struct tl_source *source = open_bytes(&packed);
	const char *old = getenv("TMPDIR");
	char *kept = old ? strdup(old) : NULL;
	struct tl_error err = { 0 };
	const uint8_t *data;
	size_t size;

	setenv("TMPDIR", temp_path(*state, "missing"), 1);
	int status = tl_source_map(source, &data, &size, &err);

	setenv("TMPDIR", ((struct temp *)*state)->directory, 1);
	struct tl_source *other = open_bytes(&packed);
	int other_status = tl_source_map(other, &data, &size, NULL);

	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
	assert_int_equal(status, TL_IO);
	assert_int_equal(err.sys_errno, ENOENT);
	assert_int_equal(other_status, 0);
	assert_memory_equal(data, "content", 7);
	/* It has no name. */
	assert_int_equal(temp_count(*state), 0);
	tl_source_close(source);
	tl_source_close(other);
	free(packed.data);
}

/* All that can be read, by the way that needs no temporary file; the fault behind it. */
static uint8_t *read_all(const struct packed *packed, size_t *size, struct tl_error *fault)
{
	enum { ROOM = 4000000 };
	struct tl_source *source = open_bytes(packed);
	uint8_t *all = malloc(ROOM);
	int64_t got;

	assert_non_null(all);
	for (*size = 0; (got = tl_source_read(source, all + *size, ROOM - *size, NULL)) > 0;)
		*size += (size_t)got;
	assert_int_equal(got, 0);
	*fault = (struct tl_error){ .status = TL_OK };
	if (tl_source_fault(source))
		*fault = *tl_source_fault(source);
	tl_source_close(source);
	return all;
}

static void assert_mapped_as_read(const struct packed *packed)
{
	struct tl_error fault;
	size_t size;
	uint8_t *all = read_all(packed, &size, &fault);
	struct tl_source *source = open_bytes(packed);

	assert_maps(source, all, size);
	if (fault.status) {
		assert_fault(source, fault.status, fault.offset);
		assert_string_equal(tl_source_fault(source)->text, fault.text);
		tl_source_close(source);
	} else {
		assert_clean(source);
	}
	free(all);
}

/* What a thread writes while the next chunk is expanded is what is read without it. */
TEST(large_compressed_input_is_mapped_as_it_is_read)
{
	uint8_t *content = make_content(3000000);
	struct packed packed = pack_zstd(content, 3000000);
	const size_t whole = packed.size;

	assert_true(whole > 1000000);
	assert_mapped_as_read(&packed);
	for (size_t cut = 1; cut < 8; cut++) {
		packed.size = whole / 8 * cut + cut;
		assert_mapped_as_read(&packed);
	}
	packed.size = whole;
	for (size_t at = whole / 7; at < whole; at += whole / 7) {
		packed.data[at] ^= 0x55;
		assert_mapped_as_read(&packed);
	}
	free(packed.data);
	free(content);
}

static int cancel_late(void *arg, uint64_t done, uint64_t all)
{
	(void)all;
	return done > *(const uint64_t *)arg;
}

/* Cancelled while a chunk is still being written. */
TEST(mapping_of_compressed_input_can_be_cancelled)
{
	uint8_t *content = make_content(3000000);
	struct packed packed = pack_zstd(content, 3000000);

	for (uint64_t late = 0; late < packed.size; late += packed.size / 3) {
		const struct tl_source_options options = { .size = sizeof(options),
							   .progress = cancel_late,
							   .progress_arg = &late };
		const char *path = temp_write(*state, "packed", packed.data, packed.size);
		struct tl_source *source;
		struct tl_error err = { 0 };
		const uint8_t *data;
		size_t size;

		assert_int_equal(tl_source_open(&source, path, &options, &err), 0);
		assert_int_equal(tl_source_map(source, &data, &size, &err), TL_IO);
		assert_int_equal(err.sys_errno, ECANCELED);
		tl_source_close(source);
	}
	free(packed.data);
	free(content);
}

/* A temporary file that gets no room is the system's refusal, not damage. */
TEST(a_full_temporary_directory_is_an_error)
{
	uint8_t *content = make_content(1000000);
	struct packed packed = pack_zstd(content, 1000000);
	struct tl_source *source = open_bytes(&packed);
	struct rlimit limit, small;
	struct tl_error err = { 0 };
	const uint8_t *data;
	size_t size;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 500000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int status = tl_source_map(source, &data, &size, &err);

	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(status, TL_IO);
	assert_int_equal(err.sys_errno, EFBIG);
	assert_string_equal(err.text, "cannot write the temporary file");
	assert_clean(source);
	free(packed.data);
	free(content);
}

static size_t resident(const uint8_t *data, size_t size)
{
	size_t pages = (size + 4095) / 4096, count = 0;
	char line[256];
	FILE *file = fopen("/proc/self/smaps", "r");
	unsigned long start, end, kib;
	bool inside = false;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = start == (unsigned long)(uintptr_t)data;
		else if (inside && sscanf(line, "Rss: %lu kB", &kib) == 1)
			count = kib * 1024 / 4096;
	}
	fclose(file);
	assert_true(count <= pages);
	return count;
}

/* "their memory may be given back": who releases what was read holds few pages. */
static void released_pages_are_given_back(void **state)
{
	enum { SIZE = 8 << 20, STEP = 1000 };
	uint8_t *content = make_content(SIZE);
	struct packed packed = pack_zstd(content, SIZE);
	struct tl_source *sources[2] = { open_at(temp_write(*state, "plain", content, SIZE)),
					 open_bytes(&packed) };

	for (int i = 0; i < 2; i++) {
		const uint8_t *data;
		size_t size, most = 0;

		assert_int_equal(tl_source_map(sources[i], &data, &size, NULL), 0);
		for (size_t at = 0; at < SIZE; at += STEP) {
			size_t count = SIZE - at < STEP ? SIZE - at : STEP;

			assert_memory_equal(data + at, content + at, count);
			tl_source_release(sources[i], at, count);
			if (at % (STEP * 1024) == 0 && resident(data, size) > most)
				most = resident(data, size);
		}
		/* One touch may map all of a folio, up to 2 MiB. */
		assert_in_range(most, 1, 1024);
		assert_clean(sources[i]);
	}
	free(packed.data);
	free(content);
}

static bool is_mapped(const char *path)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4096];
	bool found = false;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		found |= strstr(line, path) != NULL;
	fclose(file);
	return found;
}

/* Bytes of the caller are his: they are neither given back nor unmapped, whole pages or not. */
static void only_our_mappings_are_unmapped(void **state)
{
	enum { SIZE = 5 * 4096 };
	uint8_t *content = make_content(SIZE), *aligned = aligned_alloc(4096, SIZE);
	const char *path = temp_write(*state, "plain", content, SIZE);
	struct tl_source *source = open_at(path);
	const uint8_t *data;
	size_t size;

	memcpy(aligned, content, SIZE);
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	assert_true(is_mapped(path));
	tl_source_release(source, SIZE, 1);
	tl_source_release(source, 4096, UINT64_MAX);
	assert_memory_equal(data, content, SIZE);
	assert_clean(source);
	assert_false(is_mapped(path));

	source = open_bytes(&(struct packed){ aligned, SIZE });
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	tl_source_release(source, 0, SIZE);
	assert_memory_equal(data, content, SIZE);
	assert_clean(source);
	assert_memory_equal(aligned, content, SIZE);
	free(aligned);
	free(content);
}

/* ---- progress ---- */

struct progress {
	uint64_t done, total;
	int calls, stop_at;
};

static int note_progress(void *arg, uint64_t done, uint64_t total)
{
	struct progress *progress = arg;

	/* It never goes back. */
	assert_true(done >= progress->done);
	progress->done = done;
	progress->total = total;
	return ++progress->calls == progress->stop_at;
}

static struct tl_source *open_with_progress(const char *path, struct progress *progress)
{
	struct tl_source_options options = {
		.size = sizeof(options),
		.progress = note_progress,
		.progress_arg = progress,
	};
	struct tl_source *source;

	*progress = (struct progress){ .stop_at = progress->stop_at };
	assert_int_equal(tl_source_open(&source, path, &options, NULL), 0);
	return source;
}

/* "Called now and then": each MiB or so, and at the end. */
static void progress_counts_stored_bytes(void **state)
{
	enum { SIZE = 5 << 20 };
	uint8_t *content = make_content(SIZE);
	const char *path = temp_write(*state, "plain", content, SIZE);
	struct progress progress = { 0 };
	struct tl_source *source = open_with_progress(path, &progress);
	const uint8_t *data;
	size_t size;

	read_and_compare(source, content, SIZE);
	tl_source_close(source);
	assert_in_range(progress.calls, 4, 6);
	assert_int_equal(progress.done, SIZE);
	assert_int_equal(progress.total, SIZE);

	source = open_with_progress(path, &progress);
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	for (uint64_t done = 1000; done < SIZE; done += 1000)
		assert_int_equal(tl_source_tick(source, done, NULL), 0);
	assert_int_equal(tl_source_tick(source, SIZE, NULL), 0);
	tl_source_close(source);
	assert_in_range(progress.calls, 4, 6);
	assert_int_equal(progress.done, SIZE);

	struct packed packed = pack_zstd(content, SIZE);

	source = open_with_progress(temp_write(*state, "packed", packed.data, packed.size),
				    &progress);
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	assert_int_equal(progress.done, packed.size);
	int calls = progress.calls;

	for (uint64_t done = 1000; done < SIZE; done += 1000)
		assert_int_equal(tl_source_tick(source, done, NULL), 0);
	assert_in_range(progress.calls - calls, 3, 5);
	assert_int_equal(progress.done, packed.size);
	assert_int_equal(progress.total, packed.size);
	tl_source_close(source);
	free(packed.data);
	free(content);
}

/* Bytes between frames are stored bytes, too. */
static void progress_counts_padding(void **state)
{
	static const uint8_t content[1000];
	struct packed packed = pack_xz(content, sizeof(content));
	uint8_t *padded = calloc(1, packed.size + 8);
	struct progress progress = { 0 };
	struct tl_source *source;

	memcpy(padded, packed.data, packed.size);
	source = open_with_progress(temp_write(*state, "padded", padded, packed.size + 8),
				    &progress);
	assert_int_equal(read_and_compare(source, content, sizeof(content)), sizeof(content));
	assert_clean(source);
	assert_int_equal(progress.done, packed.size + 8);
	assert_int_equal(progress.total, packed.size + 8);
	free(padded);
	free(packed.data);
}

/* A look at the first bytes fails as reading them would. */
static void a_look_can_be_stopped(void **state)
{
	struct progress progress = { .stop_at = 1 };
	struct tl_source *source =
		open_with_progress(temp_write(*state, "small", "text", 4), &progress);
	const uint8_t *data;
	size_t size;

	assert_int_equal(tl_source_peek(source, &data, &size, NULL), TL_IO);
	tl_source_close(source);
	source = open_at(temp_path(*state, "small"));
	assert_int_equal(tl_source_peek(source, &data, &size, NULL), 0);
	assert_int_equal(size, 4);
	tl_source_close(source);
}

static void a_hook_can_stop_the_work(void **state)
{
	enum { SIZE = 5 << 20 };
	uint8_t *content = make_content(SIZE);
	const char *path = temp_write(*state, "plain", content, SIZE);
	struct progress progress = { .stop_at = 2 };
	struct tl_source *source = open_with_progress(path, &progress);
	struct tl_error err = { 0 };
	uint8_t buffer[4096];
	int64_t got;
	const uint8_t *data;
	size_t size;

	while ((got = tl_source_read(source, buffer, sizeof(buffer), &err)) > 0)
		;
	assert_int_equal(got, TL_IO);
	assert_int_equal(err.sys_errno, ECANCELED);
	tl_source_close(source);

	source = open_with_progress(path, &progress);
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	assert_int_equal(tl_source_tick(source, 2 << 20, NULL), 0);
	err = (struct tl_error){ 0 };
	assert_int_equal(tl_source_tick(source, 4 << 20, &err), TL_IO);
	assert_int_equal(err.sys_errno, ECANCELED);
	tl_source_close(source);
	free(content);
}

#define WITH_FIXTURE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(missing_files_and_directories_are_errors),
		WITH_FIXTURE(plain_files_of_any_size),
		WITH_FIXTURE(plain_memory),
		WITH_FIXTURE(files_that_do_not_know_their_size),
		WITH_FIXTURE(pipes_are_read_and_mapped),
		WITH_FIXTURE(a_pipe_that_does_not_block_is_waited_for),
		WITH_FIXTURE(standard_input_is_read_from_where_it_stands),
		WITH_FIXTURE(bytes_that_the_address_space_cannot_hold_are_viewed),
		WITH_FIXTURE(bytes_that_fit_are_mapped),
		WITH_FIXTURE(a_temporary_directory_that_is_not_there_is_an_error),
		cmocka_unit_test(large_compressed_input_is_mapped_as_it_is_read),
		WITH_FIXTURE(mapping_of_compressed_input_can_be_cancelled),
		WITH_FIXTURE(a_full_temporary_directory_is_an_error),
		WITH_FIXTURE(released_pages_are_given_back),
		WITH_FIXTURE(only_our_mappings_are_unmapped),
		WITH_FIXTURE(progress_counts_stored_bytes),
		WITH_FIXTURE(progress_counts_padding),
		WITH_FIXTURE(a_look_can_be_stopped),
		WITH_FIXTURE(a_hook_can_stop_the_work),
	};

	return cmocka_run_group_tests_name("core source", tests, NULL, NULL);
}
