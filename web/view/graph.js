// SPDX-License-Identifier: Apache-2.0
// The call graph around the chosen function: callers to the left of it, callees to the right, the costliest of each.
import { neighbours } from './callers.js';
import { eventOf, fnOf, graphOf, numberOf } from './profile.js';
import { choose, state } from './state.js';
import { button, cost, el, fitted, grouped, nameColour, percent, shortName, svg } from './util.js';

const LOOP = 16; // pixels above the first row, for the arrow of a function that calls itself
const WIDE = 190, HIGH = 40, GAP_X = 90, GAP_Y = 14, MOST_IN_COLUMN = 9, MOST_EDGES = 80;
let box, notes, depth = 2;

// Columns of function numbers from `depth` callers away to `depth` callees away.
function gather(profile, root) {
	const place = new Map([[root, 0]]);
	let left = 0;
	const grow = (side, sign) => {
		let front = [root];
		for (let d = 1; d <= depth; d++) {
			const found = new Map();
			for (const i of front)
				for (const n of neighbours(profile, i, side))
					if (n.other >= 0 && !place.has(n.other)) found.set(n.other, (found.get(n.other) || 0) + Math.abs(n.inclusive));
			const list = [...found].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
			left += Math.max(0, list.length - MOST_IN_COLUMN);
			front = list.slice(0, MOST_IN_COLUMN).map(entry => entry[0]);
			for (const i of front) place.set(i, sign * d);
		}
	};
	grow('callers', -1);
	grow('callees', 1);
	return { place, left };
}

function positions(place) {
	const columns = new Map(), at = new Map();
	for (const [i, column] of place) columns.set(column, [...(columns.get(column) || []), i]);
	const first = Math.min(...columns.keys()), most = Math.max(...[...columns.values()].map(list => list.length));
	for (const [column, list] of columns)
		list.forEach((i, n) => at.set(i, { x: (column - first) * (WIDE + GAP_X) + 10, y: (n + (most - list.length) / 2) * (HIGH + GAP_Y) + LOOP }));
	return { at, width: columns.size * (WIDE + GAP_X) - GAP_X + 20, height: most * (HIGH + GAP_Y) + LOOP + 10 };
}

// Calls from one column to the next, and of a function by itself: the costliest. @return [edges, how many are left out]
function edges(profile, at, place) {
	const e = eventOf(profile), all = [];
	for (const i of at.keys())
		for (const n of neighbours(profile, i, 'callees'))
			if (place.get(n.other) === place.get(i) + 1 || n.other === i) all.push({ from: i, to: n.other, cost: n.inclusive, calls: n.calls });
	const list = all.sort((a, b) => Math.abs(b.cost) - Math.abs(a.cost)).slice(0, MOST_EDGES);
	const most = Math.max(1, ...list.map(edge => Math.abs(edge.cost)));
	return [list.map(edge => {
		const a = at.get(edge.from), b = at.get(edge.to), same = edge.from === edge.to;
		const x1 = a.x + WIDE, y1 = a.y + HIGH / 2, x2 = b.x, y2 = b.y + HIGH / 2, bend = Math.max(40, Math.abs(x2 - x1) / 2);
		const d = same ? `M${a.x + WIDE * 0.7},${a.y} c10,-14 40,-14 30,0` : `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
		return svg('path', { d, class: 'edge', 'stroke-width': 1 + 5 * Math.abs(edge.cost) / most, 'marker-end': 'url(#arrow)' },
			svg('title', {}, `${profile.functions.name[edge.from]} → ${profile.functions.name[edge.to]}: ${cost(edge.cost, profile.events[e], profile.frequency)}, ${grouped(edge.calls)} calls`));
	}), all.length - list.length];
}

let measured = null;
// What the texts of nodes are measured with.
function measure() {
	measured = measured || document.createElement('canvas').getContext('2d');
	measured.font = '12px system-ui, sans-serif';
	return measured;
}

function node(profile, i, at, root) {
	const e = eventOf(profile), name = profile.functions.name[i], short = shortName(name), inclusive = profile.functions.inclusive[e][i];
	const take = () => choose({ fn: fnOf(profile, i) });
	const box = svg('rect', { width: WIDE, height: HIGH, rx: 5, class: i === root ? 'node root' : 'node' });
	box.style.fill = nameColour(name);
	const shown = fitted(measure(), short, WIDE - 16), price = `${cost(inclusive, profile.events[e], profile.frequency)} · ${percent(inclusive, profile.events[e].total)}`;
	return svg('g', { transform: `translate(${at.x},${at.y})`, tabindex: 0, role: 'button', 'aria-label': `${shown} ${price}${shown === name ? '' : ', ' + name}`, class: 'graph-node', onclick: take, onkeydown: event => { if (event.key === 'Enter') take(); } },
		svg('title', {}, name), box, svg('text', { x: 8, y: 16 }, shown), ' ', svg('text', { x: 8, y: 32, class: 'small' }, price));
}

// Where no function is chosen: of the costliest ones the first that others call, or that calls others.
function usualRoot(profile) {
	for (let i = 0; i < Math.min(profile.count, MOST_EDGES); i++)
		for (const side of ['callees', 'callers'])
			if (neighbours(profile, i, side).some(n => n.other >= 0 && n.other !== i)) return i;
	return 0;
}

export async function drawGraph() {
	const profile = await graphOf(), chosen = numberOf(profile, state.fn), root = chosen >= 0 ? chosen : usualRoot(profile);
	if (!profile.count) {
		box.replaceChildren(el('p', { class: 'faint' }, 'There are no functions.'));
		return;
	}
	const { place, left } = gather(profile, root), { at, width, height } = positions(place), [lines, hidden] = edges(profile, at, place);
	const arrow = svg('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: 'userSpaceOnUse', orient: 'auto' }, svg('path', { d: 'M0,0 L8,4 L0,8 z', class: 'arrow' }));
	box.replaceChildren(svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'Calls around ' + profile.functions.name[root] }, svg('defs', {}, arrow),
		...lines, ...[...at].map(([i, where]) => node(profile, i, where, root))));
	notes.textContent = [at.size > 1 ? '' : 'No calls between it and other functions are known.', left ? `${grouped(left)} functions that cost less are not drawn.` : '', hidden ? `${grouped(hidden)} calls between these that cost less are not drawn.` : ''].filter(Boolean).join(' ');
	box.scrollLeft = at.get(root).x + WIDE / 2 - box.clientWidth / 2;
}

export function makeGraph(pane) {
	box = el('div', { class: 'graph', tabindex: '0', role: 'region', 'aria-label': 'Call graph' });
	notes = el('output', { class: 'faint' });
	const change = by => () => {
		depth = Math.min(6, Math.max(1, depth + by));
		drawGraph();
	};
	pane.append(el('div', { class: 'tools' }, button('Fewer steps', change(-1)), button('More steps', change(1)), notes), box);
}
