/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rule of the checker: a trace, put together by hand, that breaks it at a known offset, and
 * the nearest one that does not.
 */
#include "said.h"

#include "../pt_trace.h"
#include "intel_pt/listing/check.h"

#define TSC(n) 0x19, (n), 0, 0, 0, 0, 0, 0
#define TMA 0x02, 0x73, 0, 0, 0, 0, 0
#define MTC 0x59, 1
#define CBR 0x02, 0x03, 1, 0
#define ON(a) PSB, FUP(a), PSBEND /* 25 bytes */
#define OFF PSB, PSBEND           /* 18 bytes */
#define TIP16(a) 0x2d, (a) & 0xff, (a) >> 8 & 0xff
#define FUP_BARE 0x1d
#define PGE_BARE 0x11
#define EXSTOP 0x02, 0x62
#define EXSTOP_IP 0x02, 0xe2
#define PTW_IP 0x02, 0x92, 1, 0, 0, 0
#define PTW 0x02, 0x12, 1, 0, 0, 0
#define CFE_IP 0x02, 0x13, 0x81, 0
#define CFE 0x02, 0x13, 0x01, 0
#define MWAIT 0x02, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0
#define PWRE 0x02, 0x22, 0, 0
#define TRIG_IP 0xd9, 0x80, 1
#define TRIG 0xd9, 0x00, 1
#define BEP_IP 0x02, 0xb3
#define BEP 0x02, 0x33

struct rule {
	const char *name;
	uint64_t at;
};

static struct tl_pt_config config;
static struct rule found[8];
static size_t found_count;
static int answer; /* to each violation */

static int begin(void **state __attribute__((unused)))
{
	config = (struct tl_pt_config){ .size = sizeof(config) };
	answer = 0;
	return 0;
}

static int note(void *arg __attribute__((unused)), const struct tl_pt_violation *violation)
{
	assert_true(found_count < 8);
	assert_true(strlen(violation->text) > 10);
	found[found_count++] = (struct rule){ violation->rule, violation->offset };
	return answer;
}

static void want_found(const struct rule *wanted, size_t count)
{
	bool same = found_count == count;

	for (size_t i = 0; same && i < count; i++)
		same = !strcmp(found[i].name, wanted[i].name) && found[i].at == wanted[i].at;
	if (same)
		return;
	for (size_t i = 0; i < found_count; i++)
		print_error("found %s at %u\n", found[i].name, (unsigned)found[i].at);
	for (size_t i = 0; i < count; i++)
		print_error("wanted %s at %u\n", wanted[i].name, (unsigned)wanted[i].at);
	fail_msg("other violations");
}

/* The rules that a trace breaks, without code; a name of NULL ends the list. */
static void want_rules(const uint8_t *trace, size_t size, const struct rule *wanted)
{
	struct tl_error err;
	size_t count = 0;
	int64_t status;

	config.begin = trace;
	config.end = trace + size;
	found_count = 0;
	status = tl_pt_check_packets(&config, note, NULL, &err);
	while (wanted[count].name)
		count++;
	want_found(wanted, count);
	assert_int_equal(status, count);
}

#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ })
#define RIGHT(...) want_rules(BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)), (struct rule[1]){ 0 })
#define WRONG(name, at, ...)                                                                       \
	want_rules(BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)),                                 \
		   (struct rule[]){ { name, at }, { NULL, 0 } })
#define WRONG_TWICE(name, at, second, second_at, ...)                                              \
	want_rules(BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)),                                 \
		   (struct rule[]){ { name, at }, { second, second_at }, { NULL, 0 } })

/* 5.1: what may stand in a PSB+; that it ends; that it repeats the state. */
TEST(psb)
{
	RIGHT(PSB, 0, MODE_64, TSC(1), TMA, CBR, MTC, 0x0b, PIP(0x1000), FUP(0x1000), PSBEND);
	RIGHT(PSB, FUP(0x1000), 0x02, 0xf3, FUP(0x1000));
	WRONG_TWICE("packet-in-psb", 16, "packet-context", 16, PSB, TNT1(1), PSBEND);
	WRONG_TWICE("psb-without-end", 0, "packet-context", 16, PSB, PSB, PSBEND);
	WRONG_TWICE("psbend-without-psb", 18, "packet-context", 18, OFF, PSBEND);
	RIGHT(ON(0x1000), ON(0x1000));
	WRONG_TWICE("psb-contradicts", 25, "bad-status", 25, ON(0x1000), OFF);
	WRONG("psb-contradicts", 18, OFF, ON(0x1000));
	config.errata = TL_PT_BDM70;
	RIGHT(OFF, ON(0x1000));
	WRONG_TWICE("psb-contradicts", 25, "bad-status", 25, ON(0x1000), OFF);
	/* After a contradiction nothing is known: no branch is wrong. */
	WRONG_TWICE("psb-contradicts", 25, "bad-status", 25, ON(0x1000), OFF, PGE(0x1000), TNT1(1));
}

/* 4.3, 9.4: the first address behind each PSB is whole; in the PSB+ or behind it. */
TEST(first_address)
{
	RIGHT(ON(0x1000), TIP16(0x1004));
	RIGHT(OFF, 0xd1, 0, 0x10, 0, 0, 0, 0, 0, 0);
	WRONG("first-address-compressed", 16, PSB, 0x3d, 0, 0x10, PSBEND);
	WRONG("first-address-compressed", 18, OFF, 0x31, 0, 0x10, TIP16(0x1004));
	WRONG("first-address-compressed", 46, ON(0x1000), PGD_BARE, 0, 0, OFF, 0x31, 0, 0x10);
}

/* 5.2, 5.4, 5.6 */
TEST(tracing)
{
	RIGHT(OFF, PGE(0x1000), TNT1(1), PGD_BARE, PGE(0x1000));
	RIGHT(ON(0x1000), OVF, PGE(0x1000));
	RIGHT(ON(0x1000), OVF, FUP(0x1000), TNT1(1));
	WRONG_TWICE("branch-while-off", 18, "not-enabled", 18, OFF, TNT1(1));
	WRONG_TWICE("branch-while-off", 18, "not-enabled", 18, OFF, 0x02, 0xa3, 2, 0, 0, 0, 0, 0);
	WRONG_TWICE("branch-while-off", 18, "not-enabled", 18, OFF, TIP(0x1000));
	WRONG_TWICE("disabled-twice", 18, "packet-context", 18, OFF, PGD_BARE);
	WRONG_TWICE("enabled-twice", 25, "packet-context", 25, ON(0x1000), PGE(0x1000));
	WRONG("enabled-nowhere", 18, OFF, PGE_BARE);
}

/* 5.3, 5.5: a FUP has an address, and belongs to what is before it or behind it. */
TEST(fup)
{
	RIGHT(ON(0x1000), FUP(0x1001), 0, TSC(1), MODE_64, PIP(0x1000), TIP(0x1000));
	RIGHT(ON(0x1000), FUP(0x1001), PGD_BARE);
	RIGHT(ON(0x1000), OVF, FUP(0x1001), TNT1(1));
	RIGHT(ON(0x1000), EXSTOP_IP, FUP(0x1001), TNT1(1));
	RIGHT(ON(0x1000), PTW_IP, FUP(0x1001), TNT1(1));
	RIGHT(ON(0x1000), CFE_IP, FUP(0x1001), TNT1(1));
	RIGHT(ON(0x1000), TRIG_IP, FUP(0x1001), TNT1(1));
	RIGHT(ON(0x1000), BEP_IP, FUP(0x1001), TNT1(1));
	RIGHT(ON(0x1000), MWAIT, PWRE, EXSTOP_IP, FUP(0x1001), TNT1(1));
	RIGHT(ON(0x1000), IN_TX, FUP(0x1001), TNT1(1));
	WRONG_TWICE("fup-without-target", 25, "packet-context", 33, ON(0x1000), FUP(0x1001), 0,
		    FUP(0x1002), TIP(0x1000));
	WRONG_TWICE("fup-without-address", 25, "address-withheld", 25, ON(0x1000), FUP_BARE, 0);
}

/* The first rule that is broken; what flow makes of the FUP comes behind it. */
static void want_unbound(const uint8_t *trace, size_t size, uint64_t at)
{
	answer = 1;
	want_rules(trace, size, (struct rule[]){ { "fup-without-target", at }, { NULL, 0 } });
}

#define UNBOUND(at, ...)                                                                           \
	want_unbound(BYTES(ON(0x1000), __VA_ARGS__, FUP(0x1001), TNT1(1)),                         \
		     sizeof(BYTES(ON(0x1000), __VA_ARGS__, FUP(0x1001), TNT1(1))), at)

/* The same packets without an address bind no FUP, and one FUP only is bound. */
TEST(fup_not_bound)
{
	UNBOUND(27, EXSTOP);
	UNBOUND(31, PTW);
	UNBOUND(29, CFE);
	UNBOUND(28, TRIG);
	UNBOUND(27, BEP);
	UNBOUND(27, ABORT_TX);
	UNBOUND(35, MWAIT);
	UNBOUND(28, OVF, TNT1(1));
	UNBOUND(34, EXSTOP_IP, FUP(0x1001));
}

/* 6: a TMA belongs to a TSC, behind the same PSB. */
TEST(time)
{
	RIGHT(PSB, TSC(1), TMA, PSBEND);
	RIGHT(OFF, TSC(1), MTC, TMA);
	WRONG("tma-without-tsc", 16, PSB, TMA, TSC(1), PSBEND);
	WRONG("tma-without-tsc", 42, PSB, TSC(1), PSBEND, PSB, TMA, PSBEND);
}

/* 4: bytes that are no packets; then nothing is known up to the next PSB+. */
TEST(bytes)
{
	WRONG("unknown-opcode", 25, ON(0x1000), 0x02, 0xff, 0x77, OFF);
	WRONG("unknown-opcode", 18, OFF, 0x05);
	WRONG("bad-packet", 18, OFF, 0x99, 0x40, ON(0x1000));
	WRONG("bad-packet", 18, OFF, 0xad, ON(0x1000));
	WRONG("cut-short", 25, ON(0x1000), 0x6d, 1);
	/* What begins inside the damage, or is open there, is no violation. */
	WRONG("unknown-opcode", 32, ON(0x1000), FUP(0x1001), 0x05, ON(0x1000), TNT1(1));
	WRONG("unknown-opcode", 23, PSB, FUP(0x1000), 0x05, ON(0x1000), TNT1(1));
}

/* The caller may stop at the first violation; nothing at all is an error. */
TEST(stop)
{
	struct tl_error err;

	answer = 1;
	WRONG("branch-while-off", 18, OFF, TNT1(1), PGD_BARE, PGD_BARE);
	config.end = config.begin;
	assert_int_equal(tl_pt_check_packets(&config, note, NULL, &err), TL_BAD_FORMAT);
}

/* ---- with code ---- */

/* 1000 je 1003; 1002 ret; 1003 jmp rax; 1005 (no instruction) */
enum { AT = 0x1000 };
static const uint8_t code[] = { 0x74, 0x01, 0xc3, 0xff, 0xe0, 0x06 };

static void want_code_rules(const uint8_t *trace, size_t size, const struct rule *wanted)
{
	struct tl_pt_image *image = tl_pt_image_open("check");
	struct tl_pt_trace_slice slice = {
		.config = { .size = sizeof(slice.config), .begin = trace, .end = trace + size },
		.to = size,
		.image = image,
		.asid = { TL_PT_ANY, TL_PT_ANY }
	};
	struct tl_pt_decoders decoders = { .list = NULL };
	struct tl_error err;
	int64_t status;

	assert_int_equal(tl_pt_image_add_memory(image, code, sizeof(code), NULL, AT, 1), 0);
	found_count = 0;
	status = tl_pt_check_slice(&decoders, &slice, note, NULL, &err);
	want_found(wanted, wanted[0].name != NULL);
	assert_int_equal(status, found_count);
	tl_pt_decoders_close(&decoders);
	tl_pt_image_close(image);
}

#define CODE(name, at, ...)                                                                        \
	want_code_rules(BYTES(START(AT), __VA_ARGS__), sizeof(BYTES(START(AT), __VA_ARGS__)),      \
			(struct rule[]){ { name, at }, { NULL, 0 } })

/* Trace and code together; START is 27 bytes. */
TEST(with_code)
{
	CODE(NULL, 0, TNT1(1), TIP(AT), TNT1(1), PGD_BARE);
	CODE("flow-mismatch", 27, TIP(AT), PGD_BARE);
	CODE("no-code", 35, TNT1(1), TIP(0x5000), PGD_BARE);
	CODE("bad-instruction", 35, TNT1(1), TIP(AT + 5), PGD_BARE);
	CODE("return-without-call", 27, TNT2(0, 1), PGD_BARE);
	CODE("no-address", 28, TNT1(1), 0x0d, PGD_BARE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(psb, begin),
		cmocka_unit_test_setup(first_address, begin),
		cmocka_unit_test_setup(tracing, begin),
		cmocka_unit_test_setup(fup, begin),
		cmocka_unit_test_setup(fup_not_bound, begin),
		cmocka_unit_test_setup(time, begin),
		cmocka_unit_test_setup(bytes, begin),
		cmocka_unit_test_setup(stop, begin),
		cmocka_unit_test_setup(with_code, begin),
	};

	return cmocka_run_group_tests_name("intel_pt check", tests, NULL, NULL);
}
