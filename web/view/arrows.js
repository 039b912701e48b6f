// SPDX-License-Identifier: Apache-2.0
// Jumps of a listing as arrows beside its lines. What they tell stands in the lines as text, too.
import { svg } from './util.js';

const MOST_ARROWS = 400, MOST_LANES = 14, LANE = 7, HEAD = 5, MIDDLE = 9;

// The jumps inside of a listing: { from, to } numbers of lines, how often, and how far from the text they are drawn.
export function jumpsOf(lines) {
	const byAddress = new Map(lines.map((line, i) => [line.address, i])), jumps = [];
	lines.forEach((line, from) => {
		for (const remark of line.remarks) {
			const to = remark.kind === 'jump' ? byAddress.get(remark.address) : undefined;
			if (to !== undefined) jumps.push({ from, to, count: remark.conditional ? remark.taken : remark.executed, top: Math.min(from, to), bottom: Math.max(from, to) });
		}
	});
	jumps.sort((a, b) => b.count - a.count);
	jumps.length = Math.min(jumps.length, MOST_ARROWS);
	return lanesOf(jumps);
}

// Short ones are nearest to the text; those for which there is no lane are left to the text.
function lanesOf(jumps) {
	const lanes = [];
	jumps.sort((a, b) => a.bottom - a.top - (b.bottom - b.top) || a.top - b.top);
	for (const jump of jumps) {
		let lane = lanes.findIndex(taken => taken.every(other => other.bottom < jump.top || other.top > jump.bottom));
		if (lane < 0) lane = lanes.push([]) - 1;
		lanes[lane].push(jump);
		jump.lane = lane;
	}
	return jumps.filter(jump => jump.lane < MOST_LANES);
}

export const widthOf = jumps => jumps.length ? (Math.max(...jumps.map(jump => jump.lane)) + 1) * LANE + 2 * HEAD : 0;

function arrow(jump, y, width, most) {
	const right = width - 1, x = right - HEAD - (jump.lane + 1) * LANE, from = y(jump.from), to = y(jump.to);
	const thick = (1 + 2 * Math.log1p(jump.count) / Math.log1p(most || 1)).toFixed(1);
	return svg('g', { class: jump.to <= jump.from ? 'arrow back' : 'arrow' },
		svg('path', { d: `M${right} ${from}H${x}V${to}H${right - HEAD}`, 'stroke-width': thick }),
		svg('path', { class: 'head', d: `M${right} ${to}l${-HEAD} ${-HEAD / 1.5}v${2 * HEAD / 1.5}z` }));
}

// Draw them beside a table whose first column has room for them, and again when its lines move.
export function drawArrows(box, table, jumps) {
	const width = widthOf(jumps), picture = svg('svg', { class: 'arrows', 'aria-hidden': 'true', width }), most = Math.max(...jumps.map(jump => jump.count));
	const draw = () => {
		const rows = table.tBodies[0].rows, y = i => table.offsetTop + rows[i].offsetTop + MIDDLE;
		picture.setAttribute('height', table.offsetTop + table.offsetHeight);
		picture.replaceChildren(...jumps.map(jump => arrow(jump, y, width, most)));
	};
	box.append(picture);
	new ResizeObserver(draw).observe(table);
}
