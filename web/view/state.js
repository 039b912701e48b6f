// SPDX-License-Identifier: Apache-2.0
// What is chosen: one selection, which all panes show and which the address of the page keeps.
//
//   pane      which of the lower panes is shown
//   file      number of the file that they are of
//   event     number of the event
//   fn        { name, object, source } of the chosen function, or null
//   span      { from, to } the chosen window of time, in ticks of the file; null: all of it
//   at        { track, ticks } the cursor: a track of the file by number, ticks of the file; or null
//   view      { from, to } what the timeline shows; null: all of it

// The event that is shown where the address names none.
export const usual = { event: 0 };

export const state = { pane: '', file: 0, event: 0, fn: null, at: null, span: null, view: null };

const listeners = [];
// Call back with the names of what has changed, as a Set.
export function onChange(listener) {
	listeners.push(listener);
}

export function sameFunction(a, b) {
	return a === b || Boolean(a && b && a.name === b.name && a.object === b.object && a.source === b.source);
}

const sameSpan = (a, b) => a === b || Boolean(a && b && a.from === b.from && a.to === b.to);
const samePlace = (a, b) => a === b || Boolean(a && b && a.track === b.track && a.ticks === b.ticks);
const SAME = { fn: sameFunction, at: samePlace, span: sameSpan, view: sameSpan };

/* ---- the address ---- */

function write(parameters, key, span) {
	if (span) parameters.set(key, Math.round(span.from) + '-' + Math.round(span.to));
}

function read(parameters, key) {
	const parts = /^(\d{1,16})-(\d{1,16})$/.exec(parameters.get(key) || '');
	return parts && +parts[1] < +parts[2] ? { from: +parts[1], to: +parts[2] } : null;
}

function readPlace(parameters) {
	const parts = /^(\d{1,9})-(\d{1,16})$/.exec(parameters.get('at') || '');
	return parts ? { track: +parts[1], ticks: +parts[2] } : null;
}

function toAddress() {
	const parameters = new URLSearchParams();
	if (state.pane) parameters.set('pane', state.pane);
	if (state.file) parameters.set('file', state.file);
	if (state.event !== usual.event) parameters.set('event', state.event);
	if (state.fn) {
		parameters.set('name', state.fn.name);
		if (state.fn.object) parameters.set('object', state.fn.object);
		if (state.fn.source) parameters.set('source', state.fn.source);
	}
	if (state.at) parameters.set('at', state.at.track + '-' + state.at.ticks);
	write(parameters, 'span', state.span);
	write(parameters, 'view', state.view);
	return '#' + parameters;
}

export function fromAddress() {
	const parameters = new URLSearchParams(location.hash.slice(1));
	const name = parameters.get('name');
	return {
		pane: parameters.get('pane') || '',
		file: parameters.get('file') === '1' ? 1 : 0,
		event: Math.min(+(/^\d{1,3}$/.exec(parameters.get('event') || '') || [usual.event])[0], 999),
		fn: name ? { name, object: parameters.get('object') || '', source: parameters.get('source') || '' } : null,
		at: readPlace(parameters),
		span: read(parameters, 'span'),
		view: read(parameters, 'view'),
	};
}

/* ---- changes ---- */

let later = 0;

export const addressKept = () => !later;

function keepAddress(step) {
	clearTimeout(later);
	later = 0;
	if (step) history.pushState(null, '', toAddress());
	else later = setTimeout(() => {
		later = 0;
		history.replaceState(null, '', toAddress());
	}, 250);
}

function apply(changes) {
	const changed = new Set();
	for (const [key, value] of Object.entries(changes))
		if (!(SAME[key] || Object.is)(state[key], value)) {
			state[key] = value;
			changed.add(key);
		}
	return changed;
}

// Change what is chosen. What the timeline shows is no step of its own to go back to.
export function choose(changes) {
	const changed = apply(changes);
	if (!changed.size) return;
	keepAddress(changed.size > 1 || !changed.has('view'));
	for (const listener of listeners) listener(changed);
}

export function restore() {
	const changed = apply(fromAddress());
	if (changed.size) for (const listener of listeners) listener(changed);
}

addEventListener('popstate', restore);
