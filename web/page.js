// SPDX-License-Identifier: Apache-2.0
// The page of `tracelathe flame`. The data are flat arrays (src/export/flame/page_data.c says which); d3-flame-graph draws.
(function () {
'use strict';

const data = JSON.parse(document.getElementById('profile').textContent);
const $ = id => document.getElementById(id);
const { frames, cells, rows, functions, texts } = data;
const frameCount = frames.parent.length;
const CELL_HEIGHT = 20, LEAST_WIDTH = 0.5, ROWS_AT_ONCE = 200, MANY_FRAMES = 1500, MOST_DRAWN = 4000;
const LEAST_TILE = 4, TILE_HEAD = 15, TILE_EDGE = 2;
const calm = matchMedia('(prefers-reduced-motion: reduce)');

const nameOf = f => texts[functions.name[f]];
const objectOf = f => texts[functions.object[f]];
const placeOf = f => {
	const file = texts[functions.file[f]], line = functions.line[f];
	return file && line ? file + ':' + line : file;
};

/* ---- numbers for people ---- */

const grouped = n => Math.round(n).toLocaleString('en-US');
const digits = n => Math.abs(n) >= 100 ? grouped(n) : Math.abs(n) >= 10 ? n.toFixed(1) : n.toFixed(2);

function scaled(n, steps) {
	for (const [size, unit] of steps)
		if (Math.abs(n) >= size) return digits(n / size) + ' ' + unit;
	return null;
}

function count(n) {
	return (Math.abs(n) >= 1e6 && scaled(n, [[1e12, 'T'], [1e9, 'G'], [1e6, 'M']])) || grouped(n);
}

function duration(seconds) {
	if (!seconds) return '0 s';
	return scaled(seconds, [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']]) || digits(seconds * 1e9) + ' ns';
}

function cost(n, event) {
	const unit = data.events[event].unit;
	if (unit === 'ticks' && data.frequency) return duration(n / data.frequency);
	if (unit === 'ns') return duration(n / 1e9);
	if (unit === 'bytes') return (Math.abs(n) >= 1024 && scaled(n, [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [1024, 'KiB']])) || grouped(n) + ' B';
	return count(n);
}

const signed = (n, text) => n > 0 ? '+' + text : n < 0 ? text.replace('-', '−') : '0';

function percent(n, whole) {
	if (!whole) return '';
	const share = 100 * n / whole;
	return (share && Math.abs(share) < 0.005 ? (share < 0 ? '−' : '') + '<0.01' : share.toFixed(2)) + ' %';
}

/* ---- what is shown ---- */

const state = { event: 0, column: data.diff ? 0 : -1, icicle: data.icicle, map: false, zoom: 0, term: '', sort: null, down: true, shown: ROWS_AT_ONCE };
let view; // sums of the frames for the event and column
let matched = null; // functions found, or null: no search

// Self and inclusive cost of each frame, from the last to the first: callers come before their callees.
function sums(event, column) {
	const self = new Float64Array(frameCount), inclusive = new Float64Array(frameCount), width = new Float64Array(frameCount);
	const calls = new Float64Array(frameCount);
	for (let i = 0; i < cells.frame.length; i++) {
		if (column !== -1 && cells.column[i] !== column) continue;
		self[cells.frame[i]] += cells.self[event][i];
		calls[cells.frame[i]] += cells.calls[i];
	}
	for (let i = frameCount; i-- > 0;) {
		inclusive[i] += self[i];
		width[i] += Math.max(self[i], 0);
		if (!i) break;
		inclusive[frames.parent[i]] += inclusive[i];
		width[frames.parent[i]] += width[i];
	}
	return { self, inclusive, width, calls };
}

// Nested as d3-flame-graph wants it, made without recursion.
function nest(sum) {
	const nodes = new Array(frameCount);
	for (let i = 0; i < frameCount; i++) {
		if (i && !(sum.width[i] > 0)) continue;
		nodes[i] = { name: nameOf(frames.function[i]), value: Math.max(sum.self[i], 0), frame: i, children: [] };
		if (i) nodes[frames.parent[i]].children.push(nodes[i]);
	}
	return nodes[0];
}

/* ---- colours: as in the picture, src/export/flame/picture.c ---- */

const LIGHT = [253, 224, 140], MIDDLE = [246, 176, 92], DARK = [224, 126, 84], GREY = 'rgb(205,208,214)';
const SAME = [214, 216, 222], MORE = [230, 97, 60], LESS = [74, 144, 217], FOUND = 'rgb(178,150,250)';
const encoder = new TextEncoder();

const between = (a, b, part) => 'rgb(' + a.map((from, i) => from + Math.trunc((b[i] - from) * part / 255)).join(',') + ')';

const nameColours = new Map();
function nameColour(f) {
	let colour = nameColours.get(f);
	if (!colour) {
		let hash = 0x811c9dc5;
		for (const byte of encoder.encode(nameOf(f))) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
		const part = (hash ^ hash >>> 16) & 0x1ff;
		colour = functions.special[f] ? GREY : part < 256 ? between(LIGHT, MIDDLE, part) : between(MIDDLE, DARK, part - 256);
		nameColours.set(f, colour);
	}
	return colour;
}

function changeColour(i) {
	const whole = Math.max(view.after.width[0], view.before.width[0]);
	const change = view.after.inclusive[i] - view.before.inclusive[i];
	return between(SAME, change > 0 ? MORE : LESS, Math.min(255, Math.trunc(Math.sqrt(whole ? Math.abs(change) / whole : 0) * 255)));
}

function colourOf(node) {
	const frame = node.data.frame;
	if (matched && matched.has(frames.function[frame])) return FOUND;
	return data.diff ? changeColour(frame) : nameColour(frames.function[frame]);
}

/* ---- words about a frame ---- */

function facts(i) {
	const total = view.sum.inclusive[0], e = state.event;
	const line = (what, n) => [what, cost(n, e), percent(n, total)];
	const list = [line('total', view.sum.inclusive[i]), line('self', view.sum.self[i])];
	if (data.diff) {
		const change = view.after.inclusive[i] - view.before.inclusive[i];
		list.push(['before', cost(view.before.inclusive[i], e), percent(view.before.inclusive[i], view.before.inclusive[0])]);
		list.push(['after', cost(view.after.inclusive[i], e), percent(view.after.inclusive[i], view.after.inclusive[0])]);
		list.push(['change', signed(change, cost(change, e)), view.before.inclusive[i] ? signed(change, percent(change, view.before.inclusive[i])) : 'new']);
	}
	if (view.sum.calls[i]) list.push(['calls', grouped(view.sum.calls[i]), '']);
	return list;
}

function sentence(i) {
	const f = frames.function[i];
	return [nameOf(f) + ':', facts(i).map(([what, n, share]) => what + ' ' + n + (share ? ' (' + share + ')' : '')).join(', '), placeOf(f)].filter(Boolean).join('  ');
}

function element(name, attributes, ...children) {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {}))
		if (value !== null && value !== undefined) made.setAttribute(key, value);
	made.append(...children);
	return made;
}

const tip = $('tip');
function tooltip() {}
tooltip.show = (event, node) => {
	const i = node.data.frame, f = frames.function[i];
	tip.replaceChildren(element('b', null, nameOf(f)),
		element('table', null, ...facts(i).map(cells => element('tr', null, ...cells.map(text => element('td', null, text))))),
		...[placeOf(f), objectOf(f)].filter(Boolean).map(text => element('p', null, text)));
	tip.hidden = false;
	moveTip(event);
	$('detail').textContent = sentence(i);
};
tooltip.hide = () => {
	tip.hidden = true;
	showDetail();
};
tooltip.destroy = () => {};

function moveTip(event) {
	const box = tip.getBoundingClientRect(), gap = 14;
	const right = event.clientX + gap + box.width > innerWidth, low = event.clientY + gap + box.height > innerHeight;
	tip.style.left = Math.max(4, right ? event.clientX - gap - box.width : event.clientX + gap) + 'px';
	tip.style.top = Math.max(4, low ? event.clientY - gap - box.height : event.clientY + gap) + 'px';
}
for (const id of ['graph', 'map']) $(id).addEventListener('mousemove', event => { if (!tip.hidden) moveTip(event); });

function showDetail() {
	$('detail').textContent = current ? sentence(current.data.frame) : state.zoom ? sentence(state.zoom) : '';
}

/* ---- the graph ---- */

let root = null; // d3's tree
let current = null; // the frame that the keyboard is on
const selection = d3.select('#graph');
const chart = flamegraph.default()
	.cellHeight(CELL_HEIGHT).selfValue(true).resetHeightOnZoom(true)
	.getName(node => node.data.name)
	.tooltip(tooltip).setDetailsHandler(() => {}).setSearchHandler(() => {})
	.setColorMapper(colourOf).onClick(zoomed);

function graphWidth() {
	return Math.max(200, Math.floor($('scroll').clientWidth));
}

const depths = new Uint32Array(frameCount);
for (let i = 1; i < frameCount; i++) depths[i] = depths[frames.parent[i]] + 1;

// Thousands of elements take a browser seconds: of the frames in view the widest are drawn.
function leastWidth(zoom) {
	const scale = graphWidth() / view.sum.width[zoom], wide = [];
	for (let i = zoom + 1; i < frameCount && depths[i] > depths[zoom]; i++)
		if (view.sum.width[i] * scale > LEAST_WIDTH) wide.push(view.sum.width[i] * scale);
	return wide.length > MOST_DRAWN ? wide.sort((a, b) => b - a)[MOST_DRAWN] : LEAST_WIDTH;
}

// Many moving frames stutter: then they just change places.
function setPace() {
	const drawn = $('graph').querySelectorAll('g.frame').length;
	chart.transitionDuration(calm.matches || drawn > MANY_FRAMES ? 0 : 220);
}

function at(frame) {
	let found = null;
	root.each(node => { if (node.data.frame === frame) found = node; });
	return found;
}

// New frames grow even where nothing else moves: they are set to what they grow to.
function standStill() {
	const every = selection.selectAll('g.frame').interrupt(), width = node => (node.x1 - node.x0) * chart.width();
	const y = node => state.icicle ? node.depth * CELL_HEIGHT : chart.height() - (node.depth + 1) * CELL_HEIGHT;
	every.attr('transform', node => 'translate(' + node.x0 * chart.width() + ',' + y(node) + ')');
	every.select('rect').interrupt().attr('width', width);
	every.select('foreignObject').select('div').interrupt().text(node => node.data.name);
}

// d3-flame-graph leaves two rows for a heading that is not there.
function afterUpdate() {
	const svg = $('graph').querySelector('svg'), spare = 2 * CELL_HEIGHT, height = chart.height() - spare;
	svg.setAttribute('height', height);
	svg.setAttribute('viewBox', [0, state.icicle ? 0 : spare, chart.width(), height].join(' '));
	svg.setAttribute('role', 'img');
	svg.setAttribute('aria-label', (state.icicle ? 'Icicle' : 'Flame graph') + ' of ' + data.events[state.event].name + ', zoomed to ' + nameOf(frames.function[state.zoom]));
	if (!chart.transitionDuration()) standStill();
	markCurrent();
	drawMap();
	$('scroll').scrollTop = state.icicle || state.map ? 0 : $('scroll').scrollHeight;
}

/* ---- the tree map: the same frames, an area each ---- */

// Frames in the frame that is zoomed to, whose tiles can be seen; a tile's callees leave its self cost free.
function tiles(node, width, height) {
	const tree = d3.hierarchy(node.data, d => d.children);
	tree.each(d => { d.value = view.sum.width[d.data.frame]; });
	tree.sort((a, b) => b.value - a.value);
	d3.treemap().size([width, height])
		.paddingOuter(d => d.x1 - d.x0 > 8 * TILE_EDGE && d.y1 - d.y0 > 8 * TILE_EDGE ? TILE_EDGE : 0)
		.paddingTop(d => d.y1 - d.y0 > 2 * TILE_HEAD ? TILE_HEAD : 0)(tree);
	const large = tree.descendants().filter(d => d.x1 - d.x0 >= LEAST_TILE && d.y1 - d.y0 >= LEAST_TILE);
	if (large.length <= MOST_DRAWN) return large;
	return large.sort((a, b) => (b.x1 - b.x0) * (b.y1 - b.y0) - (a.x1 - a.x0) * (a.y1 - a.y0)).slice(0, MOST_DRAWN).sort((a, b) => a.depth - b.depth);
}

function tile(d, node) {
	const made = element('div', { class: 'tile', 'data-frame': d.data.frame }, d.data.name);
	made.style.left = d.x0 + 'px';
	made.style.top = d.y0 + 'px';
	made.style.width = d.x1 - d.x0 + 'px';
	made.style.height = d.y1 - d.y0 + 'px';
	made.style.background = colourOf(node);
	return made;
}

function drawMap() {
	$('map').hidden = !state.map;
	$('graph').hidden = state.map;
	if (!state.map) return $('map').replaceChildren();
	const zoom = at(state.zoom) || root, height = Math.max(320, Math.floor(innerHeight * 0.6)), nodes = new Map();
	zoom.each(node => nodes.set(node.data.frame, node));
	$('map').style.height = height + 'px';
	$('map').replaceChildren(...tiles(zoom, graphWidth(), height).map(d => tile(d, nodes.get(d.data.frame))));
	$('map').setAttribute('aria-label', 'Tree map of ' + data.events[state.event].name + ', zoomed to ' + nameOf(frames.function[state.zoom]));
	markCurrent();
}

const tileNode = event => {
	const found = event.target.closest('.tile');
	return found && at(Number(found.dataset.frame));
};
$('map').addEventListener('click', event => {
	const node = tileNode(event);
	if (node) zoomTo(node);
});
$('map').addEventListener('mouseover', event => {
	const node = tileNode(event);
	if (node) tooltip.show(event, node);
	else tooltip.hide();
});
$('map').addEventListener('mouseleave', () => tooltip.hide());

function draw() {
	view = { sum: sums(state.event, state.column) };
	if (data.diff) {
		view.after = state.column === 0 ? view.sum : sums(state.event, 0);
		view.before = state.column === 1 ? view.sum : sums(state.event, 1);
	}
	const tree = nest(view.sum);
	current = null;
	chart.width(graphWidth()).minFrameSize(leastWidth(0)).inverted(state.icicle).transitionDuration(0);
	if (root) chart.update(tree);
	else selection.datum(tree).call(chart);
	root = selection.datum();
	const zoom = state.zoom && at(state.zoom);
	if (zoom) chart.minFrameSize(leastWidth(state.zoom)).zoomTo(zoom);
	else zoomed(root);
}

function redraw() {
	chart.width(graphWidth()).minFrameSize(leastWidth(state.zoom)).inverted(state.icicle).transitionDuration(0).update();
	afterUpdate();
}

function zoomed(node) {
	state.zoom = node.data.frame;
	$('reset').disabled = !state.zoom;
	showPath(node);
	afterUpdate();
	showDetail();
	setPace();
}

function zoomTo(node) {
	setPace();
	chart.minFrameSize(leastWidth(node.data.frame)).zoomTo(node);
}

// Before d3-flame-graph sees the click, as what is drawn depends on where it leads.
$('graph').addEventListener('click', event => {
	const frame = event.target.closest('g.frame');
	if (!frame) return;
	event.stopPropagation();
	zoomTo(d3.select(frame).datum());
}, true);

function reset() {
	if (state.zoom) zoomTo(root);
}

function showPath(node) {
	const path = node.ancestors().reverse(), list = [];
	$('path').hidden = path.length < 2;
	for (const step of path) {
		const button = element('button', { type: 'button', title: step.data.name, 'aria-current': step === node ? 'true' : null }, step.data.name);
		button.addEventListener('click', () => zoomTo(step));
		list.push(button);
		if (step !== node) list.push(element('span', { 'aria-hidden': 'true' }, '›'));
	}
	$('path').replaceChildren(...list);
	$('path').scrollTop = $('path').scrollHeight;
}

/* ---- keyboard ---- */

const visible = node => node && (node.x1 - node.x0) * chart.width() > chart.minFrameSize();

function markCurrent() {
	selection.selectAll('g.frame').classed('current', node => node === current);
	for (const each of $('map').children)
		each.classList.toggle('current', Boolean(current) && Number(each.dataset.frame) === current.data.frame);
}

function go(node) {
	if (!visible(node)) return;
	current = node;
	markCurrent();
	showDetail();
	const frame = (state.map ? $('map') : $('graph')).querySelector('.current');
	if (frame) frame.scrollIntoView({ block: 'nearest' });
}

function sideways(step) {
	const siblings = current.parent ? current.parent.children.filter(visible) : [current];
	go(siblings[siblings.indexOf(current) + step]);
}

const moves = {
	ArrowLeft: () => sideways(-1),
	ArrowRight: () => sideways(1),
	ArrowUp: () => go(state.icicle || state.map ? current.parent : (current.children || []).find(visible)),
	ArrowDown: () => go(state.icicle || state.map ? (current.children || []).find(visible) : current.parent),
	Enter: () => zoomTo(current),
};

for (const id of ['graph', 'map']) {
	$(id).addEventListener('keydown', event => {
		if (!moves[event.key]) return;
		event.preventDefault();
		if (current) moves[event.key]();
		else go(at(state.zoom) || root);
	});
	$(id).addEventListener('blur', () => { current = null; markCurrent(); showDetail(); });
}

document.addEventListener('keydown', event => {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
	if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
		event.preventDefault();
		$('search').focus();
		$('search').select();
	} else if (event.key === 'Escape') {
		if (typing && $('search').value) setTerm('');
		else reset();
		if (typing) event.target.blur();
	}
});

/* ---- search ---- */

// A test of names, null for no search, undefined for a pattern that is none.
function matcher(term) {
	if (!term) return null;
	const whole = /^"(.+)"$/.exec(term), pattern = /^\/(.+)\/$/.exec(term);
	if (whole) return name => name === whole[1];
	if (pattern) {
		try {
			const expression = new RegExp(pattern[1], 'i');
			return name => expression.test(name);
		} catch (_) {
			return undefined;
		}
	}
	const part = term.toLowerCase();
	return name => name.toLowerCase().includes(part);
}

// The cost of all found frames; one below another that was found is in it already.
function foundCost() {
	const inside = new Uint8Array(frameCount);
	let sum = 0;
	for (let i = 0; i < frameCount; i++) {
		const above = i && inside[frames.parent[i]], here = matched.has(frames.function[i]);
		inside[i] = above || here;
		if (here && !above) sum += view.sum.inclusive[i];
	}
	return sum;
}

function search() {
	const test = matcher(state.term), found = $('found');
	matched = null;
	if (test) {
		matched = new Set();
		functions.name.forEach((text, f) => { if (!functions.special[f] && test(texts[text])) matched.add(f); });
	}
	found.classList.toggle('none', !(matched && matched.size));
	if (test === undefined) found.textContent = 'not a pattern';
	else if (!matched) found.textContent = '';
	else if (!matched.size) found.textContent = 'nothing found';
	else found.textContent = percent(foundCost(), view.sum.inclusive[0]) + ' in ' + count(matched.size) + (matched.size === 1 ? ' function' : ' functions');
}

function setTerm(term) {
	state.term = term;
	state.shown = ROWS_AT_ONCE;
	if ($('search').value !== term) $('search').value = term;
	search();
	redraw();
	fillTable();
}

let typed = 0;
$('search').addEventListener('input', () => {
	clearTimeout(typed);
	typed = setTimeout(() => setTerm($('search').value.trim()), 80);
});

/* ---- the table ---- */

function rowsOf(column) {
	const found = new Map();
	for (let i = 0; i < rows.function.length; i++)
		if (rows.column[i] === column)
			found.set(rows.function[i], { f: rows.function[i], calls: rows.calls[i], self: rows.self[state.event][i], total: rows.inclusive[state.event][i] });
	return found;
}

const nothing = { calls: 0, self: 0, total: 0 };

// One column has the rows of all under its own number.
function tableRows() {
	if (data.diff) {
		const after = rowsOf(0), before = rowsOf(1), all = new Set([...after.keys(), ...before.keys()]);
		return [...all].map(f => {
			const a = after.get(f) || nothing, b = before.get(f) || nothing;
			return { f, self: a.self, total: a.total, calls: a.calls, selfBefore: b.self, totalBefore: b.total,
				selfChange: a.self - b.self, totalChange: a.total - b.total };
		});
	}
	return [...rowsOf(data.columns.length < 2 ? 0 : state.column).values()];
}

const text = (key, title, get, show) => ({ key, title, get, text: true, show });
const number = (key, title, get, show) => ({ key, title, get, show });
const costCell = get => row => element('td', { title: grouped(get(row)) }, cost(get(row), state.event));
const shareCell = (get, shade) => row => {
	const cell = element('td', { class: 'share' }, percent(get(row), view.sum.inclusive[0]));
	cell.style.setProperty('--part', Math.max(0, Math.min(100, 100 * get(row) / view.sum.inclusive[0] || 0)) + '%');
	if (shade) cell.style.setProperty('--shade', 'var(--bar-self)');
	return cell;
};
const changeCell = get => row => element('td', { class: get(row) > 0 ? 'more' : get(row) < 0 ? 'less' : null, title: grouped(get(row)) }, signed(get(row), cost(get(row), state.event)));

function nameCell(row) {
	const button = element('button', { type: 'button', title: nameOf(row.f) }, nameOf(row.f)), mark = element('i', { 'aria-hidden': 'true' });
	mark.style.background = nameColour(row.f);
	button.addEventListener('click', () => { setTerm('"' + nameOf(row.f) + '"'); scrollTo({ top: 0, behavior: calm.matches ? 'auto' : 'smooth' }); });
	return element('td', { class: 'text name' }, ...(data.diff ? [button] : [mark, button]));
}

const where = f => placeOf(f) || objectOf(f);
const nameColumn = text('name', 'Function', row => nameOf(row.f), nameCell);
const callsColumn = number('calls', 'Calls', row => row.calls, row => element('td', null, grouped(row.calls)));
const placeColumn = text('place', 'Where', row => where(row.f), row => element('td', { class: 'text place', title: where(row.f) }, element('bdi', null, where(row.f))));
// Without names of files or programs there is nothing to say where.
const placeColumns = functions.name.some((_, f) => where(f)) ? [placeColumn] : [];
const columns = data.diff ? [
	nameColumn,
	number('total-change', 'Total: change', row => row.totalChange, changeCell(row => row.totalChange)),
	number('total-before', 'before', row => row.totalBefore, costCell(row => row.totalBefore)),
	number('total', 'after', row => row.total, costCell(row => row.total)),
	number('self-change', 'Self: change', row => row.selfChange, changeCell(row => row.selfChange)),
	number('self-before', 'before', row => row.selfBefore, costCell(row => row.selfBefore)),
	number('self', 'after', row => row.self, costCell(row => row.self)),
	callsColumn, ...placeColumns,
] : [
	nameColumn,
	number('self', 'Self', row => row.self, costCell(row => row.self)),
	number('self-share', 'Self %', row => row.self, shareCell(row => row.self, true)),
	number('total', 'Total', row => row.total, costCell(row => row.total)),
	number('total-share', 'Total %', row => row.total, shareCell(row => row.total)),
	callsColumn, ...placeColumns,
];
state.sort = columns[1].key;

function headTable() {
	$('table').tHead.replaceChildren(element('tr', null, ...columns.map(column => {
		const button = element('button', { type: 'button' }, column.title);
		button.addEventListener('click', () => {
			state.down = state.sort === column.key ? !state.down : !column.text;
			state.sort = column.key;
			state.shown = ROWS_AT_ONCE;
			headTable();
			fillTable();
			$('table').querySelector('th[aria-sort] button').focus();
		});
		const sorted = state.sort === column.key ? state.down ? 'descending' : 'ascending' : null;
		return element('th', { scope: 'col', 'data-key': column.key, class: column.text ? 'text ' + column.key : null, 'aria-sort': sorted }, button);
	})));
}

// Changes are sorted by size, whichever way they go.
function sortKey(column) {
	const change = column.key.endsWith('change');
	return row => change ? Math.abs(column.get(row)) : column.get(row);
}

function fillTable() {
	const column = columns.find(c => c.key === state.sort), get = sortKey(column), way = state.down ? -1 : 1;
	let list = tableRows();
	const all = list.length;
	if (matched) list = list.filter(row => matched.has(row.f));
	list.sort((a, b) => {
		const x = get(a), y = get(b);
		const order = column.text ? (x < y ? -1 : x > y ? 1 : 0) : x - y;
		return order * way || a.f - b.f;
	});
	$('table').tBodies[0].replaceChildren(...list.slice(0, state.shown).map(row => element('tr', null, ...columns.map(c => c.show(row)))));
	$('rows-shown').textContent = matched ? count(list.length) + ' of ' + count(all) : count(all);
	$('more').hidden = list.length <= state.shown;
	$('more').textContent = 'Show ' + grouped(Math.min(1000, list.length - state.shown)) + ' more';
}

$('more').addEventListener('click', () => { state.shown += 1000; fillTable(); });

/* ---- the head and the choices ---- */

function figure(what, value, title) {
	return element('div', { title }, element('dt', null, what), element('dd', null, value));
}

function head() {
	const formats = { xray: 'XRay', 'intel-pt': 'Intel PT', perf: 'perf', xtrace: 'xtrace', callgrind: 'Callgrind' };
	const name = data.name.replace(/.*\/(?=.)/, '');
	const about = [name === data.name ? '' : data.name, formats[data.format] || data.format, data.when, data.diff && data.baseline ? 'compared with ' + data.baseline : ''];
	const e = state.event, event = data.events[e], list = [];
	$('name').textContent = name || 'Flame graph';
	$('about').textContent = about.filter(Boolean).join(' · ');
	$('version').textContent = data.version;
	if (data.span && data.frequency) list.push(figure('recorded', duration(data.span / data.frequency), 'from the first record to the last'));
	if (data.diff) {
		const change = data.total[e] - data.baseline_total[e];
		list.push(figure('before', cost(data.baseline_total[e], e), grouped(data.baseline_total[e])));
		list.push(figure('after', cost(data.total[e], e), grouped(data.total[e])));
		list.push(figure('change', signed(change, percent(change, data.baseline_total[e]) || cost(change, e)), grouped(change)));
	} else {
		list.push(figure(event.unit === 'ticks' && data.frequency ? 'in functions' : event.long || event.name, cost(data.total[e], e), grouped(data.total[e]) + ' ' + (event.unit || event.name)));
		if (data.parts > 1) list.push(figure(data.estimated ? 'parts' : 'threads', grouped(data.parts), null));
	}
	$('figures').replaceChildren(...list);
}

function choice(id, names, first) {
	const select = $(id);
	names.forEach((name, i) => select.append(element('option', { value: first + i }, name)));
	select.value = state[id];
	$(id + '-choice').hidden = names.length < 2;
	select.addEventListener('change', () => {
		state[id] = Number(select.value);
		head();
		draw();
		search();
		redraw();
		fillTable();
	});
}

function direction() {
	$('flame').setAttribute('aria-pressed', String(!state.icicle && !state.map));
	$('icicle').setAttribute('aria-pressed', String(state.icicle && !state.map));
	$('treemap').setAttribute('aria-pressed', String(state.map));
}

function turn(icicle, map) {
	state.icicle = icicle;
	state.map = map;
	direction();
	redraw();
}

const schemes = [['', 'Auto', '◐'], ['light', 'Light', '○'], ['dark', 'Dark', '●']];
let scheme = 0;
function showScheme() {
	const [value, name, sign] = schemes[scheme];
	if (value) document.documentElement.dataset.scheme = value;
	else delete document.documentElement.dataset.scheme;
	$('scheme').textContent = sign;
	$('scheme').title = 'Colour scheme: ' + name.toLowerCase();
	$('scheme').setAttribute('aria-label', $('scheme').title);
}

$('flame').addEventListener('click', () => turn(false, false));
$('icicle').addEventListener('click', () => turn(true, false));
$('treemap').addEventListener('click', () => turn(state.icicle, true));
$('reset').addEventListener('click', reset);
$('scheme').addEventListener('click', () => { scheme = (scheme + 1) % schemes.length; showScheme(); });
$('legend').hidden = !data.diff;
$('notes').replaceChildren(...data.notes.map(note => element('li', null, note)));
$('graph').setAttribute('aria-label', 'Flame graph, ' + grouped(frameCount) + ' frames');
choice('event', data.events.map(event => event.long ? event.name + ' (' + event.long + ')' : event.name), 0);
if (data.diff) {
	$('column-label').textContent = 'Widths';
	choice('column', data.columns, 0);
} else {
	choice('column', data.columns.length < 2 ? [] : ['all threads', ...data.columns], -1);
}
showScheme();
direction();
head();
draw();
headTable();
fillTable();

let width = graphWidth();
new ResizeObserver(() => {
	if (graphWidth() === width) return;
	width = graphWidth();
	requestAnimationFrame(redraw);
}).observe($('scroll'));
document.documentElement.dataset.ready = 'true';
})();
