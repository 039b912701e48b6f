/* SPDX-License-Identifier: Apache-2.0 */
/* Packets from bytes that are written by hand, as docs/formats/etm.md, 3, has them. */
#include "../unit.h"
#include "etm/packets/packet.h"

#include <stdlib.h>
#include <string.h>

static const struct tl_etm_config v4 = {
	.idr0 = 0, .idr2 = 8 | 4 << 5 | 2 << 10, .idr8 = 40, /* IDs of four and two bytes */
};
static const struct tl_etm_config ete = { .idr0 = 1u << 29, .idr2 = 8 | 4 << 5, .is_ete = true };

/* Decode bytes, all of which are the packet, behind what `state` has seen. */
static struct tl_etm_packet decode(struct tl_etm_state *state, const char *bytes, size_t size)
{
	uint8_t *exact = malloc(size);
	struct tl_etm_packet packet;

	memcpy(exact, bytes, size);
	assert_int_equal(tl_etm_decode(&packet, exact, exact + size, state), size);
	assert_int_equal(packet.size, size);
	/* Whatever is left out at the end, the packet is cut short, and the state stays. */
	for (size_t part = 1; part < size; part++) {
		struct tl_etm_state before = *state;
		struct tl_etm_packet none;
		uint8_t *less = malloc(part);

		memcpy(less, exact, part);
		assert_int_equal(tl_etm_decode(&none, less, less + part, state), -TL_ETM_CUT);
		assert_memory_equal(&before, state, sizeof(before));
		free(less);
	}
	free(exact);
	return packet;
}

#define DECODE(state, bytes) decode(state, bytes, sizeof(bytes) - 1)
#define V4(bytes) DECODE(&(struct tl_etm_state){ .config = &v4 }, bytes)
#define ETE(bytes) DECODE(&(struct tl_etm_state){ .config = &ete }, bytes)

static void has_atoms(const struct tl_etm_packet *packet, enum tl_etm_kind kind, const char *text)
{
	assert_int_equal(packet->kind, kind);
	assert_int_equal(packet->atom_count, strlen(text));
	for (size_t i = 0; text[i]; i++)
		assert_int_equal(packet->atoms >> i & 1, text[i] == 'E');
}

/* "The oldest atom is in the lowest bit." */
TEST(atoms_of_one_to_three_are_in_the_header)
{
	struct tl_etm_packet p = V4("\xf6");

	has_atoms(&p, TL_ETM_ATOM_1, "N");
	p = V4("\xf7");
	has_atoms(&p, TL_ETM_ATOM_1, "E");
	p = V4("\xd9");
	has_atoms(&p, TL_ETM_ATOM_2, "EN");
	p = V4("\xfe");
	has_atoms(&p, TL_ETM_ATOM_3, "NEE");
}

/* "Formats 4 and 5 are patterns." */
TEST(atoms_of_four_and_five_are_patterns)
{
	struct tl_etm_packet p = V4("\xdc");

	has_atoms(&p, TL_ETM_ATOM_4, "NEEE");
	p = V4("\xdd");
	has_atoms(&p, TL_ETM_ATOM_4, "NNNN");
	p = V4("\xde");
	has_atoms(&p, TL_ETM_ATOM_4, "NENE");
	p = V4("\xdf");
	has_atoms(&p, TL_ETM_ATOM_4, "ENEN");
	p = V4("\xd5");
	has_atoms(&p, TL_ETM_ATOM_5, "NNNNN");
	p = V4("\xd6");
	has_atoms(&p, TL_ETM_ATOM_5, "NENEN");
	p = V4("\xd7");
	has_atoms(&p, TL_ETM_ATOM_5, "ENENE");
	p = V4("\xf5");
	has_atoms(&p, TL_ETM_ATOM_5, "NEEEE");
}

/* "Format 6: three E and as many as the low five bits say, then an E, or an N if bit 5 is set." */
TEST(atoms_of_format_6_are_a_run)
{
	struct tl_etm_packet p = V4("\xc0");

	has_atoms(&p, TL_ETM_ATOM_6, "EEEE");
	p = V4("\xe1");
	has_atoms(&p, TL_ETM_ATOM_6, "EEEEN");
	p = V4("\xd4");
	has_atoms(&p, TL_ETM_ATOM_6, "EEEEEEEEEEEEEEEEEEEEEEEE");
}

static void has_address(const struct tl_etm_packet *packet, enum tl_etm_kind kind, uint64_t value,
			unsigned is)
{
	assert_int_equal(packet->kind, kind);
	assert_true(packet->has_address);
	assert_int_equal(packet->address.value, value);
	assert_int_equal(packet->address.is, is);
}

/* "The low bits come from the packet, the others from the address before." */
TEST(addresses_build_on_those_before)
{
	struct tl_etm_state seen = { .config = &v4 };
	struct tl_etm_packet p = DECODE(&seen, "\x9d\x21\x43\x65\x87\xa9\xcb\xed\x0f");

	/* 0x21 << 2 | 0x43 << 9, then six bytes as they are */
	has_address(&p, TL_ETM_ADDRESS_LONG, 0x0fedcba987658684, 0);
	p = DECODE(&seen, "\x95\x7f");
	has_address(&p, TL_ETM_ADDRESS_SHORT, 0x0fedcba9876587fc, 0);
	p = DECODE(&seen, "\x95\x81\xff");
	has_address(&p, TL_ETM_ADDRESS_SHORT, 0x0fedcba98765fe04, 0);
	p = DECODE(&seen, "\x96\x81\x12");
	has_address(&p, TL_ETM_ADDRESS_SHORT, 0x0fedcba987651202, 1);
	p = DECODE(&seen, "\x9b\x01\xff\x34\x12");
	has_address(&p, TL_ETM_ADDRESS_LONG, 0x0fedcba91234ff02, 1);
	p = DECODE(&seen, "\x9a\x01\x7f\x34\x12");
	has_address(&p, TL_ETM_ADDRESS_LONG, 0x0fedcba91234fe04, 0);
	p = DECODE(&seen, "\x9e\x01\xff\x00\x00\x00\x00\x00\x80");
	has_address(&p, TL_ETM_ADDRESS_LONG, 0x800000000000ff02, 1);
}

/* "An exact match is the newest of three addresses, the one before, or that before it." */
TEST(an_exact_match_is_one_of_the_last_three)
{
	struct tl_etm_state seen = { .config = &v4 };
	struct tl_etm_packet p;

	DECODE(&seen, "\x95\x01");
	DECODE(&seen, "\x95\x02");
	DECODE(&seen, "\x96\x04");
	p = DECODE(&seen, "\x92");
	has_address(&p, TL_ETM_ADDRESS_MATCH, 4, 0);
	assert_int_equal(p.number, 2);
	assert_int_equal(p.address.bits, 0);
	/* It is an address like others: the newest from now on. */
	p = DECODE(&seen, "\x91");
	has_address(&p, TL_ETM_ADDRESS_MATCH, 8, 1);
	p = DECODE(&seen, "\x92");
	has_address(&p, TL_ETM_ADDRESS_MATCH, 8, 1);
}

/* "Bits 1:0 are the level, 4 is set for AArch64, 5 for non-secure; a virtual ID comes first." */
TEST(a_context_has_the_ids_that_it_names)
{
	struct tl_etm_packet p = V4("\x80");

	assert_int_equal(p.kind, TL_ETM_CONTEXT);
	assert_false(p.context.updated);
	p = V4("\x81\x31");
	assert_true(p.context.updated && p.context.is_64bit && p.context.is_nonsecure);
	assert_int_equal(p.context.el, 1);
	assert_false(p.context.has_id || p.context.has_vmid);
	p = V4("\x81\xc2\x34\x12\x78\x56\x34\x12");
	assert_int_equal(p.context.el, 2);
	assert_false(p.context.is_64bit || p.context.is_nonsecure);
	assert_true(p.context.has_id && p.context.has_vmid);
	assert_int_equal(p.context.vmid, 0x1234);
	assert_int_equal(p.context.id, 0x12345678);
	/* This unit has no virtual IDs: there is no byte of one. */
	p = ETE("\x81\xd0\x78\x56\x34\x12");
	assert_false(p.context.has_vmid);
	assert_int_equal(p.context.id, 0x12345678);
}

TEST(an_address_with_context_has_both)
{
	struct tl_etm_packet p = V4("\x85\x21\x43\x65\x87\xa9\xcb\xed\x0f\x91\x78\x56\x34\x12");

	has_address(&p, TL_ETM_ADDRESS_CONTEXT, 0x0fedcba987658684, 0);
	assert_true(p.context.is_64bit && p.context.has_id);
	assert_int_equal(p.context.id, 0x12345678);
	p = V4("\x83\x01\xff\x34\x12\x03");
	has_address(&p, TL_ETM_ADDRESS_CONTEXT, 0x1234ff02, 1);
	assert_int_equal(p.context.el, 3);
}

/* "Seven bits a byte, eight in the ninth; bits that are left out are those before." */
TEST(timestamps_build_on_those_before)
{
	struct tl_etm_state seen = { .config = &v4 };
	struct tl_etm_packet p = DECODE(&seen, "\x02\x81\x82\x83\x84\x85\x86\x87\x88\xff");

	assert_int_equal(p.kind, TL_ETM_TIMESTAMP);
	assert_int_equal(p.timestamp, 1 | 2 << 7 | 3 << 14 | 4ull << 21 | 5ull << 28 | 6ull << 35 |
					      7ull << 42 | 8ull << 49 | 255ull << 56);
	p = DECODE(&seen, "\x02\x85\x00");
	assert_int_equal(p.timestamp, 5 | 3 << 14 | 4ull << 21 | 5ull << 28 | 6ull << 35 |
					      7ull << 42 | 8ull << 49 | 255ull << 56);
	assert_false(p.has_cycles);
	/* Behind a Trace Info, which begins anew, they are zeros. */
	DECODE(&seen, "\x01\x00");
	p = DECODE(&seen, "\x03\x05\x8f\x01");
	assert_int_equal(p.timestamp, 5);
	assert_true(p.has_cycles);
	assert_int_equal(p.cycles, 0x8f);
}

/* "A threshold is added to counts; commits are there unless the unit leaves them out." */
TEST(cycle_counts_add_the_threshold)
{
	struct tl_etm_state seen = { .config = &v4 };
	struct tl_etm_packet p = DECODE(&seen, "\x01\x08\x80\x02");

	assert_int_equal(p.threshold, 256);
	p = DECODE(&seen, "\x1b");
	assert_int_equal(p.kind, TL_ETM_CYCLES_3);
	assert_int_equal(p.commits, 3);
	assert_int_equal(p.cycles, 256 + 3);
	p = DECODE(&seen, "\x0c\x29");
	assert_int_equal(p.kind, TL_ETM_CYCLES_2);
	assert_int_equal(p.commits, 3);
	assert_int_equal(p.cycles, 256 + 9);
	/* Bit 0: counted down from the depth of speculation, 40. */
	p = DECODE(&seen, "\x0d\x20");
	assert_int_equal(p.commits, 40 + 2 - 15);
	p = DECODE(&seen, "\x0e\x81\x01\x82\x01");
	assert_int_equal(p.kind, TL_ETM_CYCLES_1);
	assert_int_equal(p.commits, 129);
	assert_int_equal(p.cycles, 256 + 130);
	/* Bit 0: the count is unknown. */
	p = DECODE(&seen, "\x0f\x07");
	assert_int_equal(p.commits, 7);
	assert_false(p.has_cycles);
	p = ETE("\x1b");
	assert_int_equal(p.commits, 0);
	p = ETE("\x0e\x05");
	assert_int_equal(p.commits, 0);
	assert_int_equal(p.cycles, 5);
}

TEST(a_trace_info_has_the_numbers_that_it_names)
{
	struct tl_etm_packet p = V4("\x01\x05\x21\x83\x01");

	assert_int_equal(p.kind, TL_ETM_TRACE_INFO);
	assert_int_equal(p.info, 0x21);
	assert_int_equal(p.key, 0);
	assert_int_equal(p.depth, 131);
	p = V4("\x01\x9a\x00\x07\x08\x09");
	assert_int_equal(p.key, 7);
	assert_int_equal(p.threshold, 8);
}

TEST(speculation_is_committed_and_cancelled)
{
	struct tl_etm_packet p = V4("\x2d\x81\x01");

	assert_int_equal(p.kind, TL_ETM_COMMIT);
	assert_int_equal(p.commits, 129);
	p = V4("\x2e\x03");
	assert_int_equal(p.kind, TL_ETM_CANCEL_1);
	assert_int_equal(p.cancels, 3);
	assert_false(p.mispredicts);
	p = V4("\x2f\x03");
	assert_true(p.mispredicts);
	p = V4("\x30");
	has_atoms(&p, TL_ETM_MISPREDICT, "");
	p = V4("\x32");
	has_atoms(&p, TL_ETM_MISPREDICT, "EE");
	assert_true(p.mispredicts);
	assert_int_equal(p.cancels, 0);
	p = V4("\x37");
	has_atoms(&p, TL_ETM_CANCEL_2, "N");
	assert_int_equal(p.cancels, 1);
	p = V4("\x3d");
	has_atoms(&p, TL_ETM_CANCEL_3, "E");
	assert_int_equal(p.cancels, 4);
}

/* "Bits 5:1 are the type, bits 6 and 0 what the address behind it is." */
TEST(exceptions_have_a_type)
{
	struct tl_etm_packet p = V4("\x06\x1d");

	assert_int_equal(p.kind, TL_ETM_EXCEPTION);
	assert_int_equal(p.exception.type, 14);
	assert_int_equal(p.exception.interpretation, 1);
	p = V4("\x06\xdc\x22");
	assert_int_equal(p.exception.type, 14 | 2 << 5);
	assert_int_equal(p.exception.interpretation, 2);
	assert_int_equal(p.number, 1);
}

/* "0 to 2: an exact match; 5, 6: short; 10, 11: of 32 bits; 12: none; 15: no number, either." */
TEST(q_packets_have_addresses_and_counts)
{
	struct tl_etm_packet p = V4("\xa5\x01\x81\x01");

	has_address(&p, TL_ETM_Q, 4, 0);
	assert_true(p.has_count);
	assert_int_equal(p.payload, 129);
	assert_int_equal(p.number, 5);
	p = V4("\xab\x01\xff\x34\x12\x07");
	has_address(&p, TL_ETM_Q, 0x1234ff02, 1);
	assert_int_equal(p.payload, 7);
	p = V4("\xa2\x07");
	has_address(&p, TL_ETM_Q, 0, 0);
	assert_int_equal(p.number, 2);
	p = V4("\xac\x07");
	assert_false(p.has_address);
	p = V4("\xaf");
	assert_false(p.has_address || p.has_count);
}

TEST(markers_have_numbers)
{
	struct tl_etm_packet p = V4("\x7a");

	assert_int_equal(p.kind, TL_ETM_EVENT);
	assert_int_equal(p.number, 10);
	p = V4("\x25");
	assert_int_equal(p.kind, TL_ETM_DATA_MARKER);
	assert_int_equal(p.number, 5);
	p = V4("\x2a");
	assert_int_equal(p.kind, TL_ETM_DATA_MARKER_UNNUMBERED);
	assert_int_equal(p.number, 2);
	p = V4("\x6c\x81\x01");
	assert_int_equal(p.kind, TL_ETM_CONDITIONAL_1);
	assert_int_equal(p.key, 129);
	p = V4("\x41");
	assert_int_equal(p.kind, TL_ETM_CONDITIONAL_2);
	p = V4("\x6d\x07");
	assert_int_equal(p.kind, TL_ETM_CONDITIONAL_3);
	assert_int_equal(p.number, 4);
	p = V4("\x69\xb3\x01\x04");
	assert_int_equal(p.kind, TL_ETM_RESULT_1);
	assert_int_equal(p.key, 3 | 1 << 3);
	p = V4("\x6e\x33");
	assert_int_equal(p.key, 3);
	p = V4("\x4e");
	assert_int_equal(p.kind, TL_ETM_RESULT_2);
	p = V4("\x5a\xbc");
	assert_int_equal(p.kind, TL_ETM_RESULT_3);
	assert_int_equal(p.number, 0xabc);
	p = V4("\x46");
	assert_int_equal(p.kind, TL_ETM_RESULT_4);
}

TEST(packets_of_one_byte_and_extensions)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum tl_etm_kind kind;
	} rows[] = {
		{ "\x04", 1, TL_ETM_TRACE_ON },
		{ "\x05", 1, TL_ETM_FUNCTION_RETURN },
		{ "\x07", 1, TL_ETM_EXCEPTION_RETURN },
		{ "\x43", 1, TL_ETM_CONDITIONAL_FLUSH },
		{ "\x70", 1, TL_ETM_IGNORE },
		{ "\x88", 1, TL_ETM_TIMESTAMP_MARKER },
		{ "\0\x03", 2, TL_ETM_DISCARD },
		{ "\0\x05", 2, TL_ETM_OVERFLOW },
		{ "\0\0\0\0\0\0\0\0\0\0\0\x80", 12, TL_ETM_ASYNC },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_etm_state seen = { .config = &v4 };

		assert_int_equal(decode(&seen, rows[i].bytes, rows[i].size).kind, rows[i].kind);
	}
}

TEST(packets_of_ete)
{
	struct tl_etm_packet p = ETE("\x09\x02\x08\x07\x06\x05\x04\x03\x02\x01");

	assert_int_equal(p.kind, TL_ETM_INSTRUMENTATION);
	assert_int_equal(p.number, 2);
	assert_int_equal(p.payload, 0x0102030405060708);
	assert_int_equal(ETE("\x0a").kind, TL_ETM_TRANSACTION_START);
	assert_int_equal(ETE("\x0b").kind, TL_ETM_TRANSACTION_COMMIT);
	p = ETE("\xb4\x01");
	has_address(&p, TL_ETM_SOURCE_SHORT, 4, 0);
	p = ETE("\xb5\x81\x12");
	has_address(&p, TL_ETM_SOURCE_SHORT, 0x1202, 1);
	p = ETE("\xb7\x01\xff\x34\x12");
	has_address(&p, TL_ETM_SOURCE_LONG, 0x1234ff02, 1);
	p = ETE("\xb8\x01\x7f\x34\x12\x00\x00\x00\x80");
	has_address(&p, TL_ETM_SOURCE_LONG, 0x800000001234fe04, 0);
	p = ETE("\xb1");
	has_address(&p, TL_ETM_SOURCE_MATCH, 0, 0);
}

static int refusal(const struct tl_etm_config *config, const char *bytes, size_t size)
{
	struct tl_etm_state seen = { .config = config };
	struct tl_etm_packet packet;

	return -tl_etm_decode(&packet, (const uint8_t *)bytes, (const uint8_t *)bytes + size,
			      &seen);
}

#define REFUSAL(config, bytes) refusal(config, bytes, sizeof(bytes) - 1)

/* "Reserved: ..." (3.1) */
TEST(reserved_headers_are_no_packets)
{
	static const uint8_t everywhere[] = { 0x08, 0x47, 0x4b, 0x4f, 0x60, 0x67, 0x84, 0x87, 0x89,
					      0x8f, 0x93, 0x94, 0x97, 0x99, 0x9c, 0x9f, 0xa3, 0xa4,
					      0xa7, 0xa9, 0xad, 0xae, 0xb3, 0xba, 0xbf };
	static const uint8_t of_v4[] = { 0x05, 0x07, 0x20, 0x2c, 0x40, 0x43, 0x50, 0x68, 0x6d },
			     of_ete[] = { 0x09, 0x0a, 0x0b, 0xb0, 0xb4, 0xb9 };
	char bytes[2] = { 0 };

	for (size_t i = 0; i < sizeof(everywhere); i++) {
		bytes[0] = (char)everywhere[i];
		assert_int_equal(refusal(&v4, bytes, 2), TL_ETM_BAD_HEADER);
		assert_int_equal(refusal(&ete, bytes, 2), TL_ETM_BAD_HEADER);
	}
	for (size_t i = 0; i < sizeof(of_v4); i++) {
		bytes[0] = (char)of_v4[i];
		assert_int_not_equal(refusal(&v4, bytes, 2), TL_ETM_BAD_HEADER);
		assert_int_equal(refusal(&ete, bytes, 2), TL_ETM_BAD_HEADER);
	}
	for (size_t i = 0; i < sizeof(of_ete); i++) {
		bytes[0] = (char)of_ete[i];
		assert_int_equal(refusal(&v4, bytes, 2), TL_ETM_BAD_HEADER);
		assert_int_not_equal(refusal(&ete, bytes, 2), TL_ETM_BAD_HEADER);
	}
}

TEST(what_is_wrong_is_told)
{
	assert_int_equal(REFUSAL(&v4, "\0\x04"), TL_ETM_BAD_EXTENSION);
	assert_int_equal(REFUSAL(&v4, "\0\0\0\0\0\0\0\0\0\0\x80"), TL_ETM_BAD_ASYNC);
	assert_int_equal(REFUSAL(&v4, "\0\0\0\0\0\0\0\0\0\0\0\0\x80"), TL_ETM_BAD_ASYNC);
	assert_int_equal(REFUSAL(&v4, "\0\0\0\0\0\0\0\0\0\0\0\x81"), TL_ETM_BAD_ASYNC);
	assert_int_equal(REFUSAL(&v4, "\x2d\x80\x80\x80\x80\x80\x01"), TL_ETM_BAD_FIELD);
	/* A cycle count has three bytes at most. */
	assert_int_equal(REFUSAL(&ete, "\x0e\x80\x80\x80\x01"), TL_ETM_BAD_FIELD);
	for (int reason = TL_ETM_CUT; reason < TL_ETM_BROKEN_REASONS; reason++)
		assert_true(strlen(tl_etm_broken_text((enum tl_etm_broken)reason)) > 10);
}

/* The search equals a comparison at each place in turn, but for zeros before an A-Sync. */
TEST(the_search_finds_each_async)
{
	uint8_t bytes[64];

	for (size_t zeros = 0; zeros < 30; zeros++) {
		for (size_t at = 0; at < 16; at++) {
			const uint8_t *end = bytes + at + zeros + 2, *found;

			memset(bytes, 0xf7, sizeof(bytes));
			memset(bytes + at, 0, zeros);
			bytes[at + zeros] = 0x80;
			found = tl_etm_find_async(bytes, end);
			if (zeros < 11)
				assert_null(found);
			else
				assert_ptr_equal(found, bytes + at + zeros - 11);
			/* Without the 80 there is none. */
			assert_null(tl_etm_find_async(bytes, bytes + at + zeros));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(atoms_of_one_to_three_are_in_the_header),
		cmocka_unit_test(atoms_of_four_and_five_are_patterns),
		cmocka_unit_test(atoms_of_format_6_are_a_run),
		cmocka_unit_test(addresses_build_on_those_before),
		cmocka_unit_test(an_exact_match_is_one_of_the_last_three),
		cmocka_unit_test(a_context_has_the_ids_that_it_names),
		cmocka_unit_test(an_address_with_context_has_both),
		cmocka_unit_test(timestamps_build_on_those_before),
		cmocka_unit_test(cycle_counts_add_the_threshold),
		cmocka_unit_test(a_trace_info_has_the_numbers_that_it_names),
		cmocka_unit_test(speculation_is_committed_and_cancelled),
		cmocka_unit_test(exceptions_have_a_type),
		cmocka_unit_test(q_packets_have_addresses_and_counts),
		cmocka_unit_test(markers_have_numbers),
		cmocka_unit_test(packets_of_one_byte_and_extensions),
		cmocka_unit_test(packets_of_ete),
		cmocka_unit_test(reserved_headers_are_no_packets),
		cmocka_unit_test(what_is_wrong_is_told),
		cmocka_unit_test(the_search_finds_each_async),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
