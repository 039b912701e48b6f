// SPDX-License-Identifier: Apache-2.0
// Calls of a page without a server: unpacked once, and searched as the server searches its index.
import { answers } from './api.js';

const CELL = 4; // pixels that short calls are summed over
const lists = new Map(); // by file and track: promises

export const enclosed = Boolean(answers);
export const enclosedNames = file => JSON.parse(document.getElementById('calls-' + file).textContent);

/* ---- unpacking: src/view/web/enclosed.h says what stands where ---- */

async function inflate(text) {
	const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
	return new Uint8Array(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer());
}

// The numbers of a column, which may be beyond 32 bits.
function numbers(bytes, from, to) {
	const list = [];
	for (let at = from; at < to;) {
		let value = 0, scale = 1, byte;
		do {
			byte = bytes[at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte & 128);
		list.push(value);
	}
	return list;
}

const unzigzag = n => n % 2 ? -(n + 1) / 2 : n / 2;

async function unpack(element) {
	const bytes = await inflate(element.textContent), view = new DataView(bytes.buffer), columns = [];
	for (let i = 0, at = 16; i < 4; i++) {
		const size = view.getUint32(4 * i, true);
		columns.push(numbers(bytes, at, at + size));
		at += size;
	}
	const [starts, durations, depths, fns] = columns, n = starts.length;
	const calls = { n, start: new Float64Array(n), end: new Float64Array(n), depth: new Uint32Array(n), fn: Uint32Array.from(fns), flags: new Uint8Array(n) };
	for (let i = 0, start = 0, depth = 0; i < n; i++) {
		calls.start[i] = start += starts[i];
		calls.end[i] = durations[i] ? start + durations[i] - 1 : -1;
		calls.depth[i] = depth += unzigzag(Math.floor(depths[i] / 2));
		calls.flags[i] = depths[i] % 2;
	}
	return calls;
}

const NONE = { n: 0, start: [], end: [], depth: [], fn: [], flags: [] };

export function callsOf(file, track) {
	const key = file + '-' + track;
	if (!lists.has(key)) {
		const element = document.getElementById('calls-' + key);
		lists.set(key, element ? unpack(element) : Promise.resolve(NONE));
	}
	return lists.get(key);
}

/* ---- windows ---- */

// Items of one depth: long calls as they are, short ones summed over a few pixels.
class Row {
	constructor() {
		this.items = [];
		this.sum = null;
	}

	addShort(start, end, fn, pixel) {
		const s = this.sum;
		if (s && start - s.start < CELL * pixel) {
			s.end = Math.max(s.end, end);
			s.busy += end - start;
			s.calls++;
			if (end - start > s.longest) [s.longest, s.fn] = [end - start, fn];
			return;
		}
		this.sum = { start, end, busy: end - start, fn, calls: 1, flags: 0, longest: end - start };
		this.items.push(this.sum);
	}

	addLong(start, end, fn, flags) {
		this.sum = null;
		this.items.push({ start, end, busy: end < 0 ? 0 : end - start, fn, calls: 0, flags });
	}
}

export async function enclosedWindow(file, track, from, to, pixels) {
	const calls = await callsOf(file, track), rows = [], pixel = (to - from) / pixels > 1 ? (to - from) / pixels : 0;
	for (let i = 0; i < calls.n && calls.start[i] < to; i++) {
		const start = calls.start[i], end = calls.end[i];
		if (end >= 0 && end < from) continue;
		const row = rows[calls.depth[i]] || (rows[calls.depth[i]] = new Row());
		if (end < 0 || end - start >= pixel) row.addLong(start, end, calls.fn[i], calls.flags[i]);
		else row.addShort(start, end, calls.fn[i], pixel);
	}
	const list = [];
	rows.forEach((row, depth) => { for (const item of row.items) list.push({ ...item, depth }); });
	const column = (kind, key) => kind.from(list, item => item[key]);
	return { n: list.length, pixel, coarse: false, start: column(Float64Array, 'start'), end: column(Float64Array, 'end'), busy: column(Float64Array, 'busy'),
		depth: column(Uint32Array, 'depth'), fn: column(Uint32Array, 'fn'), calls: column(Uint32Array, 'calls'), flags: column(Uint32Array, 'flags') };
}

/* ---- one call, and the calls of one function ---- */

export async function enclosedFind(file, track, fn, at, back) {
	const calls = await callsOf(file, track);
	let found = -1;
	for (let i = 0; i < calls.n; i++) {
		if (calls.fn[i] !== fn) continue;
		if (back && calls.start[i] < at) found = i;
		if (!back && calls.start[i] >= at) { found = i; break; }
	}
	return found < 0 ? null : { track, start: calls.start[found], end: calls.end[found], depth: calls.depth[found], function: fn, flags: calls.flags[found] };
}

// Classes of durations as the server's: each its own below 8, then eight from one power of two to the next.
function classOf(duration) {
	if (duration < 8) return [duration, duration + 1];
	const step = 2 ** (Math.floor(Math.log2(duration)) - 3), low = Math.floor(duration / step) * step;
	return [low, low + step];
}

export async function enclosedDurations(file, tracks, wanted, from, to) {
	const names = enclosedNames(file).functions, classes = new Map(), all = [];
	const numbers = new Set(names.flatMap((f, i) => f.name === wanted.name && f.object === wanted.object && f.file === wanted.source ? [i] : []));
	let unfinished = 0, cut = 0, sum = 0;
	for (const [index, track] of tracks.entries()) {
		const calls = await callsOf(file, index);
		for (let i = 0; i < calls.n && calls.start[i] < to; i++) {
			if (!numbers.has(calls.fn[i]) || (calls.end[i] >= 0 && calls.end[i] < from)) continue;
			if (calls.end[i] < 0) { unfinished++; continue; }
			if (calls.flags[i]) { cut++; continue; }
			const duration = calls.end[i] - calls.start[i], [low, high] = classOf(duration), known = classes.get(low) || [low, high, 0];
			known[2]++;
			classes.set(low, known);
			sum += duration;
			all.push({ process: track.process, thread: track.thread, start: calls.start[i], duration, depth: calls.depth[i] });
		}
	}
	all.sort((a, b) => b.duration - a.duration || a.start - b.start);
	return { finished: all.length, unfinished, cut, sum, classes: [...classes.values()].sort((a, b) => a[0] - b[0]), slowest: all.slice(0, 100) };
}
