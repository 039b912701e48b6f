// SPDX-License-Identifier: Apache-2.0
// The calls of all rows that are seen, as pixels: a line of them for each row, which the canvas draws as high as a row is. With a
// rectangle for each call a picture of 20,000 calls took 40 ms, more than a frame.
import { callRows, functionOf, hueKey, ROW } from './tracks.js';
import { colourVariable, dark, nameHue } from './util.js';

const SHADES = 3; // of a function: a call, and summaries that are less busy
const HALF_SEEN = 0x80ffffff; // alpha of the last pixel of a call, which tells it from the next one
const LINES_AT_ONCE = 64;

/* ---- colours: red in the lowest byte ---- */

function pixelOf([hue, saturation, lightness]) {
	const spread = saturation * Math.min(lightness, 1 - lightness);
	const part = n => {
		const k = (n + hue / 30) % 12;
		return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	};
	return (0xff000000 | part(4) << 16 | part(8) << 8 | part(0)) >>> 0;
}

const ownPixels = new Map(); // by the text of a colour
function pixelOfText(text) {
	if (!ownPixels.has(text)) {
		const c = document.createElement('canvas').getContext('2d');
		c.fillStyle = text;
		c.fillRect(0, 0, 1, 1);
		ownPixels.set(text, new Uint32Array(c.getImageData(0, 0, 1, 1).data.buffer)[0]);
	}
	return ownPixels.get(text);
}

// How the functions of a file look, by number: until a name comes, the colours change, or others are marked.
function looksOf(file, picture) {
	const key = [dark(), file.names.size, picture.markedKey].join();
	if (file.looksKey !== key) [file.looksKey, file.looks] = [key, new Map()];
	return file.looks;
}

function lookOf(looks, file, number, picture) {
	let look = looks.get(number);
	if (look) return look;
	const known = functionOf(file, number), key = hueKey(file, number);
	look = { marked: picture.marked(file, number), lost: known !== null && known.name === '(lost)', shades: [] };
	for (let i = 0; i < SHADES; i++) look.shades.push(pixelOf(nameHue(key, i * 5)));
	looks.set(number, look);
	return look;
}

/* ---- lines ---- */

let scratch = null, lines = null, image = null, pixels = null;

// Room for one line more. The lines that are there stay.
function makeLine(p) {
	if (!image || image.width !== p.dots || p.lines.length >= image.height) {
		const before = image && image.width === p.dots ? pixels : null;
		image = new ImageData(p.dots, p.lines.length + LINES_AT_ONCE);
		pixels = new Uint32Array(image.data.buffer);
		if (before) pixels.set(before);
		scratch = scratch || document.createElement('canvas');
		scratch.width = p.dots;
		scratch.height = image.height;
		lines = scratch.getContext('2d');
	}
	const at = p.lines.length * p.dots;
	pixels.fill(0, at, at + p.dots);
	return at;
}

function lineAt(p, y, height) {
	const at = makeLine(p);
	p.lines.push({ y, height });
	return at;
}

// A call in a row: [left, right) in dots of the canvas.
function drawCall(p, row, look, item) {
	const { left, right } = item;
	if (look.lost) {
		p.lost.push({ left, right, y: row.y });
	} else {
		pixels.fill(look.shades[item.shade], row.line + left, row.line + right);
		if (right - left > 2) pixels[row.line + right - 1] &= HALF_SEEN;
		if (item.cut && right - left > 3) pixels.fill(p.warnPixel, row.line + right - 2, row.line + right);
	}
	if (!look.marked) return;
	if (row.mark < 0) row.mark = lineAt(p, row.y + ROW - 4, 3);
	pixels.fill(p.accentPixel, row.mark + left, row.mark + right);
}

const shadeOf = (shown, i) => shown.end[i] > shown.start[i] ? Math.round((1 - Math.min(1, shown.busy[i] / (shown.end[i] - shown.start[i]))) * (SHADES - 1)) : 0;

const NO_ROW = { line: -1, mark: -1, drawn: 0, y: 0 };

function beginRow(p, top, depth) {
	const y = top + depth * ROW;
	return y < p.height && y + ROW > p.above ? { line: lineAt(p, y, ROW - 1), mark: -1, drawn: 0, y } : NO_ROW;
}

// Items of [from, to) of the view are drawn. They are in the order of depth and begin; those that end in a dot that is drawn already are not
// drawn again.
function itemLines(p, picture, place, shown, from, to) {
	const { track: { file, last }, rows } = place, { start, end, fn, calls, flags } = shown, origin = p.view.from;
	const looks = looksOf(file, picture), scale = p.dots / (p.view.to - origin);
	const first = Math.max(Math.round((from - origin) * scale), 0), dots = Math.min(Math.round((to - origin) * scale), p.dots);
	let depth = -1, row = NO_ROW;
	if (dots <= first) return;
	for (let i = 0; i < shown.n; i++) {
		if (shown.depth[i] !== depth) {
			depth = shown.depth[i];
			if (depth >= place.count) break;
			row = rows[depth] = rows[depth] || beginRow(p, place.top, depth);
			row.drawn = first;
		}
		const until = end[i] < 0 ? last : end[i];
		if (row.line < 0 || until < from || start[i] > to) continue;
		const left = Math.max(Math.floor((start[i] - origin) * scale), row.drawn), right = Math.min(Math.max(Math.round((until - origin) * scale), left + 1), dots);
		if (right <= left || (until - origin) * scale <= row.drawn) continue;
		const look = lookOf(looks, file, fn[i], picture), summary = calls[i] > 1;
		drawCall(p, row, look, { left, right, shade: summary ? shadeOf(shown, i) : 0, cut: flags[i] & 1 });
		if (right - left >= p.labelFrom) p.labels.push({ file, fn: fn[i], calls: summary ? calls[i] : 0, left, right, y: row.y });
		row.drawn = right;
	}
}

// The finest picture, and beside it what there is of more.
function trackLines(p, picture, { track, top }) {
	const { shown, wide } = track, place = { track, top, rows: [], count: callRows(track) };
	itemLines(p, picture, place, shown, shown.from, shown.to);
	if (!wide) return;
	itemLines(p, picture, place, wide, wide.from, Math.min(shown.from, wide.to));
	itemLines(p, picture, place, wide, Math.max(shown.to, wide.from), wide.to);
}

// places: [{ track, top }] of what is drawn; p: the view, and { width, height, above (what is hidden of the canvas at its top), accent, warn };
// `labelFrom`: pixels from which on a call has room for its name. @return { labels, lost }: [{ left, right, y, ... }] in pixels
export function drawRows(c, p, picture, places, labelFrom) {
	const dots = c.canvas.width, pixel = p.width / dots;
	const drawing = { ...p, dots, labelFrom: labelFrom / pixel, lines: [], labels: [], lost: [], accentPixel: pixelOfText(p.accent), warnPixel: pixelOfText(p.warn) };
	for (const place of places) trackLines(drawing, picture, place);
	if (drawing.lines.length) {
		lines.putImageData(image, 0, 0, 0, 0, dots, drawing.lines.length);
		c.imageSmoothingEnabled = false;
		drawing.lines.forEach((line, n) => c.drawImage(scratch, 0, n, dots, 1, 0, line.y, p.width, line.height));
	}
	for (const place of [...drawing.labels, ...drawing.lost]) {
		place.left *= pixel;
		place.right *= pixel;
	}
	return drawing;
}
