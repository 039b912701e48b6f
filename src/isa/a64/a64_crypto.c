/* SPDX-License-Identifier: Apache-2.0 */
/* "Cryptographic ..." of C4.1: AES, SHA-1, SHA-256, SHA-512, and the bits of SHA-3. */
#include <stddef.h>

#include "isa/a64/a64_lanes.h"

static struct tl_a64_vector_choice choice(tl_a64_vector_fn *fn, bool keeps)
{
	return (struct tl_a64_vector_choice){ fn, keeps };
}

/* ---- AES ---- */

/* FIPS 197, "SubBytes()": the inverse in GF(2^8), and an affine transformation of its bits. */
static const uint8_t substituted[256] = {
	0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab,
	0x76, 0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4,
	0x72, 0xc0, 0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71,
	0xd8, 0x31, 0x15, 0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2,
	0xeb, 0x27, 0xb2, 0x75, 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6,
	0xb3, 0x29, 0xe3, 0x2f, 0x84, 0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb,
	0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf, 0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45,
	0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8, 0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5,
	0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2, 0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44,
	0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73, 0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a,
	0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb, 0xe0, 0x32, 0x3a, 0x0a, 0x49,
	0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79, 0xe7, 0xc8, 0x37, 0x6d,
	0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08, 0xba, 0x78, 0x25,
	0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a, 0x70, 0x3e,
	0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e, 0xe1,
	0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
	0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb,
	0x16,
};

/* The other way. */
static const uint8_t restored[256] = {
	0x52, 0x09, 0x6a, 0xd5, 0x30, 0x36, 0xa5, 0x38, 0xbf, 0x40, 0xa3, 0x9e, 0x81, 0xf3, 0xd7,
	0xfb, 0x7c, 0xe3, 0x39, 0x82, 0x9b, 0x2f, 0xff, 0x87, 0x34, 0x8e, 0x43, 0x44, 0xc4, 0xde,
	0xe9, 0xcb, 0x54, 0x7b, 0x94, 0x32, 0xa6, 0xc2, 0x23, 0x3d, 0xee, 0x4c, 0x95, 0x0b, 0x42,
	0xfa, 0xc3, 0x4e, 0x08, 0x2e, 0xa1, 0x66, 0x28, 0xd9, 0x24, 0xb2, 0x76, 0x5b, 0xa2, 0x49,
	0x6d, 0x8b, 0xd1, 0x25, 0x72, 0xf8, 0xf6, 0x64, 0x86, 0x68, 0x98, 0x16, 0xd4, 0xa4, 0x5c,
	0xcc, 0x5d, 0x65, 0xb6, 0x92, 0x6c, 0x70, 0x48, 0x50, 0xfd, 0xed, 0xb9, 0xda, 0x5e, 0x15,
	0x46, 0x57, 0xa7, 0x8d, 0x9d, 0x84, 0x90, 0xd8, 0xab, 0x00, 0x8c, 0xbc, 0xd3, 0x0a, 0xf7,
	0xe4, 0x58, 0x05, 0xb8, 0xb3, 0x45, 0x06, 0xd0, 0x2c, 0x1e, 0x8f, 0xca, 0x3f, 0x0f, 0x02,
	0xc1, 0xaf, 0xbd, 0x03, 0x01, 0x13, 0x8a, 0x6b, 0x3a, 0x91, 0x11, 0x41, 0x4f, 0x67, 0xdc,
	0xea, 0x97, 0xf2, 0xcf, 0xce, 0xf0, 0xb4, 0xe6, 0x73, 0x96, 0xac, 0x74, 0x22, 0xe7, 0xad,
	0x35, 0x85, 0xe2, 0xf9, 0x37, 0xe8, 0x1c, 0x75, 0xdf, 0x6e, 0x47, 0xf1, 0x1a, 0x71, 0x1d,
	0x29, 0xc5, 0x89, 0x6f, 0xb7, 0x62, 0x0e, 0xaa, 0x18, 0xbe, 0x1b, 0xfc, 0x56, 0x3e, 0x4b,
	0xc6, 0xd2, 0x79, 0x20, 0x9a, 0xdb, 0xc0, 0xfe, 0x78, 0xcd, 0x5a, 0xf4, 0x1f, 0xdd, 0xa8,
	0x33, 0x88, 0x07, 0xc7, 0x31, 0xb1, 0x12, 0x10, 0x59, 0x27, 0x80, 0xec, 0x5f, 0x60, 0x51,
	0x7f, 0xa9, 0x19, 0xb5, 0x4a, 0x0d, 0x2d, 0xe5, 0x7a, 0x9f, 0x93, 0xc9, 0x9c, 0xef, 0xa0,
	0xe0, 0x3b, 0x4d, 0xae, 0x2a, 0xf5, 0xb0, 0xc8, 0xeb, 0xbb, 0x3c, 0x83, 0x53, 0x99, 0x61,
	0x17, 0x2b, 0x04, 0x7e, 0xba, 0x77, 0xd6, 0x26, 0xe1, 0x69, 0x14, 0x63, 0x55, 0x21, 0x0c,
	0x7d,
};

/* AESE, AESD: the key is added, rows of the state are rotated, bytes replaced. */
static struct tl_a64_vector aes_round(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	bool decrypts = opcode >> 12 & 1;
	struct tl_a64_vector result;

	(void)x;
	for (unsigned i = 0; i < 16; i++) {
		unsigned row = i % 4, from = (i + 4 * (decrypts ? 4 - row : row)) % 16,
			 byte = v[opcode & 31].bytes[from] ^ v[opcode >> 5 & 31].bytes[from];

		result.bytes[i] = decrypts ? restored[byte] : substituted[byte];
	}
	return result;
}

/* By x in GF(2^8), whose polynomial is x^8 + x^4 + x^3 + x + 1. */
static unsigned doubled(unsigned a)
{
	return (a << 1 ^ (a >> 7) * 0x11b) & 255;
}

/* AESMC, AESIMC: columns by the polynomial 3, 1, 1, 2, or by its inverse. */
static struct tl_a64_vector mix_columns(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	bool inverse = opcode >> 12 & 1;
	const uint8_t *n = v[opcode >> 5 & 31].bytes;
	struct tl_a64_vector result;

	(void)x;
	for (unsigned i = 0; i < 16; i++) {
		const uint8_t *column = n + i / 4 * 4;
		unsigned a = column[i % 4], b = column[(i + 1) % 4], c = column[(i + 2) % 4],
			 d = column[(i + 3) % 4], sum = doubled(a ^ b) ^ b ^ c ^ d;

		/* 14, 11, 13, 9 are 2, 3, 1, 1 and, of a and c, 4 more, and 8 of all. */
		if (inverse)
			sum ^= doubled(doubled(a ^ c)) ^ doubled(doubled(doubled(a ^ b ^ c ^ d)));
		result.bytes[i] = (uint8_t)sum;
	}
	return result;
}

struct tl_a64_vector_choice tl_a64_aes(uint32_t opcode)
{
	return opcode >> 13 & 1 ? choice(mix_columns, false) : choice(aes_round, true);
}

/* ---- words ---- */

static uint32_t rotated(uint32_t value, unsigned right)
{
	return value >> right | value << (32 - right);
}

static uint64_t rotated_64(uint64_t value, unsigned right)
{
	return right ? value >> right | value << (64 - right) : value;
}

/* "SHAchoose()", "SHAmajority()", also of 64 bits */
static uint64_t chosen(uint64_t x, uint64_t y, uint64_t z)
{
	return ((y ^ z) & x) ^ z;
}

static uint64_t majority(uint64_t x, uint64_t y, uint64_t z)
{
	return (x & y) | ((x | y) & z);
}

static struct tl_a64_lanes words_of(const struct tl_a64_vector *v, unsigned number)
{
	return tl_a64_lanes_of(&v[number & 31], 0, 2, 4, false);
}

static struct tl_a64_vector of_words(const uint32_t *w)
{
	const struct tl_a64_lanes l = { { w[0], w[1], w[2], w[3] } };

	return tl_a64_vector_of(&l, 2, 4);
}

/* ---- SHA-1 ---- */

enum { SHA1C, SHA1P, SHA1M, SHA1SU0, SHA256H, SHA256H2, SHA256SU1 };

static uint32_t sha1_function(uint32_t opcode, const uint32_t *x)
{
	switch (opcode >> 12 & 7) {
	case SHA1C:
		return (uint32_t)chosen(x[1], x[2], x[3]);
	case SHA1P:
		return x[1] ^ x[2] ^ x[3];
	default:
		return (uint32_t)majority(x[1], x[2], x[3]);
	}
}

static struct tl_a64_vector sha1_hash(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes d = words_of(v, opcode), w = words_of(v, opcode >> 16);
	uint32_t x[4], y = (uint32_t)words_of(v, opcode >> 5).e[0];

	(void)z;
	for (unsigned i = 0; i < 4; i++)
		x[i] = (uint32_t)d.e[i];
	for (unsigned e = 0; e < 4; e++) {
		uint32_t sum = y + rotated(x[0], 27) + sha1_function(opcode, x) + (uint32_t)w.e[e];

		y = x[3];
		x[3] = x[2];
		x[2] = rotated(x[1], 2);
		x[1] = x[0];
		x[0] = sum;
	}
	return of_words(x);
}

static struct tl_a64_vector sha1su0(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_vector result = v[opcode & 31];
	const uint8_t *d = v[opcode & 31].bytes, *n = v[opcode >> 5 & 31].bytes,
		      *m = v[opcode >> 16 & 31].bytes;

	(void)z;
	for (unsigned i = 0; i < 16; i++)
		result.bytes[i] = (uint8_t)(d[i] ^ m[i] ^ (i < 8 ? d[i + 8] : n[i - 8]));
	return result;
}

static struct tl_a64_vector sha1h(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	const uint32_t w[4] = { rotated((uint32_t)words_of(v, opcode >> 5).e[0], 2) };

	(void)z;
	return of_words(w);
}

static struct tl_a64_vector sha1su1(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes d = words_of(v, opcode), n = words_of(v, opcode >> 5);
	uint32_t w[4];

	(void)z;
	for (unsigned i = 0; i < 4; i++)
		w[i] = (uint32_t)(d.e[i] ^ (i < 3 ? n.e[i + 1] : 0));
	w[3] = rotated(w[3], 31) ^ rotated(w[0], 30);
	for (unsigned i = 0; i < 3; i++)
		w[i] = rotated(w[i], 31);
	return of_words(w);
}

/* ---- SHA-256 ---- */

static uint32_t sigma(uint32_t value, unsigned a, unsigned b, unsigned c)
{
	return rotated(value, a) ^ rotated(value, b) ^ rotated(value, c);
}

static uint32_t sigma_shifted(uint32_t value, unsigned a, unsigned b, unsigned by)
{
	return rotated(value, a) ^ rotated(value, b) ^ value >> by;
}

/* SHA256H, SHA256H2: four steps of words a to d and e to h, of which one half is the result. */
static struct tl_a64_vector sha256_hash(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	bool second = (opcode >> 12 & 7) == SHA256H2;
	struct tl_a64_lanes x = words_of(v, second ? opcode >> 5 : opcode),
			    y = words_of(v, second ? opcode : opcode >> 5),
			    m = words_of(v, opcode >> 16);
	uint32_t w[8];

	(void)z;
	for (unsigned i = 0; i < 8; i++)
		w[i] = (uint32_t)(i < 4 ? x.e[i] : y.e[i - 4]);
	for (unsigned e = 0; e < 4; e++) {
		uint32_t t = w[7] + sigma(w[4], 6, 11, 25) + (uint32_t)chosen(w[4], w[5], w[6]) +
			     (uint32_t)m.e[e],
			 first = t + sigma(w[0], 2, 13, 22) + (uint32_t)majority(w[0], w[1], w[2]);

		w[3] += t;
		for (unsigned i = 7; i > 0; i--)
			w[i] = w[i - 1];
		w[0] = first;
	}
	return of_words(second ? w + 4 : w);
}

static struct tl_a64_vector sha256su0(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes d = words_of(v, opcode), n = words_of(v, opcode >> 5);
	uint32_t w[4];

	(void)z;
	for (unsigned i = 0; i < 4; i++)
		w[i] = (uint32_t)d.e[i] +
		       sigma_shifted((uint32_t)(i < 3 ? d.e[i + 1] : n.e[0]), 7, 18, 3);
	return of_words(w);
}

static struct tl_a64_vector sha256su1(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes d = words_of(v, opcode), n = words_of(v, opcode >> 5),
			    m = words_of(v, opcode >> 16);
	uint32_t w[4];

	(void)z;
	for (unsigned i = 0; i < 4; i++)
		w[i] = (uint32_t)d.e[i] + (uint32_t)(i < 3 ? n.e[i + 1] : m.e[0]) +
		       sigma_shifted(i < 2 ? (uint32_t)m.e[i + 2] : w[i - 2], 17, 19, 10);
	return of_words(w);
}

struct tl_a64_vector_choice tl_a64_sha_three(uint32_t opcode)
{
	switch (opcode >> 12 & 7) {
	case SHA1C:
	case SHA1P:
	case SHA1M:
		return choice(sha1_hash, true);
	case SHA1SU0:
		return choice(sha1su0, true);
	case SHA256SU1:
		return choice(sha256su1, true);
	default:
		return choice(sha256_hash, true);
	}
}

struct tl_a64_vector_choice tl_a64_sha_two(uint32_t opcode)
{
	switch (tl_a64_bits(opcode, 16, 12)) {
	case 0:
		return choice(sha1h, false);
	case 1:
		return choice(sha1su1, true);
	default:
		return choice(sha256su0, true);
	}
}

/* ---- SHA-512, SHA-3 ---- */

enum { SHA512H, SHA512H2, SHA512SU1, RAX1 };

static struct tl_a64_lanes halves_of(const struct tl_a64_vector *v, unsigned number)
{
	return tl_a64_lanes_of(&v[number & 31], 0, 3, 2, false);
}

static uint64_t sigma_64(uint64_t value, unsigned a, unsigned b, unsigned c)
{
	return rotated_64(value, a) ^ rotated_64(value, b) ^ rotated_64(value, c);
}

static struct tl_a64_vector sha512h(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes n = halves_of(v, opcode >> 5), m = halves_of(v, opcode >> 16),
			    d = halves_of(v, opcode);
	uint64_t sum;

	(void)z;
	d.e[1] += sigma_64(m.e[1], 14, 18, 41) + chosen(m.e[1], n.e[0], n.e[1]);
	sum = d.e[1] + m.e[0];
	d.e[0] += sigma_64(sum, 14, 18, 41) + chosen(sum, m.e[1], n.e[0]);
	return tl_a64_vector_of(&d, 3, 2);
}

static struct tl_a64_vector sha512h2(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes n = halves_of(v, opcode >> 5), m = halves_of(v, opcode >> 16),
			    d = halves_of(v, opcode);

	(void)z;
	d.e[1] += sigma_64(m.e[0], 28, 34, 39) + majority(n.e[0], m.e[1], m.e[0]);
	d.e[0] += sigma_64(d.e[1], 28, 34, 39) + majority(d.e[1], m.e[0], m.e[1]);
	return tl_a64_vector_of(&d, 3, 2);
}

static struct tl_a64_vector sha512su1(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes n = halves_of(v, opcode >> 5), m = halves_of(v, opcode >> 16),
			    d = halves_of(v, opcode);

	(void)z;
	for (unsigned i = 0; i < 2; i++)
		d.e[i] += m.e[i] + (rotated_64(n.e[i], 19) ^ rotated_64(n.e[i], 61) ^ n.e[i] >> 6);
	return tl_a64_vector_of(&d, 3, 2);
}

static struct tl_a64_vector sha512su0(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes n = halves_of(v, opcode >> 5), d = halves_of(v, opcode);
	const uint64_t next[2] = { d.e[1], n.e[0] };

	(void)z;
	for (unsigned i = 0; i < 2; i++)
		d.e[i] += rotated_64(next[i], 1) ^ rotated_64(next[i], 8) ^ next[i] >> 7;
	return tl_a64_vector_of(&d, 3, 2);
}

static struct tl_a64_vector rax1(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes n = halves_of(v, opcode >> 5), m = halves_of(v, opcode >> 16);

	(void)z;
	for (unsigned i = 0; i < 2; i++)
		n.e[i] ^= rotated_64(m.e[i], 63);
	return tl_a64_vector_of(&n, 3, 2);
}

struct tl_a64_vector_choice tl_a64_sha512_three(uint32_t opcode)
{
	/* SM3, SM4 */
	if (opcode >> 14 & 1)
		return choice(NULL, false);
	switch (opcode >> 10 & 3) {
	case SHA512H:
		return choice(sha512h, true);
	case SHA512H2:
		return choice(sha512h2, true);
	case SHA512SU1:
		return choice(sha512su1, true);
	default:
		return choice(rax1, false);
	}
}

struct tl_a64_vector_choice tl_a64_sha512_two(uint32_t opcode)
{
	return choice(opcode >> 10 & 3 ? NULL : sha512su0, true);
}

/* EOR3, BCAX */
static struct tl_a64_vector of_four(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes n = halves_of(v, opcode >> 5), m = halves_of(v, opcode >> 16),
			    a = halves_of(v, opcode >> 10);
	bool clears = opcode >> 21 & 1;

	(void)z;
	for (unsigned i = 0; i < 2; i++)
		n.e[i] ^= clears ? m.e[i] & ~a.e[i] : m.e[i] ^ a.e[i];
	return tl_a64_vector_of(&n, 3, 2);
}

/* SM3SS1 is the third. */
struct tl_a64_vector_choice tl_a64_four_registers(uint32_t opcode)
{
	return choice(opcode >> 22 & 1 ? NULL : of_four, false);
}

static struct tl_a64_vector xar(uint32_t opcode, const struct tl_a64_vector *v, uint64_t z)
{
	struct tl_a64_lanes n = halves_of(v, opcode >> 5), m = halves_of(v, opcode >> 16);

	(void)z;
	for (unsigned i = 0; i < 2; i++)
		n.e[i] = rotated_64(n.e[i] ^ m.e[i], tl_a64_bits(opcode, 15, 10));
	return tl_a64_vector_of(&n, 3, 2);
}

struct tl_a64_vector_choice tl_a64_xar(uint32_t opcode)
{
	(void)opcode;
	return choice(xar, false);
}
