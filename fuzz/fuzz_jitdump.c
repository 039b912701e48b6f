/* SPDX-License-Identifier: Apache-2.0 */
/* A jitdump file: its functions and lines lie inside it. */
#include <string.h>

#include "fuzz.h"
#include "symbols/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_jit_code code = { .lines = NULL };
	struct tl_symtab symbols = { .count = 0 };
	struct tl_symbol symbol = { .file = "" };

	if (tl_jitdump_open_memory(&code.dump, data, size, NULL) < 0)
		return 0;
	FUZZ_MUST(tl_jit_code_take(&code, &symbols, NULL) == 0 && tl_symtab_finish(&symbols));
	for (size_t i = 0; i < symbols.count; i++) {
		FUZZ_MUST(symbols.symbols[i].end <= size);
		FUZZ_MUST(strlen(symbols.symbols[i].shown) < size);
		tl_jit_code_line(&code, symbols.symbols[i].start, &symbol);
		FUZZ_MUST(strlen(symbol.file) < size);
	}
	tl_symtab_free(&symbols);
	tl_jit_code_free(&code);
	return 0;
}
