// SPDX-License-Identifier: Apache-2.0
// Events without duration: what of them has been fetched, and their lane below the calls of a track.
import { ask } from './api.js';
import { enclosed } from './calls.js';
import { keepCounters } from './counters.js';
import { callRows, EVENT_ROW, files, ROW, sortTracks, tracks } from './tracks.js';
import { nameColour } from './util.js';

const MARK = 4; // pixels, half of a mark's width

/* ---- what has been fetched ---- */

// Threads without calls have a track of their own, too.
function trackOf(file, told) {
	const known = tracks.find(track => track.file === file && track.process === told.process && track.thread === told.thread);
	if (known) return known;
	const track = { file, index: -1, process: told.process, thread: told.thread, calls: 0, first: 0, last: told.last / file.scale, depth: 0,
		mode: 'some', pinned: false, shown: null, gaps: [], marks: [], counters: [] };
	tracks.push(track);
	sortTracks();
	return track;
}

function keep(file, told) {
	const { scale } = file;
	for (const of of told.tracks) {
		const track = trackOf(file, of);
		track.events = of.events;
		track.marks = of.marks.map(([from, to, count, name, values]) => ({ from: from / scale, to: to / scale, count, name: told.names[name], values }));
		file.last = Math.max(file.last, of.last / scale);
	}
	keepCounters(file, told, trackOf);
	file.eventsLeftOut = told.left_out;
}

const suffices = (file, view, pixel) => file.marked && (file.marked.all || (file.marked.from <= view.from && file.marked.to >= view.to && file.marked.asked <= pixel * 1.34));

// The events of a window three times as wide, unless there are few enough to have all. @return whether something was fetched
export async function fetchEvents(file, view, pixels, end) {
	const width = view.to - view.from;
	if (file.sampled || suffices(file, view, width / pixels)) return false;
	if (enclosed) {
		keep(file, await ask('/api/events', { file: file.number }));
		file.marked = { all: true };
		return true;
	}
	const from = Math.max(0, view.from - width), to = Math.min(end, view.to + width), ticks = value => Math.round(value * file.scale);
	const told = await ask('/api/events', { file: file.number, from: ticks(from), to: ticks(to) + 1, pixels: Math.round(pixels * (to - from) / width) });
	keep(file, told);
	// Events may be behind the end that was known so far.
	file.marked = { from, to, asked: told.cell ? width / pixels : 0, all: !told.cell && from <= 0 && to >= Math.max(end, file.last) };
	return true;
}

// Whether a file has any, without its timeline.
export async function hasEvents(number) {
	const told = await ask('/api/events', { file: number });
	return told.tracks.length + told.counters.length > 0;
}

export const anyEvents = () => files.some(file => file.eventsLeftOut) || tracks.some(track => track.events);

/* ---- the lane ---- */

// A sample says of which function it is; ''.
export const functionOfMark = mark => mark.values && typeof mark.values.function === 'string' ? mark.values.function : '';

const laneOf = row => row.top + 1 + callRows(row.track) * ROW;

// Marks that cannot be told apart are drawn once.
export function drawMarks(c, p, row, down) {
	const { view, scale, width } = p, middle = laneOf(row) + down + EVENT_ROW / 2;
	let drawn = -Infinity;
	for (const mark of row.track.marks || []) {
		const left = (mark.from - view.from) * scale, right = (mark.to - view.from) * scale;
		if (right < -MARK || right < drawn + 2) continue;
		if (left > width + MARK) break;
		drawn = Math.max(left, right);
		const fn = functionOfMark(mark);
		c.fillStyle = p.markedText(mark.name) || (fn && p.markedText(fn)) ? p.accent : nameColour(fn || mark.name);
		c.strokeStyle = p.text;
		c.beginPath();
		c.moveTo(left - MARK, middle);
		c.lineTo(left, middle - MARK);
		c.lineTo(Math.max(right, left), middle - MARK);
		c.lineTo(Math.max(right, left) + MARK, middle);
		c.lineTo(Math.max(right, left), middle + MARK);
		c.lineTo(left, middle + MARK);
		c.closePath();
		c.fill();
		c.stroke();
	}
}

// The mark of a row at a place of the canvas: `down` from the top of all rows, `near` in ticks; null: none.
export function markIn(row, down, at, near) {
	if (!row || !row.track.marks || down < laneOf(row)) return null;
	let best = null, least = near;
	for (const mark of row.track.marks) {
		const away = Math.max(mark.from - at, at - mark.to, 0);
		if (away > least || (best && away === least)) continue;
		best = mark;
		least = away;
	}
	return best;
}

// Names of values and what they are, as lines of a tip.
export const valuesOf = mark => Object.entries(mark.values || {}).map(([name, value]) => [name, String(value)]);

// The first mark behind a time in any track, { track, mark }; from the last one on, the first.
export function markBehind(last, view) {
	const all = tracks.flatMap(track => (track.marks || []).map(mark => ({ track, mark }))).sort((a, b) => a.mark.from - b.mark.from);
	const at = all.findIndex(known => last && known.mark.from === last.mark.from && known.track === last.track && known.mark.name === last.mark.name && known.mark.to === last.mark.to);
	if (!all.length) return null;
	if (at >= 0) return all[(at + 1) % all.length];
	return all.find(known => known.mark.from >= view.from) || all[0];
}
