/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of events. */
#include "chrome_trace/chrome_trace.h"

/* "Event Descriptions": phases, also those of older writers. */
static const struct {
	uint8_t phase;
	enum tl_chrome_kind kind;
} phases[] = {
	{ 'B', TL_CHROME_BEGIN },    { 'E', TL_CHROME_END },     { 'X', TL_CHROME_COMPLETE },
	{ 'i', TL_CHROME_INSTANT },  { 'I', TL_CHROME_INSTANT }, { 'R', TL_CHROME_INSTANT },
	{ 'M', TL_CHROME_METADATA }, { 'C', TL_CHROME_COUNTER }, { 'b', TL_CHROME_ASYNC },
	{ 'n', TL_CHROME_ASYNC },    { 'e', TL_CHROME_ASYNC },   { 'S', TL_CHROME_ASYNC },
	{ 'T', TL_CHROME_ASYNC },    { 'p', TL_CHROME_ASYNC },   { 'F', TL_CHROME_ASYNC },
	{ 's', TL_CHROME_FLOW },     { 't', TL_CHROME_FLOW },    { 'f', TL_CHROME_FLOW },
	{ 'N', TL_CHROME_OTHER },    { 'O', TL_CHROME_OTHER },   { 'D', TL_CHROME_OTHER },
	{ 'P', TL_CHROME_OTHER },    { 'V', TL_CHROME_OTHER },   { 'v', TL_CHROME_OTHER },
	{ 'c', TL_CHROME_OTHER },    { '(', TL_CHROME_OTHER },   { ')', TL_CHROME_OTHER },
	{ '=', TL_CHROME_OTHER },
};

enum tl_chrome_kind tl_chrome_kind_of(uint8_t phase)
{
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		if (phases[i].phase == phase)
			return phases[i].kind;
	return TL_CHROME_UNKNOWN;
}
