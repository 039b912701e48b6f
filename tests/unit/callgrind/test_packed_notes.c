/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations of packed profiles with many items, against those of the same lines one by one. */
#include "../chance.h"
#include "packed.h"

/*
 * Parts whose functions have lines, calls and jumps at places of two files again and again, of
 * `places` each.
 */
static char *text_of_parts(uint32_t places)
{
	enum { PARTS = 6, BLOCKS = 60, LINES = 150 };
	uint32_t seed = places;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (int part = 1; part <= PARTS; part++) {
		fprintf(out, "part: %d\npositions: instr line\nevents: Ir Dr Dw\n", part);
		for (int i = 0; i < BLOCKS; i++) {
			fprintf(out, "fl=a.c\nfn=%c\n", "fgh"[i % 3]);
			for (int n = 0; n < LINES; n++) {
				const uint32_t line = 1 + chance(&seed, places);

				if (n % 40 == 0)
					fprintf(out, "fi=%c.c\n", "ab"[chance(&seed, 2)]);
				if (n % 5 == 1)
					fprintf(out, "cfn=%c\ncalls=%d 0x9 1\n",
						"fgh"[chance(&seed, 3)], n);
				if (n % 7 == 2)
					fprintf(out, "jcnd=%d/%d 0x%x %u\n", n, 2 * n, line * 8,
						line + chance(&seed, 3));
				fprintf(out, "0x%x %u", line * 4, line);
				for (uint32_t e = chance(&seed, 4); e; e--)
					fprintf(out, " %u", chance(&seed, 300));
				fputc('\n', out);
			}
		}
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

/* What is of one remark is summed while the items of a file are read, as soon as there are many. */
TEST(many_items_at_few_places)
{
	static const uint32_t places[] = { 3, 300, 100000 };

	for (size_t i = 0; i < 3; i++) {
		char *text = text_of_parts(places[i]), *bytes;
		struct tl_profile *whole = fold_text(text), *small = fold_packed(text), *again;
		size_t size;

		assert_non_null(small->pack);
		bytes = filed(whole, &size);
		again = read_again(bytes, size, true);
		expect_same_annotations(whole, small);
		expect_same_annotations(whole, again);
		tl_profile_free(whole);
		tl_profile_free(small);
		tl_profile_free(again);
		free(bytes);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_items_at_few_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
