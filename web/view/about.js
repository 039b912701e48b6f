// SPDX-License-Identifier: Apache-2.0
// What the files are, what of them is damaged, and what the profile could not account for.
import { ask } from './api.js';
import { profileOf, told } from './profile.js';
import { bytes, el, grouped, several } from './util.js';

const MOST_ENTRIES = 10;
const LOSSES = {
	orphan_exits: 'exits without an entry, dropped', deduced_exits: 'calls closed because one further out ended', unfinished: 'calls still open at the end',
	time_reversals: 'steps back of the clock, counted as no time', gaps: 'places where records are missing', skipped_bytes: 'bytes that no record was made of',
	skipped_records: 'records skipped', saturated: 'sums that did not fit 64 bits', left_calls: 'calls closed because they cannot have made the next one',
	gap_ends: 'calls that ended where records are missing', bridged: 'calls taken to go on across missing records', uncertain: 'calls that a caller further out may have made',
};

function value(v) {
	if (v === null) return el('span', { class: 'faint' }, '–');
	if (Array.isArray(v)) return v.length && typeof v[0] === 'object' ? entries(v) : v.length ? v.join(', ') : el('span', { class: 'faint' }, 'none');
	if (typeof v === 'object') return facts(v);
	if (typeof v === 'number') return Number.isInteger(v) ? grouped(v) : String(v);
	return String(v);
}

// Those that are alike are shown until there are many.
function entries(list) {
	const left = list.length - MOST_ENTRIES;
	return el('div', {}, ...list.slice(0, MOST_ENTRIES).map(facts), left > 0 ? el('p', { class: 'faint' }, several(left, 'entry') + ' more') : null);
}

function facts(object) {
	return el('dl', { class: 'facts' }, ...Object.entries(object).flatMap(([key, v]) => [el('dt', {}, key.replaceAll('_', ' ')), el('dd', {}, value(v))]));
}

function damage(answer, file) {
	const rows = answer.damage.filter(place => !place.remark);
	if (!answer.damaged_places && !answer.damage.length) return el('p', {}, 'Nothing of it is damaged.');
	return el('div', {}, el('p', { class: rows.length ? 'warn' : '' }, `${several(answer.damaged_places, 'place')}, ${bytes(answer.skipped_bytes)} skipped.`),
		el('table', { 'aria-label': 'Damaged places' }, el('thead', {}, el('tr', {}, ...['Offset', 'Bytes', 'What'].map((text, n) => el('th', { scope: 'col', class: n > 1 ? 'words' : '' }, text)))),
			el('tbody', {}, ...answer.damage.slice(0, 200).map(place => el('tr', {}, el('td', {}, place.offset === undefined ? '' : '0x' + place.offset.toString(16)), el('td', {}, grouped(place.length)),
				el('td', { class: 'words' }, (place.remark ? 'Remark: ' : '') + place.text + (place.path && place.path !== file.paths[0] ? ' (' + place.path + ')' : '')))))));
}

function losses(profile) {
	const rows = Object.entries(profile.losses).filter(([, n]) => n);
	return rows.length ? el('ul', {}, ...rows.map(([key, n]) => el('li', {}, `${grouped(n)} ${LOSSES[key] || key}`))) : el('p', {}, 'None.');
}

function timeline(file) {
	if (file.index === 'ready') return el('p', {}, `${grouped(file.tracks.reduce((sum, t) => sum + t.calls, 0))} calls on ${several(file.tracks.length, 'track')}; the index takes ${bytes(file.tracks.reduce((sum, t) => sum + t.index_bytes, 0))}.`);
	return el('p', { class: 'faint' }, file.index !== 'none' ? 'The index is being made.' : file.why);
}

async function card(file, number) {
	const box = el('section', { class: 'about-file' }, el('h3', {}, file.paths.join(', ')),
		el('p', {}, `${file.format}: ${file.help}`), el('p', { class: 'faint' }, [file.bytes ? bytes(file.bytes) : '', file.written].filter(Boolean).join(', written ')));
	const part = (title, ...children) => box.append(el('h4', {}, title), ...children);
	part('Timeline', timeline(file));
	try {
		const [answer, profile] = await Promise.all([ask('/api/info', { file: number }), profileOf(number)]);
		part('Damage', damage(answer, file));
		part('Losses of the profile', losses(profile));
		if (profile.emulated) part('Times', el('p', {}, "An emulator ran the program: times are the emulator's."));
		if (profile.estimated) part('Paths', el('p', {}, 'This input has no call stacks: paths are estimated from callers and callees.'));
		part('What tracelathe info tells', facts(answer.info));
	} catch (error) {
		part('Trouble', el('p', { class: 'warn' }, error.message));
	}
	return box;
}

export function makeAbout(pane) {
	const box = el('div', { class: 'about' });
	let drawn = false;
	pane.append(box);
	return async () => {
		if (drawn) return;
		drawn = true;
		const cards = await Promise.all(told.files.map(card));
		box.replaceChildren(...cards, el('p', { class: 'faint' }, `tracelathe ${told.version}`));
	};
}
