/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of the optional parts of Armv8: AES, SHA-1, SHA-256, SHA-512, SHA-3, SM3, SM4,
 * CRC-32, products of polynomials, half precision, BFloat16, products of matrices, dot products,
 * structures of vectors, flags (CFINV, RMIF, AXFLAG), LDAPR, DC, and hints.
 */
#include <arm_acle.h>
#include <arm_neon.h>
#include <stdint.h>
#include <stdio.h>

static float16_t halves[64];
static bfloat16_t brains[64];
static int8_t numbers[64];
static uint8_t bytes[256];
static uint64_t sum;
static float total;

static void ciphers(uint8x16_t *data, uint8x16_t *key)
{
	static uint32x4_t hash = { 7, 7, 7, 7 }, words = { 1, 2, 3, 4 };
	poly128_t product;

	*data = vaesmcq_u8(vaeseq_u8(*data, *key));
	*key = vaesimcq_u8(vaesdq_u8(*key, *data));
	hash = vsha256hq_u32(hash, hash, words);
	words = vsha256su1q_u32(vsha256su0q_u32(words, hash), hash, words);
	words = vsha1cq_u32(words, vsha1h_u32(vgetq_lane_u32(hash, 0)), hash);
	product = vmull_p64(vgetq_lane_u64(vreinterpretq_u64_u8(*data), 0),
			    vgetq_lane_u64(vreinterpretq_u64_u8(*key), 1));
	sum ^= (uint64_t)product ^ (uint64_t)(product >> 64) ^ vgetq_lane_u32(words, 2);
	__asm__ volatile("eor3 v0.16b, v1.16b, v2.16b, v3.16b\n"
			 "\trax1 v1.2d, v0.2d, v2.2d\n"
			 "\txar v2.2d, v1.2d, v0.2d, #9\n"
			 "\tbcax v3.16b, v1.16b, v2.16b, v0.16b\n"
			 "\tsha512h q0, q1, v2.2d\n"
			 "\tsm3ss1 v1.4s, v0.4s, v2.4s, v3.4s\n"
			 "\tsm4e v2.4s, v1.4s"
			 :
			 :
			 : "v0", "v1", "v2", "v3");
}

static void arithmetic(int k)
{
	float16x8_t half = vld1q_f16(halves + k % 8 * 8);
	float32x4_t dot = vbfdotq_f32(vdupq_n_f32(1), vld1q_bf16(brains), vld1q_bf16(brains + 8));
	int32x4_t matrix = vmmlaq_s32(vdupq_n_s32(0), vld1q_s8(numbers), vld1q_s8(numbers + 16));

	half = vfmaq_f16(half, half, vsqrtq_f16(vabsq_f16(half)));
	halves[k] = (float16_t)vaddvq_f32(vcvt_f32_f16(vget_low_f16(half)));
	dot = vbfmmlaq_f32(dot, vld1q_bf16(brains + 16), vld1q_bf16(brains + 8));
	total += vaddvq_f32(dot);
	matrix = vusdotq_s32(matrix, vld1q_u8(bytes), vld1q_s8(numbers + 32));
	matrix = vdotq_s32(matrix, vld1q_s8(numbers), vld1q_s8(numbers + 8));
	sum += (uint64_t)vaddvq_s32(matrix);
}

static void structures(int k, uint8x16_t data)
{
	static const uint16x4x2_t two = { { { 1, 1, 1, 1 }, { 2, 2, 2, 2 } } };
	uint8x16x4_t four = vld4q_u8(bytes + k);
	uint8x16x3_t three;
	uint16x4x2_t lanes;

	four.val[1] = vqtbl4q_u8(four, vandq_u8(data, vdupq_n_u8(63)));
	vst4q_u8(bytes + k, four);
	three = vld3q_dup_u8(bytes + k);
	vst3q_lane_u8(bytes + k + 5, three, 11);
	lanes = vld2_lane_u16((uint16_t *)(void *)(bytes + 2 * k), two, 3);
	sum += vget_lane_u16(lanes.val[1], 3);
	vst1q_u8_x2(bytes + 64, vld1q_u8_x2(bytes + 32));
}

static void flags(int k)
{
	uint64_t found;

	__asm__ volatile("fjcvtzs %w0, %d1" : "=r"(found) : "w"(1e10 + k) : "cc");
	sum += found;
	__asm__ volatile("setf8 %w1\n"
			 "\tcfinv\n"
			 "\trmif %1, #5, #15\n"
			 "\tcset %0, hi\n"
			 "\taxflag\n"
			 "\tcsinc %0, %0, %0, lt\n"
			 "\txaflag\n"
			 "\tcsel %0, %0, xzr, ne"
			 : "=&r"(found)
			 : "r"(sum)
			 : "cc");
	sum += found;
}

static void order(void)
{
	uint8_t *at = bytes + 96;
	uint64_t found;

	__asm__ volatile("ldapr %0, [%1]\n"
			 "\tstlur %w0, [%2, #4]\n"
			 "\tldapurb %w0, [%2, #7]"
			 : "=&r"(found)
			 : "r"(bytes), "r"(bytes + 64)
			 : "memory");
	sum += found;
	__asm__ volatile("dc cvac, %0\n"
			 "\tdc civac, %0\n"
			 "\tdsb ish\n"
			 "\tisb\n"
			 "\tprfm pldl1keep, [%0]\n"
			 "\tyield\n"
			 "\tsevl\n"
			 "\twfe\n"
			 "\tcsdb\n"
			 "\tsb"
			 :
			 : "r"(bytes)
			 : "memory");
	__asm__ volatile("ldp q1, q2, [%1], #32\n"
			 "\tstp q2, q1, [%1, #-64]!\n"
			 "\tldr b3, [%1, #1]\n"
			 "\tldrsw %0, [%1, #3]\n"
			 "\tand %0, %0, #7\n"
			 "\tldr s4, [%1, %0, lsl #2]"
			 : "=&r"(found), "+r"(at)
			 :
			 : "v1", "v2", "v3", "v4", "memory");
	sum += found;
}

int main(void)
{
	uint8x16_t data = vdupq_n_u8(3), key = vdupq_n_u8(0x5a);
	uint32_t check = 1;

	for (int i = 0; i < 64; i++) {
		halves[i] = (float16_t)((float)i * 0.5f);
		brains[i] = vcvth_bf16_f32((float)i);
		numbers[i] = (int8_t)(i - 30);
	}
	for (int i = 0; i < 256; i++)
		bytes[i] = (uint8_t)(i * 3);
	__asm__ volatile("hint #9");
	for (int k = 0; k < 16; k++) {
		ciphers(&data, &key);
		arithmetic(k);
		structures(k, data);
		flags(k);
		order();
		check = __crc32cd(check, sum + (uint64_t)k);
	}
	__asm__ volatile("hint #9");
	printf("%lu %f %u\n", (unsigned long)sum, (double)total, check);
	return 0;
}
