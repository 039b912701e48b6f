/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images and section caches: which bytes are where. Expected results of files and sizes are those
 * of libipt 2.0.5.
 */
#include <stdio.h>
#include <unistd.h>

#include "../pt_trace.h"

enum { FILE_BYTES = 100 };

static char path[] = "/tmp/pt_image_XXXXXX";

/* A file whose byte n is n. */
static int make_file(void **state)
{
	uint8_t bytes[FILE_BYTES];
	int fd = mkstemp(path);

	(void)state;
	for (int i = 0; i < FILE_BYTES; i++)
		bytes[i] = (uint8_t)i;
	if (fd < 0 || write(fd, bytes, sizeof(bytes)) != sizeof(bytes))
		return -1;
	return close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

/* What stands at an address: the byte, or a negative error; `isid` of its section. */
static int byte_at(const struct tl_pt_image *image, uint64_t ip, const struct tl_pt_asid *asid,
		   int *isid)
{
	uint8_t byte;
	int status = tl_pt_image_read(image, isid, &byte, 1, asid, ip);

	return status < 0 ? status : byte;
}

/* "reaches past the end of the file is left out"; what is not there at all is an error */
TEST(parts_of_files)
{
	struct tl_pt_image *image = tl_pt_image_open(NULL);

	assert_null(tl_pt_image_name(image));
	assert_int_equal(tl_pt_image_add_file(image, path, FILE_BYTES, 10, NULL, 0x1000),
			 -TL_PT_INVALID);
	assert_int_equal(tl_pt_image_add_file(image, "/nonexistent", 0, 10, NULL, 0x1000),
			 -TL_PT_INVALID);
	assert_int_equal(tl_pt_image_add_file(image, "/tmp", 0, 10, NULL, 0x1000), -TL_PT_INVALID);
	assert_int_equal(tl_pt_image_add_file(image, NULL, 0, 10, NULL, 0x1000), -TL_PT_INVALID);
	assert_int_equal(tl_pt_image_add_file(image, path, 90, UINT64_MAX, NULL, 0x1000), 0);
	assert_int_equal(byte_at(image, 0x1000, NULL, NULL), 90);
	assert_int_equal(byte_at(image, 0x1009, NULL, NULL), 99);
	assert_int_equal(byte_at(image, 0x100a, NULL, NULL), -TL_PT_NOMAP);
	/* At the end of the address space the rest is left out. */
	assert_int_equal(tl_pt_image_add_file(image, path, 0, 10, NULL, UINT64_MAX - 4), 0);
	assert_int_equal(byte_at(image, UINT64_MAX, NULL, NULL), 4);
	assert_int_equal(byte_at(image, 0, NULL, NULL), -TL_PT_NOMAP);
	tl_pt_image_close(image);
}

/* "a section added later wins where two overlap": the earlier one falls into two parts */
TEST(overlaps)
{
	static const uint8_t later[3] = { 200, 201, 202 };
	struct tl_pt_image *image = tl_pt_image_open("overlaps"), *copy = tl_pt_image_open(NULL);
	int isid = -1;

	assert_int_equal(tl_pt_image_add_file(image, path, 0, 10, NULL, 0x1000), 0);
	assert_int_equal(tl_pt_image_add_memory(image, later, sizeof(later), NULL, 0x1004, 7), 0);
	assert_int_equal(byte_at(image, 0x1003, NULL, &isid), 3);
	assert_int_equal(isid, 0);
	assert_int_equal(byte_at(image, 0x1004, NULL, &isid), 200);
	assert_int_equal(isid, 7);
	assert_int_equal(byte_at(image, 0x1007, NULL, NULL), 7);
	assert_int_equal(tl_pt_image_copy(copy, image), 0);
	assert_int_equal(byte_at(copy, 0x1006, NULL, NULL), 202);
	assert_int_equal(tl_pt_image_copy(image, image), 0);
	/* Both parts go; what was put between them stays. */
	assert_int_equal(tl_pt_image_remove_by_filename(image, path, NULL), 2);
	assert_int_equal(byte_at(image, 0x1003, NULL, NULL), -TL_PT_NOMAP);
	assert_int_equal(byte_at(image, 0x1005, NULL, NULL), 201);
	assert_int_equal(byte_at(copy, 0x1003, NULL, NULL), 3);
	assert_int_equal(tl_pt_image_remove_by_asid(image, NULL), 1);
	assert_string_equal(tl_pt_image_name(image), "overlaps");
	tl_pt_image_close(image);
	tl_pt_image_close(copy);
}

/* "all ones = any": spaces that cannot see each other hold different bytes at one address */
TEST(address_spaces)
{
	const struct tl_pt_asid one = { 1, TL_PT_ANY }, two = { 2, TL_PT_ANY };
	struct tl_pt_image *image = tl_pt_image_open(NULL);

	assert_int_equal(tl_pt_image_add_file(image, path, 10, 10, &one, 0x1000), 0);
	assert_int_equal(tl_pt_image_add_file(image, path, 20, 10, &two, 0x1000), 0);
	assert_int_equal(byte_at(image, 0x1000, &one, NULL), 10);
	assert_int_equal(byte_at(image, 0x1000, &two, NULL), 20);
	assert_int_equal(tl_pt_image_remove_by_asid(image, &one), 1);
	assert_int_equal(byte_at(image, 0x1000, &one, NULL), -TL_PT_NOMAP);
	assert_int_equal(byte_at(image, 0x1000, &two, NULL), 20);
	/* Any space replaces all. */
	assert_int_equal(tl_pt_image_add_file(image, path, 30, 5, NULL, 0x1000), 0);
	assert_int_equal(byte_at(image, 0x1000, &two, NULL), 30);
	assert_int_equal(byte_at(image, 0x1005, &two, NULL), 25);
	tl_pt_image_close(image);
}

TEST(caches)
{
	struct tl_pt_cache *cache = tl_pt_cache_open("cache");
	struct tl_pt_image *image = tl_pt_image_open(NULL);
	uint8_t bytes[20];
	int isid;

	assert_string_equal(tl_pt_cache_name(cache), "cache");
	assert_int_equal(tl_pt_cache_add_file(cache, path, 0, 10, 0x1000), 1);
	assert_int_equal(tl_pt_cache_add_file(cache, path, 0, 10, 0x1000), 1);
	assert_int_equal(tl_pt_cache_add_file(cache, path, 0, 10, 0x2000), 2);
	assert_int_equal(tl_pt_cache_add_file(cache, path, 90, 100, 0x3000), 3);
	assert_int_equal(tl_pt_cache_add_file(cache, path, 90, 10, 0x3000), 3);
	assert_int_equal(tl_pt_cache_add_file(cache, path, FILE_BYTES, 1, 0x3000), -TL_PT_INVALID);
	/* With a limit that nothing fits in, all is there all the same. */
	for (uint64_t limit = 0; limit < 2; limit++) {
		assert_int_equal(tl_pt_cache_set_limit(cache, limit), 0);
		assert_int_equal(tl_pt_cache_read(cache, bytes, sizeof(bytes), 3, 0x3004), 6);
		assert_int_equal(bytes[0], 94);
		assert_int_equal(tl_pt_cache_read(cache, bytes, 1, 3, 0x300a), -TL_PT_NOMAP);
		assert_int_equal(tl_pt_cache_read(cache, bytes, 1, 3, 0x2fff), -TL_PT_NOMAP);
	}
	assert_int_equal(tl_pt_cache_read(cache, bytes, 0, 1, 0x1000), -TL_PT_INVALID);
	assert_int_equal(tl_pt_cache_read(cache, bytes, 1, 4, 0x1000), -TL_PT_BAD_IMAGE);
	assert_int_equal(tl_pt_image_add_cached(image, cache, 4, NULL), -TL_PT_BAD_IMAGE);
	assert_int_equal(tl_pt_image_add_cached(image, cache, 2, NULL), 0);
	/* An image outlives the cache. */
	tl_pt_cache_close(cache);
	assert_int_equal(byte_at(image, 0x2009, NULL, &isid), 9);
	assert_int_equal(isid, 2);
	tl_pt_image_close(image);
}

/*
 * Gives RET everywhere below 0x2000, and what it was asked for; all or nothing, as a debugger does.
 */
static int read_ret(uint8_t *buffer, size_t size, const struct tl_pt_asid *asid, uint64_t ip,
		    void *arg)
{
	uint64_t *lowest = arg;

	assert_int_equal(asid->vmcs, TL_PT_ANY);
	if (ip + size > 0x2000)
		return -TL_PT_NOMAP;
	*lowest = ip < *lowest ? ip : *lowest;
	memset(buffer, 0xc3, size);
	return (int)size;
}

/* 3.1: the callback has what no section has */
TEST(callbacks)
{
	static const uint8_t trace[] = { START(0x1000), TIP(0x1fff), TIP(0x2000), TIP(0x1000) },
			     nop[] = { 0x90 };
	uint64_t lowest = UINT64_MAX;
	struct scene s;

	open_scene(&s, trace, sizeof(trace), 0x1000, nop, sizeof(nop), TL_PT_CLASSIC);
	assert_int_equal(tl_pt_image_set_callback(s.image, read_ret, &lowest), 0);
	s.status = tl_pt_decoder_sync_set(s.decoder, 0);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	/* A section and the callback are two sections. */
	assert_int_equal(want_block(&s, 0x1000, 0x1000, 1).isid, 1);
	assert_int_equal(want_block(&s, 0x1001, 0x1001, 1).isid, 0);
	/* The last byte it has is found, too. */
	want_block(&s, 0x1fff, 0x1fff, 1);
	want_error(&s, TL_PT_NOMAP, START_BYTES + 14);
	assert_int_equal(lowest, 0x1001);
	assert_int_equal(tl_pt_image_set_callback(s.image, NULL, NULL), 0);
	assert_int_equal(byte_at(s.image, 0x1001, NULL, NULL), -TL_PT_NOMAP);
	close_scene(&s);
}

/*
 * Psb, mode 64, psbend, TIP.PGE with six bytes, TNT: taken, not taken, TIP.PGD without an address.
 */
static size_t short_trace(uint8_t *trace, uint64_t ip)
{
	static const uint8_t head[] = { 0x99, 0x01, 0x02, 0x23, 0x71 }, tail[] = { 0x0c, 0x01 };
	size_t at = 0;

	for (; at < 16; at += 2)
		memcpy(trace + at, "\x02\x82", 2);
	memcpy(trace + at, head, sizeof(head));
	at += sizeof(head);
	for (int i = 0; i < 6; i++)
		trace[at++] = (uint8_t)(ip >> 8 * i);
	memcpy(trace + at, tail, sizeof(tail));
	return at + sizeof(tail);
}

/* JNE to itself, once taken and once not. */
static void decode_at(struct tl_pt_image *image, uint64_t ip)
{
	uint8_t trace[64];
	size_t size = short_trace(trace, ip);
	struct tl_pt_config config = { .size = sizeof(config),
				       .begin = trace,
				       .end = trace + size };
	struct tl_pt_decoder *decoder;
	struct tl_pt_block blocks[4];
	struct tl_pt_event event;
	int status;

	assert_int_equal(tl_pt_decoder_open(&decoder, &config, image), 0);
	status = tl_pt_decoder_sync_forward(decoder);
	while (status >= 0 && status & TL_PT_EVENT_PENDING)
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
	assert_int_equal(tl_pt_decoder_blocks(decoder, blocks, sizeof(*blocks), 2, &status), 2);
	assert_int_equal(blocks[0].ip, ip);
	assert_int_equal(blocks[1].ip, ip);
	tl_pt_decoder_close(decoder);
}

/*
 * "images larger than memory": a file of which nearly nothing is there, and nothing is read that
 * did not run.
 */
TEST(larger_than_memory)
{
	const uint64_t size = UINT64_C(1) << 40, at = UINT64_C(0x100000000000), last = size - 4096;
	static const uint8_t code[] = { 0x75, 0xfe, 0x90, 0xc3 };
	struct tl_pt_cache *cache;
	struct tl_pt_image *image, *cached;
	char big[] = "/tmp/pt_image_XXXXXX";
	int fd = mkstemp(big), isid;

	assert_true(fd >= 0);
	unlink(big);
	snprintf(big, sizeof(big), "/dev/fd/%d", fd);
	/* Not every file system has room for such a name without bytes. */
	if (ftruncate(fd, (off_t)size) ||
	    pwrite(fd, code, sizeof(code), (off_t)last) != sizeof(code)) {
		close(fd);
		skip();
	}
	cache = tl_pt_cache_open(NULL);
	image = tl_pt_image_open(NULL);
	cached = tl_pt_image_open(NULL);
	assert_int_equal(tl_pt_image_add_file(image, big, 0, size, NULL, at), 0);
	assert_int_equal(byte_at(image, at + last, NULL, NULL), 0x75);
	decode_at(image, at + last);
	tl_pt_cache_set_limit(cache, 1 << 20);
	isid = tl_pt_cache_add_file(cache, big, 0, size, at);
	assert_true(isid > 0);
	assert_int_equal(tl_pt_image_add_cached(cached, cache, isid, NULL), 0);
	decode_at(cached, at + last);
	tl_pt_image_close(image);
	tl_pt_image_close(cached);
	tl_pt_cache_close(cache);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_files), cmocka_unit_test(overlaps),
		cmocka_unit_test(address_spaces), cmocka_unit_test(caches),
		cmocka_unit_test(callbacks),      cmocka_unit_test(larger_than_memory),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
