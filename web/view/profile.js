// SPDX-License-Identifier: Apache-2.0
// The profile that the lower panes are of: of the chosen file, and of the chosen window where its clock is known.
import { answers, ask } from './api.js';
import { state } from './state.js';

export const told = { files: [] }; // as /api/state tells

// The window as the server takes it: ticks of the file, and seconds where the rate of its clock is known.
export function windowOf(number = state.file) {
	const file = told.files[number];
	if (!state.span || !file || file.index !== 'ready' || answers) return {};
	const scale = told.files[0].frequency && file.frequency ? file.frequency / told.files[0].frequency : 1;
	const from = Math.round(state.span.from * scale), to = Math.round(state.span.to * scale);
	return file.frequency ? { from, to, since: from / file.frequency, until: to / file.frequency } : { from, to };
}

function index(profile) {
	const { functions, arcs } = profile, n = functions.name.length;
	profile.count = n;
	profile.byKey = new Map();
	for (let i = 0; i < n; i++) profile.byKey.set(keyOf(functions.name[i], functions.object[i], functions.file[i]), i);
	const lists = ends => {
		const list = Array.from({ length: n }, () => []);
		for (let i = 0; i < ends.length; i++) if (ends[i] >= 0) list[ends[i]].push(i);
		return list;
	};
	if (arcs) {
		profile.callees = lists(arcs.caller);
		profile.callers = lists(arcs.callee);
	}
	return profile;
}

const keyOf = (name, object, file) => name + '\0' + object + '\0' + file;

const indexed = new WeakMap();
async function asked(number, parameters) {
	const profile = await ask('/api/profile', { file: number, ...windowOf(number), ...parameters });
	if (!indexed.has(profile)) indexed.set(profile, index(profile));
	return profile;
}

// The functions; a page without a server has one profile for all panes.
export const profileOf = (number = state.file) => asked(number, answers ? {} : { table: 1 });
// With the calls between functions, which may take much longer.
export const graphOf = (number = state.file) => asked(number, {});

export const fnOf = (profile, i) => ({ name: profile.functions.name[i], object: profile.functions.object[i], source: profile.functions.file[i] });

// The number of a function in a profile, -1: it is not there. By name alone where that is enough.
export function numberOf(profile, fn) {
	if (!fn) return -1;
	const exact = profile.byKey.get(keyOf(fn.name, fn.object, fn.source));
	return exact !== undefined ? exact : profile.functions.name.indexOf(fn.name);
}

// Samples count no calls.
export const hasCalls = profile => profile.functions.calls.some(Boolean) || profile.functions.unfinished.some(Boolean);

export const eventOf = profile => Math.min(state.event, profile.events.length - 1);

export function placeText(profile, i) {
	const file = profile.functions.file[i], line = profile.functions.line[i];
	return file && line ? file + ':' + line : file;
}
