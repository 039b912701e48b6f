// SPDX-License-Identifier: Apache-2.0
// The tracks of the timeline: where each stands, what of it has been fetched, and the names of its functions.
import { ask, askBytes } from './api.js';
import { enclosed, enclosedNames, enclosedWindow } from './calls.js';
import { hashOf } from './util.js';

export const ROW = 17;
export const EVENT_ROW = 11;
export const COUNTER_ROW = 34;
const GROUP_ROW = 20, TRACK_GAP = 5;
const SOME_ROWS = 10, MOST_ROWS = 129, NAMES_AT_ONCE = 200;

export const files = []; // { number, frequency, scale, names: Map, tracks, ... } of each file with a timeline
export const tracks = [];
export const closedGroups = new Set();

/* ---- the files ---- */

// `scale`: ticks of the file in one tick of the first file, by their clocks.
export function addFile(number, told) {
	const frequency = told.frequency, first = files[0];
	const file = { number, frequency, clock: told.clock, names: new Map(), wanted: new Set(), path: told.paths[0],
		scale: first && first.frequency && frequency ? frequency / first.frequency : 1, last: 0 };
	if (enclosed) nameAll(file);
	files.push(file);
	addTracks(file, told);
}

function addTracks(file, told) {
	const known = new Map(tracks.filter(track => track.file === file).map(track => [track.index, track]));
	file.sampled = told.index === 'sampled';
	file.last = 0;
	told.tracks.forEach((track, index) => {
		if (!track.calls) return;
		const facts = { calls: track.calls, first: track.first / file.scale, last: track.last / file.scale };
		if (known.has(index)) Object.assign(known.get(index), facts);
		else tracks.push({ file, index, process: track.process, thread: track.thread, ...facts, depth: 1, mode: 'some', pinned: false, shown: null, wide: null, dense: false, gaps: [], counters: [] });
		file.last = Math.max(file.last, facts.last);
	});
	sortTracks();
}

export const sortTracks = () => tracks.sort((a, b) => a.file.number - b.file.number || a.process - b.process || a.thread - b.thread || a.index - b.index);

// The index of a file is there: what was drawn of a sample stays until it is fetched anew.
export function completeFile(number, told) {
	const file = files.find(f => f.number === number);
	if (!file || !file.sampled) return;
	for (const track of tracks) {
		if (track.file !== file) continue;
		track.depth = 1;
		if (track.shown) track.shown.asked = Infinity;
		track.wide = null;
	}
	addTracks(file, told);
}

// A page without a server has all names, and says which calls it has not.
function nameAll(file) {
	const list = enclosedNames(file.number);
	list.functions.forEach((f, i) => file.names.set(i, { name: f.name, object: f.object, source: f.file, line: f.line }));
	file.shortest = list.shortest;
	file.leftOut = list.left_out;
}

export const lastTick = () => Math.max(1, ...files.map(file => file.last)) + 1;

/* ---- the layout: rows from the top ---- */

// Rows of calls; a thread may have events alone.
export const callRows = track => track.index < 0 ? 0 : rowsOf(track);
export const rowsOf = track => track.mode === 'closed' ? 1 : Math.min(track.depth, track.mode === 'open' ? MOST_ROWS : SOME_ROWS);
export const groupKey = track => track.file.number + ':' + track.process;

// [{ group or track, top, height }]; a group's row only where there are several processes or files.
export function layout(wanted) {
	const rows = [], groups = new Set(tracks.map(groupKey));
	let top = 0, group = null;
	const put = (entry, height) => {
		rows.push({ ...entry, top, height });
		top += height;
	};
	const order = [...tracks.filter(track => track.pinned), ...tracks.filter(track => !track.pinned)];
	for (const track of order) {
		if (!track.pinned && !wanted(track)) continue;
		const key = groupKey(track);
		if (!track.pinned && groups.size > 1 && key !== group) {
			group = key;
			put({ group: key, track, title: files.length > 1 ? track.file.path.split('/').pop() : '' }, GROUP_ROW);
		}
		if (!track.pinned && closedGroups.has(key)) continue;
		put({ track }, callRows(track) * ROW + (track.events ? EVENT_ROW : 0) + track.counters.length * COUNTER_ROW + TRACK_GAP);
	}
	return { rows, height: top };
}

/* ---- what has been fetched ---- */

function columns(view, at, n) {
	const wide = kind => {
		const list = new kind(view.buffer, at, n);
		at += Math.ceil(n * kind.BYTES_PER_ELEMENT / 8) * 8;
		return list;
	};
	const answer = { start: wide(Float64Array), end: wide(Float64Array), busy: wide(Float64Array), depth: wide(Uint32Array),
		fn: wide(Uint32Array), calls: wide(Uint32Array), flags: wide(Uint32Array) };
	return [answer, at];
}

// src/view/web/answer_calls.c says what the bytes are.
export function readWindow(buffer) {
	const view = new DataView(buffer), list = [];
	let at = 8;
	for (let i = view.getUint32(4, true); i > 0; i--) {
		const track = view.getUint32(at, true), n = view.getUint32(at + 4, true);
		const pixel = view.getFloat64(at + 8, true), coarse = view.getUint32(at + 16, true) !== 0;
		const [answer, next] = columns(view, at + 24, n);
		list.push({ track, n, pixel, coarse, ...answer });
		at = next;
	}
	return list;
}

// `shown` is the finest picture of a track; `wide`, where that is of the view alone, a coarse one of more, for what is moved into view.
function keep(track, answer, from, to, asked, wide) {
	const known = { ...answer, from, to, asked };
	for (let i = 0; i < answer.n; i++) if (answer.depth[i] >= track.depth) track.depth = answer.depth[i] + 1;
	// The first file's ticks are the page's.
	const scale = track.file.scale;
	if (scale !== 1)
		for (const list of [known.start, known.end, known.busy])
			for (let i = 0; i < list.length; i++) if (list[i] > 0) list[i] /= scale;
	if (wide && !known.coarse) track.dense = false;
	if (wide && known.coarse) {
		track.dense = true;
		track.wide = known;
	}
	// A coarse one that comes late does not take the place of what is finer.
	if (!wide || !known.coarse || !track.shown || wide === 'first') track.shown = known;
}

// Whether what a track shows will do for a window at so many ticks a pixel.
export function suffices(track, from, to, pixel) {
	const shown = track.shown;
	if (!shown) return false;
	const left = Math.max(from, track.first), right = Math.min(to, track.last);
	if (left < right && (shown.from > left || shown.to < right)) return false;
	return shown.asked <= pixel * 1.34 && (!shown.coarse || shown.to - shown.from <= (to - from) * 1.01);
}

// Whether there is something to be drawn at once beside the view that a dense track shows.
export function hasMargins(track, from, to, pixel) {
	const { shown, wide } = track, margin = (to - from) / 4, left = Math.max(from - margin, track.first), right = Math.min(to + margin, track.last);
	return left >= right || (shown && shown.from <= left && shown.to >= right) || Boolean(wide && wide.from <= left && wide.to >= right && wide.asked <= pixel * 3);
}

// `wide`: null, what is drawn then is final, and may take longer; 'first': it is drawn until that is there; 'beside': it is there.
export async function fetchTracks(file, list, from, to, pixels, wide) {
	const ticks = value => Math.round(value * file.scale);
	const left = ticks(Math.max(0, Math.floor(from))), right = Math.max(ticks(Math.ceil(to)), left + 1);
	if (enclosed) {
		for (const track of list) keep(track, await enclosedWindow(file.number, track.index, left, right, pixels), Math.max(0, from), to, (to - from) / pixels, wide);
		return;
	}
	const buffer = await askBytes('/api/window', { file: file.number, from: left, to: right, pixels, refine: wide ? undefined : 1, tracks: list.map(t => t.index).join(',') });
	const byIndex = new Map(list.map(track => [track.index, track]));
	for (const answer of readWindow(buffer))
		keep(byIndex.get(answer.track), answer, Math.max(0, from), to, (to - from) / pixels, wide);
}

/* ---- where a track does not tell all ---- */

// Gaps in the order of time; `leftOut` of the file: how many are not told of.
export async function fetchGaps(file) {
	const told = await ask('/api/gaps', { file: file.number }), byIndex = new Map(tracks.filter(track => track.file === file).map(track => [track.index, track]));
	for (const gap of told.gaps) {
		const track = byIndex.get(gap.track);
		if (track) track.gaps.push({ ...gap, from: gap.from / file.scale, to: gap.to / file.scale });
	}
	file.gapsLeftOut = told.left_out;
}

// The gap of a track that is at a time or nearest to it, no further away than `near`; null: none.
export function gapAt(track, at, near) {
	let best = null, least = near;
	for (const gap of track.gaps) {
		const away = Math.max(gap.from - at, at - gap.to, 0);
		if (away > least || (best && away === least)) continue;
		best = gap;
		least = away;
	}
	return best;
}

/* ---- names ---- */

export const NOBODY = 0xffffffff;
export const functionOf = (file, number) => file.names.get(number) || null;

export function nameOf(file, number) {
	const known = file.names.get(number);
	if (!known && number !== NOBODY) file.wanted.add(number);
	return known ? known.name : '';
}

export const hueKey = (file, number) => (file.names.get(number) || { name: '#' + hashOf(String(number)) }).name;

// Ask for the names that were wanted. @return whether there were any
export async function fetchNames(file) {
	const list = [...file.wanted].filter(number => !file.names.has(number)).slice(0, NAMES_AT_ONCE);
	if (!list.length) {
		file.wanted.clear();
		return false;
	}
	const answer = await ask('/api/names', { file: file.number, functions: list.join(',') }, { again: true });
	answer.functions.forEach((told, i) => {
		file.names.set(list[i], { name: told.name, object: told.object, source: told.file, line: told.line });
		file.wanted.delete(list[i]);
	});
	return true;
}
