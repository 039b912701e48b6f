/* SPDX-License-Identifier: Apache-2.0 */
#include "pt_api.h"

#include <intel-pt.h>

#include "pt_api_common.h"

int pt_api_read(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		void *context)
{
	const struct pt_api_input *input = context;

	(void)asid;
	if (ip < input->vaddr || ip - input->vaddr >= input->code_size)
		return -pte_nomap;
	if (size > input->code_size - (ip - input->vaddr))
		size = (size_t)(input->code_size - (ip - input->vaddr));
	memcpy(buffer, input->code + (ip - input->vaddr), size);
	return (int)size;
}

struct pt_image *pt_api_image(const struct pt_api_input *input)
{
	struct pt_image *image = pt_image_alloc(NULL);

	if (!image)
		return NULL;
	if (!input->file ||
	    pt_image_add_file(image, input->file, 0, input->code_size, NULL, input->vaddr) < 0)
		pt_image_set_callback(image, pt_api_read, (void *)(uintptr_t)input);
	return image;
}

struct pt_config pt_api_config(const struct pt_api_input *input)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = (uint8_t *)(uintptr_t)input->trace;
	config.end = config.begin + input->size;
	memcpy(&config.errata, &input->errata, sizeof(input->errata));
	if (input->timed) {
		config.cpuid_0x15_eax = 2;
		config.cpuid_0x15_ebx = 176;
		config.mtc_freq = 3;
		config.nom_freq = 32;
	}
	return config;
}

const char *pt_api_status(int status)
{
	if (status<0 ? -status > pte_bad_cpu : status>(pts_event_pending | pts_ip_suppressed |
						       pts_eos))
		return "a result that is none";
	return NULL;
}

const char *pt_api_block(int status, const struct pt_block *block)
{
	if (status >= 0 && !block->ninsn && !(status & pts_event_pending) && !(status & pts_eos))
		return "a block of no instruction";
	if (block->ninsn == 1 && block->ip != block->end_ip)
		return "a block of one instruction that ends elsewhere";
	if (block->mode > ptem_64bit || block->iclass > ptic_indirect)
		return "a block of an unknown mode or class";
	if (block->truncated && (!block->size || block->size > pt_max_insn_size))
		return "a truncated instruction without its length";
	return NULL;
}

const char *pt_api_insn(int status, const struct pt_insn *insn)
{
	if (status < 0)
		return NULL;
	if (insn->iclass != ptic_error && (!insn->size || insn->size > pt_max_insn_size))
		return "an instruction of no length";
	return insn->mode > ptem_64bit || insn->iclass > ptic_indirect ? "an unknown mode or class"
								       : NULL;
}
