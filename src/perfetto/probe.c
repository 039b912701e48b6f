/* SPDX-License-Identifier: Apache-2.0 */
/* A trace is nothing but packets: fields 1, each a message. The first ones are looked into. */
#include "core/protobuf/wire.h"
#include "perfetto/perfetto.h"

enum { PACKETS_LOOKED_AT = 16 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_UID = 3, PACKET_FIRST_OWN = 5 };

/* Whether a packet has the fields that any writer's have, with the types that they have. */
static bool is_packet(struct tl_cursor cur, bool *has_known)
{
	struct tl_wire_field field;
	const char *why;
	int status;

	while ((status = tl_wire_next(&cur, &field, &why)) == 1) {
		bool number = field.number == PACKET_TIMESTAMP || field.number == PACKET_SEQUENCE ||
			      field.number == PACKET_UID;

		if (number && field.type != TL_WIRE_VARINT)
			return false;
		if (field.type == TL_WIRE_GROUP || field.type == TL_WIRE_FIXED32)
			return false;
		*has_known = *has_known || number;
		*has_known = *has_known ||
			     (field.number >= PACKET_FIRST_OWN && field.type == TL_WIRE_BYTES);
	}
	return status == 0;
}

int tl_perfetto_probe(const uint8_t *data, size_t size)
{
	struct tl_cursor cur = tl_cursor_over(data, size);
	struct tl_wire_field field;
	const char *why;
	bool has_known = false;
	int packets = 0;

	while (packets < PACKETS_LOOKED_AT && tl_wire_next(&cur, &field, &why) == 1) {
		if (field.number != 1 || field.type != TL_WIRE_BYTES ||
		    !is_packet(field.bytes, &has_known))
			return 0;
		packets++;
	}
	return has_known ? 55 : 0;
}
