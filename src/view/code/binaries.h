/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_CODE_BINARIES_H
#define TL_VIEW_CODE_BINARIES_H
/* The programs of a trace, opened for the code of an annotation by instruction. */
#include <tracelathe/open.h>
#include <tracelathe/symbols.h>

struct tl_view_binaries {
	struct tl_binary **list;
	size_t count;
};

/*
 * Those that cannot be opened are passed over: their code is then said to be missing. False without
 * memory; close them in any case.
 */
bool tl_view_binaries_open(struct tl_view_binaries *binaries,
			   const struct tl_input_options *options);
void tl_view_binaries_close(struct tl_view_binaries *binaries);

/* For tl_annotate_options.code: of the input `arg`, which may be NULL. */
size_t tl_view_code_of(void *arg, const char *object, uint64_t address, uint8_t *bytes,
		       size_t size);
/* For tl_annotate_options.code_machine, of the same input. */
unsigned tl_view_machine_of(const struct tl_input *input);
/* For tl_annotate_options.binary, of the same input. */
struct tl_binary *tl_view_binary_of(void *arg, const char *object);

#endif
