// SPDX-License-Identifier: Apache-2.0
// What a pane of one function shows while none is chosen that it could be of: those that cost most, to choose from.
import { eventOf, fnOf } from './profile.js';
import { choose, state } from './state.js';
import { button, el, percent, shortName } from './util.js';

const OFFERED = 12;

export function offered(profile) {
	const e = eventOf(profile), self = i => profile.functions.self[e][i];
	const list = e < 0 ? [] : Array.from({ length: profile.count }, (_, i) => i).sort((a, b) => self(b) - self(a) || a - b).slice(0, OFFERED);
	const why = state.fn ? 'The chosen function is not in this profile.' : 'No function is chosen.';
	return el('section', {}, el('p', { class: 'faint' }, list.length ? why + ' Those with the highest cost of their own:' : why),
		el('ol', { class: 'offer' }, ...list.map(i => el('li', {}, button(shortName(profile.functions.name[i]), () => choose({ fn: fnOf(profile, i) }), { class: 'link', title: profile.functions.name[i] }),
			el('small', { class: 'faint' }, ' ' + percent(self(i), profile.events[e].total))))));
}
