/* SPDX-License-Identifier: Apache-2.0 */
/* names_at FILE: for each hexadecimal address of the standard input a line "ADDRESS START NAME". */
#include <tracelathe/symbols.h>

#include <inttypes.h>
#include <stdio.h>

int main(int count, char **words)
{
	struct tl_binary *binary;
	struct tl_symbol symbol;
	struct tl_error err;
	uint64_t address;

	if (count != 2 || tl_binary_open(&binary, words[1], 0, false, &err) < 0)
		return 2;
	while (scanf("%" SCNx64, &address) == 1)
		if (tl_binary_symbol(binary, address, &symbol, sizeof(symbol)))
			printf("%" PRIx64 " %" PRIx64 " %s\n", address, symbol.start, symbol.name);
	tl_binary_close(binary);
	return 0;
}
