/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every prefix of small Intel PT traces, block by block: a trace that is cut tells what the whole
 * one tells, up to where it is cut. "every byte that could not be used is reported, and nothing
 * that could be kept is lost" (docs/formats/intel-pt.md, 10).
 *
 *   pt_prefixes STEP FOLDER...   every STEP-th prefix of FOLDER/NAME.*.pt over FOLDER/NAME.map and
 *                                NAME.img
 *
 * Of each prefix: its blocks are those of the whole trace, but for the last ones, which needed no
 * trace ("blocks continue as long as no trace is needed"); so are its events; and every outcome in
 * it led to a block.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "intel_pt/blocks/decoder.h"
#include "traces.h"

enum {
	LARGEST = 32 << 10,
	NODES_MOST = 1 << 19,
	EVENTS_MOST = 1 << 14,
	/*
	 * Blocks behind the end of a trace, up to the first branch that needs some: jumps, and
	 * calls of calls.
	 */
	TAIL_MOST = 64,
};

/* All that comes out of a trace. */
struct story {
	uint32_t *nodes;
	struct tl_pt_event *events;
	size_t node_count, event_count;
	int last;
};

/*
 * Outcomes that the packets wholly within so many bytes hold, and that so many blocks of the whole
 * trace ask for.
 */
struct outcomes {
	uint32_t *by_bytes;
	size_t size; /* of the trace */
	/* conditional branches always have one, returns may have a TIP */
	uint32_t *branches, *returns;
};

static uint8_t *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) &&
	    (bytes = malloc((*size = (size_t)ftell(file)) + 1)) != NULL) {
		rewind(file);
		*size = fread(bytes, 1, *size, file);
	}
	fclose(file);
	return bytes;
}

/* Lines of a map: vaddr, size, offset in the image, all hexadecimal. */
static bool add_code(struct tl_pt_image *image, const char *map, const uint8_t *code, size_t size)
{
	FILE *file = fopen(map, "r");
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		uint64_t at, bytes, offset;
		char *end = line;

		if (*line == '#')
			continue;
		at = strtoull(end, &end, 16);
		bytes = strtoull(end, &end, 16);
		offset = strtoull(end, &end, 16);
		if (bytes && offset <= size && bytes <= size - offset)
			tl_pt_image_add_memory(image, code + offset, (size_t)bytes, NULL, at, 0);
	}
	if (file)
		fclose(file);
	return file != NULL;
}

/* ---- decoding ---- */

static int take_events(struct tl_pt_decoder *decoder, struct story *story, int status)
{
	while (status >= 0 && status & TL_PT_EVENT_PENDING && story->event_count < EVENTS_MOST) {
		memset(&story->events[story->event_count], 0, sizeof(*story->events));
		status = tl_pt_decoder_event_next(decoder, &story->events[story->event_count],
						  sizeof(story->events[story->event_count]));
		story->event_count += status >= 0;
	}
	return status;
}

static void tell(struct story *story, struct tl_pt_decoder *decoder)
{
	int status = tl_pt_decoder_sync_forward(decoder);

	story->node_count = story->event_count = 0;
	while ((status = take_events(decoder, story, status)) >= 0 &&
	       story->node_count + TL_PT_LOOKAHEAD_NODES < NODES_MOST) {
		struct tl_pt_node_batch run = { .nodes = story->nodes + story->node_count,
						.max = TL_PT_LOOKAHEAD_NODES };

		status = tl_pt_decoder_nodes(decoder, &run, sizeof(run));
		if (status < 0)
			break;
		status = run.status;
		story->node_count += run.count;
	}
	story->last = status;
}

/* ---- counting ---- */

static void count_bits(uint32_t *by_bytes, const uint8_t *trace, size_t size)
{
	struct tl_pt_packet packet;
	size_t at = 0;
	int length;

	while (at < size && (length = tl_pt_packet_read(&packet, sizeof(packet), trace + at,
							trace + size)) > 0) {
		bool is_tnt = packet.kind == TL_PT_PKT_TNT_8 || packet.kind == TL_PT_PKT_TNT_64;

		for (int i = 1; i <= length; i++)
			by_bytes[at + (size_t)i] =
				by_bytes[at] + (is_tnt && i == length ? packet.tnt.count : 0);
		at += (size_t)length;
	}
}

static void count_blocks(struct outcomes *outcomes, const struct tl_pt_decoder *decoder,
			 const struct story *whole)
{
	for (size_t i = 0; i < whole->node_count; i++) {
		unsigned kind = decoder->graph.nodes[whole->nodes[i]].kind;

		outcomes->branches[i + 1] = outcomes->branches[i] + (kind == TL_PT_NODE_COND ||
								     kind == TL_PT_NODE_COND_CALL);
		outcomes->returns[i + 1] = outcomes->returns[i] + (kind == TL_PT_NODE_RETURN);
	}
}

/* ---- comparing ---- */

static size_t same_nodes(const struct story *whole, const struct story *part)
{
	size_t least = whole->node_count < part->node_count ? whole->node_count : part->node_count,
	       same = 0;

	while (same < least && whole->nodes[same] == part->nodes[same])
		same++;
	return same;
}

/* Of a PSB+ that is cut before its FUP all but the place is known. */
static bool same_event(const struct tl_pt_event *whole, const struct tl_pt_event *part)
{
	struct tl_pt_event expected = *whole;

	if (part->status_update && part->ip_suppressed) {
		expected.ip_suppressed = true;
		expected.ip = 0;
	}
	return !memcmp(&expected, part, sizeof(expected));
}

/*
 * That there is no FUP, which says that tracing is off, is known at the end of a PSB+ only; it is
 * then told first.
 */
static bool same_events(const struct story *whole, const struct story *part)
{
	size_t at = 0;

	for (size_t i = 0; i < part->event_count; i++, at++) {
		if (at < whole->event_count && whole->events[at].kind == TL_PT_EV_DISABLED &&
		    whole->events[at].status_update && part->events[i].kind != TL_PT_EV_DISABLED)
			at++;
		if (at >= whole->event_count || !same_event(&whole->events[at], &part->events[i]))
			return false;
	}
	return true;
}

static const char *compare(const struct story *whole, const struct story *part,
			   const struct outcomes *outcomes, size_t size)
{
	size_t same = same_nodes(whole, part);
	uint32_t bits = outcomes->by_bytes[size];

	if (part->last >= 0)
		return "it does not come to an end";
	if (part->node_count - same > TAIL_MOST)
		return "blocks that the whole trace does not have";
	if (!same_events(whole, part))
		return "events that the whole trace does not have";
	if (outcomes->branches[same] + outcomes->returns[same] < bits)
		return "outcomes that were not used";
	/* The branch that the last block ends with is taken by what was cut off. */
	if (same && outcomes->branches[same - 1] > bits)
		return "more branches than outcomes";
	if (size == outcomes->size && same != whole->node_count)
		return "blocks are missing";
	return NULL;
}

/* A copy of the exact size lets a sanitizer see a read of one byte too many. */
static bool tell_prefix(struct story *story, const struct tl_pt_decoder *first,
			const uint8_t *trace, size_t size)
{
	struct tl_pt_config config = first->config;
	uint8_t *copy = malloc(size);
	struct tl_pt_decoder *decoder = NULL;
	bool opened;

	if (!copy)
		return false;
	memcpy(copy, trace, size);
	config.begin = copy;
	config.end = copy + size;
	/* On the graph of the whole one, so that equal blocks have equal numbers. */
	opened = !tl_pt_decoder_open_on(&decoder, &config, first->code.image, first->graph.code);
	if (opened)
		tell(story, decoder);
	tl_pt_decoder_close(decoder);
	free(copy);
	return opened;
}

static int each_prefix(const char *name, struct tl_pt_decoder *decoder, struct story *whole,
		       struct story *part, struct outcomes *outcomes, size_t step)
{
	const uint8_t *trace = decoder->config.begin;
	int failures = 0;

	tell(whole, decoder);
	count_bits(outcomes->by_bytes, trace, outcomes->size);
	count_blocks(outcomes, decoder, whole);
	for (size_t cut = outcomes->size; cut && failures < 5; cut -= cut < step ? cut : step) {
		const char *broken;

		watch(20, "a prefix");
		if (!tell_prefix(part, decoder, trace, cut))
			exit(2);
		broken = compare(whole, part, outcomes, cut);
		if (broken)
			failures +=
				fprintf(stderr, "%s: first %zu bytes: %s\n", name, cut, broken) > 0;
	}
	return failures;
}

static int one_trace(const char *name, struct tl_pt_image *image, const uint8_t *trace, size_t size,
		     size_t step)
{
	static struct tl_pt_event events[2][EVENTS_MOST];
	static uint32_t nodes[2][NODES_MOST], counts[2][NODES_MOST + 1], bits[LARGEST + 1];
	struct tl_pt_config config = { .size = sizeof(config),
				       .begin = trace,
				       .end = trace + size,
				       .cpuid_15_eax = 2,
				       .cpuid_15_ebx = 176,
				       .mtc_freq = 3,
				       .nom_freq = 32 };
	struct story whole = { .nodes = nodes[0], .events = events[0] },
		     part = { .nodes = nodes[1], .events = events[1] };
	struct outcomes outcomes = {
		.by_bytes = bits, .branches = counts[0], .returns = counts[1], .size = size
	};
	struct tl_pt_decoder *decoder = NULL;
	int failures;

	if (tl_pt_decoder_open(&decoder, &config, image))
		exit(2);
	failures = each_prefix(name, decoder, &whole, &part, &outcomes, step);
	printf("%s: %zu bytes, %zu blocks, %zu events\n", name, size, whole.node_count,
	       whole.event_count);
	tl_pt_decoder_close(decoder);
	return failures;
}

/* NAME of NAME.VARIANT.pt has code of its own, or NAME.pt that of tiny. -1: it is none of them. */
static int by_path(const char *folder, const char *file, size_t step)
{
	const char *end = strrchr(file, '.'), *first = strchr(file, '.');
	char path[2048], map[2048], code[2048];
	size_t size = 0, code_size = 0;
	struct tl_pt_image *image = tl_pt_image_open(NULL);
	uint8_t *trace = NULL, *bytes = NULL;
	int failures = -1;

	if (end && !strcmp(end, ".pt")) {
		int length = first == end ? 4 : (int)(first - file);
		const char *name = first == end ? "tiny" : file;

		snprintf(path, sizeof(path), "%s/%s", folder, file);
		snprintf(map, sizeof(map), "%s/%.*s.map", folder, length, name);
		snprintf(code, sizeof(code), "%s/%.*s.img", folder, length, name);
		trace = slurp(path, &size);
		bytes = slurp(code, &code_size);
	}
	if (trace && bytes && image && size <= LARGEST && add_code(image, map, bytes, code_size))
		failures = one_trace(path, image, trace, size, step);
	tl_pt_image_close(image);
	free(trace);
	free(bytes);
	return failures;
}

int main(int argc, char **argv)
{
	size_t step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	int failures = 0, count = 0;

	for (int i = 2; i < argc; i++) {
		DIR *dir = opendir(argv[i]);
		struct dirent *entry;

		while (dir && (entry = readdir(dir)) != NULL) {
			int failed = by_path(argv[i], entry->d_name, step ? step : 1);

			count += failed >= 0;
			failures += failed > 0 ? failed : 0;
		}
		if (dir)
			closedir(dir);
	}
	printf("%d traces, %d failures\n", count, failures);
	return count ? failures != 0 : TEST_SKIPPED;
}
