/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PROCESSES_SYSTEM_H
#define TL_PERF_DATA_PROCESSES_SYSTEM_H
/*
 * The recorded system, as the records describe it: objects (files that were mapped), processes
 * (maps as a list of changes), threads (names) and switches (which thread a processor runs).
 * objects.c and elf.c find the files of the objects.
 *
 * Memory grows with maps, threads and switches: 24 bytes a switch, which takes 48 bytes or more in
 * the file.
 */
#include "perf_data/container/reader.h"
#include "symbols/jitdump.h"

struct tl_perf_compiled;

#define TL_PERF_KERNEL_PID UINT32_MAX
#define TL_PERF_KERNEL_START (UINT64_C(1) << 63)

/* ---- objects ---- */

/* A PT_LOAD segment with code. */
struct tl_perf_segment {
	uint64_t offset, size, address;
};

enum { TL_PERF_ELF_SEGMENTS_MAX = 16 };

struct tl_perf_elf {
	struct tl_perf_segment segments[TL_PERF_ELF_SEGMENTS_MAX];
	size_t segment_count;
	struct tl_perf_build_id build_id;
	bool core; /* a core file, such as a copy of /proc/kcore */
};

enum tl_perf_elf_result {
	TL_PERF_ELF_NONE, /* no such file, or an empty one */
	TL_PERF_ELF_READ,
	TL_PERF_ELF_OTHER, /* a file, but no ELF file of x86 */
	/* the file exists but cannot be opened or read; *error is its errno */
	TL_PERF_ELF_UNREADABLE,
};

enum tl_perf_elf_result tl_perf_elf_read(const char *path, struct tl_perf_elf *elf, int *error);
/* Of a file that the user gave, whoever owns it. */
enum tl_perf_elf_result tl_perf_elf_read_given(const char *path, struct tl_perf_elf *elf,
					       int *error);
bool tl_perf_elf_read_memory(const uint8_t *data, size_t size, struct tl_perf_elf *elf);
/* From an offset in a file to the address that it is linked at; as it is where none fits. */
uint64_t tl_perf_elf_address(const struct tl_perf_elf *elf, uint64_t offset);
/*
 * By how much the kernel was moved from the addresses that its file was linked at, by its map: that
 * begins where `_text` or `_stext` ran, and has the same address as its offset.
 */
uint64_t tl_perf_kernel_moved(const struct tl_perf_elf *elf, uint64_t start, uint64_t page_offset);
/* The build id of the kernel that runs here. False: it does not say. */
bool tl_perf_elf_own_kernel(struct tl_perf_build_id *id);

enum tl_perf_object_kind {
	TL_PERF_OBJECT_FILE,
	TL_PERF_OBJECT_VDSO,
	TL_PERF_OBJECT_KERNEL,
	TL_PERF_OBJECT_MODULE, /* of the kernel, as it was loaded */
	TL_PERF_OBJECT_ANONYMOUS,
};

/* A file as recorded: a path, with the build id it had. */
struct tl_perf_object {
	uint32_t path;    /* name */
	uint32_t process; /* of the first map of the object */
	uint32_t guest;   /* number of the virtual machine; TL_NONE: the host */
	uint64_t address, length, page_offset; /* of that map */
	struct tl_perf_build_id recorded_id;   /* of its MMAP2 record: part of its identity */
	struct tl_perf_build_id build_id;      /* `recorded_id`, else by the table of the header */
	enum tl_perf_object_kind kind;
	bool located, reported;
	const char *file;      /* with its bytes; NULL: none was found */
	const uint8_t *memory; /* its bytes in this process's own memory; NULL: none */
	size_t memory_size;
	const char *reason; /* why it has neither `file` nor `memory` */
	struct tl_perf_elf elf;
};

struct tl_perf_object_table {
	struct tl_perf_object *list;
	size_t count, capacity;
	struct tl_index index; /* by path and recorded build id */
};

/* Where the files of objects are looked for. */
struct tl_perf_file_search {
	const struct tl_perf_header *header;            /* for the kernel's release; NULL: none */
	const struct tl_perf_build_id_table *build_ids; /* of the file; NULL: none */
	const char *sysroot;                            /* NULL: none */
	const char *const *build_id_dirs;
	size_t build_id_dir_count;
	const char *const *programs; /* files that were given, which come first */
	size_t program_count;
	char *directory;   /* for relative names; owned; NULL: none */
	const char *input; /* the file that is read; NULL: it has no name */
	/* names of code that processes made are looked for in /tmp, too */
	bool shared_names;
	bool no_files;                          /* look for nothing */
	const char *guest_root;                 /* for files of virtual machines; NULL: none */
	const struct tl_debuginfod *debuginfod; /* asked last; NULL: nobody */
};

/* ---- processes ---- */

enum tl_perf_map_change_kind {
	TL_PERF_CHANGE_MAP,
	TL_PERF_CHANGE_CLEAR, /* exec: all maps before are gone */
	TL_PERF_CHANGE_FORK,  /* the maps before are those of the parent at that time */
	TL_PERF_CHANGE_EPOCH, /* a later map contradicts those before: another epoch */
};

struct tl_perf_map_change {
	enum tl_perf_map_change_kind kind;
	uint32_t object; /* FORK: number of the parent */
	uint64_t time_ns;
	uint64_t start, end, page_offset; /* FORK: `start` is the parent's number of changes */
};

struct tl_perf_process {
	uint32_t pid;
	struct tl_perf_map_change *changes;
	size_t count, capacity;
	size_t maps;   /* since the last CLEAR or FORK */
	bool compiled; /* it wrote down what its run-time compiler made */
	/* it is a virtual machine, run by process `pid` (0: by any other), or is in one */
	bool guest;
	uint32_t machine; /* the number of the virtual machine that it is in; TL_NONE: none */
	struct tl_perf_compiled *compiled_names; /* compiled.c; NULL: not asked for yet */
};

struct tl_perf_comm {
	uint64_t time_ns;
	uint32_t name;
};

struct tl_perf_thread {
	uint32_t tid, pid;
	uint32_t machine; /* as that of its process */
	struct tl_perf_comm *comms;
	size_t count, capacity;
};

/* From this time on the kernel has other code at an address. */
struct tl_perf_poke {
	uint64_t time_ns, address;
	uint16_t old_size, new_size; /* 0: there was no code, or there is none any more */
	const uint8_t *bytes;        /* the old ones, then the new ones */
};

/* In the order of time. */
struct tl_perf_poke_table {
	struct tl_perf_poke *list;
	size_t count, capacity;
	struct tl_arena bytes;
};

/* From this time on a processor of a virtual machine runs this thread of it. */
struct tl_perf_guest_switch {
	uint64_t time_ns;
	uint32_t pid, tid;
};

/* A processor of a virtual machine, with its switches in the order of time. */
struct tl_perf_guest_processor {
	uint32_t number;
	uint32_t thread; /* of the host, which runs it */
	struct tl_perf_guest_switch *list;
	size_t count, capacity;
};

/* A virtual machine (guests.h). */
struct tl_perf_guest {
	uint32_t process; /* its number in the table of processes */
	const char *label;
	const char *root;                /* where its files are; NULL: not known */
	bool asked;                      /* its files, for its kernel and modules */
	struct tl_perf_poke_table pokes; /* of its kernel */
	/* those that records were written on (perf inject --guest-data) */
	struct tl_perf_guest_processor *processors;
	size_t processor_count, processor_capacity;
};

struct tl_perf_guest_table {
	struct tl_perf_guest *list;
	size_t count, capacity;
};

/* From this time on a processor runs this thread. */
struct tl_perf_switch {
	uint64_t time_ns;
	uint32_t cpu, pid, tid;
};

struct tl_perf_process_table {
	struct tl_perf_process *list;
	size_t count, capacity;
	struct tl_index index; /* by pid */
};

struct tl_perf_thread_table {
	struct tl_perf_thread *list;
	size_t count, capacity;
	struct tl_index index; /* by tid */
};

/* In the order of time. */
struct tl_perf_switch_table {
	struct tl_perf_switch *list;
	size_t count, capacity;
	struct tl_index by_cpu; /* the first switch of each processor */
};

/* Jitdump files, of a process each. */
struct tl_perf_jit {
	struct tl_jitdump dump;
	uint32_t process, object;
	bool timed; /* its times are of the clock of the records */
	bool ended;
	struct tl_jitdump_code next; /* unless it has ended */
};

struct tl_perf_jit_table {
	struct tl_perf_jit *list;
	size_t count, capacity;
};

struct tl_perf_system {
	struct tl_names names; /* paths of objects and names of threads */
	struct tl_perf_object_table objects;
	struct tl_perf_process_table processes;
	struct tl_perf_guest_table guests;
	struct tl_perf_thread_table threads;
	struct tl_perf_switch_table switches;
	struct tl_perf_poke_table pokes;
	struct tl_perf_file_search search;
	struct tl_perf_jit_table jits;
	struct tl_perf_reader *reader; /* of the records, for faults; NULL: none */
};

/* Free the memory of the tables, and search.directory. */
void tl_perf_system_free(struct tl_perf_system *sys);

/* ---- processes.c ---- */

/*
 * Those of a virtual machine, by its number, end with `_of`; of machine TL_NONE, the host, are the
 * others. Numbers in the tables, the entry made if it is new; TL_NONE without memory.
 */
uint32_t tl_perf_process_add_of(struct tl_perf_system *sys, uint32_t machine, uint32_t pid);
uint32_t tl_perf_process_add(struct tl_perf_system *sys, uint32_t pid);
uint32_t tl_perf_thread_add_of(struct tl_perf_system *sys, uint32_t machine, uint32_t pid,
			       uint32_t tid);
uint32_t tl_perf_thread_add(struct tl_perf_system *sys, uint32_t pid, uint32_t tid);
/* TL_NONE: no record named it. */
uint32_t tl_perf_process_find_of(const struct tl_perf_system *sys, uint32_t machine, uint32_t pid);
uint32_t tl_perf_process_find(const struct tl_perf_system *sys, uint32_t pid);
/* The process of a thread; TL_PERF_KERNEL_PID: unknown. */
uint32_t tl_perf_thread_pid(const struct tl_perf_system *sys, uint32_t tid);
/* The name a thread has at a time, "" when unknown. */
const char *tl_perf_thread_name_of(const struct tl_perf_system *sys, uint32_t machine, uint32_t tid,
				   uint64_t time_ns);
const char *tl_perf_thread_name_at(const struct tl_perf_system *sys, uint32_t tid,
				   uint64_t time_ns);
/* Thread number `number` is called `name` from a time on. */
int tl_perf_thread_add_name(struct tl_perf_system *sys, uint32_t number, uint32_t name,
			    uint64_t time_ns, struct tl_error *err);
/* A new thread has the name of its creator, of the same machine, until it is given another. */
int tl_perf_thread_inherit_name(struct tl_perf_system *sys, uint32_t thread, uint32_t parent_tid,
				uint64_t time_ns, struct tl_error *err);

/* ---- tasks.c ---- */

int tl_perf_add_comm(struct tl_perf_system *sys, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err);
int tl_perf_add_fork(struct tl_perf_system *sys, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err);

/* ---- switches.c ---- */

/* Whether any switch of a processor was recorded so far. */
bool tl_perf_has_switches(const struct tl_perf_system *sys, uint64_t cpu);
int tl_perf_add_switch(struct tl_perf_system *sys, uint64_t time_ns, uint64_t cpu, uint32_t pid,
		       uint32_t tid, struct tl_error *err);

/* ---- maps.c ---- */

int tl_perf_map_add_change(struct tl_perf_system *sys, uint32_t process,
			   const struct tl_perf_map_change *change, struct tl_error *err);
/*
 * Add a map, and an epoch before it if it contradicts those in effect; `compiled`: code in memory
 * that is mapped anonymously, which it does not contradict.
 */
int tl_perf_map_place(struct tl_perf_system *sys, uint32_t process,
		      const struct tl_perf_map_change *map, bool compiled, struct tl_error *err);
/* Whether a MMAP or MMAP2 record is of memory without code. */
bool tl_perf_map_is_data(const struct tl_perf_record *rec);
/* A MMAP or MMAP2 record of the host. */
int tl_perf_add_map(struct tl_perf_system *sys, const struct tl_perf_record *rec, uint64_t time_ns,
		    struct tl_error *err);
/* The number of changes a process has at a time, up to the end of the epoch. */
size_t tl_perf_map_changes_at(const struct tl_perf_process *p, uint64_t time_ns);
/* The number of changes at the end of the epoch that change number `changes` is in, or begins. */
size_t tl_perf_map_epoch_end(const struct tl_perf_system *sys, uint32_t process, size_t changes);
/*
 * From the epoch that ends with change `*changes` to the next one, and its beginning. False: there
 * is none.
 */
bool tl_perf_map_next_epoch(const struct tl_perf_process *p, size_t *changes, uint64_t *time_ns);
/* Position in a walk over the maps of a process, from the newest to the oldest one in effect. */
struct tl_perf_map_iter {
	uint32_t process;
	size_t changes;
};
/* The next map of the walk; NULL: there is none. */
const struct tl_perf_map_change *tl_perf_map_previous(const struct tl_perf_system *sys,
						      struct tl_perf_map_iter *maps);
/* The mapping of an address after the first `changes` changes of a process; NULL: none. */
const struct tl_perf_map_change *tl_perf_map_find(const struct tl_perf_system *sys,
						  uint32_t process, size_t changes, uint64_t ip);

/* ---- pokes.c ---- */

/* A TEXT_POKE record: of the host's kernel, or of a virtual machine's. */
int tl_perf_add_poke(struct tl_perf_system *sys, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err);
/* The number of changes up to a time. */
size_t tl_perf_pokes_at(const struct tl_perf_system *sys, uint64_t time_ns);
/*
 * From the first `*pokes` changes to those at the time of the next one, and that time. False: there
 * is none.
 */
bool tl_perf_pokes_next(const struct tl_perf_system *sys, size_t *pokes, uint64_t *time_ns);
/* The same, of the table of any kernel. */
size_t tl_perf_poke_table_at(const struct tl_perf_poke_table *table, uint64_t time_ns);
bool tl_perf_poke_table_next(const struct tl_perf_poke_table *table, size_t *pokes,
			     uint64_t *time_ns);

/* ---- jitdump.c ---- */

/* tl_perf_add_map(); if a process maps its jitdump file, it is read from then on. */
int tl_perf_add_map_with_code(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			      uint64_t time_ns, struct tl_error *err);
/* Add what was compiled up to a time; before the records of that time. */
int tl_perf_jit_advance(struct tl_perf_system *sys, uint64_t time_ns, struct tl_error *err);

/* ---- objects.c ---- */

/* The object of a MMAP record, made if it is new; TL_NONE without memory. */
uint32_t tl_perf_object_add(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			    uint32_t process);
/* Find the file of an object, once. 0 or no memory. */
int tl_perf_object_locate(struct tl_perf_system *sys, struct tl_perf_object *object,
			  struct tl_error *err);

#endif
