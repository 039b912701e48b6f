// SPDX-License-Identifier: Apache-2.0
// The instructions that a thread executed at the time of the cursor: what `dump --instructions` lists.
import { ask } from './api.js';
import { state } from './state.js';
import { callText } from './timeline.js';
import { files, tracks } from './tracks.js';
import { el, grouped } from './util.js';

const nothing = text => el('p', { class: 'faint' }, text);

// Two formats name the address differently; a line without one is no instruction.
const addressOf = line => line.pc || line.ip;

function lineRow(line, at, numbered) {
	const here = line.ordinal !== undefined && line.ordinal === at;
	return el('tr', { class: here ? 'chosen' : '', 'aria-current': here ? 'true' : null }, numbered ? el('td', {}, line.ordinal === undefined ? '' : grouped(line.ordinal)) : null,
		el('td', { class: 'place' }, addressOf(line)), el('td', { class: 'code' }, el('code', {}, line.text || '')));
}

function table(answer, at, title) {
	const rows = answer.lines.filter(addressOf), numbered = rows.some(line => line.ordinal !== undefined);
	const titles = [...(numbered ? ['Number'] : []), 'Address', 'Instruction'];
	return el('section', {}, el('h3', {}, title),
		el('table', { class: 'listing instructions', 'aria-label': title }, el('thead', {}, el('tr', {}, ...titles.map(text => el('th', { scope: 'col' }, text)))),
			el('tbody', {}, ...rows.map(line => lineRow(line, at, numbered)))),
		answer.cut ? nothing('There are more: choose a later time.') : null);
}

// What is wrong with an answer, '' if nothing is.
function trouble(answer, file) {
	const first = answer.lines.find(addressOf);
	if (!answer.lines.length) return 'No instruction is known from this time on.';
	if (!first) return 'This trace does not hold the instructions that were executed: Intel PT and xtrace do.';
	if (file.clock === 'instructions' && first.ordinal === undefined) return 'This trace has no times, so that its instructions cannot be listed from a time on.';
	return '';
}

async function contents({ track: index, ticks }) {
	const file = files.find(f => f.number === state.file), track = tracks.find(t => t.file === file && t.index === index);
	if (!track) return nothing('There is no such thread.');
	const answer = await ask('/api/instructions', { file: state.file, tracks: index, at: ticks }), why = trouble(answer, file);
	return why ? nothing(why) : table(answer, ticks, `Thread ${track.thread}, at ${callText(file, ticks / file.scale)}`);
}

export function makeInstructions(pane) {
	const box = el('div', { class: 'listings' });
	let wanted = '';
	pane.append(box);
	return async () => {
		// Threads are known when the index is there.
		const key = JSON.stringify([state.at, state.file, tracks.length]);
		if (key === wanted) return;
		wanted = key;
		if (!state.at) {
			box.replaceChildren(nothing(files.some(f => f.number === state.file) ? 'Click into the timeline: the instructions from that time on are listed here, of traces that hold them: Intel PT and xtrace.' : 'This input has no timeline. Instructions are listed of traces that hold them: Intel PT and xtrace.'));
			return;
		}
		box.replaceChildren(nothing('Reading …'));
		let shown;
		try {
			shown = await contents(state.at);
		} catch (error) {
			shown = nothing(error.message);
		}
		if (wanted !== key) return;
		box.replaceChildren(shown);
		const here = box.querySelector('[aria-current]');
		if (here) here.scrollIntoView({ block: 'center' });
	};
}
