/* SPDX-License-Identifier: Apache-2.0 */
/* The annotate report: files, heaviest first, with their text; or functions by instruction. */
#include "report/annotate/annotation.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/output.h"
#include "core/sized.h"
#include "report/annotate/assembly.h"
#include "report/annotate/source_file.h"

enum { CONTEXT_LINES = 8 };

/* Text, CSV and JSON of one file. */
static bool (*const put_file[])(const struct tl_annotation *a, const struct tl_note_group *group,
				const struct tl_source_file *text) = {
	[TL_REPORT_TEXT] = tl_annotate_put_file,
	[TL_REPORT_CSV] = tl_annotate_put_csv_file,
	[TL_REPORT_JSON] = tl_annotate_put_json_file,
};

static int show_file(const struct tl_annotation *a, struct tl_note_group *group,
		     struct tl_error *err)
{
	struct tl_source_file text;
	int status = tl_source_file_read(&text, group->owner.file, a->what.source_dirs,
					 a->what.source_dir_count, err);

	if (status == 0) {
		if (!text.path)
			group->outcome = TL_GROUP_UNREADABLE;
		if (!put_file[a->view.options.form](a, group, &text))
			status = tl_error_memory(err);
	}
	tl_source_file_free(&text);
	return status;
}

static void begin(const struct tl_annotation *a)
{
	if (a->view.options.form == TL_REPORT_TEXT) {
		tl_view_put_head(&a->view);
	} else if (a->view.options.form == TL_REPORT_CSV) {
		tl_annotate_put_csv_head(a);
	} else {
		tl_put_char(a->view.out, '{');
		tl_view_put_json_head(&a->view);
		if (a->what.assembly)
			tl_put_text(a->view.out, ",\"functions\":[");
		else
			tl_put_text(a->view.out, ",\"files\":[");
	}
}

static void end(const struct tl_annotation *a)
{
	if (a->view.options.form == TL_REPORT_TEXT)
		tl_annotate_put_foot(a);
	else if (a->view.options.form == TL_REPORT_JSON)
		tl_annotate_put_json_foot(a);
}

static int show_all(struct tl_annotation *a, struct tl_error *err)
{
	bool first = true;
	int status = 0;

	begin(a);
	for (size_t i = 0; status == 0 && i < a->group_count && !tl_output_failed(a->view.out);
	     i++) {
		struct tl_note_group *group = &a->groups[i];

		if (group->outcome != TL_GROUP_SHOWN)
			continue;
		if (!first && a->view.options.form == TL_REPORT_JSON)
			tl_put_char(a->view.out, ',');
		first = false;
		if (!tl_notes_load(a, group))
			return tl_error_memory(err);
		if (a->what.assembly)
			status = tl_annotate_put_function(a, group, err);
		else
			status = show_file(a, group, err);
	}
	if (status == 0)
		end(a);
	return status;
}

static int take_options(struct tl_annotation *a, const struct tl_annotate_options *what,
			struct tl_error *err)
{
	int status = 0;

	a->what.threshold = -1;
	a->what.context = -1;
	if (what)
		status = tl_take_options(&a->what, sizeof(a->what), sizeof(a->what), what,
					 what->size, err);
	if (a->what.context < 0)
		a->what.context = CONTEXT_LINES;
	return status;
}

int tl_report_annotate(const struct tl_profile *profile, const struct tl_annotate_options *what,
		       const struct tl_report_options *options, struct tl_output *out,
		       struct tl_error *err)
{
	struct tl_annotation a = { 0 };
	int status = tl_view_open(&a.view, profile, options, out, err);

	if (status == 0)
		status = take_options(&a, what, err);
	if (status == 0 && (size_t)a.view.options.form >= sizeof(put_file) / sizeof(put_file[0]))
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "there is no report of that form");
	if (status == 0)
		status = tl_notes_collect(&a, err);
	if (status == 0)
		status = show_all(&a, err);
	tl_notes_free(&a);
	tl_view_close(&a.view);
	return status;
}
