/* SPDX-License-Identifier: Apache-2.0 */
/* One annotated file as CSV (RFC 4180) and as JSON: only the lines that have a note. */
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "report/annotate/annotation.h"
#include "report/annotate/source_file.h"

/* ---- CSV: a row for each line, call and jump ---- */

void tl_annotate_put_csv_head(const struct tl_annotation *a)
{
	if (a->what.assembly)
		tl_put_text(a->view.out, "function,object,address,kind,to,count,taken");
	else
		tl_put_text(a->view.out, "file,line,kind,to,count,taken");
	for (uint32_t i = 0; i < a->view.event_count; i++) {
		tl_put_char(a->view.out, ',');
		tl_put_csv(a->view.out, tl_profile_event(a->view.profile, a->view.events[i])->name);
	}
	tl_put_text(a->view.out, a->what.assembly ? ",code\n" : ",source\n");
}

static void put_commas(struct tl_output *out, uint32_t count)
{
	for (; count; count--)
		tl_put_char(out, ',');
}

void tl_annotate_put_csv_remark(const struct tl_annotation *a, const struct tl_remark *remark)
{
	static const char *const kinds[] = { "self", "call", "jump" };
	struct tl_output *out = a->view.out;
	bool jump = remark->kind == TL_NOTE_JUMP;

	tl_put_text(out, kinds[remark->kind]);
	tl_put_char(out, ',');
	if (remark->kind == TL_NOTE_CALL)
		tl_put_csv(out, tl_view_name(&a->view, remark->function));
	else if (jump && a->what.assembly)
		tl_put_hex(out, remark->to.address);
	else if (jump)
		tl_put_u64(out, remark->to.line);
	tl_put_char(out, ',');
	if (remark->kind != TL_NOTE_SELF)
		tl_put_u64(out, remark->count);
	tl_put_char(out, ',');
	if (jump)
		tl_put_u64(out, remark->taken);
	if (jump)
		put_commas(out, a->view.event_count);
	else
		tl_view_put_csv_cost(&a->view, remark->cost);
	tl_put_char(out, ',');
}

static void put_csv_lines(const struct tl_annotation *a, const struct tl_note_group *group,
			  const struct tl_source_file *text, const char *file, size_t file_size)
{
	struct tl_output *out = a->view.out;

	for (size_t at = group->first; at < group->end && !tl_output_failed(out);) {
		struct tl_remark remark;
		const char *line;
		size_t size;

		at = tl_remark_take(a, group, at, &remark);
		tl_put_bytes(out, file, file_size);
		tl_put_char(out, ',');
		if (remark.at)
			tl_put_u64(out, remark.at);
		tl_put_char(out, ',');
		tl_annotate_put_csv_remark(a, &remark);
		line = tl_source_file_line(text, remark.at, &size);
		if (line && remark.kind == TL_NOTE_SELF)
			tl_put_csv_quoted(out, line, size);
		tl_put_char(out, '\n');
	}
}

bool tl_annotate_put_csv_file(const struct tl_annotation *a, const struct tl_note_group *group,
			      const struct tl_source_file *text)
{
	struct tl_output *name;
	const char *file;
	size_t size;
	bool ok;

	/* Each row has the name of the file: it is made a field once. */
	if (tl_output_open_memory(&name, NULL) < 0)
		return false;
	tl_put_csv(name, group->owner.file);
	ok = !tl_output_failed(name);
	file = tl_output_bytes(name, &size);
	if (ok)
		put_csv_lines(a, group, text, file, size);
	tl_output_discard(name);
	return ok;
}

/* ---- JSON: an object for each line ---- */

void tl_annotate_put_json_remark(const struct tl_annotation *a, const struct tl_remark *remark)
{
	struct tl_output *out = a->view.out;

	if (remark->kind == TL_NOTE_SELF) {
		tl_put_text(out, "{\"kind\":\"self\",\"cost\":");
		tl_view_put_json_cost(&a->view, remark->cost);
	} else if (remark->kind == TL_NOTE_CALL) {
		tl_put_text(out, "{\"kind\":\"call\",");
		tl_view_put_json_function(&a->view, remark->function);
		tl_put_text(out, ",\"calls\":");
		tl_put_u64(out, remark->count);
		tl_put_text(out, ",\"inclusive\":");
		tl_view_put_json_cost(&a->view, remark->cost);
	} else {
		tl_put_text(out, "{\"kind\":\"jump\",\"file\":");
		tl_put_json(out, remark->to.file, strlen(remark->to.file));
		tl_put_text(out, ",\"line\":");
		tl_put_u64(out, remark->to.line);
		tl_put_text(out, ",\"address\":\"");
		tl_put_hex(out, remark->to.address);
		tl_put_text(out, "\",\"executed\":");
		tl_put_u64(out, remark->count);
		tl_put_text(out, ",\"taken\":");
		tl_put_u64(out, remark->taken);
		tl_put_text(out, ",\"conditional\":");
		tl_put_boolean(out, remark->conditional);
	}
	tl_put_char(out, '}');
}

void tl_annotate_put_json_places(const struct tl_annotation *a, const struct tl_note_group *group,
				 tl_annotate_place_fn *begin, const void *context)
{
	struct tl_output *out = a->view.out;

	for (size_t at = group->first; at < group->end && !tl_output_failed(out);) {
		bool begins = at == group->first || a->notes[at].at != a->notes[at - 1].at;
		struct tl_remark remark;

		if (begins && at != group->first)
			tl_put_text(out, "]},");
		if (begins)
			begin(out, context, a->notes[at].at);
		else
			tl_put_char(out, ',');
		at = tl_remark_take(a, group, at, &remark);
		tl_annotate_put_json_remark(a, &remark);
	}
	tl_put_text(out, "]}]}");
}

static void put_json_line(struct tl_output *out, const void *context, uint64_t line)
{
	const struct tl_source_file *text = context;
	size_t size;
	const char *source = tl_source_file_line(text, line, &size);

	tl_put_text(out, "{\"line\":");
	if (line)
		tl_put_u64(out, line);
	else
		tl_put_text(out, "null");
	tl_put_text(out, ",\"source\":");
	if (source)
		tl_put_json(out, source, size);
	else
		tl_put_text(out, "null");
	tl_put_text(out, ",\"remarks\":[");
}

bool tl_annotate_put_json_file(const struct tl_annotation *a, const struct tl_note_group *group,
			       const struct tl_source_file *text)
{
	struct tl_output *out = a->view.out;
	const char *file = group->owner.file;

	tl_put_text(out, "{\"file\":");
	tl_put_json(out, file, strlen(file));
	tl_put_text(out, ",\"found\":");
	if (text->path)
		tl_put_json(out, text->path, strlen(text->path));
	else
		tl_put_text(out, "null");
	tl_put_text(out, ",\"cost\":");
	tl_view_put_json_cost(&a->view, tl_group_cost(a, group));
	tl_put_text(out, ",\"lines\":[");
	tl_annotate_put_json_places(a, group, put_json_line, text);
	return true;
}
