/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a description of caches: what is accepted makes sense, errors are within the text. */
#include "fuzz.h"
#include "xtrace/caches/cache.h"

static void must_make_sense(const struct tl_xtrace_cache_config *config)
{
	FUZZ_MUST(config->count && config->count <= TL_XTRACE_CACHE_LEVELS);
	for (uint32_t i = 0; i < config->count; i++) {
		const struct tl_xtrace_cache_level *level = &config->levels[i];

		FUZZ_MUST(level->sets && level->ways && level->line >= 16);
		FUZZ_MUST(level->size == level->line * level->sets * level->ways);
		FUZZ_MUST(level->next == TL_NONE ||
			  (level->next > i && level->next < config->count));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_xtrace_cache_config config;
	struct tl_error err = { .offset = 0 };

	if (tl_xtrace_cache_parse(&config, (const char *)data, size, &err) == 0)
		must_make_sense(&config);
	else
		FUZZ_MUST(err.status == TL_BAD_FORMAT && err.offset <= size && err.text);
	return 0;
}
