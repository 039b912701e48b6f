/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_FORMAT_YAML_H
#define TL_XRAY_FORMAT_YAML_H
/* YAML as llvm-xray writes it: events of libyaml with the offsets of what is wrong, and scalars. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#include <tracelathe/core.h>

struct tl_xray_yaml {
	yaml_parser_t parser;
	yaml_event_t event; /* the present one */
	const uint8_t *data;
	size_t size;
	struct tl_error *err;
	/* the last answer of tl_xray_yaml_offset(): characters, and the bytes that they take */
	size_t characters, bytes;
};

/* 0 or TL_NO_MEMORY; tl_xray_yaml_end() is needed after success only. */
int tl_xray_yaml_begin(struct tl_xray_yaml *yaml, const uint8_t *data, size_t size,
		       struct tl_error *err);
void tl_xray_yaml_end(struct tl_xray_yaml *yaml);

/* Go to the next event. TL_BAD_FORMAT: the text is not YAML. */
int tl_xray_yaml_next(struct tl_xray_yaml *yaml);
/* The same, and the event must have the given type. */
int tl_xray_yaml_expect(struct tl_xray_yaml *yaml, yaml_event_type_t type, enum tl_status otherwise,
			const char *text);
/* The present event begins a value: go to its last event, whatever it is. */
int tl_xray_yaml_skip(struct tl_xray_yaml *yaml);
/* Skip the value of a key that is not ours, of any type. */
int tl_xray_yaml_skip_value(struct tl_xray_yaml *yaml);
/* An error at the present event. */
int tl_xray_yaml_fail(struct tl_xray_yaml *yaml, enum tl_status status, const char *text);
/* Bytes before a mark: libyaml's marks count characters. Marks behind the last one cost little. */
uint64_t tl_xray_yaml_offset(struct tl_xray_yaml *yaml, size_t characters);

/* A whole text as a number without a sign, decimal, octal or hexadecimal. */
bool tl_xray_yaml_number(const char *text, uint64_t max, uint64_t *value);
/* "true" or "false", in any case. */
bool tl_xray_yaml_truth(const char *text, bool *value);

#endif
