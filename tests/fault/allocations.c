/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation fails once: for each step of the scenario, allocation 1, 2, 3, ... is refused
 * until the step no longer asks for that many. A step must then either say TL_NO_MEMORY or give the
 * result it gives with memory; nothing may crash or leak. A second pass refuses every allocation
 * from number N on, as a machine without memory does.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <tracelathe/core.h>

#include "exercise.h"
#include "exercise_xtrace.h"
#include "scenario.h"
#include "traces.h"
#include "wrap.h"

/* Of so many allocations one is refused: all where no sanitizer makes each of them dear. */
static uint64_t stride = 1;

struct run {
	int status;
	uint64_t digest;
	uint64_t asked; /* allocations */
	int64_t leaked;
};

static struct run run_step(const struct step *step, const struct scene *scene, unsigned variant,
			   uint64_t failing, bool onward)
{
	struct run run = { .digest = 0xcbf29ce484222325u };
	int64_t before = wrap_live();

	watch(60, step->name);
	wrap_arm(failing, onward);
	run.status = step->run(scene, variant, &run.digest);
	run.asked = wrap_disarm();
	run.leaked = wrap_live() - before;
	return run;
}

static const char *judge(const struct run *run, const struct run *right)
{
	if (run->leaked)
		return "leaks";
	if (run->status == TL_NO_MEMORY)
		return NULL;
	if (run->status != right->status)
		return "another status than TL_NO_MEMORY";
	if (run->status == 0 && run->digest != right->digest)
		return "says that all is well, and the result is another";
	return NULL;
}

/* Everything in the folder of the target but the target itself, which must be as it was. */
static int left_over(const char *target)
{
	char folder[512];
	int found = 0;
	const struct dirent *entry;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(target, '/') - target), target);
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir)))
		found += strstr(entry->d_name, strrchr(target, '/') + 1) &&
			 strcmp(entry->d_name, strrchr(target, '/') + 1);
	if (dir)
		closedir(dir);
	return found;
}

static int fail_each(const struct step *step, const struct scene *scene, unsigned variant,
		     bool onward, uint64_t *runs)
{
	struct run right = run_step(step, scene, variant, 0, false);
	int failures = 0;

	if (right.leaked) {
		fprintf(stderr, "%s %u of %s: leaks %lld allocations\n", step->name, variant,
			scene->path, (long long)right.leaked);
		return 1;
	}
	for (uint64_t n = 1; n <= right.asked + 2 && failures < 3; n += stride) {
		if (!wrap_turn(n, onward))
			continue;
		struct run run = run_step(step, scene, variant, n, onward);
		const char *broken = judge(&run, &right);

		++*runs;
		if (!broken && run.status && left_over(scene->target))
			broken = "leaves a temporary file";
		if (broken) {
			fprintf(stderr,
				"%s %u of %s: allocation %llu%s of %llu refused: %s (status %d, %d "
				"with memory)\n",
				step->name, variant, scene->path, (unsigned long long)n,
				onward ? " and later" : "", (unsigned long long)right.asked, broken,
				run.status, right.status);
			failures++;
		}
	}
	return failures;
}

static int fail_all(const struct step *step, const struct scene *scene, uint64_t *runs)
{
	int failures = 0;

	for (; step->name; step++)
		for (unsigned variant = 0; variant < step->variants; variant++) {
			failures += fail_each(step, scene, variant, false, runs);
			failures += fail_each(step, scene, variant, true, runs);
		}
	return failures;
}

/* ---- the scenes: a trace as it is, and compressed in each way ---- */

static const char *write_temporary(const char *folder, const char *name, const void *data,
				   size_t size)
{
	static char path[8][512];
	static unsigned next;
	char *at = path[next++ % 8];

	snprintf(at, sizeof(path[0]), "%s/%s", folder, name);
	FILE *file = fopen(at, "wb");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
		perror(at);
		exit(2);
	}
	return at;
}

static size_t by_gzip(uint8_t *to, size_t room, const uint8_t *from, size_t size)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)from,
		       .avail_in = (unsigned)size,
		       .next_out = to,
		       .avail_out = (unsigned)room };

	if (deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
	    deflate(&z, Z_FINISH) != Z_STREAM_END)
		return 0;
	deflateEnd(&z);
	return z.total_out;
}

static size_t by_zstd(uint8_t *to, size_t room, const uint8_t *from, size_t size)
{
	return ZSTD_compress(to, room, from, size, 3);
}

static size_t by_xz(uint8_t *to, size_t room, const uint8_t *from, size_t size)
{
	size_t written = 0;

	lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, from, size, to, &written, room);
	return written;
}

static size_t by_lz4(uint8_t *to, size_t room, const uint8_t *from, size_t size)
{
	return LZ4F_compressFrame(to, room, from, size, NULL);
}

static const struct {
	const char *name;
	size_t (*compress)(uint8_t *to, size_t room, const uint8_t *from, size_t size);
} codecs[] = { { "gzip", by_gzip }, { "zstd", by_zstd }, { "xz", by_xz }, { "lz4", by_lz4 } };

static int fail_compressed(const struct scene *scene, const char *folder, uint64_t *runs)
{
	size_t room = 2 * scene->size + 65536;
	uint8_t *packed = malloc(room);
	int failures = 0;

	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++) {
		struct scene other = *scene;

		other.data = packed;
		other.size = codecs[i].compress(packed, room, scene->data, scene->size);
		other.path = write_temporary(folder, codecs[i].name, packed, other.size);
		/* Reading is what differs: the first three steps, and one whole way through. */
		for (const struct step *step = steps; step < steps + 3; step++)
			for (unsigned variant = 0; variant < step->variants; variant++)
				failures += fail_each(step, &other, variant, false, runs);
		failures += fail_each(&steps[3], &other, 0, false, runs);
		unlink(other.path);
	}
	free(packed);
	return failures;
}

static const char yaml[] = "---\n"
			   "- { id: 1, address: 0x1000, function: 0x1000, kind: function-enter, "
			   "always-instrument: true, "
			   "function-name: 'one', version: 2 }\n"
			   "- { id: 2, address: 0x2000, function: 0x2000, kind: function-enter, "
			   "always-instrument: true, "
			   "function-name: 'ns::two(unsigned int)', version: 2 }\n"
			   "...\n";

static bool named(const struct trace *trace, const char *name)
{
	const char *base = strrchr(trace->name, '/') + 1;

	return !strcmp(base, name);
}

static int test_trace(const struct trace *trace, const char *folder, const char *map,
		      const char *binary, uint64_t *runs)
{
	struct scene scene = { .data = trace->data, .size = trace->size, .yaml_map = map };
	int failures;

	scene.path = write_temporary(folder, "trace", trace->data, trace->size);
	scene.target = write_temporary(folder, "target", "old", 3);
	scene.binary = binary && !access(binary, R_OK) ? binary : NULL;
	failures = fail_all(steps, &scene, runs);
	if (named(trace, "args-fdr.xray"))
		failures += fail_compressed(&scene, folder, runs);
	unlink(scene.path);
	unlink(scene.target);
	return failures;
}

/* Small traces that together reach every record kind. */
static const char *const chosen[] = {
	"args-fdr.xray",   "custom-fdr.xray", "mig-fdr.xray",
	"args-basic.xray", "typed-fdr.xray",  "fib-profile.xrayprof"
};

static int test_chosen(const struct trace *trace, const char *folder, const char *map,
		       uint64_t *runs)
{
	char binary[4096];
	const char *base = strrchr(trace->name, '/') + 1;
	const char *root = getenv("TL_SOURCE_ROOT"), *shared = getenv("TL_SHARED");

	if (!root)
		root = ".";
	snprintf(binary, sizeof(binary), "%s%s/corpus/xray/bin/%.*s.elf", shared ? shared : root,
		 shared ? "" : "/../shared", (int)strcspn(base, "-"), base);
	for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++)
		if (named(trace, chosen[i]))
			return test_trace(trace, folder, map, binary, runs);
	return 0;
}

/* Small profiles that together have every kind of line, and every kind of damage. */
static const char *const chosen_texts[] = { "instr-jumps.out", "parts-cycle.out", "odd.out",
					    "cachegrind.out", "named.out" };

static int test_texts(const char *folder, uint64_t *runs)
{
	struct trace *texts;
	size_t count = texts_load(&texts, 4096);
	int failures = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t n = 0; n < sizeof(chosen_texts) / sizeof(chosen_texts[0]); n++) {
			struct scene scene = { .data = texts[i].data, .size = texts[i].size };

			if (!named(&texts[i], chosen_texts[n]))
				continue;
			scene.path = write_temporary(folder, "text", texts[i].data, texts[i].size);
			scene.target = write_temporary(folder, "target", "old", 3);
			failures += fail_all(text_steps, &scene, runs);
			unlink(scene.path);
			unlink(scene.target);
		}
	traces_free(texts, count);
	return failures;
}

/* All small files of perf.data: they differ in what they reach. */
static int test_perf(const char *folder, uint64_t *runs)
{
	struct trace *files;
	size_t count = perf_load(&files, 4096);
	int failures = 0;

	for (size_t i = 0; i < count; i++) {
		struct scene scene = { .data = files[i].data, .size = files[i].size };

		scene.path = write_temporary(folder, "perf", files[i].data, files[i].size);
		scene.target = write_temporary(folder, "target", "old", 3);
		failures += fail_all(perf_steps, &scene, runs);
		unlink(scene.path);
		unlink(scene.target);
	}
	traces_free(files, count);
	return failures;
}

/* Pairs: the stream and the snapshots as files beside each other, too. */
static int test_pairs(const char *folder, uint64_t *runs)
{
	struct trace *pairs;
	size_t count = pairs_load(&pairs, 4096);
	int failures = 0;

	for (size_t i = 0; i < count; i++) {
		struct scene scene = { .data = pairs[i].data, .size = pairs[i].size };
		struct pair pair = pair_of(pairs[i].data, pairs[i].size);
		const char *snapshots = write_temporary(folder, "xtrace.1.2.hint9.xsnapshot.bin",
							pair.snapshots, pair.snapshots_size);

		scene.path = write_temporary(folder, "xtrace.1.2.hint9.xinsndata.bin", pair.stream,
					     pair.stream_size);
		scene.target = write_temporary(folder, "target", "old", 3);
		failures += fail_all(xtrace_steps, &scene, runs);
		unlink(snapshots);
		unlink(scene.path);
		unlink(scene.target);
	}
	traces_free(pairs, count);
	return failures;
}

int main(int argc, char **argv)
{
	struct trace *traces;
	size_t count = traces_load(&traces, 64 * 1024);
	char folder[] = "/tmp/tracelathe-fault-XXXXXX";
	uint64_t runs = 0;
	int failures = 0;

	if (argc > 1)
		stride = (uint64_t)atoi(argv[1]);
	if (!stride || !mkdtemp(folder))
		return 2;
	const char *map = write_temporary(folder, "map.yaml", yaml, sizeof(yaml) - 1);

	for (size_t i = 0; i < count; i++)
		failures += test_chosen(&traces[i], folder, map, &runs);
	failures += test_texts(folder, &runs);
	failures += test_perf(folder, &runs);
	failures += test_pairs(folder, &runs);
	unlink(map);
	rmdir(folder);
	traces_free(traces, count);
	if (!runs) {
		puts("skipped: no traces");
		return TEST_SKIPPED;
	}
	printf("%llu runs, %d failures\n", (unsigned long long)runs, failures);
	return failures != 0;
}
