/* SPDX-License-Identifier: Apache-2.0 */
/* XRay traces written again: as any version, as YAML, in part. */
#include <string.h>

#include "core/error.h"
#include "open/adapters/xray_input.h"
#include "xray/yaml/yaml_log.h"

/* ---- re-encoding ---- */

static const struct {
	const char *name;
	enum tl_xray_mode mode;
	uint16_t version;
	/* clang-format off */
} variants[] = {
	{ "5", TL_XRAY_FDR, 5 },   { "4", TL_XRAY_FDR, 4 },         { "3", TL_XRAY_FDR, 3 },
	{ "2", TL_XRAY_FDR, 2 },   { "1", TL_XRAY_FDR, 1 },         { "basic", TL_XRAY_BASIC, 3 },
	{ "basic-3", TL_XRAY_BASIC, 3 }, { "basic-2", TL_XRAY_BASIC, 2 }, { "basic-1",
	  TL_XRAY_BASIC, 1 },
};
/* clang-format on */

/*
 * Buffer size in the header of a version 1 file made from a source without buffers: the runtime's
 * default.
 */
enum { DEFAULT_BUFFER_BYTES = 16384 };

static struct tl_xray_writer_options header_like(const struct tl_xray_input *x)
{
	const struct tl_xray_info *info = tl_xray_info(x->reader);

	return (struct tl_xray_writer_options){
		.size = sizeof(struct tl_xray_writer_options),
		.mode = TL_XRAY_FDR,
		.version = 5,
		.constant_tsc = info->constant_tsc,
		.nonstop_tsc = info->nonstop_tsc,
		.frequency = info->frequency,
		.buffer_size = info->mode == TL_XRAY_FDR ? info->buffer_size : DEFAULT_BUFFER_BYTES,
	};
}

int tl_xray_input_reencode(struct tl_input *input, const char *variant, struct tl_output *out,
			   struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	struct tl_xray_writer_options options = header_like(x);

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		if (!strcmp(variants[i].name, variant ? variant : "5")) {
			options.mode = variants[i].mode;
			options.version = variants[i].version;
			return tl_xray_convert(x->reader, out, &options, err);
		}
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "an XRay trace is written as version 1 to 5, or basic, basic-1, "
			   "basic-2, basic-3");
}

static int write_yaml(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	struct tl_xray_select select;
	int status = tl_xray_input_select(input, &select, err);

	if (status < 0)
		return status;
	status = tl_xray_yaml_write(x->reader, &select, out, err);
	tl_xray_names_end(&select.names);
	return status;
}

/* ---- slices ---- */

static bool is_selected(void *arg, const struct tl_xray_record *record)
{
	return tl_xray_selected(arg, record);
}

static int check_slice(const struct tl_slice *what, struct tl_error *err)
{
	if (what->snapshots.from || what->snapshots.to != TL_NOWHERE || what->instructions.from ||
	    what->instructions.to != TL_NOWHERE || what->trigger || what->form != TL_SLICE_TRACE)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "an XRay trace is cut by --time, --thread, --pid, --cpu, "
				   "--function and --object");
	return 0;
}

int tl_xray_input_slice(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
			struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	struct tl_xray_writer_options options = header_like(x);
	struct tl_xray_select select;
	uint64_t count = 0;
	const struct tl_xray_choice choice = { is_selected, &select, &count };
	int status = check_slice(what, err);

	if (status == 0)
		status = tl_xray_input_select(input, &select, err);
	if (status < 0)
		return tl_error_format(err, "xray", status);
	status = tl_xray_convert_some(x->reader, out, &options, &choice, err);
	tl_xray_names_end(&select.names);
	if (status == 0 && !count)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "the trace has no record of what is asked for");
	return tl_error_format(err, "xray", status);
}

const struct tl_conversion tl_xray_conversions[] = {
	{ { "yaml", "XRay: function records and events, as `llvm-xray convert -f yaml`" },
	  write_yaml },
	{ { NULL, NULL }, NULL },
};
