/* SPDX-License-Identifier: Apache-2.0 */
/* A perf.data file where memory runs out: the whole result, or TL_NO_MEMORY and nothing kept. */
#include <elf.h>
#include <sys/stat.h>

#include "../temp.h"
#include "../whole_input.h"

/* The programs that ran are not looked for: this machine's are others. */
static struct whole_input recording(const char *name)
{
	struct whole_input whole = whole_input(whole_path(name));

	whole.options.programs.sysroot = "/nowhere";
	return whole;
}

static void refuse(struct whole_input whole, enum use use)
{
	whole.use = use;
	assert_true(refuse_each(whole_step, &whole) > 10);
}

/* Two threads with samples and switches; the same with compressed records. */
TEST(files)
{
	static const char *const names[] = { "perf/threads.perf.data",
					     "perf/compressed.perf.data" };

	for (size_t i = 0; i < 2; i++) {
		struct whole_input whole = recording(names[i]);

		refuse(whole, USE_DUMP);
		refuse(whole, USE_INFO);
		refuse(whole, USE_CHECK);
		refuse(whole, USE_FOLD);
		whole.form = TL_REPORT_JSON;
		refuse(whole, USE_DUMP);
		refuse(whole, USE_INFO);
	}
}

/* The listings of a trace in such a file. */
TEST(traces)
{
	struct whole_input whole = recording("perf/threads.perf.data");

	whole.options.dump.flags = TL_DUMP_PACKETS;
	refuse(whole, USE_DUMP);
	whole.options.dump.flags = TL_DUMP_INSTRUCTIONS | TL_DUMP_EVENTS;
	refuse(whole, USE_DUMP);
	whole.options.filter.from_seconds = 1e-6;
	whole.options.filter.to_seconds = 1e-5;
	refuse(whole, USE_SLICE);
	refuse(whole, USE_TIMELINE);
}

/* The second of two threads: what ran before it on its processor is decoded when it comes. */
TEST(a_share_of_the_threads)
{
	struct whole_input whole = recording("perf/threads.perf.data");

	whole.options.share = 1;
	whole.options.shares = 2;
	refuse(whole, USE_FOLD);
}

/* Records of every type, of either byte order, as a pipe, and with trace of each kind. */
TEST(seeds)
{
	static const char *const names[] = {
		"samples",    "branches",      "pipe",       "swapped",           "compressed2",
		"snapshot",   "types",         "wide",       "tracepoints",       "guests",
		"guest_maps", "guest_samples", "guest_data", "guest_data_samples"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[512];
		struct whole_input whole = whole_input(path);

		snprintf(path, sizeof(path), "%s/fuzz/corpus/perf_data/%s",
			 getenv("TL_SOURCE_ROOT"), names[i]);
		whole.options.programs.sysroot = "/nowhere";
		refuse(whole, USE_DUMP);
		refuse(whole, USE_INFO);
		refuse(whole, USE_CHECK);
		refuse(whole, USE_FOLD);
	}
}

/*
 * The memory of the machine in fuzz/corpus/perf_data/guests (tests/differential/guests.py): its
 * kernel (dec %ecx; call turn; hlt; jmp) and its module (turn: inc %eax; ret).
 */
static void write_core(struct temp *temp)
{
	static const uint8_t work[] = { 0xff, 0xc9, 0xe8, 9, 0, 0x20, 0x3f, 0xf4, 0xeb, 0xf6 },
			     turn[] = { 0xff, 0xc0, 0xc3 };
	static uint8_t file[0x3000];
	const Elf64_Ehdr head = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE,
		.e_phoff = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
	};
	Elf64_Phdr segment = { .p_type = PT_LOAD,
			       .p_flags = PF_R | PF_X,
			       .p_offset = 0x1000,
			       .p_vaddr = 0xffffffff81000000,
			       .p_filesz = 0x1000 };

	memcpy(file, &head, sizeof(head));
	memcpy(file + sizeof(head), &segment, sizeof(segment));
	segment.p_offset = 0x2000;
	segment.p_vaddr = 0xffffffffc0200000;
	memcpy(file + sizeof(head) + sizeof(segment), &segment, sizeof(segment));
	memcpy(file + 0x1000, work, sizeof(work));
	memcpy(file + 0x2010, turn, sizeof(turn));
	temp_write(temp, "proc/kcore", file, sizeof(file));
}

/* What the files of a virtual machine tell of its maps, and where its code is looked for. */
TEST(virtual_machines)
{
	static const char names[] = "ffffffff81000000 T _text\nffffffff81000ff0 T last\n"
				    "ffffffffc0200010 t turn\t[turning]\n",
			  modules[] = "turning 4096 0 - Live 0xffffffffc0200000\n",
			  version[] = "Linux version 6.1.0 (a@b)\n";
	static const char *const seeds_of_machines[] = { "guests", "guest_samples", "guest_data",
							 "guest_data_samples" };
	char path[512] = "";
	struct whole_input whole = whole_input(path);
	struct temp temp;

	temp_open(&temp);
	assert_int_equal(mkdir(temp_path(&temp, "proc"), 0755), 0);
	temp_write(&temp, "proc/kallsyms", names, strlen(names));
	temp_write(&temp, "proc/modules", modules, strlen(modules));
	write_core(&temp);
	temp_write(&temp, "proc/version", version, strlen(version));
	whole.options.programs.sysroot = "/nowhere";
	whole.options.programs.guest_root = temp.directory;
	for (size_t i = 0; i < sizeof(seeds_of_machines) / sizeof(seeds_of_machines[0]); i++) {
		snprintf(path, sizeof(path), "%s/fuzz/corpus/perf_data/%s",
			 getenv("TL_SOURCE_ROOT"), seeds_of_machines[i]);
		refuse(whole, USE_FOLD);
	}
	temp_close(&temp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(traces),
		cmocka_unit_test(a_share_of_the_threads),
		cmocka_unit_test(seeds),
		cmocka_unit_test(virtual_machines),
	};

	return cmocka_run_group_tests_name("perf_data no_memory", tests, NULL, NULL);
}
