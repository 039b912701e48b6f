// SPDX-License-Identifier: Apache-2.0
// The timeline: its view, what it fetches, its labels, the pointer and the keys.
import { ask } from './api.js';
import { enclosed, enclosedFind } from './calls.js';
import { numberText } from './counters.js';
import { anyEvents, fetchEvents, functionOfMark, hasEvents, markBehind, valuesOf } from './events.js';
import { choose, onChange, sameFunction, state } from './state.js';
import { AXIS, counterUnder, drawTimeline, gapUnder, itemAt, markUnder, rowAt, timeText } from './timeline-draw.js';
import { addFile, closedGroups, completeFile, fetchGaps, fetchNames, fetchTracks, files, functionOf, groupKey, hasMargins, lastTick, layout, ROW, suffices, tracks } from './tracks.js';
import { button, byId, el, grouped, hideTip, matcher, showTip } from './util.js';

const LEAST_TICKS = 4, ROUND = 0.5;
const MOST_ITEMS = 20000, CROWDED = 0.7; // of an answer of the server; a share of these
let canvas, labels, shelf, found, sampled, measureText;
let gapButton, lastGap = null, gapsAsked = false, eventButton, lastMark = null, leftOut;
let term = '', call = null, measure = null, drag = null;
let picture = { rows: [], top: 0 }, asked = false, busy = null, naming = false, widening = false, frame = 0;

/* ---- the view ---- */

export const shownView = () => state.view || { from: 0, to: lastTick() };
export const mainFile = () => files.find(file => file.number === state.file) || files[0];

function clamp(from, to) {
	const end = lastTick(), width = Math.min(Math.max(to - from, LEAST_TICKS), end);
	const left = Math.min(Math.max(from, 0), end - width);
	return width >= end - ROUND ? null : { from: left, to: left + width };
}

export function show(from, to) {
	choose({ view: clamp(from, to) });
}

function zoom(factor, at) {
	const view = shownView(), middle = at === undefined ? (view.from + view.to) / 2 : at;
	show(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
}

function pan(part) {
	const view = shownView(), by = part * (view.to - view.from);
	show(view.from + by, view.to + by);
}

/* ---- fetching: one request at a time for each file, the newest view wins ---- */

// The tracks of a file that are seen and for which a test is false.
function seenTracks(file, view, test) {
	const pixel = (view.to - view.from) / canvas.clientWidth, bottom = picture.top + canvas.clientHeight;
	return picture.rows.filter(row => !row.group && row.track.file === file && row.top < bottom && row.top + row.height > picture.top)
		.map(row => row.track).filter(track => track.index >= 0 && !test(track, view.from, view.to, pixel)).slice(0, 500);
}

const wantedTracks = (file, view) => seenTracks(file, view, suffices);

function fetchWide(file, list, view, wide) {
	const width = view.to - view.from, from = Math.max(0, view.from - width), to = Math.min(lastTick(), view.to + width);
	return fetchTracks(file, list, from, to, Math.min(16000, Math.max(1, Math.round(canvas.clientWidth * (to - from) / width))), wide);
}

// Whether three windows of a track are likely to have more items than an answer, by what it shows now.
function isCrowded(track, width, share) {
	const { shown } = track;
	return track.dense || (shown && shown.n * 3 * width > CROWDED * share * (shown.to - shown.from));
}

// Three windows wide, unless that is coarse: then the view alone, and what is beside it later.
async function fetchOnce(file, view) {
	const list = wantedTracks(file, view);
	if (!list.length) return false;
	if (list.some(track => isCrowded(track, view.to - view.from, MOST_ITEMS / list.length))) await fetchTracks(file, list, view.from, view.to, canvas.clientWidth, null);
	else await fetchWide(file, list, view, 'first');
	return true;
}

// What may be moved into view: pictures do not wait for it.
async function fetchMargins() {
	if (widening || enclosed) return;
	widening = true;
	try {
		for (const file of files) {
			const view = shownView(), list = seenTracks(file, view, hasMargins);
			if (list.length) await fetchWide(file, list, view, 'beside');
		}
	} catch (error) {
		say('The timeline cannot be fetched: ' + error.message);
	}
	widening = false;
}

async function fetchMarks(file) {
	if (!await fetchEvents(file, shownView(), canvas.clientWidth, lastTick())) return false;
	eventButton.hidden = !anyEvents();
	const missing = files.reduce((sum, f) => sum + (f.eventsLeftOut || 0), 0);
	leftOut.textContent = missing ? grouped(missing) + ' events are left out: there are more than are kept.' : '';
	leftOut.hidden = !missing;
	return true;
}

async function fetchAll() {
	for (let round = 0; round < 4; round++) {
		let any = false;
		for (const file of files) any = await fetchOnce(file, shownView()) || any;
		if (any) drawNow();
		let marks = false;
		for (const file of files) marks = await fetchMarks(file) || marks;
		if (marks) redraw();
		if (!any && !marks) break;
	}
	fetchAllNames();
	fetchMargins();
}

// Names are asked for beside: pictures do not wait for them.
async function fetchAllNames() {
	if (naming) return;
	naming = true;
	try {
		for (const file of files) if (await fetchNames(file)) redraw();
	} catch (error) {
		say('Names cannot be fetched: ' + error.message);
	}
	naming = false;
}

function fetchSoon() {
	asked = true;
	if (busy || !files.length) return;
	// What takes long is said.
	const slow = setTimeout(() => say(enclosed ? 'Unpacking calls …' : 'Reading calls …'), 300), before = found.textContent;
	busy = (async () => {
		while (asked) {
			asked = false;
			try {
				await fetchAll();
			} catch (error) {
				say('The timeline cannot be fetched: ' + error.message);
				break;
			}
		}
	})().finally(() => {
		clearTimeout(slow);
		if (found.textContent.endsWith('calls …')) say(before);
		busy = null;
	});
}

// Whether nothing is on its way.
export const atRest = () => !busy && !asked && !frame && !naming && !widening && !gapsAsked;

/* ---- drawing ---- */

function say(text) {
	found.textContent = text;
}

function marked(file, number) {
	const known = functionOf(file, number);
	if (!known) return false;
	return sameFunction(known, state.fn) || (term !== '' && matches(known.name));
}

function matches(name) {
	const test = matcher(term);
	return Boolean(test && test(name));
}

// The cursor's time as the page has it; null: there is none.
function cursorTicks() {
	return state.at && mainFile() ? state.at.ticks / mainFile().scale : null;
}

function draw() {
	frame = 0;
	if (!files.length) return;
	const laid = layout(trackWanted);
	picture = { canvas, view: shownView(), rows: laid.rows, top: labels.scrollTop, marked, markedKey: term + '\0' + JSON.stringify(state.fn), markedText: name => (term !== '' && matches(name)) || Boolean(state.fn && name === state.fn.name), call, measure,
		span: state.span, cursor: cursorTicks(), frequency: files[0].frequency, clock: files[0].clock, end: lastTick() };
	drawTimeline(picture);
	drawLabels(laid);
	tellPicture();
	fetchSoon();
}

// For those who measure: when the first picture was there, which view is drawn, and whether that is all that can be told apart.
function tellPicture() {
	const { dataset } = document.documentElement;
	if (!dataset.drawn && tracks.some(track => track.shown)) dataset.drawn = String(performance.now());
	dataset.view = picture.view.from + '-' + picture.view.to;
	dataset.picture = files.some(file => wantedTracks(file, picture.view).length) ? 'part' : 'whole';
}

export function redraw() {
	if (!frame) frame = requestAnimationFrame(draw);
}

// What has come is drawn into the present frame.
function drawNow() {
	if (frame) cancelAnimationFrame(frame);
	draw();
}

// Another view is asked for before its frame, which shows the last picture, moved.
function changed(what) {
	redraw();
	if (what.has('view')) fetchSoon();
}

/* ---- labels ---- */

const trackTerm = () => term.startsWith('thread:') ? term.slice(7).trim() : '';
const trackWanted = track => !trackTerm() || String(track.thread).includes(trackTerm()) || String(track.process).includes(trackTerm());

const MODES = { closed: ['some', '▸', 'Show rows'], some: ['open', '▾', 'Show all rows'], open: ['closed', '▾', 'Show one row'] };
let labelled = '';

function trackLabel(row) {
	const { track } = row, [next, sign, says] = MODES[track.mode];
	const title = track.thread < 0 ? 'Process ' + track.process : 'Thread ' + track.thread;
	const counts = [track.calls ? grouped(track.calls) + ' calls' : '', track.events ? grouped(track.events) + ' events' : ''].filter(Boolean).join(', ');
	return el('div', { class: 'track-label' },
		button(sign, () => { track.mode = next; redraw(); }, { class: 'fold', 'aria-label': says + ': ' + title, title: says }),
		el('span', { class: 'track-name', title: `${title} of process ${track.process}: ${counts}` }, title),
		button('▴', () => { track.pinned = !track.pinned; redraw(); },
			{ class: 'pin', 'aria-pressed': track.pinned, 'aria-label': 'Pin ' + title, title: 'Keep at the top' }));
}

function groupLabel(row) {
	const closed = closedGroups.has(row.group), text = (files.length > 1 ? row.track.file.path.split('/').pop() + ' · ' : '') + 'Process ' + row.track.process;
	const turn = () => {
		if (!closedGroups.delete(row.group)) closedGroups.add(row.group);
		redraw();
	};
	return el('div', { class: 'group-label' }, button(closed ? '▸' : '▾', turn, { class: 'fold', 'aria-expanded': !closed, 'aria-label': text }), el('span', { title: text }, 'Process ' + row.track.process));
}

// Only when something of them has changed: a label may have the focus.
function drawLabels(laid) {
	const key = laid.rows.map(row => (row.group || row.track.file.number + '.' + row.track.index) + row.height + row.track.mode + row.track.pinned + closedGroups.has(groupKey(row.track))).join();
	if (key === labelled) return;
	labelled = key;
	const focused = document.activeElement && shelf.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
	shelf.style.height = laid.height + 'px';
	shelf.replaceChildren(...laid.rows.map(row => {
		const label = row.group ? groupLabel(row) : trackLabel(row);
		label.style.top = row.top + 'px';
		label.style.height = row.height + 'px';
		return label;
	}));
	if (focused) for (const b of shelf.querySelectorAll('button')) if (b.getAttribute('aria-label') === focused) b.focus();
}

/* ---- a call ---- */

export const callText = (file, ticks) => timeText(ticks * file.scale, file.frequency, file.clock);

function facts(item) {
	const { file } = item.track, known = functionOf(file, item.fn), lines = [known ? known.name : '…'];
	if (item.calls > 1) {
		lines.push(['calls', grouped(item.calls)], ['together', '≈ ' + callText(file, item.busy)], ['from', callText(file, item.start)]);
	} else {
		lines.push(['duration', item.end < 0 ? 'unfinished' : callText(file, item.end - item.start)], ['begins at', callText(file, item.start)]);
		if (item.flags & 1) lines.push(['', 'was left: its end is not in the trace']);
		if (item.flags & 2) lines.push(['', 'its begin is not in the trace']);
	}
	lines.push(['depth', String(item.depth)]);
	if (known && known.object) lines.push(['object', known.object]);
	if (known && known.source) lines.push(['source', known.source + (known.line ? ':' + known.line : '')]);
	return lines;
}

const placeOf = (track, ticks) => ({ track: track.index, ticks: Math.max(0, Math.round(ticks * track.file.scale)) });

// `at`: the time of the cursor, if it is not the call's begin.
export function chooseCall(item, at = item.start) {
	call = item.calls > 1 ? null : item;
	const known = functionOf(item.track.file, item.fn);
	const lines = facts(item);
	say(lines[0] + ' · ' + lines.slice(1, 3).map(line => line.join(' ')).join(' · '));
	const place = { at: placeOf(item.track, at), file: item.track.file.number };
	if (known && known.name !== '(lost)') choose({ ...place, fn: { name: known.name, object: known.object, source: known.source } });
	else choose(place);
	redraw();
}

// Show a call that is known by thread, time and depth, from a list elsewhere.
export async function showCall(fileNumber, process, thread, start, length, depth) {
	const file = files.find(f => f.number === fileNumber), track = tracks.find(t => t.file === file && t.process === process && t.thread === thread);
	if (!track) return;
	closedGroups.delete(groupKey(track));
	if (depth >= 1 && track.mode === 'closed') track.mode = 'some';
	if (depth >= 10) track.mode = 'open';
	track.depth = Math.max(track.depth, depth + 1);
	const from = start / file.scale, width = Math.max(length / file.scale, LEAST_TICKS);
	call = { track, start: from, end: from + length / file.scale, depth, calls: 0, fn: 0xffffffff, flags: 0, busy: 0 };
	show(from - width, from + 2 * width);
	scrollTo(track, depth * ROW);
	say('call of ' + callText(file, length / file.scale) + ' in thread ' + thread);
	redraw();
}

async function step(back) {
	if (!call || call.fn === 0xffffffff) {
		say('Choose a call first; then N and P go to the next and previous one of its function.');
		return;
	}
	const { file } = call.track, at = Math.round(call.start * file.scale) + (back ? 0 : 1);
	const next = enclosed ? await enclosedFind(file.number, call.track.index, call.fn, at, back)
		: (await ask('/api/find', { file: file.number, tracks: call.track.index, functions: call.fn, at, back: back ? 1 : 0 })).call;
	if (!next) {
		say('There is no ' + (back ? 'earlier' : 'later') + ' call of it in this thread.');
		return;
	}
	const view = shownView(), width = view.to - view.from;
	const item = { track: call.track, start: next.start / file.scale, end: next.end < 0 ? -1 : next.end / file.scale, busy: 0, depth: next.depth, fn: next.function, calls: 0, flags: next.flags };
	if (item.start < view.from || item.start > view.to) show(item.start - width / 2, item.start + width / 2);
	chooseCall(item);
}

/* ---- events ---- */

function markFacts({ track, mark }) {
	const { file } = track;
	if (mark.count > 1) return [mark.name + ' and others', ['events', grouped(mark.count)], ['from', callText(file, mark.from)], ['for', callText(file, mark.to - mark.from)]];
	return [mark.name, ['at', callText(file, mark.from)], ...valuesOf(mark)];
}

function chooseMark(known) {
	lastMark = known;
	say('Thread ' + known.track.thread + ': ' + markFacts(known).flat().filter(Boolean).join(' '));
	const name = functionOfMark(known.mark), fn = name ? { fn: { name, object: '', source: '' } } : {};
	if (known.track.index >= 0) choose({ at: placeOf(known.track, known.mark.from), file: known.track.file.number, ...fn });
	else choose(fn);
	redraw();
}

// The next event behind the left edge of what is shown, in any track.
function nextMark() {
	const view = shownView(), width = view.to - view.from, known = markBehind(lastMark, view);
	if (!known) {
		say('There are no events.');
		return;
	}
	closedGroups.delete(groupKey(known.track));
	if (known.mark.from < view.from || known.mark.from > view.to) show(known.mark.from - width / 2, known.mark.from + width / 2);
	scrollTo(known.track, 0);
	chooseMark(known);
}

// Show a track, so many pixels below its top in the middle.
function scrollTo(track, below) {
	const row = layout(trackWanted).rows.find(row => row.track === track && !row.group);
	if (row) labels.scrollTop = Math.max(0, row.top + below - canvas.clientHeight / 2);
}

/* ---- counters ---- */

function counterFacts({ track, counter, value }) {
	const { file } = track, lines = [counter.name, ['value', numberText(value.last)], ['since', callText(file, value.to)]];
	if (value.least !== value.most) lines.push(['between', numberText(value.least) + ' and ' + numberText(value.most)]);
	return [...lines, ['in all', numberText(counter.least) + ' to ' + numberText(counter.most)]];
}

/* ---- gaps ---- */

function gapFacts({ track, gap }) {
	const { file } = track, lines = ['Records are missing', ['', gap.text]];
	if (gap.offset !== undefined) lines.push(['at offset', '0x' + gap.offset.toString(16)]);
	if (gap.length) lines.push(['bytes', grouped(gap.length)]);
	if (gap.count > 1) lines.push(['places', grouped(gap.count)]);
	lines.push(['from', callText(file, gap.from)], ['for', gap.to > gap.from ? 'at most ' + callText(file, gap.to - gap.from) : 'no time that is known']);
	return lines;
}

// The first gap behind the middle of what is shown, in any track; from the last one on, the first.
function nextGap() {
	const all = tracks.flatMap(track => track.gaps.map(gap => ({ track, gap }))).sort((a, b) => a.gap.from - b.gap.from);
	if (!all.length) {
		say('No records are missing in any thread.');
		return;
	}
	const at = all.findIndex(known => known.gap === lastGap), view = shownView();
	const next = at >= 0 ? all[(at + 1) % all.length] : all.find(known => known.gap.to >= view.from) || all[0], { gap, track } = next;
	const width = Math.max(gap.to - gap.from, (view.to - view.from) / 10, LEAST_TICKS);
	lastGap = gap;
	closedGroups.delete(groupKey(track));
	show(gap.from - width, gap.to + width);
	const row = layout(trackWanted).rows.find(row => row.track === track && !row.group);
	if (row) labels.scrollTop = Math.max(0, row.top - 17);
	say('Thread ' + track.thread + ': ' + gapFacts(next).flat().filter(Boolean).join(' '));
	redraw();
}

async function fetchAllGaps() {
	gapsAsked = true;
	try {
		for (const file of files) await fetchGaps(file);
	} catch (error) {
		say('Missing records cannot be told: ' + error.message);
	}
	gapsAsked = false;
	gapButton.hidden = !tracks.some(track => track.gaps.length);
	redraw();
}

/* ---- the pointer ---- */

const ticksAt = x => shownView().from + x * (shownView().to - shownView().from) / canvas.clientWidth;

function pointerDown(event) {
	if (event.button !== 0) return;
	canvas.setPointerCapture(event.pointerId);
	drag = { x: event.offsetX, at: ticksAt(event.offsetX), view: shownView(), pans: event.shiftKey, moved: false };
}

function pointerMove(event) {
	if (drag) {
		drag.moved = drag.moved || Math.abs(event.offsetX - drag.x) > 3;
		if (drag.moved) dragTo(event.offsetX);
		return;
	}
	const item = itemAt(picture, event.offsetX, event.offsetY), gap = gapUnder(picture, event.offsetX, event.offsetY);
	const mark = markUnder(picture, event.offsetX, event.offsetY), counter = counterUnder(picture, event.offsetX, event.offsetY);
	canvas.style.cursor = item || mark ? 'pointer' : 'crosshair';
	if (mark) showTip(event.clientX, event.clientY, markFacts(mark));
	else if (counter) showTip(event.clientX, event.clientY, counterFacts(counter));
	else if (gap) showTip(event.clientX, event.clientY, gapFacts(gap));
	else if (item) showTip(event.clientX, event.clientY, facts(item));
	else hideTip();
}

function dragTo(x) {
	hideTip();
	if (drag.pans) {
		const by = (drag.x - x) * (drag.view.to - drag.view.from) / canvas.clientWidth;
		show(drag.view.from + by, drag.view.to + by);
		return;
	}
	const at = Math.min(Math.max(ticksAt(x), 0), lastTick());
	measure = { from: Math.min(drag.at, at), to: Math.max(drag.at, at) };
	measureText.textContent = callText(mainFile(), measure.to - measure.from);
	redraw();
}

function pointerUp(event) {
	const was = drag;
	drag = null;
	if (!was) return;
	if (!was.moved) {
		const item = itemAt(picture, event.offsetX, event.offsetY);
		const row = rowAt(picture, event.offsetY);
		const mark = markUnder(picture, event.offsetX, event.offsetY);
		if (mark) chooseMark(mark);
		else if (item) chooseCall(item, ticksAt(event.offsetX));
		else if (row && row.track.index >= 0) choose({ at: placeOf(row.track, ticksAt(event.offsetX)), file: row.track.file.number });
		return;
	}
	if (measure) choose({ span: { from: Math.floor(measure.from), to: Math.ceil(measure.to) } });
	measure = null;
	redraw();
}

function wheel(event) {
	event.preventDefault();
	hideTip();
	if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan((event.deltaX || event.deltaY) / canvas.clientWidth);
	else if (event.altKey) labels.scrollTop += event.deltaY;
	else zoom(1.0016 ** Math.max(-400, Math.min(400, event.deltaY)), ticksAt(event.offsetX));
}

function doubleClick(event) {
	const item = itemAt(picture, event.offsetX, event.offsetY);
	if (!item) return;
	const end = item.end < 0 ? item.track.last : item.end, margin = Math.max((end - item.start) * 0.05, 1);
	show(item.start - margin, end + margin);
}

/* ---- keys ---- */

const KEYS = {
	w: () => zoom(0.6), s: () => zoom(1 / 0.6), a: () => pan(-0.25), d: () => pan(0.25),
	'+': () => zoom(0.6), '-': () => zoom(1 / 0.6), n: () => step(false), p: () => step(true), g: nextGap, e: nextMark,
	f: () => state.span ? show(state.span.from, state.span.to) : call && show(call.start, call.end), 0: () => choose({ view: null }),
};
const ARROWS = { ArrowLeft: () => pan(-0.1), ArrowRight: () => pan(0.1), ArrowUp: () => { labels.scrollTop -= 51; }, ArrowDown: () => { labels.scrollTop += 51; } };

// @return whether the key was one of the timeline's
export function timelineKey(event) {
	if (!files.length) return false;
	const action = KEYS[event.key.toLowerCase()] || (document.activeElement === canvas ? ARROWS[event.key] : null);
	if (!action || event.ctrlKey || event.metaKey || event.altKey) return false;
	action();
	return true;
}

export function clearTimeline() {
	if (!files.length) return;
	call = measure = null;
	measureText.textContent = '';
	say('');
	redraw();
}

/* ---- made ---- */

function searched(event) {
	term = event.target.value.trim();
	if (term && !trackTerm() && !matcher(term)) say('That is no pattern.');
	else say('');
	redraw();
}

function tools() {
	found = el('output', { class: 'found', 'aria-live': 'polite' });
	sampled = el('span', { class: 'warn', role: 'status', hidden: true });
	measureText = el('output', { class: 'measure', 'aria-label': 'Measured' });
	gapButton = button('Gap ›', nextGap, { title: 'Next place where records are missing (G)', hidden: true });
	eventButton = button('Event ›', nextMark, { title: 'Next event (E)', hidden: true });
	return el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Timeline' },
		el('h2', {}, 'Timeline'),
		el('input', { type: 'search', id: 'timeline-search', placeholder: 'Mark functions; thread:12', 'aria-label': 'Mark functions in the timeline', oninput: searched, autocomplete: 'off', spellcheck: 'false' }),
		button('−', () => zoom(1 / 0.6), { 'aria-label': 'Zoom out', title: 'Zoom out (S)' }), button('+', () => zoom(0.6), { 'aria-label': 'Zoom in', title: 'Zoom in (W)' }),
		button('All', () => choose({ view: null }), { title: 'Show all of it (0)' }),
		button('‹ Call', () => step(true), { title: 'Previous call of the function (P)' }), button('Call ›', () => step(false), { title: 'Next call of the function (N)' }),
		eventButton, gapButton, found, sampled, measureText);
}

// A file without calls has a timeline of its events, if it has some.
async function hasTimeline(file, number) {
	if (file.index === 'none') return false;
	return file.tracks.some(track => track.calls) || (file.index === 'ready' && hasEvents(number));
}

export async function makeTimeline(told) {
	for (const [number, file] of told.entries()) if (await hasTimeline(file, number)) addFile(number, file);
	if (!files.length) return false;
	const section = byId('timeline');
	canvas = el('canvas', { tabindex: '0', role: 'application', 'aria-label': 'Calls over time. W and S zoom, A and D move, N and P go from call to call; the functions pane has the same as a table.' });
	shelf = el('div', { class: 'shelf' });
	labels = el('div', { class: 'labels', tabindex: '0', role: 'group', 'aria-label': 'Threads' }, shelf);
	labels.style.paddingTop = AXIS + 'px';
	section.replaceChildren(tools(), el('div', { class: 'stage' }, labels, canvas));
	section.hidden = byId('splitter').hidden = false;
	canvas.addEventListener('pointerdown', pointerDown);
	canvas.addEventListener('pointermove', pointerMove);
	canvas.addEventListener('pointerup', pointerUp);
	canvas.addEventListener('pointercancel', () => { drag = measure = null; redraw(); });
	canvas.addEventListener('pointerleave', hideTip);
	canvas.addEventListener('wheel', wheel, { passive: false });
	canvas.addEventListener('dblclick', doubleClick);
	labels.addEventListener('scroll', redraw);
	new ResizeObserver(redraw).observe(canvas);
	onChange(changed);
	const thinned = files.filter(file => file.leftOut);
	if (thinned.length) section.append(el('p', { class: 'warn' }, thinned.map(file => `${grouped(file.leftOut)} calls shorter than ${timeText(file.shortest, file.frequency, file.clock)} are left out of this page.`).join(' ')));
	leftOut = el('p', { class: 'warn', hidden: true });
	section.append(leftOut);
	tellSampled(told);
	if (!files.some(file => file.sampled)) fetchAllGaps();
	redraw();
	return true;
}

// While some files are drawn of a sample: how far their indexes are.
export function tellSampled(told) {
	const done = told.filter(file => file.index === 'sampled').map(file => file.total ? Math.floor(100 * file.done / file.total) + ' %' : '…');
	const failed = told.filter((file, number) => file.index === 'none' && files.some(f => f.number === number && f.sampled));
	sampled.textContent = failed.length ? 'Sampled: not all of the calls could be read: ' + failed[0].why
		: done.length ? 'Sampled: some of the calls, until all are read (' + done.join(', ') + ')' : '';
	sampled.hidden = !sampled.textContent;
}

// Indexes are there whose files were drawn of a sample.
export function completeTimeline(told) {
	told.forEach((file, number) => { if (file.index === 'ready') completeFile(number, file); });
	tellSampled(told);
	fetchAllGaps();
	redraw();
}
