/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_FORMAT_YAML_TEXT_H
#define TL_XRAY_FORMAT_YAML_TEXT_H
/* Scalars of YAML as llvm-xray writes them; libyaml is not needed for that. */
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/core.h>

/*
 * Put a text as a scalar of a list in braces: plain, in single quotes, or in double quotes with
 * escapes.
 */
void tl_xray_put_yaml_text(struct tl_output *out, const char *text, size_t size);
/* The same of any bytes: where they are not text, in base64 with the tag !!binary. */
void tl_xray_put_yaml_bytes(struct tl_output *out, const uint8_t *data, size_t size);

#endif
