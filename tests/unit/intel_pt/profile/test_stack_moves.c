/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which blocks switch to another stack: instructions as an assembler writes them, in a block that
 * ends in JMP RAX.
 */
#include "../pt_trace.h"

#include "intel_pt/profile/stack_moves.h"

enum { AT = 0x1000 };

/* Decode the block at AT, behind `before` bytes of code that is not executed; its number. */
static uint32_t begin(struct scene *s, const uint8_t *code, size_t size, size_t before)
{
	static const uint8_t trace[] = { START(AT), TIP(AT), PGD_BARE };
	uint32_t nodes[4] = { 0 };
	struct tl_pt_node_batch batch = { .nodes = nodes, .max = 4 };
	struct tl_pt_event event;

	open_scene(s, trace, sizeof(trace), AT - before, code, size, 0);
	while (s->status >= 0 && s->status & TL_PT_EVENT_PENDING)
		s->status = tl_pt_decoder_event_next(s->decoder, &event, sizeof(event));
	assert_true(tl_pt_decoder_nodes(s->decoder, &batch, sizeof(batch)) >= 0);
	assert_true(batch.count >= 1);
	return nodes[0];
}

static int switches(const uint8_t *code, size_t size, size_t before)
{
	struct scene s;
	uint32_t number = begin(&s, code, size, before);
	int result = tl_pt_node_switches_stack(s.decoder, number);

	close_scene(&s);
	return result;
}

#define JMP_RAX 0xff, 0xe0
#define SWITCHES(...)                                                                              \
	switches((const uint8_t[]){ __VA_ARGS__, JMP_RAX },                                        \
		 sizeof((const uint8_t[]){ __VA_ARGS__, JMP_RAX }), 0)

TEST(the_stack_pointer_from_memory_or_a_register_is_another_stack)
{
	assert_int_equal(SWITCHES(0x48, 0x8b, 0x20), 1);                   /* mov rsp, [rax] */
	assert_int_equal(SWITCHES(0x49, 0x8b, 0x24, 0x24), 1);             /* mov rsp, [r12] */
	assert_int_equal(SWITCHES(0x48, 0x8b, 0x67, 0x30), 1);             /* mov rsp, [rdi+48] */
	assert_int_equal(SWITCHES(0x48, 0x8b, 0xa7, 0xa0, 0, 0, 0), 1);    /* mov rsp, [rdi+160] */
	assert_int_equal(SWITCHES(0x48, 0x8b, 0xa4, 0x24, 8, 1, 0, 0), 1); /* mov rsp, [rsp+264] */
	assert_int_equal(SWITCHES(0x5c), 1);                               /* pop rsp */
	assert_int_equal(SWITCHES(0x48, 0x89, 0xfc), 1);                   /* mov rsp, rdi */
	assert_int_equal(SWITCHES(0x48, 0x8b, 0xe7), 1);                   /* the same, loaded */
	assert_int_equal(SWITCHES(0x4c, 0x89, 0xc4), 1);                   /* mov rsp, r8 */
	assert_int_equal(SWITCHES(0x48, 0x87, 0xe7), 1);                   /* xchg rdi, rsp */
	assert_int_equal(SWITCHES(0x48, 0x94), 1);                         /* xchg rsp, rax */
	assert_int_equal(SWITCHES(0x48, 0x87, 0x27), 1);                   /* xchg [rdi], rsp */
}

TEST(what_a_function_does_with_its_own_stack_is_none)
{
	assert_int_equal(SWITCHES(0x49, 0x94), 0);                         /* xchg r12, rax */
	assert_int_equal(SWITCHES(0x90), 0);                               /* nop */
	assert_int_equal(SWITCHES(0x48, 0x83, 0xc4, 0x08), 0);             /* add rsp, 8 */
	assert_int_equal(SWITCHES(0x48, 0x8d, 0x64, 0x24, 0x08), 0);       /* lea rsp, [rsp+8] */
	assert_int_equal(SWITCHES(0x48, 0x89, 0xec), 0);                   /* mov rsp, rbp */
	assert_int_equal(SWITCHES(0xc9), 0);                               /* leave */
	assert_int_equal(SWITCHES(0x5b, 0x5d), 0);                         /* pop rbx; pop rbp */
	assert_int_equal(SWITCHES(0x48, 0x89, 0xe7), 0);                   /* mov rdi, rsp */
	assert_int_equal(SWITCHES(0x48, 0x8b, 0x04, 0x24), 0);             /* mov rax, [rsp] */
	assert_int_equal(SWITCHES(0x48, 0x89, 0x24, 0x25, 0, 0, 0, 0), 0); /* mov [0], rsp */
}

/* "the last change the block makes" */
TEST(the_last_change_counts)
{
	/* mov rsp, [rax]; mov rsp, rbp, and the other way round */
	assert_int_equal(SWITCHES(0x48, 0x8b, 0x20, 0x48, 0x89, 0xec), 0);
	assert_int_equal(SWITCHES(0x48, 0x89, 0xec, 0x48, 0x8b, 0x20), 1);
	/* mov rbx, rsp; mov rsp, [rax]; mov rsp, rbx: back again; from rdi it is not */
	assert_int_equal(SWITCHES(0x48, 0x89, 0xe3, 0x48, 0x8b, 0x20, 0x48, 0x89, 0xdc), 0);
	assert_int_equal(SWITCHES(0x48, 0x89, 0xe3, 0x48, 0x8b, 0x20, 0x48, 0x89, 0xfc), 1);
}

/* A register that calls preserve may have been given the stack pointer up to a kilobyte before. */
static int saved_before(size_t distance, uint8_t second, uint8_t restored)
{
	static uint8_t code[2048];

	memset(code, 0x90, sizeof(code));
	/* mov REG, rsp; ...; mov rsp, REG */
	memcpy(code + 1200 - distance, (const uint8_t[]){ 0x48, 0x89, second }, 3);
	memcpy(code + 1200, (const uint8_t[]){ 0x48, 0x89, restored, JMP_RAX }, 5);
	return switches(code, sizeof(code), 1200);
}

TEST(a_register_that_was_saved_before_restores)
{
	assert_int_equal(saved_before(16, 0xe3, 0xdc), 0);   /* rbx */
	assert_int_equal(saved_before(1000, 0xe3, 0xdc), 0); /* still */
	assert_int_equal(saved_before(1100, 0xe3, 0xdc), 1); /* too far away */
	assert_int_equal(saved_before(16, 0xe7, 0xfc), 1);   /* rdi: a call changes it */
	assert_int_equal(saved_before(16, 0xe0, 0xdc), 1);   /* rax was saved, not rbx */
}

/* CALL rel32 is E8 five bytes before; CALL r/m64 is FF /2, two to seven bytes before. */
TEST(a_return_address_stands_behind_a_call)
{
	static const struct {
		uint8_t code[7];
		bool is_call;
	} rows[] = {
		{ { 0x90, 0x90, 0xe8, 1, 2, 3, 4 }, true },
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0 }, true }, /* call rax */
		{ { 0x90, 0x90, 0x90, 0x90, 0xff, 0x53, 0x08 }, true }, /* call [rbx+8] */
		{ { 0xff, 0x94, 0x24, 0x80, 0, 0, 0 }, true },          /* call [rsp+128] */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 }, false },
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0 }, false }, /* jmp rax */
		{ { 0x90, 0xe8, 1, 2, 3, 4, 0x90 }, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t code[9] = { [7] = JMP_RAX };
		struct scene s;

		memcpy(code, rows[i].code, 7);
		tl_pt_node_switches_stack(s.decoder, begin(&s, code, sizeof(code), 7));
		assert_int_equal(tl_pt_behind_call(s.decoder, AT), rows[i].is_call);
		/* not all bytes before it are there */
		assert_false(tl_pt_behind_call(s.decoder, AT - 1));
		close_scene(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stack_pointer_from_memory_or_a_register_is_another_stack),
		cmocka_unit_test(what_a_function_does_with_its_own_stack_is_none),
		cmocka_unit_test(the_last_change_counts),
		cmocka_unit_test(a_register_that_was_saved_before_restores),
		cmocka_unit_test(a_return_address_stands_behind_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
