// SPDX-License-Identifier: Apache-2.0
// The table of functions, and how long the calls of the chosen one took.
import { ask } from './api.js';
import { enclosed, enclosedDurations } from './calls.js';
import { eventOf, fnOf, hasCalls, numberOf, placeText, profileOf, told } from './profile.js';
import { choose, state } from './state.js';
import { files as timelines, lastTick } from './tracks.js';
import { showCall } from './timeline.js';
import { timeText } from './timeline-draw.js';
import { button, cost, duration, el, eventName, grouped, matcher, percent, several, shortName, svg } from './util.js';

const ROWS_AT_ONCE = 300;
const look = { sort: 'self', down: true, term: '', shown: ROWS_AT_ONCE };
const DURATIONS = ['min', 'median', 'p90', 'p99', 'max', 'sum'];
let table, rowsText, detail, more, search;

/* ---- the columns: name, text of a cell, what it sorts by ---- */

function columnsOf(profile) {
	const { functions } = profile, e = eventOf(profile), event = profile.events[e];
	const money = n => cost(n, event, profile.frequency);
	const list = [
		{ key: 'function', text: i => shortName(functions.name[i]), by: i => functions.name[i], name: true },
		{ key: 'self', text: i => money(functions.self[e][i]), by: i => functions.self[e][i], share: true },
		{ key: 'inclusive', text: i => money(functions.inclusive[e][i]), by: i => functions.inclusive[e][i], share: true },
	];
	if (hasCalls(profile)) list.push({ key: 'calls', text: i => grouped(functions.calls[i]), by: i => functions.calls[i] });
	if (functions.unfinished.some(n => n)) list.push({ key: 'unfinished', title: () => 'Calls whose end is not in the trace, or not in the window', text: i => functions.unfinished[i] ? grouped(functions.unfinished[i]) : '', by: i => functions.unfinished[i] });
	if (profile.timed)
		DURATIONS.forEach((key, n) => {
			const value = i => functions.durations[i] ? functions.durations[i][n + 1] : -1;
			list.push({ key, by: value, text: i => value(i) < 0 ? '' : profile.frequency ? duration(value(i) / profile.frequency) : grouped(value(i)) });
		});
	if (functions.object.some(text => text)) list.push({ key: 'object', text: i => functions.object[i].split('/').pop(), by: i => functions.object[i], title: i => functions.object[i], words: true });
	if (functions.file.some(text => text)) list.push({ key: 'source', text: i => placeText(profile, i).split('/').slice(-2).join('/'), by: i => placeText(profile, i), title: i => placeText(profile, i), words: true });
	return list;
}

function compare(a, b) {
	return typeof a === 'string' ? (a < b ? -1 : a > b ? 1 : 0) : a - b;
}

function order(profile, columns) {
	const test = matcher(look.term) || (() => false), column = columns.find(c => c.key === look.sort) || columns[1];
	const list = [];
	for (let i = 0; i < profile.count; i++) if (test(profile.functions.name[i])) list.push(i);
	const sign = look.down ? -1 : 1;
	const names = profile.functions.name;
	return list.sort((a, b) => sign * compare(column.by(a), column.by(b)) || compare(names[a], names[b]) || a - b);
}

/* ---- rows ---- */

function head(columns) {
	return el('tr', {}, ...columns.map(c => el('th', { scope: 'col', class: c.name || c.words ? 'words' : '', 'aria-sort': c.key === look.sort ? (look.down ? 'descending' : 'ascending') : 'none' },
		button(c.key[0].toUpperCase() + c.key.slice(1), () => {
			look.down = c.key === look.sort ? !look.down : !(c.name || c.words);
			look.sort = c.key;
			drawFunctions();
		}))));
}

function cell(column, profile, i) {
	const text = column.text(i), title = column.title ? column.title(i) : null;
	if (column.name) {
		const fn = fnOf(profile, i);
		return el('th', { scope: 'row', class: 'words' }, button(text, () => choose({ fn }), { class: 'name', title: profile.functions.name[i] }));
	}
	if (!column.share) return el('td', { class: column.words ? 'words faint' : '', title }, text);
	const whole = profile.events[eventOf(profile)].total, value = column.by(i);
	const bar = el('i', { class: 'bar' });
	bar.style.width = Math.max(0, Math.min(100, 100 * value / (whole || 1))) + '%';
	return el('td', { class: 'share' }, bar, el('span', {}, text), el('small', {}, percent(value, whole)));
}

// What the columns of costs are of, and its sum.
function allText(profile) {
	const event = profile.events[eventOf(profile)];
	return event ? `${eventName(event, profile.frequency)} ${cost(event.total, event, profile.frequency)} in all` : 'no costs';
}

export async function drawFunctions() {
	const profile = await profileOf(), columns = columnsOf(profile), list = order(profile, columns);
	const chosen = numberOf(profile, state.fn);
	const rows = list.slice(0, look.shown).map(i => el('tr', { class: i === chosen ? 'chosen' : '', 'aria-selected': i === chosen ? 'true' : 'false', 'data-function': i }, ...columns.map(c => cell(c, profile, i))));
	table.replaceChildren(el('thead', {}, head(columns)), el('tbody', {}, ...rows));
	const left = profile.functions_left_out ? `; ${grouped(profile.functions_left_out)} that cost least are left out` : '';
	rowsText.textContent = matcher(look.term) ? `${grouped(list.length)} of ${several(profile.count, 'function')}${left} · ${allText(profile)}${chosen < 0 && profile.functions.calls.some(Boolean) ? ' · choose one to see its calls' : ''}` : 'That is no pattern.';
	more.hidden = list.length <= look.shown;
	more.textContent = `Show ${grouped(Math.min(list.length - look.shown, 1000))} more`;
	await drawDetail(profile, chosen);
}

/* ---- the chosen function ---- */

let detailOf = '';

function sums(profile, i) {
	const e = eventOf(profile), { functions } = profile, event = profile.events[e];
	const line = (name, value, share) => [el('dt', {}, name), el('dd', {}, value, share ? el('small', {}, ' ' + share) : '')];
	return el('dl', {}, ...line('Self', cost(functions.self[e][i], event, profile.frequency), percent(functions.self[e][i], event.total)),
		...line('Inclusive', cost(functions.inclusive[e][i], event, profile.frequency), percent(functions.inclusive[e][i], event.total)),
		...(hasCalls(profile) ? line('Calls', grouped(functions.calls[i])) : []), ...(functions.object[i] ? line('Object', functions.object[i]) : []),
		...(placeText(profile, i) ? line('Source', placeText(profile, i)) : []));
}

// Bars on a logarithmic axis: classes are [from, to, calls].
function histogram(classes, text) {
	const width = 320, height = 90, most = Math.max(...classes.map(c => c[2]));
	const at = n => Math.log2(n + 1), first = at(classes[0][0]), last = Math.max(at(classes[classes.length - 1][1]), first + 1);
	const x = n => (at(n) - first) / (last - first) * width;
	const bars = classes.map(([from, to, n]) => svg('rect', { x: x(from), y: height - Math.max(1.5, height * n / most), width: Math.max(x(to) - x(from) - 0.5, 1.5), height: Math.max(1.5, height * n / most) },
		svg('title', {}, `${text(from)} to ${text(to)}: ${grouped(n)} calls`)));
	return el('figure', {}, svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'histogram', role: 'img', 'aria-label': `Durations of calls from ${text(classes[0][0])} to ${text(classes[classes.length - 1][1])}` }, ...bars),
		el('figcaption', {}, el('span', {}, text(classes[0][0])), el('span', {}, 'duration of a call'), el('span', {}, text(classes[classes.length - 1][1]))));
}

function slowestList(answer, text, number) {
	return el('ol', { class: 'slowest' }, ...answer.slowest.slice(0, 25).map(c => el('li', {},
		button(text(c.duration), () => showCall(number, c.process, c.thread, c.start, c.duration, c.depth), { class: 'link', title: 'Show it in the timeline' }),
		el('span', { class: 'faint' }, ` thread ${c.thread}, at ${text(c.start)}`))));
}

function drawDurations(box, answer, { frequency, clock }, number) {
	const text = n => timeText(n, frequency, clock);
	if (!answer.finished) {
		box.replaceChildren(el('p', { class: 'faint' }, 'No call of it has an end in the trace.'));
		return;
	}
	const others = [answer.unfinished ? grouped(answer.unfinished) + ' unfinished' : '', answer.cut ? grouped(answer.cut) + ' without a begin or an end' : ''].filter(Boolean);
	box.replaceChildren(el('h4', {}, `Durations of ${several(answer.finished, 'call')}`), histogram(answer.classes, text),
		el('p', { class: 'faint' }, others.join(', ')), el('h4', {}, 'Slowest calls'), slowestList(answer, text, number));
}

async function drawDetail(profile, i) {
	const timeline = timelines.find(file => file.number === state.file);
	const key = JSON.stringify([state.fn, state.file, state.event, state.span]);
	if (key === detailOf) return;
	detailOf = key;
	detail.hidden = !state.fn;
	if (i < 0) {
		detail.replaceChildren(el('p', { class: 'faint' }, 'The chosen function is not in this profile.'));
		return;
	}
	const fn = fnOf(profile, i), box = el('div', { class: 'durations' });
	detail.replaceChildren(el('h3', { title: fn.name }, shortName(fn.name)), sums(profile, i), box);
	// Samples count no calls.
	if (!timeline || !(profile.functions.calls[i] || profile.functions.unfinished[i])) return;
	box.append(el('p', { class: 'faint' }, 'Reading calls …'));
	const window = state.span ? { from: Math.round(state.span.from * timeline.scale), to: Math.round(Math.min(state.span.to, lastTick()) * timeline.scale) } : {};
	try {
		const answer = enclosed ? await enclosedDurations(state.file, told.files[state.file].tracks, fn, window.from || 0, window.to || Infinity)
			: await ask('/api/durations', { file: state.file, name: fn.name, object: fn.object, source: fn.source, ...window });
		if (detailOf === key) drawDurations(box, answer, told.files[state.file], state.file);
	} catch (error) {
		if (detailOf !== key) return;
		detailOf = '';
		box.replaceChildren(el('p', { class: 'faint' }, error.message));
	}
}

/* ---- made ---- */

export function makeFunctions(pane) {
	table = el('table', { class: 'functions', 'aria-label': 'Functions' });
	rowsText = el('output', { 'aria-live': 'polite' });
	search = el('input', { type: 'search', id: 'function-search', placeholder: 'Filter functions', 'aria-label': 'Filter functions', autocomplete: 'off', spellcheck: 'false',
		title: 'Part of a name; "name" in quotes for the whole of it; /pattern/ for a regular expression', oninput: () => { look.term = search.value; look.shown = ROWS_AT_ONCE; drawFunctions(); } });
	detail = el('aside', { class: 'detail', 'aria-label': 'The chosen function', tabindex: '0' });
	more = button('', () => { look.shown += 1000; drawFunctions(); }, { class: 'more' });
	pane.append(el('div', { class: 'two' }, el('div', { class: 'grow' }, el('div', { class: 'tools' }, search, el('kbd', {}, '/'), rowsText), el('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Table of functions' }, table, more)), detail));
}

export function focusSearch() {
	search.focus();
	search.select();
}
