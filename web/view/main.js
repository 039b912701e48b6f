// SPDX-License-Identifier: Apache-2.0
// The page of `tracelathe view`: its panes, and what begins them.
import { makeAbout } from './about.js';
import { answers, ask } from './api.js';
import { drawCallers, makeCallers } from './callers.js';
import { watchChanges } from './changes.js';
import { copyText, paneText } from './copy.js';
import { drawCompare, makeCompare } from './compare.js';
import { Flame } from './flame.js';
import { drawFunctions, focusSearch, makeFunctions } from './functions.js';
import { drawGraph, makeGraph } from './graph.js';
import { makeInstructions } from './instructions.js';
import { profileOf, told, windowOf } from './profile.js';
import { makeListing } from './source.js';
import { addressKept, choose, fromAddress, onChange, restore, state, usual } from './state.js';
import { atRest, callText, clearTimeline, completeTimeline, mainFile, makeTimeline, redraw, tellSampled, timelineKey } from './timeline.js';
import { button, byId, bytes, el, eventName, grouped, hideTip, shortName } from './util.js';

const POLL = 100;

/* ---- the panes ---- */

function flamePane(pane) {
	const flame = new Flame('Flame graph');
	pane.append(flame.element);
	pane.textOf = () => flame.text();
	return async () => flame.show(await ask('/api/flame', { file: state.file, ...windowOf() }));
}

const drawn = draw => pane => { draw[0](pane); return draw[1]; };

// name, title, what makes it and gives the function that draws it
const PANES = [
	['functions', 'Functions', drawn([makeFunctions, drawFunctions])],
	['flame', 'Flame graph', flamePane],
	['callers', 'Callers', drawn([makeCallers, drawCallers])],
	['source', 'Source', pane => makeListing(pane, false)],
	['assembly', 'Assembly', pane => makeListing(pane, true)],
	['instructions', 'Instructions', makeInstructions],
	['graph', 'Call graph', drawn([makeGraph, drawGraph])],
	['compare', 'Compare', drawn([makeCompare, drawCompare])],
	['about', 'About', makeAbout],
];
const panes = new Map();
let working = 0;

function tabKey(event) {
	const names = [...panes.keys()], by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
	if (!by) return;
	const next = names[(names.indexOf(shownPane()) + by + names.length) % names.length];
	choose({ pane: next });
	panes.get(next).tab.focus();
}

function makePanes() {
	for (const [name, title, make] of PANES) {
		if (name === 'compare' && told.files.length < 2) continue;
		const pane = el('section', { role: 'tabpanel', id: 'pane-' + name, 'aria-labelledby': 'tab-' + name, tabindex: 0, hidden: true });
		const tab = el('button', { type: 'button', role: 'tab', id: 'tab-' + name, 'aria-controls': 'pane-' + name, onclick: () => choose({ pane: name }), onkeydown: tabKey }, title);
		byId('tabs').append(tab);
		byId('panes').append(pane);
		panes.set(name, { tab, pane, draw: make(pane) });
	}
}

const shownPane = () => panes.has(state.pane) ? state.pane : told.files.length > 1 ? 'compare' : 'functions';

async function drawPane() {
	const shown = shownPane();
	for (const [name, { tab, pane }] of panes) {
		pane.hidden = name !== shown;
		tab.setAttribute('aria-selected', name === shown);
		tab.tabIndex = name === shown ? 0 : -1;
	}
	working++;
	try {
		await panes.get(shown).draw();
		trouble('');
	} catch (error) {
		if (error.name !== 'AbortError') trouble(error.message);
	}
	working--;
	ready();
}

function trouble(text) {
	byId('trouble').textContent = text;
	byId('trouble').hidden = !text;
}

// For those who wait for the page, as tests do.
function ready() {
	document.documentElement.dataset.ready = String(!working && atRest() && addressKept());
}

async function copyPane() {
	const lines = await copyText(paneText(panes.get(shownPane()).pane));
	byId('copied').textContent = lines < 0 ? 'The browser does not allow to copy.' : `Copied ${grouped(lines)} lines.`;
	setTimeout(() => { byId('copied').textContent = ''; }, 3000);
}

/* ---- what is chosen, in words ---- */

function drawSelection() {
	const parts = [];
	if (state.fn) parts.push(el('span', { class: 'chip' }, 'Function ', el('b', { title: state.fn.name }, shortName(state.fn.name)), button('×', () => choose({ fn: null }), { 'aria-label': 'Choose no function' })));
	if (state.span) parts.push(el('span', { class: 'chip' }, 'Window ', el('b', {}, spanText()), button('×', () => choose({ span: null }), { 'aria-label': 'Choose no window' })));
	if (state.span && answers) parts.push(el('span', { class: 'warn' }, 'A page without a server has the profile of all: the panes below are not of the window.'));
	byId('selection').replaceChildren(...parts);
	byId('selection').hidden = !parts.length;
}

function spanText() {
	const file = mainFile();
	return file ? `${callText(file, state.span.to - state.span.from)} from ${callText(file, state.span.from)}` : '';
}

/* ---- the head ---- */

function drawHead() {
	const names = told.files.map(file => file.paths.length > 1 ? `${file.paths[0]} and ${file.paths.length - 1} more` : file.paths[0]);
	byId('title').textContent = names.map(name => name.split('/').pop()).join(' → ');
	byId('title').title = names.join(', ');
	document.title = byId('title').textContent + ' – tracelathe';
	byId('facts').textContent = told.files.map(file => [file.format, file.bytes ? bytes(file.bytes) : '', file.written].filter(Boolean).join(' · ')).join('  |  ');
	byId('file-choice').hidden = told.files.length < 2;
	byId('file').replaceChildren(...names.map((name, i) => el('option', { value: i }, name.split('/').pop())));
	byId('file').onchange = () => choose({ file: +byId('file').value });
}

async function drawEvents() {
	const profile = await profileOf().catch(() => null);
	if (!profile) return;
	byId('event-choice').hidden = profile.events.length < 2;
	byId('event-choice').title = profile.emulated ? "An emulator ran the program: times are the emulator's" : '';
	byId('event').replaceChildren(...profile.events.map((event, i) => el('option', { value: i, title: event.long || event.name }, eventName(event, profile.frequency))));
	if (profile.first_event !== usual.event) {
		const asUsual = state.event === usual.event && !/event=/.test(location.hash);
		usual.event = profile.first_event;
		if (asUsual) choose({ event: usual.event });
	}
	byId('event').value = Math.min(state.event, profile.events.length - 1);
	byId('event').onchange = () => choose({ event: +byId('event').value });
	byId('file').value = state.file;
}

const THEMES = { '': ['◐', 'as the system has it'], light: ['☀', 'light'], dark: ['☾', 'dark'] };

function drawTheme(theme) {
	if (theme) document.documentElement.dataset.theme = theme;
	else delete document.documentElement.dataset.theme;
	byId('theme').textContent = THEMES[theme][0];
	byId('theme').title = 'Colours: ' + THEMES[theme][1];
}

function makeTheme() {
	const order = ['', 'light', 'dark'];
	let theme = '';
	drawTheme(theme);
	byId('theme').onclick = () => {
		theme = order[(order.indexOf(theme) + 1) % order.length];
		drawTheme(theme);
		redraw();
		drawPane();
	};
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { redraw(); drawPane(); });
}

/* ---- keys ---- */

const HELP = [['W S, wheel', 'zoom the timeline'], ['A D, shift and wheel', 'move along it'], ['drag', 'measure, and choose a window of time'], ['shift and drag', 'move the timeline'],
	['alt and wheel, ↑ ↓', 'scroll through the threads'], ['click', 'choose a call and its function'], ['double click', 'fit a call'], ['N P', 'next and previous call of the function'], ['E', 'next event'], ['G', 'next place where records are missing'], ['F', 'fit the window or call'], ['0', 'show all'],
	['1 to 9', 'the panes'], ['/', 'filter functions'], ['C', 'copy the pane as text'], ['arrows, Enter', 'move in the flame graph, zoom into a frame'], ['Esc', 'choose nothing'], ['?', 'this list']];

function showHelp() {
	const dialog = byId('help');
	dialog.replaceChildren(el('h2', {}, 'Keys'), el('dl', {}, ...HELP.flatMap(([key, text]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, text)])), button('Close', () => dialog.close()));
	dialog.showModal();
}

function escape() {
	hideTip();
	clearTimeline();
	choose({ fn: null, span: null, at: null });
}

function key(event) {
	if (event.target.matches('input, select, textarea') || byId('help').open) {
		if (event.key === 'Escape' && event.target.blur) event.target.blur();
		return;
	}
	if (event.ctrlKey || event.metaKey || event.altKey) return;
	const number = /^[1-9]$/.test(event.key) ? [...panes.keys()][+event.key - 1] : null;
	if (number) choose({ pane: number });
	else if (event.key === '/') { choose({ pane: 'functions' }); focusSearch(); }
	else if (event.key === '?') showHelp();
	else if (event.key === 'c') copyPane();
	else if (event.key === 'Escape') escape();
	else if (!timelineKey(event)) return;
	event.preventDefault();
}

/* ---- the height of the timeline ---- */

const LEAST_HEIGHT = 90, OTHERS = 160; // pixels: of the timeline, and for what is around it

function makeSplitter() {
	const splitter = byId('splitter'), section = byId('timeline');
	const tell = () => {
		for (const [key, value] of [['min', LEAST_HEIGHT], ['now', section.clientHeight], ['max', Math.max(innerHeight - OTHERS, LEAST_HEIGHT)]])
			splitter.setAttribute('aria-value' + key, Math.round(value));
	};
	const set = height => {
		section.style.height = Math.min(Math.max(height, LEAST_HEIGHT), innerHeight - OTHERS) + 'px';
		tell();
		redraw();
	};
	new ResizeObserver(tell).observe(section);
	tell();
	splitter.addEventListener('pointerdown', event => splitter.setPointerCapture(event.pointerId));
	splitter.addEventListener('pointermove', event => { if (splitter.hasPointerCapture(event.pointerId)) set(event.clientY - section.getBoundingClientRect().top); });
	splitter.addEventListener('keydown', event => {
		const by = { ArrowUp: -30, ArrowDown: 30 }[event.key];
		if (by) set(section.clientHeight + by);
	});
}

/* ---- begin ---- */

const indexing = () => told.files.filter(file => file.index === 'busy');

function drawProgress() {
	const done = indexing().map(file => file.total ? Math.floor(100 * file.done / file.total) + ' %' : bytes(file.done));
	byId('timeline').hidden = false;
	byId('timeline').replaceChildren(el('p', { class: 'progress', role: 'status' }, `Reading calls for the timeline … ${done.join(', ')}`));
}

async function waitForIndex() {
	while (indexing().length) {
		drawProgress();
		await new Promise(done => setTimeout(done, POLL));
		Object.assign(told, await ask('/api/state', {}, { again: true }));
	}
	if (await makeTimeline(told.files)) makeSplitter();
	else byId('timeline').hidden = true;
	if (sampled()) complete();
	byId('timeline').classList.toggle('whole', told.files.length > 0);
	for (const [i, file] of told.files.entries()) if (file.index === 'none') byId('facts').textContent += `  |  no timeline${told.files.length > 1 ? ' of file ' + (i + 1) : ''}: ${file.why}`;
}

const sampled = () => told.files.some(file => file.index === 'sampled');

// What was drawn of a sample is drawn again once the index is there.
async function complete() {
	working++;
	while (sampled()) {
		await new Promise(done => setTimeout(done, POLL));
		Object.assign(told, await ask('/api/state', {}, { again: true }));
		tellSampled(told.files);
	}
	completeTimeline(told.files);
	drawPane();
	working--;
}

async function begin() {
	makeTheme();
	byId('help-button').onclick = showHelp;
	byId('copy').onclick = copyPane;
	addEventListener('keydown', key);
	Object.assign(told, await ask('/api/state', {}, { again: true }));
	Object.assign(state, fromAddress());
	if (state.file >= told.files.length) state.file = 0;
	drawHead();
	makePanes();
	onChange(changed => {
		if (changed.size > 1 || !changed.has('view')) drawPane();
		if (changed.has('file') || changed.has('span')) drawEvents();
		drawSelection();
	});
	working++;
	const shown = drawPane();
	await waitForIndex();
	await Promise.all([shown, drawEvents()]);
	drawSelection();
	drawPane();
	working--;
	setInterval(ready, 50);
	watchChanges();
}

addEventListener('hashchange', restore);
begin().catch(error => trouble(error.message));
