// SPDX-License-Identifier: Apache-2.0
// Two files: what changed from the first to the second, as a table and as a flame graph in colours.
import { ask } from './api.js';
import { told } from './profile.js';
import { Flame } from './flame.js';
import { choose, sameFunction, state } from './state.js';
import { button, cost, el, eventName, grouped, matcher, several, shortName, signed } from './util.js';

const ROWS_AT_ONCE = 300;
let table, flame, rowsText, more;
const look = { term: '', inclusive: false, shown: ROWS_AT_ONCE };

// Samples count no calls.
const countsCalls = answer => answer.rows.some(row => row.calls && (row.calls.before || row.calls.after));

function rowOf(row, event, unit, frequency, withCalls) {
	const c = row.costs[event], fn = { name: row.function, object: row.object, source: row.file };
	const money = n => cost(n, { unit }, frequency), state_ = row.state === 'changed' ? '' : row.state;
	return el('tr', { class: sameFunction(fn, state.fn) ? 'chosen' : '' }, el('th', { scope: 'row', class: 'words' }, button(shortName(row.function), () => choose({ fn }), { class: 'name', title: row.function })),
		el('td', {}, money(c.before)), el('td', {}, money(c.after)), el('td', { class: c.change > 0 ? 'worse' : c.change < 0 ? 'better' : '' }, signed(c.change, money(c.change))),
		el('td', {}, state_ || (c.percent === null || c.percent === undefined ? '' : signed(c.percent, c.percent.toFixed(2) + '\u202f%'))),
		...(withCalls ? ['before', 'after'].map(side => el('td', {}, row.calls ? grouped(row.calls[side]) : '')) : []));
}

// Ticks of clocks that run at one rate have it.
function frequencyOf() {
	const rates = told.files.map(file => file.frequency);
	return rates[0] === rates[1] ? rates[0] : 0;
}

async function drawTable() {
	const answer = await ask('/api/diff', { inclusive: look.inclusive ? 1 : 0 });
	const events = Object.keys(answer.total), event = events[Math.min(state.event, events.length - 1)], test = matcher(look.term) || (() => false);
	const rows = answer.rows.filter(row => test(row.function)).sort((a, b) => Math.abs(b.costs[event].change) - Math.abs(a.costs[event].change));
	const withCalls = countsCalls(answer), heads = ['Function', 'Before', 'After', 'Change', 'Percent', ...(withCalls ? ['Calls before', 'Calls after'] : [])];
	table.replaceChildren(el('thead', {}, el('tr', {}, ...heads.map((text, n) => el('th', { scope: 'col', class: n ? '' : 'words' }, text)))),
		el('tbody', {}, ...rows.slice(0, look.shown).map(row => rowOf(row, event, answer.units[event], frequencyOf(), withCalls))));
	const sum = answer.total[event], money = n => cost(n, { unit: answer.units[event] }, frequencyOf());
	rowsText.textContent = `${several(rows.length, 'function')} · ${eventName({ name: event, unit: answer.units[event] }, frequencyOf())} ${money(sum.before)} before, ${money(sum.after)} after`;
	more.hidden = rows.length <= look.shown;
}

export async function drawCompare() {
	const data = ask('/api/flame', { baseline: 1, file: 1 });
	await drawTable();
	flame.show(await data);
}

export function makeCompare(pane) {
	table = el('table', { 'aria-label': 'Differences' });
	rowsText = el('output', { 'aria-live': 'polite' });
	more = button('Show more', () => { look.shown += 1000; drawTable(); }, { class: 'more' });
	flame = new Flame('Flame graph of the second file, coloured by the change');
	const search = el('input', { type: 'search', placeholder: 'Filter functions', 'aria-label': 'Filter differences', autocomplete: 'off', oninput: () => { look.term = search.value; drawTable(); } });
	const kind = button('Inclusive', () => { look.inclusive = !look.inclusive; kind.setAttribute('aria-pressed', look.inclusive); drawTable(); }, { 'aria-pressed': 'false' });
	pane.append(el('p', { class: 'faint' }, `${told.files[0].paths[0]} → ${told.files[1].paths[0]}`),
		el('div', { class: 'tools' }, search, kind, rowsText), el('div', { class: 'wide half', tabindex: '0', role: 'region', 'aria-label': 'Table of differences' }, table, more), flame.element);
}
