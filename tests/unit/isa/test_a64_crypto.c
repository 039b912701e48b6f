/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions for cryptography, as programs that hash and encrypt what the standards do: the
 * digests are those of FIPS 180-4 and FIPS 202, the ciphertext is that of FIPS 197, appendix B. A
 * program runs instruction by instruction, with registers as its only memory. Opcodes are as GNU as
 * assembles them; constants of the rounds are made as the standards say.
 */
#include <stdio.h>

#include "../unit.h"

#include "isa/a64/a64_compute.h"
#include "isa/a64/a64_vector_compute.h"

/* ---- a machine of vectors ---- */

enum opcode {
	SHA1C = 0x5e000000,
	SHA1P = 0x5e001000,
	SHA1M = 0x5e002000,
	SHA1SU0 = 0x5e003000,
	SHA256H = 0x5e004000,
	SHA256H2 = 0x5e005000,
	SHA256SU1 = 0x5e006000,
	SHA1H = 0x5e280800,
	SHA1SU1 = 0x5e281800,
	SHA256SU0 = 0x5e282800,
	AESE = 0x4e284800,
	AESD = 0x4e285800,
	AESMC = 0x4e286800,
	AESIMC = 0x4e287800,
	ADD_WORDS = 0x4ea08400,
};

/* Those of 64 bits, whose first bit makes them no int. */
#define SHA512H 0xce608000u
#define SHA512H2 0xce608400u
#define SHA512SU1 0xce608800u
#define SHA512SU0 0xcec08000u
#define RAX1 0xce608c00u
#define XAR 0xce800000u
#define EOR3 0xce000000u
#define BCAX 0xce200000u
#define ADD_HALVES 0x4ee08400u
#define EXT_8 0x6e004000u /* the upper half of the second register, the lower one of the third */
#define EOR 0x6e201c00u
#define MOV 0x4ea01c00u

static struct tl_a64_vector registers[TL_A64_VECTORS];

static void execute(uint32_t opcode)
{
	const struct tl_a64_vector_computation c = tl_a64_vector_computation(opcode);
	struct tl_a64_vector seen[TL_A64_VECTORS];

	assert_non_null(c.compute);
	assert_false(c.to_general);
	for (unsigned i = 0; i < TL_A64_VECTORS; i++) {
		seen[i] = registers[i];
		for (unsigned k = 0; k < TL_A64_VECTOR_BYTES; k++)
			if (!(c.reads >> i & 1))
				seen[i].bytes[k] ^= 0xa5;
	}
	registers[c.d] = c.compute(opcode, seen, 0);
}

static void three(uint32_t opcode, unsigned d, unsigned n, unsigned m)
{
	execute(opcode | m << 16 | n << 5 | d);
}

static void two(uint32_t opcode, unsigned d, unsigned n)
{
	execute(opcode | n << 5 | d);
}

static void copy(unsigned d, unsigned n)
{
	three(MOV, d, n, n);
}

/* ---- elements of registers ---- */

static void set_words(unsigned number, const uint32_t *w)
{
	for (unsigned i = 0; i < 16; i++)
		registers[number].bytes[i] = (uint8_t)(w[i / 4] >> 8 * (i % 4));
}

static uint32_t word(unsigned number, unsigned element)
{
	uint32_t value = 0;

	for (unsigned i = 4; i-- > 0;)
		value = value << 8 | registers[number].bytes[4 * element + i];
	return value;
}

static void set_halves(unsigned number, uint64_t low, uint64_t high)
{
	for (unsigned i = 0; i < 8; i++) {
		registers[number].bytes[i] = (uint8_t)(low >> 8 * i);
		registers[number].bytes[8 + i] = (uint8_t)(high >> 8 * i);
	}
}

static uint64_t half(unsigned number, unsigned element)
{
	return word(number, 2 * element) | (uint64_t)word(number, 2 * element + 1) << 32;
}

/* ---- roots of primes: where SHA-2 has its constants from ---- */

enum { LIMBS = 8 };

struct number {
	uint32_t limbs[LIMBS]; /* the lowest first */
};

static struct number product(const struct number *a, const struct number *b)
{
	struct number p = { { 0 } };

	for (unsigned i = 0; i < LIMBS; i++) {
		uint64_t carry = 0;

		for (unsigned j = 0; i + j < LIMBS; j++) {
			carry += p.limbs[i + j] + (uint64_t)a->limbs[i] * b->limbs[j];
			p.limbs[i + j] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	return p;
}

static int compare(const struct number *a, const struct number *b)
{
	for (unsigned i = LIMBS; i-- > 0;)
		if (a->limbs[i] != b->limbs[i])
			return a->limbs[i] < b->limbs[i] ? -1 : 1;
	return 0;
}

/* The first 64 bits behind the point of the square or the cubic root. */
static uint64_t root_fraction(unsigned prime, unsigned degree)
{
	struct number root = { { 0 } }, wanted = { { 0 } };

	wanted.limbs[2 * degree] = prime;
	for (unsigned bit = 64 + 5; bit-- > 0;) {
		struct number power;

		root.limbs[bit / 32] |= UINT32_C(1) << bit % 32;
		power = product(&root, &root);
		if (degree == 3)
			power = product(&power, &root);
		if (compare(&power, &wanted) > 0)
			root.limbs[bit / 32] &= ~(UINT32_C(1) << bit % 32);
	}
	return root.limbs[0] | (uint64_t)root.limbs[1] << 32;
}

static unsigned prime_behind(unsigned number)
{
	for (bool is_prime = false; !is_prime;) {
		is_prime = ++number > 1;
		for (unsigned i = 2; i * i <= number; i++)
			is_prime &= number % i != 0;
	}
	return number;
}

/* ---- messages ---- */

/* Blocks with the bit behind the message, zeros, and its length in bits. */
static unsigned padded(const char *message, uint8_t *blocks, unsigned block, unsigned length_bytes)
{
	const size_t size = strlen(message);
	unsigned count = 1;

	while (count * block < size + 1 + length_bytes)
		count++;
	memset(blocks, 0, (size_t)count * block);
	memcpy(blocks, message, size);
	blocks[size] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		blocks[count * block - 1 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
	return count;
}

static uint64_t big_endian(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return value;
}

static void assert_digest(const uint64_t *values, unsigned count, unsigned bytes,
			  const char *digest)
{
	char text[160] = "";

	for (unsigned i = 0; i < count; i++)
		sprintf(text + strlen(text), "%0*jx", (int)bytes * 2, (uintmax_t)values[i]);
	assert_string_equal(text, digest);
}

/* ---- SHA-1: V0 is a to d, V1 is e; V16 to V19 are the schedule ---- */

enum { SUM = 4, OLD = 5, CONSTANT = 6, NEXT = 7, SCHEDULE = 16 };

static void sha1_rounds(unsigned group)
{
	static const uint32_t constants[] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	static const uint32_t choices[] = { SHA1C, SHA1P, SHA1M, SHA1P };
	const unsigned w = SCHEDULE + group % 4, k = group / 5;
	const uint32_t same[] = { constants[k], constants[k], constants[k], constants[k] };

	set_words(CONSTANT, same);
	three(ADD_WORDS, SUM, w, CONSTANT);
	two(SHA1H, NEXT, 0);
	three(choices[k], 0, 1, SUM);
	copy(1, NEXT);
	three(SHA1SU0, w, SCHEDULE + (group + 1) % 4, SCHEDULE + (group + 2) % 4);
	two(SHA1SU1, w, SCHEDULE + (group + 3) % 4);
}

static void sha1(const char *message, const char *digest)
{
	uint32_t h[] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	uint8_t blocks[256];
	const unsigned count = padded(message, blocks, 64, 8);
	uint64_t values[5];

	for (unsigned b = 0; b < count; b++) {
		const uint32_t e[4] = { h[4] };

		for (unsigned i = 0; i < 4; i++) {
			uint32_t w[4];

			for (unsigned k = 0; k < 4; k++)
				w[k] = (uint32_t)big_endian(blocks + 64 * b + 16 * i + 4 * k, 4);
			set_words(SCHEDULE + i, w);
		}
		set_words(0, h);
		set_words(1, e);
		for (unsigned group = 0; group < 20; group++)
			sha1_rounds(group);
		for (unsigned i = 0; i < 4; i++)
			h[i] += word(0, i);
		h[4] += word(1, 0);
	}
	for (unsigned i = 0; i < 5; i++)
		values[i] = h[i];
	assert_digest(values, 5, 4, digest);
}

static const char long_message[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

TEST(sha1_of_messages)
{
	sha1("abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
	sha1(long_message, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

/* ---- SHA-256: V0 is a to d, V1 is e to h ---- */

static void sha256_rounds(unsigned group, const uint64_t *constants)
{
	const unsigned w = SCHEDULE + group % 4;
	uint32_t k[4];

	for (unsigned i = 0; i < 4; i++)
		k[i] = (uint32_t)(constants[4 * group + i] >> 32);
	set_words(CONSTANT, k);
	three(ADD_WORDS, SUM, w, CONSTANT);
	copy(OLD, 0);
	three(SHA256H, 0, 1, SUM);
	three(SHA256H2, 1, OLD, SUM);
	two(SHA256SU0, w, SCHEDULE + (group + 1) % 4);
	three(SHA256SU1, w, SCHEDULE + (group + 2) % 4, SCHEDULE + (group + 3) % 4);
}

/* The first of 64 or 80 constants, and the eight that a digest begins with. */
static void make_constants(uint64_t *constants, unsigned count, uint64_t *begin)
{
	for (unsigned i = 0, prime = 1; i < count; i++) {
		prime = prime_behind(prime);
		constants[i] = root_fraction(prime, 3);
		if (i < 8)
			begin[i] = root_fraction(prime, 2);
	}
}

static void sha256(const char *message, const char *digest)
{
	uint64_t constants[64], h[8];
	uint8_t blocks[256];
	const unsigned count = padded(message, blocks, 64, 8);

	make_constants(constants, 64, h);
	for (unsigned i = 0; i < 8; i++)
		h[i] >>= 32;
	for (unsigned b = 0; b < count; b++) {
		uint32_t state[8];

		for (unsigned i = 0; i < 8; i++)
			state[i] = (uint32_t)h[i];
		for (unsigned i = 0; i < 4; i++) {
			uint32_t w[4];

			for (unsigned k = 0; k < 4; k++)
				w[k] = (uint32_t)big_endian(blocks + 64 * b + 16 * i + 4 * k, 4);
			set_words(SCHEDULE + i, w);
		}
		set_words(0, state);
		set_words(1, state + 4);
		for (unsigned group = 0; group < 16; group++)
			sha256_rounds(group, constants);
		for (unsigned i = 0; i < 8; i++)
			h[i] = (h[i] + word(i / 4, i % 4)) & UINT32_MAX;
	}
	assert_digest(h, 8, 4, digest);
}

TEST(sha256_of_messages)
{
	sha256("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256(long_message, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* ---- SHA-512: V0 to V3 are a and b, c and d, e and f, g and h; V16 to V23 the schedule ---- */

enum { AB, CD, EF, GH, FG = 8, DE, NEW_EF, LATER };

static void sha512_rounds(unsigned group, const uint64_t *constants)
{
	const unsigned w = SCHEDULE + group % 8;

	set_halves(CONSTANT, constants[2 * group], constants[2 * group + 1]);
	three(ADD_HALVES, SUM, w, CONSTANT);
	three(EXT_8, SUM, SUM, SUM);
	three(ADD_HALVES, SUM, SUM, GH);
	three(EXT_8, FG, EF, GH);
	three(EXT_8, DE, CD, EF);
	three(SHA512H, SUM, FG, DE);
	three(ADD_HALVES, NEW_EF, CD, SUM);
	three(SHA512H2, SUM, CD, AB);
	copy(GH, EF);
	copy(EF, NEW_EF);
	copy(CD, AB);
	copy(AB, SUM);
	two(SHA512SU0, w, SCHEDULE + (group + 1) % 8);
	three(EXT_8, LATER, SCHEDULE + (group + 4) % 8, SCHEDULE + (group + 5) % 8);
	three(SHA512SU1, w, SCHEDULE + (group + 7) % 8, LATER);
}

static void sha512(const char *message, const char *digest)
{
	uint64_t constants[80], h[8];
	uint8_t blocks[512];
	const unsigned count = padded(message, blocks, 128, 16);

	make_constants(constants, 80, h);
	for (unsigned b = 0; b < count; b++) {
		for (unsigned i = 0; i < 8; i++)
			set_halves(SCHEDULE + i, big_endian(blocks + 128 * b + 16 * i, 8),
				   big_endian(blocks + 128 * b + 16 * i + 8, 8));
		for (unsigned i = 0; i < 4; i++)
			set_halves(i, h[2 * i], h[2 * i + 1]);
		for (unsigned group = 0; group < 40; group++)
			sha512_rounds(group, constants);
		for (unsigned i = 0; i < 8; i++)
			h[i] += half(i / 2, i % 2);
	}
	assert_digest(h, 8, 8, digest);
}

TEST(sha512_of_messages)
{
	sha512("abc", "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
		      "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
	sha512("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq"
	       "klmnopqrlmnopqrsmnopqrstnopqrstu",
	       "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
	       "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909");
}

/* ---- SHA3-256: V0 to V24 are the lanes by x + 5 y, of two states that are alike ---- */

/* FIPS 202, 3.2.5: the bit of rc(t) is that of a register of eight bits with feedback. */
static uint64_t round_constant(unsigned round)
{
	uint64_t constant = 0;

	for (unsigned j = 0; j <= 6; j++) {
		unsigned r = 1;

		for (unsigned t = (j + 7 * round) % 255; t; t--)
			r = (r << 1 ^ (r >> 7) * 0x171) & 0xff;
		constant |= (uint64_t)(r & 1) << ((1u << j) - 1);
	}
	return constant;
}

/* Columns are added to those beside them: what is added to column i is in V25 + i afterwards. */
static void theta(void)
{
	struct tl_a64_vector added[5];

	for (unsigned i = 0; i < 5; i++) {
		execute(EOR3 | (i + 5) << 16 | (i + 10) << 10 | i << 5 | (25 + i));
		execute(EOR3 | (i + 15) << 16 | (i + 20) << 10 | (25 + i) << 5 | (25 + i));
	}
	for (unsigned i = 0; i < 5; i++) {
		three(RAX1, 31, 25 + (i + 4) % 5, 25 + (i + 1) % 5);
		added[i] = registers[31];
	}
	for (unsigned i = 0; i < 5; i++)
		registers[25 + i] = added[i];
}

/* XAR turns right, rho to the left; by how much follows the lane's walk over the plane. */
static void theta_rho_pi(void)
{
	struct tl_a64_vector turned[25];
	unsigned x = 1, y = 0;

	theta();
	three(EOR, 30, 0, 25);
	turned[0] = registers[30];
	for (unsigned t = 0; t < 24; t++) {
		const unsigned left = (t + 1) * (t + 2) / 2 % 64, lane = x + 5 * y;
		const unsigned to_x = y, to_y = (2 * x + 3 * y) % 5;

		execute(XAR | (25 + x) << 16 | (64 - left) % 64 << 10 | lane << 5 | 30);
		turned[to_x + 5 * to_y] = registers[30];
		x = to_x;
		y = to_y;
	}
	for (unsigned i = 0; i < 25; i++)
		registers[i] = turned[i];
}

static void chi(void)
{
	for (unsigned y = 0; y < 25; y += 5) {
		for (unsigned x = 0; x < 5; x++)
			execute(BCAX | (y + (x + 2) % 5) << 16 | (y + (x + 1) % 5) << 10 |
				(y + x) << 5 | (25 + x));
		for (unsigned x = 0; x < 5; x++)
			copy(y + x, 25 + x);
	}
}

static void sha3_256(const char *message, const char *digest)
{
	uint8_t block[136] = { 0 };
	char text[65] = "";

	assert_true(strlen(message) < sizeof(block) - 1);
	memcpy(block, message, strlen(message));
	block[strlen(message)] = 0x06;
	block[sizeof(block) - 1] |= 0x80;
	for (unsigned i = 0; i < 25; i++) {
		uint64_t lane = 0;

		for (unsigned k = 8; i < sizeof(block) / 8 && k-- > 0;)
			lane = lane << 8 | block[8 * i + k];
		set_halves(i, lane, lane);
	}
	for (unsigned round = 0; round < 24; round++) {
		theta_rho_pi();
		chi();
		set_halves(31, round_constant(round), round_constant(round));
		three(EOR, 0, 0, 31);
	}
	for (unsigned i = 0; i < 4; i++)
		assert_true(half(i, 0) == half(i, 1));
	for (unsigned i = 0; i < 32; i++)
		sprintf(text + 2 * i, "%02x", registers[i / 8].bytes[i % 8]);
	assert_string_equal(text, digest);
}

TEST(sha3_of_messages)
{
	sha3_256("abc", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
	sha3_256(long_message, "41c0dba2a9d6240849100376a8235e2c82e1b9998a999e21db32dd97496d3376");
}

/* ---- AES ---- */

static unsigned product_of_bytes(unsigned a, unsigned b)
{
	unsigned sum = 0;

	for (; b; b >>= 1) {
		if (b & 1)
			sum ^= a;
		a = (a << 1 ^ (a >> 7) * 0x11b) & 0x1ff;
	}
	return sum;
}

/* FIPS 197, 5.1.1: the inverse in GF(2^8), then each bit with four others and 0x63. */
static unsigned substituted(unsigned byte)
{
	unsigned inverse = 0, result = 0x63;

	for (unsigned i = 1; i < 256; i++)
		if (product_of_bytes(byte, i) == 1)
			inverse = i;
	for (unsigned i = 0; i < 5; i++)
		result ^= (inverse << i | inverse >> (8 - i)) & 0xff;
	return result;
}

/* Of registers of 16 equal bytes the rows are not seen to move. */
TEST(aes_substitutes_all_bytes)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		const unsigned to = substituted(byte);

		memset(&registers[1], (int)byte, 16);
		memset(&registers[2], 0, 16);
		two(AESE, 1, 2);
		for (unsigned i = 0; i < 16; i++)
			assert_int_equal(registers[1].bytes[i], to);
		two(AESD, 1, 2);
		for (unsigned i = 0; i < 16; i++)
			assert_int_equal(registers[1].bytes[i], byte);
		memset(&registers[2], 0x3c, 16);
		two(AESE, 1, 2);
		assert_int_equal(registers[1].bytes[5], substituted(byte ^ 0x3c));
	}
}

/* FIPS 197, 5.2. */
static void make_keys(const uint8_t *key, uint8_t (*keys)[16])
{
	unsigned constant = 1;

	memcpy(keys[0], key, 16);
	for (unsigned round = 1; round <= 10; round++) {
		for (unsigned i = 0; i < 16; i++) {
			unsigned before = i < 4 ? substituted(keys[round - 1][12 + (i + 1) % 4])
						: keys[round][i - 4];

			if (!i)
				before ^= constant;
			keys[round][i] = (uint8_t)(keys[round - 1][i] ^ before);
		}
		constant = product_of_bytes(constant, 2);
	}
}

static void set_bytes(unsigned number, const uint8_t *bytes)
{
	memcpy(registers[number].bytes, bytes, 16);
}

TEST(aes_of_appendix_b)
{
	static const uint8_t key[] = { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
				       0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c };
	static const uint8_t plain[] = { 0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
					 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34 };
	static const uint8_t cipher[] = { 0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb,
					  0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32 };
	uint8_t keys[11][16];

	make_keys(key, keys);
	set_bytes(0, plain);
	for (unsigned round = 0; round < 10; round++) {
		set_bytes(1, keys[round]);
		two(AESE, 0, 1);
		if (round < 9)
			two(AESMC, 0, 0);
	}
	set_bytes(1, keys[10]);
	three(EOR, 0, 0, 1);
	assert_memory_equal(registers[0].bytes, cipher, 16);
	/* 5.3.5, the equivalent inverse cipher: keys go through the inverse of the columns, too. */
	for (unsigned round = 10; round > 0; round--) {
		set_bytes(1, keys[round]);
		if (round < 10)
			two(AESIMC, 1, 1);
		two(AESD, 0, 1);
		if (round > 1)
			two(AESIMC, 0, 0);
	}
	set_bytes(1, keys[0]);
	three(EOR, 0, 0, 1);
	assert_memory_equal(registers[0].bytes, plain, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha1_of_messages),          cmocka_unit_test(sha256_of_messages),
		cmocka_unit_test(sha512_of_messages),        cmocka_unit_test(sha3_of_messages),
		cmocka_unit_test(aes_substitutes_all_bytes), cmocka_unit_test(aes_of_appendix_b),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
