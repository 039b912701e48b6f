/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every record type: bytes as UAPI (enum perf_event_type) and section 4 of
 * docs/formats/perf-data.md lay them out, and the line that dump writes of them.
 */
#include "file.h"

#include <stdio.h>

#include "core/output.h"
#include "perf_data/listing/describe.h"

static struct file f;

/* A member of a record: so many bytes, and their value. Width 0 ends the list. */
struct member {
	unsigned width;
	uint64_t value;
};

struct sample_record {
	uint32_t type;
	uint16_t misc;
	struct member body[14];
	const char *text; /* behind them, NULL: none */
	const char *line; /* behind "size N misc M" and the trailer */
};

#define TRAILER_TEXT " process 9 thread 10 cpu 3 time 11 id 77"

static const struct sample_record records[] = {
	{ TL_PERF_MMAP,
	  2,
	  { { 4, 1 }, { 4, 2 }, { 8, 0x400000 }, { 8, 0x2000 }, { 8, 0x1000 } },
	  "/bin/true",
	  " pid 1 tid 2 addr 0x400000 len 0x2000 pgoff 0x1000 filename \"/bin/true\"" },
	{ TL_PERF_LOST, 0, { { 8, 5 }, { 8, 6 } }, NULL, " lost_id 5 lost 6" },
	{ TL_PERF_COMM, 0, { { 4, 1 }, { 4, 2 } }, "name", " pid 1 tid 2 comm \"name\"" },
	{ TL_PERF_EXIT,
	  0,
	  { { 4, 1 }, { 4, 2 }, { 4, 3 }, { 4, 4 }, { 8, 5 } },
	  NULL,
	  " pid 1 ppid 2 tid 3 ptid 4 task_time 5" },
	{ TL_PERF_THROTTLE,
	  0,
	  { { 8, 1 }, { 8, 2 }, { 8, 3 } },
	  NULL,
	  " throttle_time 1 throttle_id 2 throttle_stream 3" },
	{ TL_PERF_UNTHROTTLE,
	  0,
	  { { 8, 4 }, { 8, 5 }, { 8, 6 } },
	  NULL,
	  " throttle_time 4 throttle_id 5 throttle_stream 6" },
	{ TL_PERF_FORK,
	  0,
	  { { 4, 6 }, { 4, 7 }, { 4, 8 }, { 4, 9 }, { 8, 10 } },
	  NULL,
	  " pid 6 ppid 7 tid 8 ptid 9 task_time 10" },
	{ TL_PERF_READ, 0, { { 4, 1 }, { 4, 2 } }, NULL, " pid 1 tid 2" },
	{ TL_PERF_MMAP2,
	  2,
	  { { 4, 1 },
	    { 4, 2 },
	    { 8, 0x400000 },
	    { 8, 0x2000 },
	    { 8, 0x1000 },
	    { 4, 8 },
	    { 4, 9 },
	    { 8, 10 },
	    { 8, 11 },
	    { 4, 5 },
	    { 4, 2 } },
	  "/x",
	  " pid 1 tid 2 addr 0x400000 len 0x2000 pgoff 0x1000 maj 8 min 9 ino 10 ino_generation 11"
	  " prot 0x5 flags 0x2 filename \"/x\"" },
	{ TL_PERF_MMAP2,
	  2 | 1 << 14,
	  { { 4, 1 },
	    { 4, 2 },
	    { 8, 0x400000 },
	    { 8, 0x2000 },
	    { 8, 0x1000 },
	    { 4, 3 }, /* bytes of the id */
	    { 8, 0x9988776655030201 },
	    { 8, 0 },
	    { 4, 0 },
	    { 4, 5 },
	    { 4, 2 } },
	  "/x",
	  " pid 1 tid 2 addr 0x400000 len 0x2000 pgoff 0x1000 maj 0 min 0 ino 0 ino_generation 0"
	  " build_id 010203 prot 0x5 flags 0x2 filename \"/x\"" },
	{ TL_PERF_AUX,
	  0,
	  { { 8, 0x10 }, { 8, 0x20 }, { 8, 1 } },
	  NULL,
	  " aux_offset 0x10 aux_size 0x20 flags 0x1" },
	{ TL_PERF_ITRACE_START, 0, { { 4, 3 }, { 4, 4 } }, NULL, " pid 3 tid 4" },
	{ TL_PERF_LOST_SAMPLES, 0, { { 8, 7 } }, NULL, " lost_id 0 lost 7" },
	{ TL_PERF_SWITCH, 1 << 13, { { 0, 0 } }, NULL, "" },
	{ TL_PERF_SWITCH_CPU_WIDE,
	  0,
	  { { 4, 3 }, { 4, 4 } },
	  NULL,
	  " next_prev_pid 3 next_prev_tid 4" },
	{ TL_PERF_NAMESPACES,
	  0,
	  { { 4, 3 }, { 4, 4 }, { 8, 1 }, { 8, 0 }, { 8, 0 } },
	  NULL,
	  " pid 3 tid 4 nr_namespaces 1" },
	{ TL_PERF_KSYMBOL,
	  0,
	  { { 8, 0xffffffff81000000 }, { 4, 0x40 }, { 2, 1 }, { 2, 2 } },
	  "sym",
	  " addr 0xffffffff81000000 len 0x40 ksym_type 1 flags 0x2 name \"sym\"" },
	{ TL_PERF_BPF_EVENT,
	  0,
	  { { 2, 1 }, { 2, 2 }, { 4, 3 }, { 8, 0 } },
	  NULL,
	  " bpf_type 1 flags 0x2 bpf_id 3" },
	{ TL_PERF_CGROUP, 0, { { 8, 5 } }, "/c", " cgroup 5 path \"/c\"" },
	{ TL_PERF_TEXT_POKE,
	  0,
	  { { 8, 0x1000 }, { 2, 1 }, { 2, 3 }, { 4, 0 } },
	  NULL,
	  " addr 0x1000 old_len 1 new_len 3" },
	{ TL_PERF_AUX_OUTPUT_HW_ID, 0, { { 8, 0xab } }, NULL, " hw_id 0xab" },
	{ TL_PERF_HEADER_BUILD_ID,
	  2,
	  { { 4, 1 },
	    { 8, 0x0807060504030201 },
	    { 8, 0x100f0e0d0c0b0a09 },
	    { 4, 0x14131211 },
	    { 4, 0x04 } },
	  "/y",
	  " pid 1 build_id 0102030405060708090a0b0c0d0e0f1011121314 filename \"/y\"" },
	{ TL_PERF_HEADER_BUILD_ID,
	  2 | 1 << 15,
	  { { 4, 1 },
	    { 8, 0x0807060504030201 },
	    { 8, 0x100f0e0d0c0b0a09 },
	    { 4, 0x14131211 },
	    { 4, 0x04 } },
	  "/y",
	  " pid 1 build_id 01020304 filename \"/y\"" },
	{ TL_PERF_FINISHED_ROUND, 0, { { 0, 0 } }, NULL, "" },
	{ TL_PERF_ID_INDEX,
	  0,
	  { { 8, 1 }, { 8, 2 }, { 8, 3 }, { 8, 4 }, { 8, 5 } },
	  NULL,
	  " nr 1" },
	{ TL_PERF_AUXTRACE_INFO,
	  0,
	  { { 4, 1 }, { 4, 0 }, { 8, 8 }, { 8, 9 } },
	  NULL,
	  " auxtrace_type 1 words 2" },
	{ TL_PERF_AUXTRACE,
	  0,
	  { { 8, 0 }, { 8, 0x30 }, { 8, 0x40 }, { 4, 5 }, { 4, 6 }, { 4, 7 }, { 4, 0 } },
	  NULL,
	  " trace_size 0x0 trace_offset 0x30 reference 0x40 idx 5 trace_tid 6 trace_cpu 7" },
	{ TL_PERF_AUXTRACE_ERROR,
	  0,
	  { { 4, 1 }, { 4, 2 }, { 4, 3 }, { 4, 4 }, { 4, 5 }, { 4, 0 }, { 8, 0x60 }, { 8, 7 } },
	  "bad",
	  " error_type 1 code 2 error_cpu 3 pid 4 tid 5 ip 0x60 error_time 7 msg \"bad\"" },
	{ TL_PERF_THREAD_MAP, 0, { { 8, 1 }, { 8, 2 }, { 8, 3 }, { 8, 4 } }, NULL, " nr 1" },
	{ TL_PERF_STAT_CONFIG, 0, { { 8, 1 }, { 8, 2 }, { 8, 3 } }, NULL, " nr 1" },
	{ TL_PERF_STAT,
	  0,
	  { { 8, 1 }, { 4, 2 }, { 4, 3 }, { 8, 4 }, { 8, 5 }, { 8, 6 } },
	  NULL,
	  " stat_id 1 stat_cpu 2 stat_thread 3 val 4 ena 5 run 6" },
	{ TL_PERF_EVENT_UPDATE, 0, { { 8, 1 }, { 8, 2 } }, NULL, " update 1 update_id 2" },
	{ TL_PERF_TIME_CONV,
	  0,
	  { { 8, 1 }, { 8, 2 }, { 8, 3 } },
	  NULL,
	  " time_shift 1 time_mult 2 time_zero 3 time_cycles 0 time_mask 0x0" },
	{ TL_PERF_TIME_CONV,
	  0,
	  { { 8, 1 }, { 8, 2 }, { 8, 3 }, { 8, 4 }, { 8, 0xff }, { 8, 1 } },
	  NULL,
	  " time_shift 1 time_mult 2 time_zero 3 time_cycles 4 time_mask 0xff" },
	{ TL_PERF_HEADER_FEATURE, 0, { { 8, 99 } }, NULL, " feature 99" },
	{ TL_PERF_FINISHED_INIT, 0, { { 0, 0 } }, NULL, "" },
};

static bool has_trailer(uint32_t type)
{
	return type < TL_PERF_HEADER_ATTR;
}

/* Returns the size of the record. */
static size_t put_record(const struct sample_record *r)
{
	const size_t at = f.size;

	put_header(&f, r->type, r->misc, 0);
	for (const struct member *m = r->body; m->width; m++)
		put(&f, m->value, m->width);
	if (r->text)
		put_name(&f, r->text);
	if (has_trailer(r->type))
		put_trailer(&f, 9, 10, 11, 3);
	f.bytes[at + (f.big ? 7 : 6)] = (uint8_t)(f.size - at);
	return f.size - at;
}

static void assert_line(const struct sample_record *r, size_t size)
{
	struct tl_output *out;
	const void *data;
	size_t length;
	char wanted[512];

	snprintf(wanted, sizeof(wanted), "0xc0 %s size %zu misc 0x%x%s%s\n",
		 tl_perf_type_name(r->type), size, r->misc,
		 has_trailer(r->type) ? TRAILER_TEXT : "", r->line);
	assert_int_equal(tl_output_open_memory(&out, &f.err), 0);
	assert_int_equal(tl_perf_dump(f.reader, false, out, &f.err), 0);
	data = tl_output_bytes(out, &length);
	assert_int_equal(length, strlen(wanted));
	assert_memory_equal(data, wanted, length);
	tl_output_discard(out);
}

/* All fields of each type, in both byte orders; 0xc0 is where the data section begins. */
TEST(every_type)
{
	for (size_t i = 0; i < 2 * sizeof(records) / sizeof(records[0]); i++) {
		const struct sample_record *r = &records[i / 2];
		const bool has_bytes = r->type == TL_PERF_HEADER_BUILD_ID ||
				       (r->type == TL_PERF_MMAP2 && r->misc & 1 << 14);
		size_t size;

		/* Build ids are bytes: written as numbers they are those of little-endian. */
		if (i % 2 && has_bytes)
			continue;
		f.big = i % 2;
		file_begin(&f, COMMON_TYPE);
		size = put_record(r);
		file_end(&f);
		reader_open(&f, NULL);
		assert_line(r, size);
		assert_no_fault(&f);
		reader_close(&f);
	}
	f.big = false;
}

/* A record that ends within its fields is skipped, wherever that is. */
TEST(every_type_cut_short)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		const struct sample_record *r = &records[i];
		struct member body[2] = { { 0, 0 }, { 0, 0 } };
		struct sample_record cut = *r;

		/* Types whose fields may be absent altogether. */
		if (!r->body[0].width)
			continue;
		memcpy(cut.body, body, sizeof(body));
		cut.text = NULL;
		file_begin(&f, COMMON_TYPE);
		put_record(&cut);
		put_comm(&f, 1, 2, "next", 0, 5);
		file_end(&f);
		reader_open(&f, NULL);
		assert_int_equal(next(&f), 1);
		assert_text(f.rec.comm.name, "next");
		assert_fault(&f, TL_BAD_SIZE, DATA_AT, has_trailer(r->type) ? 40 : 8);
		reader_close(&f);
	}
}

/* Counts are bounded by the bytes behind them: one more than fits is a fault of the content. */
TEST(counts_beyond_the_record)
{
	static const struct {
		uint32_t type;
		size_t at; /* of the count in the body */
		uint64_t fits;
	} rows[] = {
		{ TL_PERF_NAMESPACES, 8, 1 },
		{ TL_PERF_ID_INDEX, 0, 1 },
		{ TL_PERF_THREAD_MAP, 0, 1 },
		{ TL_PERF_STAT_CONFIG, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t j = 0; j < sizeof(records) / sizeof(records[0]); j++) {
			if (records[j].type != rows[i].type)
				continue;
			file_begin(&f, COMMON_TYPE);
			put_record(&records[j]);
			patch64(&f, DATA_AT + 8 + rows[i].at, rows[i].fits + 1);
			file_end(&f);
			reader_open(&f, NULL);
			assert_int_equal(next(&f), 0);
			assert_fault(&f, TL_BAD_RECORD, DATA_AT, f.size - DATA_AT);
			reader_close(&f);
		}
}

/* "time_zero_valid": without it TIME_CONV has no conversion (section 4). */
TEST(a_conversion_without_a_zero)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_TIME_CONV, 0, 56);
	for (uint64_t i = 1; i <= 5; i++)
		put64(&f, i);
	put64(&f, 0x0100); /* zero_valid 0, short_valid 1 */
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_false(f.rec.time_conv.zero_valid);
	assert_true(f.rec.time_conv.short_valid);
	reader_close(&f);
}

/* JSON has the same members, addresses as text. */
TEST(as_json)
{
	static const char wanted[] =
		"{\"offset\":192,\"record\":\"COMM\",\"size\":56,\"misc\":\"0x2000\","
		"\"process\":1,\"thread\":2,\"cpu\":0,\"time\":5,\"id\":77,\"pid\":1,\"tid\":2,"
		"\"comm\":\"a\\\"b\"}\n"
		"{\"offset\":248,\"record\":\"unknown-99\",\"size\":8,\"misc\":\"0x0\"}\n";
	struct tl_output *out;
	size_t length;

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "a\"b", 1 << 13, 5);
	put_header(&f, 99, 0, 8);
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(tl_output_open_memory(&out, &f.err), 0);
	assert_int_equal(tl_perf_dump(f.reader, true, out, &f.err), 0);
	assert_memory_equal(tl_output_bytes(out, &length), wanted, sizeof(wanted) - 1);
	assert_int_equal(length, sizeof(wanted) - 1);
	tl_output_discard(out);
	reader_close(&f);
}

/* ---- samples ---- */

/* The members of the first sample behind its trailer, up to the end of its line. */
static void assert_sample(const char *wanted)
{
	struct tl_output *out;
	const char *text, *found;
	size_t length;

	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(tl_output_open_memory(&out, &f.err), 0);
	assert_int_equal(tl_perf_dump(f.reader, true, out, &f.err), 0);
	text = tl_output_bytes(out, &length);
	found = memmem(text, length, "\"aux_size\":0", 12);
	assert_non_null(found);
	found += 12;
	assert_true((size_t)(text + length - found) >= strlen(wanted));
	assert_memory_equal(found, wanted, strlen(wanted));
	tl_output_discard(out);
	assert_no_fault(&f);
	reader_close(&f);
}

/* Fields of PERF_SAMPLE_DATA_SRC, TRANSACTION, PHYS_ADDR, CGROUP and the two sizes of pages. */
TEST(rare_fields_of_samples)
{
	file_begin(&f, COMMON_TYPE | 1 << 15 | 1 << 17 | 1 << 19 | 1 << 21 | 1 << 22 | 1 << 23);
	put_header(&f, TL_PERF_SAMPLE, 2, 8 + 32 + 48);
	put64(&f, 77);
	put32(&f, 9);
	put32(&f, 10);
	put64(&f, 11);
	put64(&f, 3);
	put64(&f, 0x68100142);
	put64(&f, 0x3);
	put64(&f, 0x12345000);
	put64(&f, 41);
	put64(&f, 4096);
	put64(&f, 2097152);
	assert_sample(",\"data_src\":\"0x68100142\",\"transaction\":\"0x3\","
		      "\"phys_addr\":\"0x12345000\",\"cgroup\":41,\"data_page_size\":4096,"
		      "\"code_page_size\":2097152}\n");
}

/* "union perf_sample_weight": var1_dw is the lowest word, then var2_w and var3_w. */
TEST(weights_of_three_parts)
{
	file_begin(&f, COMMON_TYPE | 1 << 24);
	put_header(&f, TL_PERF_SAMPLE, 2, 8 + 32 + 8);
	put64(&f, 77);
	put32(&f, 9);
	put32(&f, 10);
	put64(&f, 11);
	put64(&f, 3);
	put64(&f, 0x0007000600000005);
	assert_sample(",\"var2_w\":6,\"var3_w\":7}\n");
}

/* The form of the kernel's format files; the ID is the config of put_attr(), 0x2601. */
static const char tracepoint[] =
	"name: other\nID: 97\nformat:\n"
	"\tfield:int wrong;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"wrong\"\n"
	"name: mixed\nID: 9729\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char comm[6];\toffset:8;\tsize:6;\tsigned:0;\n"
	"\tfield:u16 half;\toffset:14;\tsize:2;\tsigned:0;\n"
	"\tfield:int error;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] path;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:const void * at;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned char key[3];\toffset:32;\tsize:3;\tsigned:0;\n"
	"\tfield:u8 last;\toffset:35;\tsize:1;\tsigned:0;\n"
	"\tfield:__rel_loc u8[] bytes;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] gone;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:s64 long;\toffset:44;\tsize:8;\tsigned:1;\n"
	"\tfield:u64 beyond;\toffset:60;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"%s\", REC->comm\n";

enum { RAW_BYTES = 60 };

static void put_tracepoint_sample(void)
{
	put_header(&f, TL_PERF_SAMPLE, 2, 8 + 32 + 4 + RAW_BYTES);
	put64(&f, 77);
	put32(&f, 9);
	put32(&f, 10);
	put64(&f, 11);
	put64(&f, 3);
	put32(&f, RAW_BYTES);
	put32(&f, 0x2601);
	put32(&f, 10);
	put_bytes(&f, "ab\"c\0", 6);
	put16(&f, 0xfffe);
	put32(&f, (uint32_t)-2);
	put32(&f, 4 << 16 | 52);
	put64(&f, 0xffff888000001234);
	put_bytes(&f, "\1\2\xab", 3);
	put(&f, 200, 1);
	put32(&f, 2 << 16 | 16); /* from behind this word on: at 56 */
	put32(&f, 9 << 16 | 52);
	put64(&f, (uint64_t)-3);
	put_bytes(&f, "x/y\0", 4);
	put_bytes(&f, "\xca\xfe\0\0", 4);
}

/* Fields of tracepoints, by type (section 4): texts, numbers, pointers, and what lies elsewhere. */
TEST(fields_of_a_tracepoint)
{
	const size_t size = (sizeof(tracepoint) + 7) / 8 * 8;

	file_begin(&f, COMMON_TYPE | 1 << 10);
	f.bytes[104] = 2; /* PERF_TYPE_TRACEPOINT */
	put_header(&f, TL_PERF_HEADER_TRACING_DATA, 0, 12);
	put32(&f, size);
	put_bytes(&f, tracepoint, sizeof(tracepoint));
	put_zeros(&f, size - sizeof(tracepoint));
	put_tracepoint_sample();
	assert_sample(
		",\"fields\":{\"comm\":\"ab\\\"c\",\"half\":65534,\"error\":-2,"
		"\"path\":\"x/y\",\"at\":\"0xffff888000001234\",\"key\":\"0102ab\","
		"\"last\":200,\"bytes\":\"cafe\",\"gone\":null,\"long\":-3,\"beyond\":null}}\n");
}

static void assert_described(const char *text, const char *wanted)
{
	const size_t length = strlen(text), size = (length + 7) / 8 * 8;

	file_begin(&f, COMMON_TYPE | 1 << 10);
	f.bytes[104] = 2;
	put_header(&f, TL_PERF_HEADER_TRACING_DATA, 0, 12);
	put32(&f, size);
	put_bytes(&f, text, length);
	put_zeros(&f, size - length);
	put_tracepoint_sample();
	assert_sample(wanted);
}

/* Types with stars and brackets, lines that are no fields, and the first of two descriptions. */
TEST(forms_of_fields)
{
	assert_described("name: a\nID: 9729\nformat:\n"
			 "\tfield:const char *at;\toffset:24;\tsize:8;\tsigned:0;\n"
			 "\tfield:char *list[1];\toffset:24;\tsize:8;\tsigned:0;\n"
			 "\tfield:nothing;\toffset:8;\tsize:1;\tsigned:0;\n"
			 "\tfield:int no_end\toffset:8\tsize:1\tsigned:0\n"
			 "\tfield:int no_place;\tsize:1;\tsigned:0;\n"
			 "\tfield:int far;\toffset:18446744073709551615;\tsize:2;\tsigned:0;\n"
			 "\tfield:int odd;\toffset:32;\tsize:3;\tsigned:1;\n"
			 "\nprint fmt: \"\"\n"
			 "name: b\nID: 9729\nformat:\n"
			 "\tfield:u8 other;\toffset:8;\tsize:1;\tsigned:0;\n"
			 "\nprint fmt: \"\"\n",
			 ",\"fields\":{\"at\":\"0xffff888000001234\","
			 "\"list\":\"341200008088ffff\",\"no_place\":null,\"far\":null,"
			 "\"odd\":\"0102ab\"}}\n");
}

/* A description that is cut does not go on in the next one. */
TEST(a_description_without_its_end)
{
	assert_described("name: a\nID: 9729\nformat:\n"
			 "\tfield:u8 one;\toffset:8;\tsize:1;\tsigned:0;\n"
			 "name: b\nID: 9730\nformat:\n"
			 "\tfield:u8 two;\toffset:9;\tsize:1;\tsigned:0;\n"
			 "\nprint fmt: \"\"\n",
			 "}\n");
	assert_described("name: a\nID: 9729\nformat:\n\nprint fmt:", ",\"fields\":{}}\n");
}

/* A tracepoint that is not described has no fields, nor has an event of another kind. */
TEST(samples_without_fields)
{
	for (unsigned type = 1; type <= 2; type++) {
		file_begin(&f, COMMON_TYPE | 1 << 10);
		f.bytes[104] = (uint8_t)type;
		if (type == 1) {
			put_header(&f, TL_PERF_HEADER_TRACING_DATA, 0, 12);
			put32(&f, 8);
			put_bytes(&f, "ID: 9729", 8);
		}
		put_tracepoint_sample();
		assert_sample("}\n");
	}
}

/* Names of types and features: those that perf itself prints. */
TEST(names)
{
	assert_null(tl_perf_type_name(0));
	assert_null(tl_perf_type_name(30));
	assert_null(tl_perf_type_name(TL_PERF_TYPE_COUNT));
	assert_string_equal(tl_perf_type_name(84), "BPF_METADATA");
	assert_null(tl_perf_feature_name(0));
	assert_string_equal(tl_perf_feature_name(1), "TRACING_DATA");
	assert_string_equal(tl_perf_feature_name(21), "SAMPLE_TIME");
	assert_string_equal(tl_perf_feature_name(31), "PMU_CAPS");
	assert_null(tl_perf_feature_name(32));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type),
		cmocka_unit_test(every_type_cut_short),
		cmocka_unit_test(counts_beyond_the_record),
		cmocka_unit_test(a_conversion_without_a_zero),
		cmocka_unit_test(as_json),
		cmocka_unit_test(rare_fields_of_samples),
		cmocka_unit_test(weights_of_three_parts),
		cmocka_unit_test(fields_of_a_tracepoint),
		cmocka_unit_test(forms_of_fields),
		cmocka_unit_test(a_description_without_its_end),
		cmocka_unit_test(samples_without_fields),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
