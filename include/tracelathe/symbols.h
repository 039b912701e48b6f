/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_SYMBOLS_H
#define TRACELATHE_SYMBOLS_H
/**
 * @file
 * Names and lines of addresses: ELF symbol tables and DWARF.
 *
 * Addresses are those of the file (link-time virtual addresses) plus the `bias` the binary was
 * opened with. Separate debug information is found by build-id and by .gnu_debuglink below
 * /usr/lib/debug and beside the file; parts that dwz shares between files by .gnu_debugaltlink; the
 * halves of units compiled with -gsplit-dwarf where their .dwo files were written. Debug
 * information that is damaged, missing or of a kind that is not read (packages of .dwo files,
 * .debug_sup, relocatable object files) costs names and lines: see tl_binary_faults().
 */
#include <tracelathe/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One ELF file with its debug information. */
struct tl_binary;

/**
 * What is known about an address. Strings live as long as the binary; "" when unknown, never NULL.
 */
struct tl_symbol {
	/**
	 * demangled unless the binary was opened raw; of an entry of a procedure linkage table,
	 * which has no symbol of its own, what it jumps to, with "@plt" behind it
	 */
	const char *name;
	const char *file;      /**< source file with its directory as DWARF gives it */
	uint32_t line, column; /**< 0: unknown */
	uint64_t start, size;  /**< of the symbol; size 0: unknown */
};

/** A section's bytes. */
struct tl_section {
	const uint8_t *data; /**< NULL for SHT_NOBITS */
	size_t size;
	uint64_t address; /**< virtual address without bias */
};

/** What a server of debug information (debuginfod) has of a build. */
enum tl_debuginfod_kind {
	TL_DEBUGINFOD_EXECUTABLE, /**< the program or library itself */
	TL_DEBUGINFOD_DEBUGINFO,  /**< its debug information */
};

/**
 * A client of such servers, which the caller has: the library makes no connections. Several threads
 * may call `find` at once.
 */
struct tl_debuginfod {
	/**
	 * Fetch a file by the build id, in lower-case hexadecimal.
	 * @return 1 and its path, for free(); 0: no server has it, or none answered, which is the
	 *         client's to tell; TL_NO_MEMORY
	 */
	int (*find)(void *arg, enum tl_debuginfod_kind kind, const char *build_id, char **path);
	void *arg;
};

/**
 * Open an ELF file (32 or 64 bit, either byte order, PIE or not), or the names of a kernel, by
 * content: System.map, or a copy of /proc/kallsyms, which have neither code nor lines.
 *
 * @param bias      added to every address of the file (load address of a PIE minus its link
 *        address; usually 0)
 * @param demangle  C++ and Rust names in their source form
 * @return 0, TL_IO, TL_BAD_FORMAT (neither, or damaged), TL_NO_MEMORY
 */
TL_API int tl_binary_open(struct tl_binary **binary, const char *path, uint64_t bias, bool demangle,
			  struct tl_error *err);
TL_API void tl_binary_close(struct tl_binary *binary);

TL_API const char *tl_binary_path(const struct tl_binary *binary);
/** Build-id in lower-case hexadecimal, "" when the file has none. */
TL_API const char *tl_binary_build_id(const struct tl_binary *binary);
TL_API bool tl_binary_is_64bit(const struct tl_binary *binary);
TL_API bool tl_binary_is_big_endian(const struct tl_binary *binary);
/** True for position-independent files (ET_DYN). */
TL_API bool tl_binary_is_pie(const struct tl_binary *binary);
/** True when DWARF line information was found, in the file or apart. */
TL_API bool tl_binary_has_lines(const struct tl_binary *binary);

/**
 * Look an address up.
 * @param size  sizeof(*symbol)
 * @return true when at least a name or a line is known; false, and nothing is set, for a size that
 *         no release had
 */
TL_API bool tl_binary_symbol(struct tl_binary *binary, uint64_t address, struct tl_symbol *symbol,
			     size_t size);

/** One function of a chain: the one inlined at an address, or one that it was inlined into. */
struct tl_inlined {
	const char *name; /**< as in struct tl_symbol; "" when unknown */
	/** where it was inlined; "" for the outermost, which was not */
	const char *call_file;
	uint32_t call_line, call_column; /**< 0: unknown, or the outermost */
};

/**
 * The functions that an address belongs to by DWARF, the innermost first; the last is a function of
 * its own. The line of the innermost is that of tl_binary_symbol(); each further function is at the
 * call_line of the one before it.
 * @param chain  the first `room` of them are put here; NULL if `room` is 0
 * @param size   sizeof(*chain): of one of them
 * @return how many there are; 0: no function is known there, or a size that no release had
 */
TL_API size_t tl_binary_inlined(struct tl_binary *binary, uint64_t address,
				struct tl_inlined *chain, size_t size, size_t room);

/**
 * Debug information that could not be read so far (it is read when it is first needed), so that
 * names and lines may be missing. `first->offset` counts within the section that its text names,
 * expanded where it is compressed.
 * @param path  set to the file that has the first fault, which may be a debug file; lives as long
 *              as the binary; may be NULL
 * @return how many faults there were; 0: none, and nothing is set
 */
TL_API uint64_t tl_binary_faults(const struct tl_binary *binary, struct tl_error *first,
				 const char **path);

/** A section by name. @return false when there is none */
TL_API bool tl_binary_section(struct tl_binary *binary, const char *name,
			      struct tl_section *section);

/** The kind of processor: e_machine of the file's header (62: x86-64, 183: AArch64). */
TL_API unsigned tl_binary_machine(const struct tl_binary *binary);

/**
 * The code at an address: bytes of an executable section from there to the section's end.
 * @return NULL when no executable section of the file holds the address
 */
TL_API const uint8_t *tl_binary_code(const struct tl_binary *binary, uint64_t address,
				     size_t *size);

/**
 * The addend of the RELATIVE relocation at a virtual address (RELA, REL reads the place itself), as
 * a PIE's loader would store it there with bias 0; symbol-based absolute relocations give symbol
 * value + addend.
 * @return false when no relocation applies to that address
 */
TL_API bool tl_binary_relocation(struct tl_binary *binary, uint64_t address, uint64_t *value);

/**
 * The source form of a mangled C++ or Rust name.
 * @return a new string for free(), a copy of `name` when it is not mangled, or NULL without memory
 */
TL_API char *tl_demangle(const char *name);

#ifdef __cplusplus
}
#endif
#endif
