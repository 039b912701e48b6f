// SPDX-License-Identifier: Apache-2.0
// Asking the server. A page without one has its answers in itself, under the same addresses.

const token = new URLSearchParams(location.search).get('token') || '';
const enclosed = document.getElementById('answers');
export const answers = enclosed ? JSON.parse(enclosed.textContent) : null;

function address(path, parameters) {
	const list = Object.entries(parameters).filter(entry => entry[1] !== undefined && entry[1] !== null);
	return path + (list.length ? '?' + list.map(([key, value]) => key + '=' + encodeURIComponent(value)).join('&') : '');
}

async function fetchFrom(path, parameters, signal) {
	const response = await fetch(address(path, { ...parameters, token }), { signal, cache: 'no-store', credentials: 'omit' });
	if (response.ok) return response;
	let why = 'the server says ' + response.status;
	try {
		why = (await response.json()).error || why;
	} catch (error) { /* the answer was no JSON */ }
	throw new Error(why);
}

const kept = new Map(); // answers by address: promises
const asking = new Map(); // by path and file: the question that is not answered yet

// Whoever asks about another window or function no longer waits for the last one: the server is told by its absence.
function newest(path, parameters, key) {
	const of = path + (parameters.file || 0) + (parameters.table || ''), last = asking.get(of), controller = new AbortController();
	if (last && last.key !== key) last.controller.abort();
	asking.set(of, { key, controller });
	return controller.signal;
}

function fromEnclosed(key) {
	const answer = Object.hasOwn(answers, key) ? answers[key] : { error: 'A page without a server does not have this.' };
	return answer.error ? Promise.reject(new Error(answer.error)) : Promise.resolve(answer);
}

// JSON. The same question is asked once, unless it failed.
export function ask(path, parameters = {}, { again = false } = {}) {
	const key = address(path, parameters);
	if (answers) return fromEnclosed(key);
	if (!again && kept.has(key)) return kept.get(key);
	const answer = fetchFrom(path, parameters, again ? undefined : newest(path, parameters, key)).then(response => response.json());
	if (!again) {
		kept.set(key, answer);
		answer.catch(() => kept.delete(key));
		if (kept.size > 64) kept.delete(kept.keys().next().value);
	}
	return answer;
}

export async function askBytes(path, parameters) {
	return (await fetchFrom(path, parameters)).arrayBuffer();
}
