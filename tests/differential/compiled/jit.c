/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run-time compiler of three functions that spin: jit FOLDER ROUNDS. It writes
 * FOLDER/jit-PID.dump as the jitdump specification says. `first` and `second` stand at one address,
 * one after the other; `moved` is compiled at one place and moved to another. Prints nothing; the
 * work of each is known.
 *
 * jit - ROUNDS writes /tmp/perf-PID.map instead, which knows no times: `second` stands elsewhere.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, EM_OF_X86_64 = 62 };

/* mov %rdi, %rcx; 1: dec %rcx; jnz 1b; ret. Each other function has the other form of the mov. */
static uint8_t code[] = { 0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3 };
static const uint8_t forms[2][3] = { { 0x48, 0x89, 0xf9 }, { 0x48, 0x8b, 0xcf } };

static FILE *dump, *map;

static void put(const void *data, size_t size)
{
	if (fwrite(data, 1, size, dump) != size)
		exit(2);
}

static void put32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put64(uint64_t value)
{
	put(&value, sizeof(value));
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void head(uint32_t id, uint32_t size)
{
	put32(id);
	put32(16 + size);
	put64(now());
}

static void put_lines(const uint8_t *at, uint32_t line)
{
	const char file[] = "spin.jit";

	head(2, 16 + 16 + sizeof(file) + 16 + 2);
	put64((uintptr_t)at);
	put64(2);
	put64((uintptr_t)at);
	put32(line);
	put32(0);
	put(file, sizeof(file));
	put64((uintptr_t)at + 3); /* the loop: the same file again */
	put32(line + 1);
	put32(0);
	put("\xff", 2);
}

static void list(const uint8_t *at, const char *name)
{
	fprintf(map, "%lx %zx %s\n", (unsigned long)(uintptr_t)at, sizeof(code), name);
	fflush(map);
}

static void compile(uint8_t *at, const char *name, uint64_t index, uint32_t line)
{
	memcpy(code, forms[index % 2], sizeof(forms[0]));
	memcpy(at, code, sizeof(code));
	if (map) {
		list(at, name);
		return;
	}
	put_lines(at, line);
	head(0, (uint32_t)(40 + strlen(name) + 1 + sizeof(code)));
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
	put64((uintptr_t)at);
	put64((uintptr_t)at);
	put64(sizeof(code));
	put64(index);
	put(name, strlen(name) + 1);
	put(code, sizeof(code));
	fflush(dump);
}

static void move(uint8_t *from, uint8_t *to, uint64_t index)
{
	memmove(to, from, sizeof(code));
	if (map) {
		list(to, "moved");
		return;
	}
	head(1, 48);
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
	put64((uintptr_t)to);
	put64((uintptr_t)from);
	put64((uintptr_t)to);
	put64(sizeof(code));
	put64(index);
	fflush(dump);
}

static void run(const uint8_t *at, uint64_t rounds)
{
	void (*function)(uint64_t);

	memcpy(&function, &at, sizeof(function));
	function(rounds);
}

static void begin_map(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "wx");
	if (!map)
		exit(2);
}

static void begin(const char *folder)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, (int)getpid());
	dump = fopen(path, "w+b");
	if (!dump)
		exit(2);
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(EM_OF_X86_64);
	put32(0);
	put32((uint32_t)getpid());
	put64(now());
	put64(0);
	fflush(dump);
	/* So that the recorder's list of maps names it. */
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		exit(2);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
	uint8_t *at;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "-") == 0)
		begin_map();
	else
		begin(argv[1]);
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		  0);
	if (at == MAP_FAILED)
		return 2;
	compile(at, "first", 1, 10);
	run(at, 3 * rounds);
	compile(map ? at + 192 : at, "second", 2, 20);
	run(map ? at + 192 : at, 2 * rounds);
	compile(at + 64, "moved@here", 3, 30);
	move(at + 64, at + 128, 3);
	run(at + 128, rounds);
	if (map)
		return fclose(map);
	head(3, 0);
	return fclose(dump);
}
