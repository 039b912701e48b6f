// SPDX-License-Identifier: Apache-2.0
// The picture of the timeline: a canvas of calls, a row a depth, below an axis of time.
import { counterIn, drawCounters } from './counters.js';
import { drawMarks, markIn } from './events.js';
import { drawRows } from './timeline-rows.js';
import { callRows, gapAt, nameOf, ROW } from './tracks.js';
import { colourVariable, dark, duration, fitted, grouped, shortName } from './util.js';

export const AXIS = 26;
const LABEL_FROM = 30;

/* ---- the axis ---- */

// A step of 1, 2 or 5 times a power of ten that is at least so many ticks.
function niceStep(least) {
	const power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map(n => n * power).find(step => step >= least * 0.999);
}

export function timeText(ticks, frequency, clock) {
	if (frequency) return duration(ticks / frequency);
	return grouped(ticks) + (clock === 'instructions' ? ' instr.' : ' ticks');
}

// Moments of one axis have the same unit, and enough digits to be told apart.
function momentText(ticks, step, frequency, clock) {
	if (!frequency) return timeText(ticks, frequency, clock);
	const seconds = ticks / frequency, stepSeconds = step / frequency;
	const [size, unit] = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']].find(([size]) => stepSeconds >= size * 0.9999) || [1e-9, 'ns'];
	const places = Math.max(0, -Math.floor(Math.log10(stepSeconds / size) + 1e-9));
	return (seconds / size).toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places }) + '\u202f' + unit;
}

function drawAxis(c, view, width, scale, frequency, clock) {
	const perSecond = frequency || 1;
	const step = niceStep(110 / scale / perSecond) * perSecond;
	c.fillStyle = colourVariable('--soft');
	c.fillRect(0, 0, width, AXIS);
	c.strokeStyle = colourVariable('--line');
	c.fillStyle = colourVariable('--faint');
	c.textAlign = 'left';
	c.beginPath();
	for (let n = Math.ceil(view.from / step); n * step <= view.to; n++) {
		const x = Math.round((n * step - view.from) * scale) + 0.5;
		c.moveTo(x, AXIS - 8);
		c.lineTo(x, AXIS);
		const text = momentText(n * step, step, frequency, clock);
		// Half a number is another one.
		if (fitted(c, text, width - x - 4) === text) c.fillText(text, x + 4, AXIS / 2 - 1);
	}
	c.moveTo(0, AXIS - 0.5);
	c.lineTo(width, AXIS - 0.5);
	c.stroke();
}

/* ---- calls ---- */

let hatchOf = null, hatch = null;
function hatching(c) {
	const key = dark() ? 'dark' : 'light';
	if (hatchOf !== key) {
		const tile = document.createElement('canvas');
		tile.width = tile.height = 8;
		const t = tile.getContext('2d');
		t.strokeStyle = colourVariable('--warn');
		t.lineWidth = 1.5;
		t.beginPath();
		for (const x of [-4, 0, 4, 8]) {
			t.moveTo(x, 8);
			t.lineTo(x + 8, 0);
		}
		t.stroke();
		hatch = c.createPattern(tile, 'repeat');
		hatchOf = key;
	}
	return hatch;
}

function drawLost(c, lost) {
	c.fillStyle = hatching(c);
	for (const { left, right, y } of lost) c.fillRect(left, y, right - left, ROW - 1);
}

function drawLabels(c, p, labels) {
	c.fillStyle = p.ink;
	for (const { file, fn, calls, left, right, y } of labels) {
		const name = nameOf(file, fn);
		if (name) c.fillText(fitted(c, calls ? shortName(name) + ' ×' + grouped(calls) : shortName(name), right - left - 6), left + 3, y + ROW / 2);
	}
}

const GAP_WIDTH = 3; // pixels at least

// Where records are missing; gaps that cannot be told apart are drawn once.
function drawGaps(c, p, row, top) {
	const { track } = row, { view, scale, width } = p;
	let drawn = -Infinity;
	for (const gap of track.gaps) {
		const left = Math.max((gap.from - view.from) * scale, -GAP_WIDTH), right = Math.min(Math.max((gap.to - view.from) * scale, left + GAP_WIDTH), width + GAP_WIDTH);
		if (right <= Math.max(drawn, 0) || left >= width) continue;
		const x = Math.max(left, drawn);
		c.fillStyle = hatching(c);
		c.globalAlpha = 0.7;
		c.fillRect(x, top, right - x, row.height - 4);
		c.globalAlpha = 1;
		drawn = right;
	}
}

// Threads of one process; the file stands here, where its name has room.
function drawGroup(c, p, row, top) {
	c.fillRect(0, top, p.width, row.height - 1);
	if (!row.title) return;
	c.fillStyle = p.faint;
	c.fillText(fitted(c, row.title, p.width - 8), 4, top + row.height / 2);
}

// Beyond what a track has, and where nothing is fetched yet.
function drawOutside(c, p, row, top) {
	const { track } = row, { view, scale, width } = p;
	c.fillStyle = p.soft;
	const left = (track.first - view.from) * scale, right = (track.last - view.from) * scale;
	if (left > 0) c.fillRect(0, top, Math.min(left, width), row.height - 4);
	if (right < width) c.fillRect(Math.max(right, 0), top, width - Math.max(right, 0), row.height - 4);
}

function drawSpan(c, p, span, height, colour) {
	const left = (span.from - p.view.from) * p.scale, right = (span.to - p.view.from) * p.scale;
	c.fillStyle = colour;
	c.globalAlpha = 0.16;
	c.fillRect(left, 0, Math.max(right - left, 1), height);
	c.globalAlpha = 1;
	c.fillRect(Math.round(left) - 1, 0, 1, height);
	c.fillRect(Math.round(right), 0, 1, height);
}

function drawChosen(c, p, rows, call, top) {
	const row = rows.find(row => row.track === call.track && !row.group);
	if (!row || call.depth >= callRows(call.track)) return;
	const x = (call.start - p.view.from) * p.scale, right = ((call.end < 0 ? call.track.last : call.end) - p.view.from) * p.scale;
	c.strokeStyle = p.text;
	c.lineWidth = 2;
	c.strokeRect(Math.max(x, -4), AXIS + row.top - top + call.depth * ROW, Math.min(Math.max(right - x, 2), p.width + 8), ROW - 1);
	c.lineWidth = 1;
}

// picture: { canvas, view, rows, top (scrolled by), marked(file, number), markedKey (what that depends on), markedText(name), call, span, measure, frequency, clock }
export function drawTimeline(picture) {
	const { canvas, view } = picture, c = canvas.getContext('2d');
	const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(0, 0, width, height);
	c.font = '11px system-ui, sans-serif';
	c.textBaseline = 'middle';
	const p = { view, width, height, above: AXIS, scale: width / (view.to - view.from), marked: picture.marked, markedText: picture.markedText, accent: colourVariable('--accent'),
		warn: colourVariable('--warn'), ink: colourVariable('--on-colour'), soft: colourVariable('--soft'), faint: colourVariable('--faint'), text: colourVariable('--text'), dataEnd: picture.end };
	c.save();
	c.beginPath();
	c.rect(0, AXIS, width, height - AXIS);
	c.clip();
	const seen = picture.rows.map(row => ({ row, top: AXIS + row.top - picture.top })).filter(({ row, top }) => top <= height && top + row.height >= AXIS);
	for (const { row, top } of seen) {
		c.fillStyle = p.soft;
		if (row.group) drawGroup(c, p, row, top);
		else drawOutside(c, p, row, top);
	}
	const calls = seen.filter(({ row }) => !row.group);
	const { labels, lost } = drawRows(c, p, picture, calls.filter(({ row }) => row.track.shown).map(({ row, top }) => ({ track: row.track, top: top + 1 })), LABEL_FROM);
	drawLost(c, lost);
	drawLabels(c, p, labels);
	for (const { row, top } of calls) {
		drawGaps(c, p, row, top + 1);
		drawMarks(c, p, row, AXIS - picture.top);
		if (row.track.counters.length) drawCounters(c, p, row, AXIS - picture.top);
	}
	if (picture.call) drawChosen(c, p, picture.rows, picture.call, picture.top - 1);
	c.restore();
	drawAxis(c, view, width, p.scale, picture.frequency, picture.clock);
	if (picture.cursor !== null) {
		c.fillStyle = p.text;
		c.fillRect(Math.round((picture.cursor - view.from) * p.scale), 0, 1, height);
	}
	if (picture.span) drawSpan(c, p, picture.span, height, p.accent);
	if (picture.measure) drawSpan(c, p, picture.measure, height, p.text);
}

const timeAt = ({ canvas, view }, x) => view.from + x * (view.to - view.from) / canvas.clientWidth;
const nearIn = ({ canvas, view }) => 1.5 * (view.to - view.from) / canvas.clientWidth;

export function rowAt(picture, y) {
	const down = y - AXIS + picture.top;
	return y < AXIS ? null : picture.rows.find(row => !row.group && row.top <= down && down < row.top + row.height) || null;
}

// { track, gap } at a place of the canvas, or null.
export function gapUnder(picture, x, y) {
	const row = rowAt(picture, y), gap = row && gapAt(row.track, timeAt(picture, x), 2 * nearIn(picture));
	return gap && { track: row.track, gap };
}

// { track, mark } at a place of the canvas, or null.
export function markUnder(picture, x, y) {
	const row = rowAt(picture, y), mark = markIn(row, y - AXIS + picture.top, timeAt(picture, x), 4 * nearIn(picture));
	return mark && { track: row.track, mark };
}

// { track, counter, value } at a place of the canvas, or null.
export function counterUnder(picture, x, y) {
	return counterIn(rowAt(picture, y), y - AXIS + picture.top, timeAt(picture, x));
}

// The item at a place of the canvas, or null.
export function itemAt(picture, x, y) {
	const at = timeAt(picture, x), near = nearIn(picture), row = rowAt(picture, y), down = y - AXIS + picture.top;
	if (!row || !row.track.shown) return null;
	const { shown } = row.track, depth = Math.floor((down - row.top - 1) / ROW);
	if (depth >= callRows(row.track)) return null;
	let best = null, away = near;
	for (let i = 0; i < shown.n; i++) {
		if (shown.depth[i] !== depth) continue;
		const end = shown.end[i] < 0 ? row.track.last : shown.end[i];
		const off = at < shown.start[i] ? shown.start[i] - at : at > end ? at - end : 0;
		if (off < away || (off === 0 && best === null)) {
			best = i;
			away = off;
			if (!off) break;
		}
	}
	if (best === null) return null;
	return { track: row.track, start: shown.start[best], end: shown.end[best], busy: shown.busy[best], depth,
		fn: shown.fn[best], calls: shown.calls[best], flags: shown.flags[best] };
}
