/* SPDX-License-Identifier: Apache-2.0 */
/* Version, errors, processors, and what all structures have in common. */
#include "compat.h"

/*
 * 2.0.5 is what this library takes the place of: programs that look at the number were written for
 * what that version does, and its errata table is part of that. What is newer is there for those
 * who link to it.
 */
struct pt_version pt_library_version(void)
{
	return (struct pt_version){ .major = 2, .minor = 0, .patch = 5, .ext = "-tracelathe" };
}

const char *pt_errstr(enum pt_error_code errcode)
{
	return tl_pt_error_text((enum tl_pt_error)errcode);
}

static struct pt_errata errata_of(uint32_t bits)
{
	return (struct pt_errata){
		.bdm70 = !!(bits & TL_PT_BDM70),
		.bdm64 = !!(bits & TL_PT_BDM64),
		.skd007 = !!(bits & TL_PT_SKD007),
		.skd022 = !!(bits & TL_PT_SKD022),
		.skd010 = !!(bits & TL_PT_SKD010),
		.skl014 = !!(bits & TL_PT_SKL014),
		.apl12 = !!(bits & TL_PT_APL12),
		.apl11 = !!(bits & TL_PT_APL11),
		.skl168 = !!(bits & TL_PT_SKL168),
		.skz84 = !!(bits & TL_PT_SKZ84),
	};
}

int pt_cpu_errata(struct pt_errata *errata, const struct pt_cpu *cpu)
{
	uint32_t bits = 0;
	int status;

	if (!errata || !cpu)
		return -pte_invalid;
	status = tl_pt_cpu_errata(&bits,
				  &(struct tl_pt_cpu){ .intel = cpu->vendor == pcv_intel,
						       .family = cpu->family,
						       .model = cpu->model,
						       .stepping = cpu->stepping },
				  true);
	*errata = errata_of(bits);
	return status;
}

void tl_compat_give(void *to, size_t size, const void *from, size_t known)
{
	if (size > known) {
		memset((uint8_t *)to + known, 0, size - known);
		size = known;
	}
	memcpy(to, from, size);
}

void tl_compat_asid(struct tl_pt_asid *to, const struct pt_asid *from)
{
	struct pt_asid asid;

	pt_asid_init(&asid);
	if (from)
		memcpy(&asid, from, from->size < sizeof(asid) ? from->size : sizeof(asid));
	*to = (struct tl_pt_asid){ .cr3 = asid.cr3, .vmcs = asid.vmcs };
}

int tl_compat_time(const struct tl_compat_time *now, uint64_t *time, uint32_t *lost_mtc,
		   uint32_t *lost_cyc)
{
	*time = now->tsc;
	if (lost_mtc)
		*lost_mtc = now->lost_mtc;
	if (lost_cyc)
		*lost_cyc = now->lost_cyc;
	return now->status;
}

int tl_compat_cbr(const struct tl_compat_time *now, uint32_t *cbr)
{
	if (!now->have_cbr)
		return -pte_no_cbr;
	*cbr = now->cbr;
	return 0;
}

void tl_compat_give_event(struct pt_event *to, size_t size, const struct pt_event *from)
{
	memcpy(to, from, size < sizeof(*from) ? size : sizeof(*from));
}

int tl_compat_file(int status)
{
	return status == -pte_bad_file ? -pte_invalid : status;
}
