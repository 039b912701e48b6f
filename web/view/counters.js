// SPDX-License-Identifier: Apache-2.0
// Counters: a lane each below the events of a track, as an area between its least and its greatest value.
import { callRows, COUNTER_ROW, EVENT_ROW, ROW } from './tracks.js';
import { fitted, grouped, nameColour } from './util.js';

const TEXT = 13; // pixels, of the name above the area

export const lanesTop = row => row.top + 1 + callRows(row.track) * ROW + (row.track.events ? EVENT_ROW : 0);

export const numberText = value => Number.isInteger(value) ? grouped(value) : value.toLocaleString('en-US', { maximumSignificantDigits: 6 });

// Keep what the server told of the counters of a file.
export function keepCounters(file, told, trackOf) {
	const { scale } = file;
	for (const of of told.counters || []) {
		const track = trackOf(file, of), name = told.names[of.name];
		const values = of.values.map(([from, to, least, most, last]) => ({ from: from / scale, to: to / scale, least, most, last }));
		const known = track.counters.find(counter => counter.name === name);
		if (known) Object.assign(known, { values });
		else track.counters.push({ name, least: of.least, most: of.most, values });
		file.last = Math.max(file.last, of.last / scale);
	}
}

// The value that a counter has at a time; null: it has none yet.
function valueAt(counter, at) {
	let low = -1, high = counter.values.length;
	while (high - low > 1) {
		const middle = (low + high) >> 1;
		if (counter.values[middle].from <= at) low = middle;
		else high = middle;
	}
	return low < 0 ? null : counter.values[low];
}

function drawLane(c, p, counter, top) {
	const { view, scale, width, dataEnd } = p, bottom = top + COUNTER_ROW - 3, room = bottom - top - TEXT;
	const least = Math.min(counter.least, 0), range = Math.max(counter.most, 0) - least || 1;
	const yOf = value => bottom - (value - least) / range * room, zero = yOf(0);
	c.fillStyle = nameColour(counter.name);
	counter.values.forEach((value, i) => {
		const next = counter.values[i + 1], end = next ? next.from : dataEnd;
		if (end < view.from || value.from > view.to) return;
		const left = Math.max((value.from - view.from) * scale, 0), turn = Math.min(Math.max((value.to - view.from) * scale, left), width), right = Math.min((end - view.from) * scale, width);
		const bar = (from, to, low, high) => c.fillRect(from, Math.min(yOf(high), zero - 1), Math.max(to - from, 0.5), Math.max(Math.max(yOf(low), zero) - Math.min(yOf(high), zero - 1), 1));
		if (value.least !== value.most && turn > left) bar(left, turn, Math.min(value.least, 0), Math.max(value.most, 0));
		bar(value.least === value.most ? left : turn, right, Math.min(value.last, 0), Math.max(value.last, 0));
	});
	c.fillStyle = p.text;
	c.fillText(fitted(c, `${counter.name}: ${numberText(counter.least)} to ${numberText(counter.most)}`, width - 8), 4, top + TEXT / 2);
}

export function drawCounters(c, p, row, down) {
	row.track.counters.forEach((counter, i) => drawLane(c, p, counter, lanesTop(row) + down + i * COUNTER_ROW));
}

// { track, counter, value } at a place of the canvas, `down` from the top of all rows; null: none.
export function counterIn(row, down, at) {
	if (!row || !row.track.counters.length || down < lanesTop(row)) return null;
	const counter = row.track.counters[Math.floor((down - lanesTop(row)) / COUNTER_ROW)], value = counter && valueAt(counter, at);
	return value ? { track: row.track, counter, value } : null;
}
