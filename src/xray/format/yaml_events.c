/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/error.h"
#include "xray/format/yaml.h"

uint64_t tl_xray_yaml_offset(struct tl_xray_yaml *yaml, size_t characters)
{
	if (characters < yaml->characters)
		yaml->characters = yaml->bytes = 0;
	for (; yaml->bytes < yaml->size; yaml->bytes++) {
		if ((yaml->data[yaml->bytes] & 0xc0) == 0x80)
			continue;
		if (yaml->characters == characters)
			break;
		yaml->characters++;
	}
	return yaml->bytes;
}

int tl_xray_yaml_fail(struct tl_xray_yaml *yaml, enum tl_status status, const char *text)
{
	return tl_error_at(yaml->err, status,
			   tl_xray_yaml_offset(yaml, yaml->event.start_mark.index), text);
}

static int parser_failed(struct tl_xray_yaml *yaml)
{
	const yaml_parser_t *parser = &yaml->parser;

	if (parser->error == YAML_MEMORY_ERROR)
		return tl_error_memory(yaml->err);
	if (parser->error == YAML_READER_ERROR)
		return tl_error_at(yaml->err, TL_BAD_FORMAT, parser->problem_offset,
				   "not text that YAML allows");
	return tl_error_at(yaml->err, TL_BAD_FORMAT,
			   tl_xray_yaml_offset(yaml, parser->problem_mark.index), "not YAML");
}

int tl_xray_yaml_begin(struct tl_xray_yaml *yaml, const uint8_t *data, size_t size,
		       struct tl_error *err)
{
	*yaml = (struct tl_xray_yaml){ .data = data, .size = size, .err = err };
	if (!yaml_parser_initialize(&yaml->parser))
		return tl_error_memory(err);
	yaml_parser_set_encoding(&yaml->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&yaml->parser, data, size);
	return 0;
}

void tl_xray_yaml_end(struct tl_xray_yaml *yaml)
{
	yaml_event_delete(&yaml->event);
	yaml_parser_delete(&yaml->parser);
}

int tl_xray_yaml_next(struct tl_xray_yaml *yaml)
{
	yaml_event_delete(&yaml->event);
	return yaml_parser_parse(&yaml->parser, &yaml->event) ? 0 : parser_failed(yaml);
}

int tl_xray_yaml_expect(struct tl_xray_yaml *yaml, yaml_event_type_t type, enum tl_status otherwise,
			const char *text)
{
	int status = tl_xray_yaml_next(yaml);

	if (status || yaml->event.type == type)
		return status;
	return tl_xray_yaml_fail(yaml, otherwise, text);
}

/* libyaml's time grows with the square of the depth. */
enum { SKIPPED_DEPTH = 64 };

int tl_xray_yaml_skip(struct tl_xray_yaml *yaml)
{
	size_t depth = 0;

	for (;;) {
		yaml_event_type_t type = yaml->event.type;
		int status;

		if ((type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT) &&
		    ++depth > SKIPPED_DEPTH)
			return tl_xray_yaml_fail(yaml, TL_BAD_RECORD,
						 "a value that is nested too deep");
		if (type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT)
			depth--;
		if (!depth)
			return 0;
		status = tl_xray_yaml_next(yaml);
		if (status)
			return status;
	}
}

int tl_xray_yaml_skip_value(struct tl_xray_yaml *yaml)
{
	int status = tl_xray_yaml_next(yaml);

	return status ? status : tl_xray_yaml_skip(yaml);
}

bool tl_xray_yaml_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	/* strtoull() would accept blanks and signs. */
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && !*end && *value <= max;
}

bool tl_xray_yaml_truth(const char *text, bool *value)
{
	*value = !strcasecmp(text, "true");
	return *value || !strcasecmp(text, "false");
}
