/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_TAGE_H
#define TL_XTRACE_TAGE_H
/*
 * TAGE (Seznec and Michaud, "A case for (partially) TAgged GEometric history length branch
 * prediction", 2006), in its plain form: the longest history that is known decides.
 */
#include "xtrace/predict/predictor.h"

struct tl_xtrace_tage;

/* NULL without memory. */
struct tl_xtrace_tage *tl_xtrace_tage_new(const struct tl_xtrace_predictor_spec *spec);
void tl_xtrace_tage_free(struct tl_xtrace_tage *tage);
/* Whether it was right about a conditional branch, from which it learns. */
bool tl_xtrace_tage_predict(struct tl_xtrace_tage *tage, uint64_t pc, bool taken);

#endif
