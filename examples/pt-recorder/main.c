/* SPDX-License-Identifier: Apache-2.0 */
/* pt-recorder: record a program as an Intel PT trace on any x86-64 Linux. */
#include "recorder.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: pt-recorder [OPTIONS] PROGRAM [ARGUMENTS]\n"
	"Step through a program and write what Intel PT would have recorded of it:\n"
	"  BASE.pt     the trace           BASE.map, BASE.img   the code\n"
	"  BASE.ips    every address, 64 bits each    BASE.truth   count and hash of them\n"
	"\n"
	"  -o BASE           where to (default: trace)\n"
	"  -n COUNT          stop after so many instructions\n"
	"  --no-compression  returns with their addresses\n"
	"  --long-tnt        up to 47 outcomes a packet\n"
	"  --time            TSC, TMA, MTC, CBR (decode with --cpuid-0x15.eax 2 --cpuid-0x15.ebx "
	"176 --mtc-freq 3\n"
	"                    --nom-freq 32); 1 tick an instruction\n"
	"  --cycles          CYC as well\n"
	"  --psb BYTES       a PSB after so many bytes (default: 4096)\n"
	"  --interrupt N     an interrupt every N instructions\n";

enum { NO_COMPRESSION = 1, LONG_TNT, TIME, CYCLES, PSB, INTERRUPT };

static const struct option options[] = {
	{ "no-compression", no_argument, NULL, NO_COMPRESSION },
	{ "long-tnt", no_argument, NULL, LONG_TNT },
	{ "time", no_argument, NULL, TIME },
	{ "cycles", no_argument, NULL, CYCLES },
	{ "psb", required_argument, NULL, PSB },
	{ "interrupt", required_argument, NULL, INTERRUPT },
	{ NULL, 0, NULL, 0 },
};

struct wishes {
	const char *base;
	struct trace_options trace;
	struct step_options step;
};

static bool read_options(struct wishes *wishes, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "+o:n:", options, NULL)) != -1)
		switch (option) {
		case 'o':
			wishes->base = optarg;
			break;
		case 'n':
			wishes->step.limit = strtoull(optarg, NULL, 0);
			break;
		case NO_COMPRESSION:
			wishes->trace.compress = false;
			break;
		case LONG_TNT:
			wishes->trace.long_tnt = true;
			break;
		case CYCLES:
			wishes->trace.cycles = true; /* fall through */
		case TIME:
			wishes->trace.time = true;
			break;
		case PSB:
			wishes->trace.psb_bytes = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case INTERRUPT:
			wishes->trace.interrupt = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		default:
			return false;
		}
	return optind < argc;
}

static FILE *open_file(const char *base, const char *suffix)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", base, suffix);
	file = fopen(path, "wb");
	if (!file) {
		perror(path);
		exit(2);
	}
	return file;
}

static bool write_rest(const struct wishes *wishes, struct image *image,
		       const struct step_account *account, char **argv)
{
	char map[4096], bytes[4096];
	FILE *truth = open_file(wishes->base, ".truth");

	snprintf(map, sizeof(map), "%s.map", wishes->base);
	snprintf(bytes, sizeof(bytes), "%s.img", wishes->base);
	fprintf(truth,
		"cmd %s\ninsns %" PRIu64 "\nhash %016" PRIx64 "\nsyscalls %" PRIu64
		"\nsignals %" PRIu64 "\n"
		"cpuid15 eax 2 ebx 176 mtc_freq 3 nom_freq 32\n",
		argv[0], account->insns, account->hash, account->syscalls, account->signals);
	return !fclose(truth) && image_write(image, map, bytes);
}

int main(int argc, char **argv)
{
	struct wishes wishes = { .base = "trace",
				 .trace = { .compress = true, .psb_bytes = 4096 } };
	struct step_account account = { 0 };
	struct image *image = NULL;
	struct trace trace;
	FILE *packets, *list;
	bool good;

	if (!read_options(&wishes, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	packets = open_file(wishes.base, ".pt");
	list = open_file(wishes.base, ".ips");
	trace_begin(&trace, &wishes.trace, packets);
	if (step_program(argv + optind, &wishes.step, &trace, &image, list, &account) < 0) {
		fprintf(stderr, "pt-recorder: cannot trace %s: %s\n", argv[optind],
			strerror(errno));
		return 77;
	}
	good = write_rest(&wishes, image, &account, argv + optind);
	good = !fclose(packets) && good;
	good = !fclose(list) && good && !trace.failed;
	fprintf(stderr,
		"%" PRIu64 " instructions, %" PRIu64 " system calls, %" PRIu64 " signals, %" PRIu64
		" bytes; %s\n",
		account.insns, account.syscalls, account.signals, trace.written, account.end);
	if (account.odd || image_changed(image))
		fprintf(stderr,
			"pt-recorder: %" PRIu64 " steps that no instruction takes, %" PRIu64
			" bytes of code changed: the trace does not say all\n",
			account.odd, image_changed(image));
	image_close(image);
	if (!good)
		fputs("pt-recorder: the output could not be written\n", stderr);
	return good ? 0 : 2;
}
