// SPDX-License-Identifier: Apache-2.0
// Source lines and instructions of the chosen function with their costs, calls and jumps: what `annotate` tells.
import { ask } from './api.js';
import { drawArrows, jumpsOf, widthOf } from './arrows.js';
import { offered } from './offer.js';
import { numberOf, profileOf, windowOf } from './profile.js';
import { choose, state } from './state.js';
import { button, cost, el, grouped, percent, shortName } from './util.js';

const MOST_LINES = 5000;

// The event of the answer that is shown, in the unit that the profile knows of it.
function pick(answer, profile) {
	const name = answer.events[Math.min(state.event, answer.events.length - 1)];
	const event = profile.events.find(known => known.name === name) || { name, unit: '' };
	return { name, event, frequency: answer.frequency, total: answer.total[name] };
}

const money = (value, e) => value ? cost(value, e.event, e.frequency) : '';

/* ---- what stands at a line ---- */

function remarkText(remark, e, line) {
	if (remark.kind === 'call') {
		const name = shortName(remark.function);
		return el('span', { class: 'remark' }, '→ ', button(name, () => choose({ fn: { name: remark.function, object: remark.object, source: remark.file } }), { class: 'link', title: remark.function }),
			` ×${grouped(remark.calls)} ${money(remark.inclusive[e.name], e)}`);
	}
	const to = remark.address && remark.address !== '0x0' && line.address !== undefined ? remark.address : 'line ' + remark.line;
	const how = remark.conditional ? `taken ${grouped(remark.taken)} of ${grouped(remark.executed)}` : '×' + grouped(remark.executed);
	return el('span', { class: 'remark jump' }, `↷ ${to} ${how}`);
}

function lineRow(line, e) {
	const self = line.remarks.filter(r => r.kind === 'self').reduce((sum, r) => sum + r.cost[e.name], 0);
	const others = line.remarks.filter(r => r.kind !== 'self'), bar = el('i', { class: 'bar' });
	bar.style.width = Math.max(0, Math.min(100, 100 * self / (e.total || 1))) + '%';
	const text = line.address !== undefined ? line.code : line.source;
	return el('tr', { class: self ? '' : 'cold', 'data-address': line.address || null },
		el('td', { class: 'share' }, bar, el('span', {}, money(self, e)), el('small', {}, self ? percent(self, e.total) : '')),
		el('td', { class: 'place' }, line.address !== undefined ? line.address : line.line === null ? '?' : String(line.line)),
		el('td', { class: 'code' }, el('code', {}, text === null || text === undefined ? '' : text), ...others.map(r => remarkText(r, e, line))));
}

function listing(title, lines, e, note, whole = title) {
	const cut = lines.slice(0, MOST_LINES), jumps = lines.length && lines[0].address !== undefined ? jumpsOf(cut) : [];
	const table = el('table', { class: 'listing', 'aria-label': title }, el('thead', {}, el('tr', {}, ...['Self', lines.length && lines[0].address !== undefined ? 'Address' : 'Line', 'Code'].map(text => el('th', { scope: 'col' }, text)))),
		el('tbody', {}, ...cut.map(line => lineRow(line, e))));
	const stage = el('div', { class: 'with-arrows' }, table);
	if (jumps.length) {
		stage.style.paddingLeft = widthOf(jumps) + 'px';
		drawArrows(stage, table, jumps);
	}
	return el('section', {}, el('h3', { title: whole }, title), note ? el('p', { class: 'faint' }, note) : null, stage,
		lines.length > cut.length ? el('p', { class: 'faint' }, `${grouped(lines.length - cut.length)} more lines are left out.`) : null);
}

/* ---- the two panes ---- */

const OF_SOURCES = [['unreadable', 'is in sources that cannot be read'], ['unknown', 'has no known place in a source']];
const OF_CODE = [['unreadable', 'is in code that is not at hand (--binary names programs)'], ['unknown', 'has no known address']];

function leftOver(answer, e, reasons) {
	return reasons.filter(([key]) => answer[key] && answer[key][e.name]).map(([key, why]) => el('p', { class: 'faint' }, `${money(answer[key][e.name], e)} (${percent(answer[key][e.name], e.total)}) ${why}.`));
}

const nothing = text => el('p', { class: 'faint' }, text);

function drawSource(answer, profile) {
	const e = pick(answer, profile), unread = file => file.found === null ? 'The file cannot be read: lines are shown without their text (--source-dir names folders).' : file.found === file.file ? '' : 'Read from ' + file.found;
	const list = answer.files.map(file => listing(file.file, file.lines, e, unread(file)));
	return list.length ? [...list, ...leftOver(answer, e, OF_SOURCES)] : [nothing('No source line of it has a cost. Costs of traces of calls stand at functions; --binary with debug information names lines.'), ...leftOver(answer, e, OF_SOURCES)];
}

function drawAssembly(answer, profile) {
	const e = pick(answer, profile), list = answer.functions.map(f => listing(shortName(f.function) + (f.object ? ' · ' + f.object : ''), f.instructions, e, '', f.function));
	return list.length ? [...list, ...leftOver(answer, e, OF_CODE)] : [nothing('No instruction of it has a cost. Instructions are known of Intel PT, of xtrace, and of Callgrind with --dump-instr=yes.'), ...leftOver(answer, e, OF_CODE)];
}

// A table of very many functions leaves some out.
const isKnown = profile => profile.functions_left_out > 0 || numberOf(profile, state.fn) >= 0;

export function makeListing(pane, assembly) {
	const box = el('div', { class: 'listings' });
	let wanted = '';
	pane.append(box);
	return async () => {
		const key = JSON.stringify([state.fn, state.file, state.span, state.event]);
		if (key === wanted) return;
		wanted = key;
		if (!state.fn) {
			const list = offered(await profileOf());
			if (wanted === key) box.replaceChildren(list);
			return;
		}
		box.replaceChildren(nothing('Reading …'));
		try {
			const profile = await profileOf();
			if (!isKnown(profile)) throw Error('The chosen function is not in this profile.');
			const answer = await ask('/api/annotate', { file: state.file, name: state.fn.name, object: state.fn.object || undefined, assembly: assembly ? 1 : 0, ...windowOf() });
			if (wanted === key) box.replaceChildren(...(assembly ? drawAssembly : drawSource)(answer, profile));
		} catch (error) {
			if (wanted !== key) return;
			wanted = '';
			box.replaceChildren(nothing(error.message));
		}
	};
}
