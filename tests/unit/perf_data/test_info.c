/* SPDX-License-Identifier: Apache-2.0 */
/* Feature sections (docs/formats/perf-data.md section 3), and what `info` says of a file. */
#include "file.h"

#include "core/output.h"
#include "perf_data/listing/describe.h"

static struct file f;
static size_t table; /* place of the next {offset, size} */

/* ---- features ---- */

static void features_begin(uint64_t bits)
{
	file_end(&f);
	patch64(&f, 72, bits);
	table = f.size;
	put_zeros(&f, 16 * (size_t)__builtin_popcountll(bits));
}

/* The section that was put from `at` on. */
static void feature(size_t at)
{
	patch64(&f, table, at);
	patch64(&f, table + 8, f.size - at);
	table += 16;
}

/* A length, and so many bytes: with what fills up to words of 4. */
static void put_string(const char *text)
{
	const size_t size = strlen(text) + 1, padded = (size + 3) / 4 * 4;

	put32(&f, padded);
	put_bytes(&f, text, size);
	put_zeros(&f, padded - size);
}

static void text_feature(const char *text)
{
	const size_t at = f.size;

	put_string(text);
	feature(at);
}

static void put_build_id(uint32_t pid, uint8_t first, const char *path)
{
	const size_t padded = (strlen(path) + 8) / 8 * 8;

	put_header(&f, 0, 2, 8 + 28 + padded);
	put32(&f, pid);
	put(&f, first, 1);
	put_zeros(&f, 23);
	put_name(&f, path);
}

static void put_features(void)
{
	size_t at;

	features_begin(1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9 |
		       1 << 10 | 1 << 11 | 1 << 12 | 1 << 21 | 1 << 27);
	at = f.size;
	put_build_id(UINT32_MAX, 7, "[kernel.kallsyms]");
	put_build_id(5, 8, "/bin/true");
	feature(at);
	text_feature("host");
	text_feature("6.1.0");
	text_feature("6.1.perf");
	text_feature("x86_64");
	at = f.size;
	put32(&f, 8); /* available */
	put32(&f, 6); /* online */
	feature(at);
	text_feature("a processor");
	text_feature("GenuineIntel,6,85,7");
	at = f.size;
	put64(&f, 4096);
	feature(at);
	at = f.size;
	put32(&f, 3);
	put_string("perf");
	put_string("record");
	put_string("x y");
	feature(at);
	/* EVENT_DESC: how many, the size of an attribute; each with its ids' number and name. */
	at = f.size;
	put32(&f, 1);
	put32(&f, 64);
	put_zeros(&f, 64);
	put32(&f, 1);
	put_string("intel_pt//u");
	put64(&f, 77);
	feature(at);
	at = f.size;
	put64(&f, 1000);
	put64(&f, 3000);
	feature(at);
	at = f.size;
	put_zeros(&f, 20);
	feature(at);
}

TEST(every_feature)
{
	const struct tl_perf_header *h;

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "ab", 0, 5);
	put_features();
	reader_open(&f, NULL);
	assert_no_fault(&f);
	h = tl_perf_header(f.reader);
	assert_string_equal(h->hostname, "host");
	assert_string_equal(h->os_release, "6.1.0");
	assert_string_equal(h->perf_version, "6.1.perf");
	assert_string_equal(h->arch, "x86_64");
	assert_string_equal(h->cpu_description, "a processor");
	assert_string_equal(h->cpuid, "GenuineIntel,6,85,7");
	assert_string_equal(h->command_line, "perf record x y");
	assert_int_equal(h->cpus_available, 8);
	assert_int_equal(h->cpus_online, 6);
	assert_int_equal(h->memory_kb, 4096);
	assert_int_equal(h->first_time_ns, 1000);
	assert_int_equal(h->last_time_ns, 3000);
	assert_true(h->compressed);
	assert_string_equal(tl_perf_attr_at(f.reader, 0)->name, "intel_pt//u");
	reader_close(&f);
}

/* A section that ends within its content is a fault of that section; the others are read. */
TEST(features_cut_short)
{
	size_t sections[16], sizes[16];

	for (size_t cut = 0; cut < 13; cut++) {
		size_t first, listed;
		uint64_t count, skipped;
		const struct tl_perf_fault *faults;

		file_begin(&f, COMMON_TYPE);
		put_comm(&f, 1, 2, "ab", 0, 5);
		first = f.size;
		put_features();
		for (size_t i = 0; i < 13; i++) {
			memcpy(&sections[i], f.bytes + first + 16 * i, 8);
			memcpy(&sizes[i], f.bytes + first + 16 * i + 8, 8);
		}
		patch64(&f, first + 16 * cut + 8, sizes[cut] - 1);
		reader_open(&f, NULL);
		faults = tl_perf_faults(f.reader, &listed, &count, &skipped);
		/*
		 * A build id may lack a byte of its padding, and of COMPRESSED only the bit counts;
		 * the last byte of a text is its terminator.
		 */
		if (cut == 12) {
			assert_int_equal(count, 0);
		} else if (count) {
			assert_int_equal(count, 1);
			assert_int_equal(faults[0].status, TL_BAD_SIZE);
		} else {
			fail_msg("section %zu", cut);
		}
		reader_close(&f);
	}
}

/* The table of sections itself may be cut off: a fault where it ends. */
TEST(a_table_cut_short)
{
	size_t end;

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "ab", 0, 5);
	file_end(&f);
	patch64(&f, 72, 1 << 3);
	end = f.size;
	put_zeros(&f, 15);
	reader_open(&f, NULL);
	assert_fault(&f, TL_BAD_SIZE, end, 0);
	reader_close(&f);
}

/* ---- info ---- */

static void assert_described(const char *wanted)
{
	struct tl_output *out;
	const char *text;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, &f.err), 0);
	assert_int_equal(tl_perf_describe(f.reader, true, out, &f.err), 0);
	text = tl_output_bytes(out, &size);
	if (size != strlen(wanted) || memcmp(text, wanted, size))
		fail_msg("%.*s", (int)size, text);
	tl_output_discard(out);
}

static void put_info_record(void)
{
	const uint64_t words[17] = { 8, 1, 2, 0, 1, 1 << 10, 1 << 11, 3, 0,
				     1, 2, 0, 0, 0, 0x200,   32,      0 };

	put_header(&f, TL_PERF_AUXTRACE_INFO, 0, 8 + 8 + sizeof(words));
	put32(&f, 1);
	put32(&f, 0);
	for (int i = 0; i < 17; i++)
		put64(&f, words[i]);
}

static void put_auxtrace(uint32_t cpu, uint32_t tid, size_t size)
{
	put_header(&f, TL_PERF_AUXTRACE, 0, 48);
	put64(&f, size);
	put_zeros(&f, 16);
	put32(&f, 0);
	put32(&f, tid);
	put32(&f, cpu);
	put32(&f, 0);
	put_zeros(&f, size);
}

static void put_aux(uint64_t flags)
{
	put_header(&f, TL_PERF_AUX, 0, 8 + 24 + TRAILER);
	put_zeros(&f, 16);
	put64(&f, flags);
	put_trailer(&f, 1, 1, 90, 0);
}

static void put_lost(uint64_t count)
{
	put_header(&f, TL_PERF_LOST, 0, 8 + 16 + TRAILER);
	put64(&f, 1);
	put64(&f, count);
	put_trailer(&f, 1, 1, 70, 0);
}

/* Counts by type, times, buffers and losses are those of the records below. */
TEST(a_file_in_facts)
{
	file_begin(&f, COMMON_TYPE);
	put_info_record();
	put_comm(&f, 1, 2, "ab", 0, 50);
	put_comm(&f, 1, 2, "cd", 0, 0);
	put_lost(3);
	put_lost(4);
	put_aux(TL_PERF_AUX_TRUNCATED);
	put_aux(0);
	put_auxtrace(2, 9, 16);
	put_auxtrace(2, 9, 8);
	put_auxtrace(UINT32_MAX, 9, 8);
	put_header(&f, 99, 0, 8);
	put_features();
	reader_open(&f, NULL);
	assert_described(
		"{\"format\":\"perf\",\"mode\":\"file\",\"endianness\":\"little\","
		"\"compression\":\"none\",\"compressed_records\":true,\"size\":1480,"
		"\"data_offset\":192,\"data_size\":688,\"hostname\":\"host\","
		"\"os_release\":\"6.1.0\",\"perf_version\":\"6.1.perf\",\"arch\":\"x86_64\","
		"\"cpus_online\":6,\"cpus_available\":8,\"cpu_description\":\"a processor\","
		"\"cpuid\":\"GenuineIntel,6,85,7\",\"memory_kb\":4096,"
		"\"command\":\"perf record x y\",\"build_ids\":2,\"events\":["
		"{\"name\":\"intel_pt//u\",\"type\":8,\"config\":9729,\"sample_type\":65670,"
		"\"ids\":1}],\"records\":11,\"records_by_type\":{\"LOST\":2,\"COMM\":2,\"AUX\":2,"
		"\"AUXTRACE_INFO\":1,\"AUXTRACE\":3,\"unknown\":1},\"first_time_ns\":50,"
		"\"last_time_ns\":90,\"seconds\":4e-08,\"lost_records\":7,"
		"\"auxtrace\":\"intel-pt\",\"timed\":true,\"cycles\":true,"
		"\"ticks_per_second\":1000000000,\"auxtrace_bytes\":32,\"auxtrace_truncated\":1,"
		"\"by_buffer\":[{\"cpu\":2,\"records\":2,\"bytes\":24},"
		"{\"thread\":9,\"records\":1,\"bytes\":8}],\"damaged_places\":0,"
		"\"skipped_bytes\":0}\n");
	reader_close(&f);
}

/* A pipe without AUX data, of a big-endian machine, with damage: what is not known is not said. */
TEST(a_damaged_pipe_in_facts)
{
	f.big = true;
	f.size = 0;
	put_bytes(&f, "2ELIFREP", 8);
	put64(&f, 16);
	put_header(&f, TL_PERF_HEADER_ATTR, 0, 8 + 64);
	put_attr(&f, 1, 0, 0);
	put_header(&f, TL_PERF_COMM, 0, 12); /* too short */
	put32(&f, 0);
	reader_open(&f, NULL);
	assert_described(
		"{\"format\":\"perf\",\"mode\":\"pipe\",\"endianness\":\"big\","
		"\"compression\":\"none\",\"compressed_records\":false,\"size\":100,"
		"\"data_offset\":16,\"data_size\":84,\"events\":[{\"type\":1,\"config\":9729,"
		"\"sample_type\":0,\"ids\":0}],\"records\":1,\"records_by_type\":"
		"{\"HEADER_ATTR\":1},\"damaged_places\":1,\"skipped_bytes\":12,\"damage\":[{"
		"\"offset\":88,\"length\":12,\"text\":\"a record is too short for its fields; "
		"skipped\"}]}\n");
	reader_close(&f);
	f.big = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_damaged_pipe_in_facts), cmocka_unit_test(every_feature),
		cmocka_unit_test(features_cut_short),      cmocka_unit_test(a_table_cut_short),
		cmocka_unit_test(a_file_in_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
