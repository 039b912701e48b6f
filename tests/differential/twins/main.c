/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twins OURS THEIRS MUTANTS PEER CORPUS [NAME [SEED]]
 *
 * OURS, THEIRS: the two libraries. PEER: the reference decoder's own cases (peer/libipt-ptt), read
 * where they are. CORPUS: traces with their code (corpus/intel-pt). Each trace is run as it is,
 * with its image as it is and with one that changes, and as MUTANTS damaged ones. Each run is a
 * process of its own: a mutant that ends Debian's library is counted and left out. NAME and SEED:
 * that one alone.
 *
 * Status 0: all the same; 1: not; 77: there is nothing to compare with.
 */
#include "twins.h"

#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct api api[BOTH];
unsigned long compared;

static uint64_t random_state;

void begin_chances(unsigned long seed)
{
	random_state = seed * 2654435761u + 88172645463325252u;
}

uint64_t chance(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state * 0x2545f4914f6cdd1du) >> 16;
}

bool one_in(unsigned n)
{
	return chance() % n == 0;
}

static bool met_later; /* such a packet was met */

bool differ(const struct scene *scene, const char *what, int ours, int theirs)
{
	compared++;
	if (getenv("TL_VERBOSE"))
		printf("  %s %d\n", what, ours);
	if (ours == theirs)
		return true;
	/*
	 * In a damaged trace a packet that came later (has_later_packets() finds those of whole
	 * ones), or flow into bytes that are no instruction, of which 2.0.5 only looks at the
	 * length.
	 */
	if (met_later || (scene->damaged &&
			  (theirs == -pte_bad_opc || (ours == -pte_bad_insn && theirs >= 0)))) {
		met_later = true;
		return false;
	}
	/* Before any synchronisation (docs/libipt.md). */
	if (ours == -pte_nosync && theirs == -pte_no_enable)
		return true;
	printf("%s %lu: %s: ours %d, theirs %d (%s, %s)\n", scene->name, scene->seed, what, ours,
	       theirs, ours < 0 ? api[THEIRS].pt_errstr(pt_errcode(ours)) : "-",
	       theirs < 0 ? api[THEIRS].pt_errstr(pt_errcode(theirs)) : "-");
	return false;
}

bool differ_bytes(const struct scene *scene, const char *what, const void *ours, const void *theirs,
		  size_t size)
{
	const uint8_t *a = ours, *b = theirs;

	compared++;
	if (!memcmp(a, b, size))
		return true;
	if (met_later)
		return false;
	printf("%s %lu: %s:", scene->name, scene->seed, what);
	for (size_t i = 0; i < size; i++)
		if (a[i] != b[i])
			printf(" [%zu] %02x %02x", i, a[i], b[i]);
	printf("\n");
	return false;
}

static bool load(struct api *to, const char *path)
{
	void *library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
	bool all = library;

	if (!library)
		fprintf(stderr, "twins: %s\n", dlerror());
#define LOAD(name) all = all && (*(void **)&to->name = dlsym(library, #name)) != NULL;
	FUNCTIONS(LOAD)
#undef LOAD
	return all;
}

/* ---- scenes ---- */

static uint8_t *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	long end;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	end = ftell(file);
	rewind(file);
	data = malloc((size_t)end + 1);
	*size = data ? fread(data, 1, (size_t)end, file) : 0;
	fclose(file);
	return data;
}

static void add_segment(struct scene *scene, uint64_t vaddr, uint64_t offset, uint64_t size)
{
	if (scene->segment_count < sizeof(scene->segments) / sizeof(scene->segments[0]) && size)
		scene->segments[scene->segment_count++] = (struct segment){ vaddr, offset, size };
}

/*
 * Packets that came after 2.0.5: for it they are none. And the bit of a PWRE packet that has
 * another place there (9.17). (docs/libipt.md)
 */
static bool has_later_packets(const struct scene *scene)
{
	struct pt_packet_decoder *dec = api[OURS].pt_pkt_alloc_decoder(&scene->config);
	bool later = false;

	while (!later && api[OURS].pt_pkt_sync_forward(dec) >= 0) {
		struct pt_packet packet;
		uint64_t offset = 0;

		while (!later && api[OURS].pt_pkt_get_offset(dec, &offset) >= 0 &&
		       api[OURS].pt_pkt_next(dec, &packet, sizeof(packet)) >= 0)
			later = packet.type == ppt_unknown || (int)packet.type > ppt_ptw ||
				(packet.type == ppt_pwre && scene->trace[offset + 2] & 0x80);
	}
	api[OURS].pt_pkt_free_decoder(dec);
	return later;
}

static void damage(struct scene *scene)
{
	static const uint8_t openers[] = { 0x02, 0x82, 0xa3, 0x43, 0xf3, 0x03, 0x73, 0x83, 0xc8,
					   0x62, 0xe2, 0xc2, 0x22, 0xa2, 0x12, 0xb2, 0x99, 0x19,
					   0x59, 0x0d, 0x11, 0x01, 0x1d, 0x2d, 0x7d };

	for (size_t n = 1 + chance() % 4; n; n--) {
		size_t at = chance() % scene->size;

		scene->trace[at] =
			one_in(2) ? openers[chance() % sizeof(openers)] : (uint8_t)chance();
		if (scene->trace[at] == 0x02 && at + 1 < scene->size && one_in(2))
			scene->trace[at + 1] = openers[chance() % sizeof(openers)];
	}
	if (one_in(5))
		scene->size = 1 + chance() % scene->size;
	/* 2.0.5 divides by the ratio of a CBR. */
	scene->config.nom_freq = 0;
}

static void random_flags(struct scene *scene)
{
	scene->config.flags.variant.insn.enable_tick_events = one_in(4);
}

static bool is_good(bool good)
{
	good |= met_later;
	met_later = false;
	return good;
}

static bool run(struct scene *scene)
{
	bool good, ticks = one_in(4);
	struct pt_config plain = scene->config;

	scene->config.begin = scene->trace;
	scene->config.end = scene->trace + scene->size;
	if (has_later_packets(scene))
		return true;
	plain = scene->config;
	memset(&plain.flags, 0, sizeof(plain.flags));
	scene->config = plain;
	good = is_good(run_packets(scene));
	good &= is_good(run_queries(scene));
	random_flags(scene);
	good &= is_good(run_insns(scene));
	scene->config = plain;
	scene->config.flags.variant.block.enable_tick_events = ticks;
	scene->config.flags.variant.block.end_on_call =
		one_in(4) && !plain.addr_filter.config.addr_cfg;
	/* 2.0.5 takes a jump that ends a block for one that leaves the filter (SKL014). */
	scene->config.flags.variant.block.end_on_jump =
		one_in(4) && !plain.addr_filter.config.addr_cfg;
	good &= is_good(run_blocks(scene));
	return good;
}

/* ---- results ---- */

static struct {
	unsigned long runs, bad, died;
} results;

/* In a process of its own; Debian's library may end it. */
static void try(const struct scene *scene, unsigned long seed, bool steady, bool mutant)
{
	struct scene mine = *scene;
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		mine.seed = seed;
		mine.steady = steady;
		begin_chances(seed);
		mine.trace = malloc(scene->size + 64);
		memcpy(mine.trace, scene->trace, scene->size);
		mine.damaged = mutant;
		if (mutant)
			damage(&mine);
		alarm(60);
		status = run(&mine);
		fflush(stdout);
		_exit(status ? 0 : 1);
	}
	waitpid(child, &status, 0);
	results.runs++;
	if (WIFSIGNALED(status))
		printf("%s %lu: ended by signal %d\n", scene->name, seed, WTERMSIG(status));
	results.died += WIFSIGNALED(status);
	results.bad += WIFEXITED(status) && WEXITSTATUS(status);
}

static unsigned long only_seed, mutants_of_each;
static const char *only_name;

static void try_all(const struct scene *scene)
{
	if (only_name && strcmp(only_name, scene->name))
		return;
	if (only_seed) {
		try(scene, only_seed, only_seed == 1, only_seed > 3);
		return;
	}
	try(scene, 1, true, false);
	try(scene, 2, false, false);
	try(scene, 3, false, false);
	for (unsigned long seed = 4; seed < 4 + mutants_of_each; seed++)
		try(scene, seed, false, true);
}

/* ---- where they are from ---- */

static uint64_t number_of(const char *options, const char *name, uint64_t otherwise)
{
	const char *at = strstr(options, name);

	return at ? strtoull(at + strlen(name), NULL, 0) : otherwise;
}

static void set_options(struct pt_config *config, const char *options)
{
	const char *cpu = strstr(options, "--cpu ");
	unsigned family = 0, model = 0;

	if (cpu && sscanf(cpu, "--cpu %u/%u", &family, &model) == 2) {
		config->cpu = (struct pt_cpu){ pcv_intel, (uint16_t)family, (uint8_t)model, 0 };
		api[THEIRS].pt_cpu_errata(&config->errata, &config->cpu);
	}
	config->mtc_freq = (uint8_t)number_of(options, "--mtc-freq ", 0);
	config->nom_freq = (uint8_t)number_of(options, "--nom-freq ", 0);
	config->cpuid_0x15_eax = (uint32_t)number_of(options, "--cpuid-0x15.eax ", 0);
	config->cpuid_0x15_ebx = (uint32_t)number_of(options, "--cpuid-0x15.ebx ", 0);
	config->addr_filter.config.addr_cfg = number_of(options, "--filter:addr0_cfg ", 0);
	config->addr_filter.addr0_a = number_of(options, "--filter:addr0_a ", 0);
	config->addr_filter.addr0_b = number_of(options, "--filter:addr0_b ", 0);
}

enum { COLUMNS = 11 };
enum { TEST, CPU, TOOL, PT, BIN, ADDRESS, OPTIONS, SIDEBAND, EXPECTED, LINES, ORIGIN };

static void one_peer(const char *folder, char *columns[COLUMNS])
{
	const char *sub = strcmp(columns[ORIGIN], "pevent") ? "" : "pevent/";
	struct scene scene = { .name = columns[PT] };
	char path[2][4096];
	size_t size = 0;
	uint8_t *code;

	snprintf(path[0], sizeof(path[0]), "%s/%s%s", folder, sub, columns[PT]);
	snprintf(path[1], sizeof(path[1]), "%s/%s%s", folder, sub, columns[BIN]);
	scene.trace = slurp(path[0], &scene.size);
	code = slurp(path[1], &size);
	scene.code = path[1];
	pt_config_init(&scene.config);
	set_options(&scene.config, columns[OPTIONS]);
	add_segment(&scene, strtoull(columns[ADDRESS], NULL, 0), 0, size);
	if (scene.trace && code && scene.size && scene.segment_count)
		try_all(&scene);
	free(scene.trace);
	free(code);
}

static bool peers(const char *folder)
{
	char path[4096], line[8192], last[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/MANIFEST.tsv", folder);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		char *columns[COLUMNS], *rest = line;
		unsigned n = 0;

		line[strcspn(line, "\n")] = 0;
		while (n < COLUMNS && rest)
			columns[n++] = strsep(&rest, "\t");
		/* Each trace once: for flow. Instructions that came later are others for 2.0.5. */
		if (n < COLUMNS || strcmp(columns[TOOL], "ptxed") || !strcmp(last, columns[PT]) ||
		    strstr(columns[TEST], "jmpabs") || strstr(columns[TEST], "eret"))
			continue;
		snprintf(last, sizeof(last), "%s", columns[PT]);
		one_peer(folder, columns);
	}
	if (file)
		fclose(file);
	return file;
}

static void read_map(struct scene *scene, const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long long vaddr, size, offset;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %llx %llx", &vaddr, &size, &offset) == 3)
			add_segment(scene, vaddr, offset, size);
	if (file)
		fclose(file);
}

static void one_corpus(const char *folder, const char *name)
{
	struct scene scene = { .name = name };
	char trace[4096], code[4096], map[4096];
	int base = (int)strcspn(name, ".");

	snprintf(trace, sizeof(trace), "%s/%s", folder, name);
	snprintf(code, sizeof(code), "%s/%.*s.img", folder, base, name);
	snprintf(map, sizeof(map), "%s/%.*s.map", folder, base, name);
	scene.trace = slurp(trace, &scene.size);
	scene.code = code;
	read_map(&scene, map);
	pt_config_init(&scene.config);
	scene.config.mtc_freq = 3;
	scene.config.nom_freq = 32;
	scene.config.cpuid_0x15_eax = 2;
	scene.config.cpuid_0x15_ebx = 176;
	if (scene.trace && scene.size && scene.segment_count)
		try_all(&scene);
	free(scene.trace);
}

static bool corpus(const char *folder)
{
	struct dirent **list;
	int count = scandir(folder, &list, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		size_t length = strlen(list[i]->d_name);

		if (length > 3 && !strcmp(list[i]->d_name + length - 3, ".pt"))
			one_corpus(folder, list[i]->d_name);
		free(list[i]);
	}
	if (count > 0)
		free(list);
	return count > 0;
}

static bool same_texts(void)
{
	bool same = true;

	for (int code = -40; code < 80; code++) {
		const char *ours = api[OURS].pt_errstr((enum pt_error_code)code);
		const char *theirs = api[THEIRS].pt_errstr((enum pt_error_code)code);

		if (strcmp(ours, theirs))
			printf("error %d: \"%s\" and \"%s\"\n", code, ours, theirs);
		same &= !strcmp(ours, theirs);
	}
	return same;
}

int main(int argc, char **argv)
{
	bool any, texts;

	if (argc < 6)
		return 2;
	if (!load(&api[OURS], argv[1]))
		return 1;
	if (!load(&api[THEIRS], argv[2])) {
		puts("skipped: no libipt.so.2 of Debian's");
		return 77;
	}
	texts = same_texts();
	mutants_of_each = strtoul(argv[3], NULL, 0);
	only_name = argc > 6 ? argv[6] : NULL;
	only_seed = argc > 7 ? strtoul(argv[7], NULL, 0) : 0;
	any = peers(argv[4]);
	any |= corpus(argv[5]);
	if (!any) {
		puts("skipped: no traces");
		return 77;
	}
	printf("%lu runs, %lu with differences, %lu ended by a signal\n", results.runs, results.bad,
	       results.died);
	return results.bad || !results.runs || !texts ? 1 : 0;
}
