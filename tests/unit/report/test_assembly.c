/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function by instruction: the code of an ELF file made by hand, encoded after the Intel manual,
 * volume 2.
 */
#include "../symbols/make_elf.h"
#include "../temp.h"
#include "profile/model/unsized.h"
#include "profiles.h"

#include <tracelathe/symbols.h>

static const uint8_t code[] = {
	0x55,                         /* 1000 push rbp */
	0x48, 0x89, 0xe5,             /* 1001 mov rbp, rsp */
	0x85, 0xff,                   /* 1004 test edi, edi */
	0x74, 0x07,                   /* 1006 jz 100f */
	0xe8, 0x03, 0x00, 0x00, 0x00, /* 1008 call 1010 */
	0xeb, 0xf5,                   /* 100d jmp 1004 */
	0xc3,                         /* 100f ret */
	0xc3,                         /* 1010, g: ret */
};

/* "prog" with functions f at 0x1000, 16 bytes, and g behind it; opened `bias` further up. */
static struct tl_binary *binary(struct temp *temp, uint64_t bias, const char *name,
				uint16_t machine)
{
	static const char names[] = "\0f\0g";
	struct made made = { .is_64bit = true }, symbols = { .is_64bit = true };
	struct tl_binary *opened;

	put_symbol(&symbols, 0, 0, 0, 0, 0);
	put_symbol(&symbols, 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 1, 0x1000, 16);
	put_symbol(&symbols, 3, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 1, 0x1010, 1);
	const struct made_section sections[] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof(code), 0,
		  0 },
		{ ".symtab", SHT_SYMTAB, 0, 0, symbols.bytes, symbols.size, 3, 24 },
		{ ".strtab", SHT_STRTAB, 0, 0, (const uint8_t *)names, sizeof(names), 0, 0 },
	};
	make_elf(&made, ET_EXEC, machine, sections, 3);
	temp_write(temp, name, made.bytes, made.size);
	assert_int_equal(tl_binary_open(&opened, temp_path(temp, name), bias, true, NULL), 0);
	return opened;
}

static void at(struct tl_profile *p, uint32_t function, uint64_t address, int64_t cost)
{
	struct tl_cost_line line = { .function = function,
				     .part = TL_NONE,
				     .at = { .file = "", .address = address } };

	assert_int_equal(tl_profile_put_line(p, &line, &cost, NULL), 0);
}

/*
 * f: 1 at 1000, 2000 at 1004, at 1006 a jump that was taken once in ten, at 1008 five calls of g,
 * which costs 50.
 */
static struct tl_profile *counted(uint64_t bias)
{
	const struct tl_event event = { "Ir", "", "", "" };
	struct tl_arc arc = {
		0, 1, TL_NONE, { "", bias + 0x1008, 0, 0 }, { "", bias + 0x1010, 0, 0 }, 5
	};
	struct tl_jump jump = {
		0, 0, TL_NONE, { "", bias + 0x1006, 0, 0 }, { "", bias + 0x100f, 0, 0 }, 10, 1, true
	};
	const int64_t fifty = 50;
	struct tl_profile *p;

	assert_int_equal(tl_profile_make(&p, "x", &event, 1, 0, NULL), 0);
	add_function(p, "f", "/usr/bin/prog");
	add_function(p, "g", "/usr/bin/prog");
	at(p, 0, bias + 0x1000, 1);
	at(p, 0, bias + 0x1004, 2000);
	at(p, 1, bias + 0x1010, 50);
	assert_int_equal(tl_profile_put_arc(p, &arc, &fifty, NULL), 0);
	assert_int_equal(tl_profile_put_jump(p, &jump, NULL), 0);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	return p;
}

static char *assembly(struct tl_profile *p, struct tl_binary *of, struct tl_annotate_options what,
		      enum tl_report_form form)
{
	const struct tl_report_options options = { .size = sizeof(options), .form = form };
	struct tl_output *out;

	what.size = sizeof(what);
	what.assembly = true;
	what.binaries = &of;
	what.binary_count = 1;
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_annotate(p, &what, &options, out, NULL), 0);
	tl_profile_free(p);
	tl_binary_close(of);
	return take_text(out);
}

/*
 * "assembly with costs per instruction; jumps drawn as arrows in the margin": the shorter one next
 * to the code.
 */
TEST(text_draws_jumps)
{
	struct temp temp;
	char *text;

	temp_open(&temp);
	text = assembly(counted(0), binary(&temp, 0, "prog", EM_X86_64),
			(struct tl_annotate_options){ .threshold = 90, .context = -1 },
			TL_REPORT_TEXT);
	assert_string_equal(text, "x, 0 parts\n"
				  "\n"
				  "f\n"
				  "Ir 2,001 (97.56%)\n"
				  "\n"
				  "   Ir       %  address\n"
				  "    1   0.05%     1000      push rbp\n"
				  "    .       .     1001      mov rbp, rsp\n"
				  "2,000  97.51%     1004  +-> test edi, edi\n"
				  "    .       .     1006  |+- jz 0x100f\n"
				  "                            v jump to 0x100f  (1 of 10 times)\n"
				  "    .       .     1008  ||  call 0x1010  <g>\n"
				  "   50   2.44%               > g  (5 calls)\n"
				  "    .       .     100d  +|- jmp 0x1004\n"
				  "    .       .     100f   +> ret\n"
				  "\n"
				  "Ir 2,001 (97.56%)  in 1 annotated function\n"
				  "Ir 50 (2.44%)  in 1 further function (--threshold 100)\n");
	free(text);
	temp_close(&temp);
}

/* A binary that was loaded elsewhere, and code far from any cost. */
TEST(code_is_found_where_it_was_loaded)
{
	struct temp temp;
	char *text;

	temp_open(&temp);
	text = assembly(counted(0x400000), binary(&temp, 0x400000, "prog", EM_X86_64),
			(struct tl_annotate_options){ .threshold = 90, .context = 0 },
			TL_REPORT_TEXT);
	assert_non_null(strstr(text, "   401000     push rbp\n...\n2,000"));
	assert_null(strstr(text, "ret"));
	free(text);
	temp_close(&temp);
}

/* A binary is that of an object by its file's name: other code at the same address is not shown. */
TEST(code_of_others_is_not_shown)
{
	struct temp temp;
	char *text;

	temp_open(&temp);
	text = assembly(counted(0), binary(&temp, 0, "libother.so", EM_X86_64),
			(struct tl_annotate_options){ .threshold = -1 }, TL_REPORT_TEXT);
	assert_non_null(strstr(text, "f  (no code)\n"));
	free(text);
	/* Nor is that of a machine that we cannot read. */
	text = assembly(counted(0), binary(&temp, 0, "prog", EM_SPARC),
			(struct tl_annotate_options){ .threshold = -1 }, TL_REPORT_TEXT);
	assert_non_null(strstr(text, "in 2 functions without code (--binary FILE)\n"));
	free(text);
	temp_close(&temp);
}

TEST(csv_and_json_have_the_code)
{
	struct temp temp;
	char *text;

	temp_open(&temp);
	text = assembly(counted(0), binary(&temp, 0, "prog", EM_X86_64),
			(struct tl_annotate_options){ .threshold = -1 }, TL_REPORT_CSV);
	assert_string_equal(text, "function,object,address,kind,to,count,taken,Ir,code\n"
				  "f,/usr/bin/prog,0x1000,self,,,,1,push rbp\n"
				  "f,/usr/bin/prog,0x1004,self,,,,2000,\"test edi, edi\"\n"
				  "f,/usr/bin/prog,0x1006,jump,0x100f,10,1,,\n"
				  "f,/usr/bin/prog,0x1008,call,g,5,,50,\n"
				  "g,/usr/bin/prog,0x1010,self,,,,50,ret\n");
	free(text);
	text = assembly(counted(0), binary(&temp, 0, "prog", EM_X86_64),
			(struct tl_annotate_options){ .threshold = -1 }, TL_REPORT_JSON);
	assert_non_null(strstr(
		text,
		"\"instructions\":[{\"address\":\"0x1000\",\"code\":\"push rbp\",\"remarks\":["
		"{\"kind\":\"self\",\"cost\":{\"Ir\":1}}]},"));
	free(text);
	temp_close(&temp);
}

/* Costs inside an instruction are not lost: the code is not what ran. */
TEST(costs_between_instructions_are_told)
{
	const struct tl_event event = { "Ir", "", "", "" };
	struct tl_profile *p;
	struct temp temp;
	char *text;

	temp_open(&temp);
	assert_int_equal(tl_profile_make(&p, "x", &event, 1, 0, NULL), 0);
	add_function(p, "f", "");
	at(p, 0, 0x1001, 1);
	at(p, 0, 0x1002, 7);
	at(p, 0, 0x2000, 3);
	at(p, 0, 0, 5);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	text = assembly(p, binary(&temp, 0, "prog", EM_X86_64),
			(struct tl_annotate_options){ .threshold = -1 }, TL_REPORT_TEXT);
	assert_non_null(strstr(text, "?  (address unknown)\n"));
	assert_non_null(strstr(text, "     1002  (inside the instruction above)\n"));
	assert_non_null(strstr(text, " 3  18.75%     2000\n"));
	free(text);
	temp_close(&temp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_draws_jumps),
		cmocka_unit_test(code_is_found_where_it_was_loaded),
		cmocka_unit_test(code_of_others_is_not_shown),
		cmocka_unit_test(csv_and_json_have_the_code),
		cmocka_unit_test(costs_between_instructions_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
