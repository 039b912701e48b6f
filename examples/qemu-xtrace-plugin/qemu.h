/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef QEMU_H
#define QEMU_H
/*
 * Version 4 of QEMU's plugin interface (QEMU 9.2 and newer, which tell plugins the values of
 * accesses), and the two containers of GLib in it, as far as they are used here: distributions do
 * not package qemu-plugin.h. All functions are in QEMU. With -DWITH_QEMU_PLUGIN_H QEMU's own header
 * is taken instead, which shows that the two agree.
 */
#ifdef WITH_QEMU_PLUGIN_H

#include <qemu-plugin.h>

#if QEMU_PLUGIN_VERSION < 4
#error "QEMU 9.2 or newer is needed: older plugins cannot read the values of accesses"
#endif

#else

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QEMU_PLUGIN_VERSION = 4 };
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

/* ---- GLib ---- */

typedef struct {
	char *data;
	unsigned len;
} GArray;

typedef struct {
	uint8_t *data;
	unsigned len;
} GByteArray;

#define g_array_index(array, type, i) (((type *)(void *)(array)->data)[i])
char *g_array_free(GArray *array, int with_data);
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned size);
uint8_t *g_byte_array_free(GByteArray *array, int with_data);

/* ---- what is executed ---- */

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;
struct qemu_plugin_scoreboard;

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

typedef struct {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
} qemu_info_t;

/* A number of each virtual processor's, which translated code may test. */
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

typedef struct {
	struct qemu_plugin_register *handle;
	const char *name, *feature;
} qemu_plugin_reg_descriptor;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };
enum qemu_plugin_cond { QEMU_PLUGIN_COND_NE = 3 };

enum qemu_plugin_mem_value_type {
	QEMU_PLUGIN_MEM_VALUE_U8,
	QEMU_PLUGIN_MEM_VALUE_U16,
	QEMU_PLUGIN_MEM_VALUE_U32,
	QEMU_PLUGIN_MEM_VALUE_U64,
	QEMU_PLUGIN_MEM_VALUE_U128,
};

typedef struct {
	enum qemu_plugin_mem_value_type type;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		struct {
			uint64_t low, high;
		} u128;
	} data;
} qemu_plugin_mem_value;

typedef void qemu_plugin_vcpu_fn(qemu_plugin_id_t id, unsigned vcpu);
typedef void qemu_plugin_end_fn(qemu_plugin_id_t id, void *data);
typedef void qemu_plugin_translate_fn(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void qemu_plugin_execute_fn(unsigned vcpu, void *data);
typedef void qemu_plugin_access_fn(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				   void *data);
typedef void qemu_plugin_call_fn(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1,
				 uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
				 uint64_t a7, uint64_t a8);
typedef void qemu_plugin_result_fn(qemu_plugin_id_t id, unsigned vcpu, int64_t number,
				   int64_t result);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_fn *fn);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_fn *fn);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translate_fn *fn);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_call_fn *fn);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, qemu_plugin_result_fn *fn);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_end_fn *fn, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_execute_fn *fn,
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn,
						 qemu_plugin_execute_fn *fn,
						 enum qemu_plugin_cb_flags flags,
						 enum qemu_plugin_cond cond, qemu_plugin_u64 entry,
						 uint64_t number, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_access_fn *fn,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t i);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
qemu_plugin_mem_value qemu_plugin_mem_get_value(qemu_plugin_meminfo_t info);

GArray *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *to);
bool qemu_plugin_read_memory_vaddr(uint64_t address, GByteArray *to, size_t size);

int qemu_plugin_num_vcpus(void);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned vcpu);
#define qemu_plugin_scoreboard_u64_in_struct(score, type, member)                                  \
	((qemu_plugin_u64){ score, offsetof(type, member) })
uint64_t qemu_plugin_u64_get(qemu_plugin_u64 entry, unsigned vcpu);
void qemu_plugin_u64_set(qemu_plugin_u64 entry, unsigned vcpu, uint64_t number);

extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv);

#endif
#endif
