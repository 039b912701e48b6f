// SPDX-License-Identifier: Apache-2.0
// The chosen function between those that call it and those that it calls.
import { offered } from './offer.js';
import { eventOf, fnOf, graphOf, hasCalls, numberOf, placeText } from './profile.js';
import { choose, state } from './state.js';
import { button, cost, el, grouped, percent, shortName } from './util.js';

const MOST_ROWS = 500;
let box;

// Arcs of one function summed by the function at the other end, the costliest first.
export function neighbours(profile, i, side) {
	const e = eventOf(profile), { arcs } = profile, sums = new Map();
	for (const arc of side === 'callers' ? profile.callers[i] : profile.callees[i]) {
		const other = side === 'callers' ? arcs.caller[arc] : arcs.callee[arc];
		const sum = sums.get(other) || { other, calls: 0, inclusive: 0 };
		sum.calls += arcs.calls[arc];
		sum.inclusive += arcs.inclusive[e][arc];
		sums.set(other, sum);
	}
	return [...sums.values()].sort((a, b) => b.inclusive - a.inclusive || b.calls - a.calls || a.other - b.other);
}

function row(profile, entry, whole) {
	const event = profile.events[eventOf(profile)], bar = el('i', { class: 'bar' });
	bar.style.width = Math.max(0, Math.min(100, 100 * entry.inclusive / (whole || 1))) + '%';
	const name = entry.other < 0 ? el('span', { class: 'faint' }, '(from outside the trace)')
		: button(shortName(profile.functions.name[entry.other]), () => choose({ fn: fnOf(profile, entry.other) }), { class: 'name', title: profile.functions.name[entry.other] });
	return el('tr', {}, el('th', { scope: 'row', class: 'words' }, name),
		el('td', { class: 'share' }, bar, el('span', {}, cost(entry.inclusive, event, profile.frequency)), el('small', {}, percent(entry.inclusive, whole))),
		hasCalls(profile) ? el('td', {}, grouped(entry.calls)) : null);
}

function tableOf(profile, title, list, whole) {
	if (!list.length) return el('section', {}, el('h3', {}, title), el('p', { class: 'faint' }, 'None.'));
	return el('section', {}, el('h3', {}, `${title} (${grouped(list.length)})`),
		el('table', { 'aria-label': title }, el('thead', {}, el('tr', {}, ...['Function', 'Inclusive cost of these calls', 'Calls'].slice(0, hasCalls(profile) ? 3 : 2).map((text, n) => el('th', { scope: 'col', class: n ? '' : 'words' }, text)))),
			el('tbody', {}, ...list.slice(0, MOST_ROWS).map(entry => row(profile, entry, whole)))),
		list.length > MOST_ROWS ? el('p', { class: 'faint' }, `${grouped(list.length - MOST_ROWS)} more are left out.`) : null);
}

export async function drawCallers() {
	const profile = await graphOf(), i = numberOf(profile, state.fn);
	if (i < 0) {
		box.replaceChildren(offered(profile));
		return;
	}
	const e = eventOf(profile), inclusive = profile.functions.inclusive[e][i], event = profile.events[e];
	box.replaceChildren(tableOf(profile, 'Callers', neighbours(profile, i, 'callers'), inclusive),
		el('section', { class: 'middle' }, el('h3', { title: profile.functions.name[i] }, profile.functions.name[i]),
			el('p', {}, `${cost(inclusive, event, profile.frequency)} inclusive, ${cost(profile.functions.self[e][i], event, profile.frequency)} self${hasCalls(profile) ? `, ${grouped(profile.functions.calls[i])} calls` : ''}`),
			el('p', { class: 'faint' }, [profile.functions.object[i], placeText(profile, i)].filter(Boolean).join(' · '))),
		tableOf(profile, 'Callees', neighbours(profile, i, 'callees'), inclusive));
	if (profile.arcs_left_out) box.append(el('p', { class: 'faint' }, `${grouped(profile.arcs_left_out)} calls between functions, those that cost least, are left out.`));
}

export function makeCallers(pane) {
	box = el('div', { class: 'callers' });
	pane.append(box);
}
