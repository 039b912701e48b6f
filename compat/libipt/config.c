/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations: the caller's, by the size it gives, into ours. */
#include "compat.h"

/* Bytes that begin no packet: ask the caller, and keep what belongs to the packet. */
static int ask(void *arg, const uint8_t *pos, const uint8_t *end)
{
	struct tl_compat_config *config = arg;
	struct pt_packet_unknown unknown = { .packet = pos };
	int size = config->user.decode.callback(&unknown, &config->user, pos,
						config->user.decode.context);

	(void)end;
	config->priv = unknown.priv;
	return size;
}

/* Fields of one bit: each is 0, or 1 times its flag. */
static uint32_t errata_bits(const struct pt_errata *errata)
{
	return errata->bdm70 * TL_PT_BDM70 | errata->bdm64 * TL_PT_BDM64 |
	       errata->skd007 * TL_PT_SKD007 | errata->skd022 * TL_PT_SKD022 |
	       errata->skd010 * TL_PT_SKD010 | errata->skl014 * TL_PT_SKL014 |
	       errata->apl12 * TL_PT_APL12 | errata->apl11 * TL_PT_APL11 |
	       errata->skl168 * TL_PT_SKL168 | errata->skz84 * TL_PT_SKZ84;
}

static uint32_t flags_of(const struct pt_conf_flags *flags, enum tl_compat_use use)
{
	if (use == TL_COMPAT_BLOCK)
		return flags->variant.block.end_on_call * TL_PT_END_ON_CALL |
		       flags->variant.block.enable_tick_events * TL_PT_TICK_EVENTS |
		       flags->variant.block.end_on_jump * TL_PT_END_ON_JUMP |
		       flags->variant.block.keep_tcal_on_ovf * TL_PT_KEEP_TCAL |
		       flags->variant.block.enable_iflags_events * TL_PT_IFLAG_EVENTS |
		       flags->variant.block.tl_fold_events * TL_PT_FOLD_EVENTS;
	if (use == TL_COMPAT_INSN)
		return flags->variant.insn.enable_tick_events * TL_PT_TICK_EVENTS |
		       flags->variant.insn.keep_tcal_on_ovf * TL_PT_KEEP_TCAL |
		       flags->variant.insn.enable_iflags_events * TL_PT_IFLAG_EVENTS;
	if (use == TL_COMPAT_QUERY)
		return flags->variant.query.keep_tcal_on_ovf * TL_PT_KEEP_TCAL |
		       flags->variant.query.enable_iflags_events * TL_PT_IFLAG_EVENTS;
	return 0;
}

/* Four bits a range in IA32_RTIT_CTL; other numbers are of ranges that are not known here. */
static void ranges_of(struct tl_pt_range *to, const struct pt_conf_addr_filter *filter)
{
	const uint64_t *ends = &filter->addr0_a;

	for (unsigned i = 0; i < 4; i++) {
		unsigned use = filter->config.addr_cfg >> (4 * i) & 0xf;

		to[i].use = use == pt_addr_cfg_filter ? TL_PT_RANGE_FILTER
			    : use == pt_addr_cfg_stop ? TL_PT_RANGE_STOP
						      : TL_PT_RANGE_OFF;
		memcpy(&to[i].first, &ends[2 * i], sizeof(uint64_t));
		memcpy(&to[i].last, &ends[2 * i + 1], sizeof(uint64_t));
	}
}

bool tl_compat_config(struct tl_compat_config *to, const struct pt_config *from,
		      enum tl_compat_use use)
{
	struct pt_config *user = &to->user;

	/* "Only size, begin, end are required" (3.2). */
	if (!from || from->size < offsetof(struct pt_config, end) + sizeof(from->end))
		return false;
	memset(to, 0, sizeof(*to));
	memcpy(user, from, from->size < sizeof(*user) ? from->size : sizeof(*user));
	user->size = sizeof(*user);
	if (!user->begin || !user->end || user->end < user->begin)
		return false;
	to->ours = (struct tl_pt_config){
		.size = sizeof(to->ours),
		.begin = user->begin,
		.end = user->end,
		.cpu = { .intel = user->cpu.vendor == pcv_intel,
			 .family = user->cpu.family,
			 .model = user->cpu.model,
			 .stepping = user->cpu.stepping },
		.errata = errata_bits(&user->errata),
		.flags = flags_of(&user->flags, use),
		.cpuid_15_eax = user->cpuid_0x15_eax,
		.cpuid_15_ebx = user->cpuid_0x15_ebx,
		.mtc_freq = user->mtc_freq,
		.nom_freq = user->nom_freq,
		.unknown = user->decode.callback ? ask : NULL,
		.unknown_arg = to,
	};
	ranges_of(to->ours.ranges, &user->addr_filter);
	return true;
}
