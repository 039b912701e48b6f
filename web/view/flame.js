// SPDX-License-Identifier: Apache-2.0
// A flame graph or icicle on a canvas, of flat arrays (src/export/flame/page_data.c says which).
import { choose, sameFunction, state } from './state.js';
import { button, colourVariable, cost, dark, el, fitted, grouped, hideTip, matcher, nameColour, percent, shortName, showTip, signed } from './util.js';

const CELL = 19;

/* ---- sums: self and inclusive cost of each frame, from the last to the first ---- */

function sums(data, event, column) {
	const { frames, cells } = data, n = frames.parent.length;
	const self = new Float64Array(n), inclusive = new Float64Array(n), width = new Float64Array(n), calls = new Float64Array(n);
	for (let i = 0; i < cells.frame.length; i++) {
		if (column !== -1 && cells.column[i] !== column) continue;
		self[cells.frame[i]] += cells.self[event][i];
		calls[cells.frame[i]] += cells.calls[i];
	}
	for (let i = n; i-- > 0;) {
		inclusive[i] += self[i];
		width[i] += Math.max(self[i], 0);
		if (!i) break;
		inclusive[frames.parent[i]] += inclusive[i];
		width[frames.parent[i]] += width[i];
	}
	return { self, inclusive, width, calls };
}

function childrenOf(frames, sum, name) {
	const children = Array.from({ length: frames.parent.length }, () => []);
	for (let i = 1; i < frames.parent.length; i++) if (sum.width[i] > 0) children[frames.parent[i]].push(i);
	for (const list of children) list.sort((a, b) => name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : a - b);
	return children;
}

export class Flame {
	constructor(label) {
		this.zoom = 0;
		this.icicle = true;
		this.term = '';
		this.data = null;
		this.canvas = el('canvas', { tabindex: '0', role: 'application', 'aria-label': label + '. Arrow keys move between frames, Enter zooms into one, Escape shows all.' });
		this.path = el('nav', { class: 'path', 'aria-label': 'Zoomed to' });
		this.told = el('p', { class: 'told', 'aria-live': 'polite' });
		this.notes = el('ul', { class: 'notes' });
		this.scroller = el('div', { class: 'flame-scroll', tabindex: '0', role: 'region', 'aria-label': label }, this.canvas);
		this.element = el('div', { class: 'flame' }, this.tools(), this.path, this.scroller, this.told, this.notes);
		this.listen();
	}

	tools() {
		const turn = button('Flame', () => { this.icicle = !this.icicle; turn.textContent = this.icicle ? 'Flame' : 'Icicle'; this.draw(); }, { title: 'Roots below, or above' });
		const input = el('input', { type: 'search', placeholder: 'Mark functions', 'aria-label': 'Mark functions in the flame graph', autocomplete: 'off', spellcheck: 'false', oninput: () => { this.term = input.value; this.draw(); } });
		this.columns = el('select', { 'aria-label': 'Thread', onchange: () => { this.sum = null; this.draw(); } });
		this.found = el('output', { 'aria-live': 'polite' });
		return el('div', { class: 'tools' }, input, turn, button('All', () => this.zoomTo(0), { title: 'Show all (Escape)' }), this.columns, this.found);
	}

	show(data) {
		if (this.data !== data) {
			this.data = data;
			this.zoom = 0;
			this.focus = 0;
			this.sum = null;
			this.columns.replaceChildren(el('option', { value: '-1' }, data.diff ? 'Change' : 'All threads'), ...(data.diff ? [] : data.columns.map((title, i) => el('option', { value: i }, title))));
			this.columns.hidden = data.diff || data.columns.length < 2;
			this.notes.replaceChildren(...data.notes.map(text => el('li', {}, text)));
		}
		this.draw();
	}

	nameOf(frame) {
		return this.data.texts[this.data.functions.name[this.data.frames.function[frame]]];
	}

	fnOf(frame) {
		const { functions, texts, frames } = this.data, f = frames.function[frame];
		return functions.special[f] ? null : { name: texts[functions.name[f]], object: texts[functions.object[f]], source: texts[functions.file[f]] };
	}

	/* ---- where the frames are ---- */

	prepare() {
		const event = Math.min(state.event, this.data.events.length - 1);
		if (this.sum && this.sumOf === event) return;
		this.sumOf = event;
		// With a baseline, column 0 is the profile and column 1 the baseline.
		this.before = this.data.diff ? sums(this.data, event, 1) : null;
		this.sum = sums(this.data, event, this.data.diff ? 0 : +this.columns.value);
		this.children = childrenOf(this.data.frames, this.sum, frame => this.nameOf(frame));
	}

	ancestors(frame) {
		const list = [];
		for (let i = frame; i > 0;) list.unshift(i = this.data.frames.parent[i]);
		return list;
	}

	// Frames that are at least half a pixel wide, as [frame, x, width, depth].
	lay() {
		const width = this.canvas.clientWidth, whole = this.sum.width[this.zoom] || 1, above = this.ancestors(this.zoom);
		const placed = above.map((frame, depth) => [frame, 0, width, depth]);
		const open = [[this.zoom, 0, above.length]];
		this.deepest = above.length;
		while (open.length) {
			const [frame, left, depth] = open.pop();
			placed.push([frame, left, this.sum.width[frame] / whole * width, depth]);
			this.deepest = Math.max(this.deepest, depth);
			let x = left;
			for (const child of this.children[frame]) {
				const wide = this.sum.width[child] / whole * width;
				if (wide >= 0.5) open.push([child, x, depth + 1]);
				x += wide;
			}
		}
		this.placed = placed;
	}

	/* ---- drawing ---- */

	draw() {
		if (!this.data || !this.canvas.clientWidth) return;
		this.prepare();
		this.lay();
		const c = this.canvas.getContext('2d'), ratio = devicePixelRatio || 1;
		const width = this.canvas.clientWidth, height = Math.min((this.deepest + 1) * CELL, 16000 / ratio);
		this.canvas.style.height = height + 'px';
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.font = '12px system-ui, sans-serif';
		c.textBaseline = 'middle';
		this.height = height;
		this.drawFrames(c);
		this.drawPath();
	}

	top(depth) {
		return this.icicle ? depth * CELL : this.height - (depth + 1) * CELL;
	}

	colour(frame) {
		const special = this.data.functions.special[this.data.frames.function[frame]];
		if (this.before) return this.changeColour(frame);
		return special ? colourVariable('--special') : nameColour(this.nameOf(frame));
	}

	changeColour(frame) {
		const whole = Math.max(this.sum.width[0], this.before.width[0]) || 1, change = this.sum.inclusive[frame] - this.before.inclusive[frame];
		const part = Math.min(1, Math.sqrt(Math.abs(change) / whole)), hue = change > 0 ? 14 : 212;
		return dark() ? `hsl(${hue} ${Math.round(65 * part)}% ${Math.round(30 + 14 * part)}%)` : `hsl(${hue} ${Math.round(82 * part)}% ${Math.round(86 - 26 * part)}%)`;
	}

	drawFrames(c) {
		const test = this.term.trim() ? matcher(this.term) : null, accent = colourVariable('--accent'), found = colourVariable('--found'), ink = colourVariable('--on-colour');
		const above = new Set(this.ancestors(this.zoom));
		for (const [frame, x, width, depth] of this.placed) {
			const y = this.top(depth), hit = test && frame && test(this.nameOf(frame));
			c.globalAlpha = above.has(frame) ? 0.55 : 1;
			c.fillStyle = hit ? found : this.colour(frame);
			c.fillRect(x, y, Math.max(width - 0.6, 0.5), CELL - 1);
			if (state.fn && sameFunction(this.fnOf(frame), state.fn)) {
				c.fillStyle = accent;
				c.fillRect(x, y + CELL - 4, Math.max(width - 0.6, 1), 3);
			}
			c.globalAlpha = 1;
			if (width > 26) this.drawName(c, frame, x, y, width, ink);
		}
		this.found.textContent = test ? this.shareFound(test) : this.term.trim() ? 'That is no pattern.' : '';
		if (this.focus !== undefined && document.activeElement === this.canvas) this.drawFocus(c);
	}

	drawName(c, frame, x, y, width, ink) {
		c.fillStyle = ink;
		c.fillText(fitted(c, shortName(this.nameOf(frame)), width - 8), x + 4, y + CELL / 2);
	}

	drawFocus(c) {
		const place = this.placed.find(p => p[0] === this.focus);
		if (!place) return;
		c.strokeStyle = colourVariable('--text');
		c.lineWidth = 2;
		c.strokeRect(place[1] + 1, this.top(place[3]) + 1, Math.max(place[2] - 2.6, 1), CELL - 3);
	}

	// What is shown, as folded stacks: a line for each frame with a cost of its own.
	text() {
		if (!this.sum) return '';
		const { parent } = this.data.frames, paths = new Map([[this.zoom, this.zoom ? this.nameOf(this.zoom) : '']]), lines = [];
		for (let i = this.zoom; i < parent.length; i++) {
			const above = i === this.zoom ? null : paths.get(parent[i]);
			if (above === undefined) continue;
			const path = above === null ? paths.get(i) : (above ? above + ';' : '') + this.nameOf(i).replaceAll(';', ':');
			paths.set(i, path);
			if (this.sum.self[i] && path) lines.push(path + ' ' + this.sum.self[i]);
		}
		return lines.join('\n') + '\n';
	}

	// What is below a frame that was found counts once.
	shareFound(test) {
		const { frames } = this.data, inside = new Uint8Array(frames.parent.length), names = new Set();
		let sum = 0;
		for (let i = 1; i < frames.parent.length; i++) {
			const hit = test(this.nameOf(i));
			if (hit && this.sum.width[i] > 0) names.add(frames.function[i]);
			if (hit && !inside[frames.parent[i]]) sum += this.sum.inclusive[i];
			inside[i] = hit || inside[frames.parent[i]] ? 1 : 0;
		}
		return names.size ? `${percent(sum, this.sum.inclusive[0])} in ${grouped(names.size)} function${names.size === 1 ? '' : 's'}` : 'nothing found';
	}

	drawPath() {
		const list = this.zoom ? [...this.ancestors(this.zoom), this.zoom] : [];
		this.path.hidden = !list.length;
		this.path.replaceChildren(...list.flatMap((frame, i) => [i ? el('span', {}, '›') : '', button(shortName(this.nameOf(frame)), () => this.zoomTo(frame), { class: 'link', title: this.nameOf(frame) })]));
	}

	/* ---- words ---- */

	facts(frame) {
		const event = this.data.events[this.sumOf], total = this.sum.inclusive[0];
		const line = (what, n, whole) => [what, cost(n, event, this.data.frequency) + '  ' + percent(n, whole)];
		const list = [this.nameOf(frame), line('inclusive', this.sum.inclusive[frame], total), line('self', this.sum.self[frame], total)];
		if (this.before) {
			const change = this.sum.inclusive[frame] - this.before.inclusive[frame];
			list.push(line('before', this.before.inclusive[frame], this.before.inclusive[0]), ['change', signed(change, cost(change, event, this.data.frequency))]);
		}
		if (this.sum.calls[frame]) list.push(['calls', grouped(this.sum.calls[frame])]);
		return list;
	}

	/* ---- pointer and keys ---- */

	frameAt(event) {
		const depth = Math.floor((this.icicle ? event.offsetY : this.height - event.offsetY) / CELL);
		const place = (this.placed || []).find(p => p[3] === depth && p[1] <= event.offsetX && event.offsetX < p[1] + p[2]);
		return place ? place[0] : -1;
	}

	zoomTo(frame) {
		this.zoom = frame;
		this.focus = frame;
		this.draw();
	}

	take(frame) {
		const fn = this.fnOf(frame);
		this.zoomTo(frame);
		this.told.textContent = this.facts(frame).flat().join(' ');
		if (fn) choose({ fn });
	}

	listen() {
		this.canvas.addEventListener('pointermove', event => {
			const frame = this.frameAt(event);
			this.canvas.style.cursor = frame < 0 ? 'default' : 'pointer';
			if (frame < 0) hideTip();
			else showTip(event.clientX, event.clientY, this.facts(frame));
		});
		this.canvas.addEventListener('pointerleave', hideTip);
		this.canvas.addEventListener('click', event => {
			const frame = this.frameAt(event);
			if (frame >= 0) this.take(frame);
		});
		for (const kind of ['focus', 'blur']) this.canvas.addEventListener(kind, () => this.draw());
		this.canvas.addEventListener('keydown', event => this.key(event));
		new ResizeObserver(() => { if (this.canvas.clientWidth !== this.drawnWidth) { this.drawnWidth = this.canvas.clientWidth; this.draw(); } }).observe(this.scroller);
	}

	key(event) {
		const { frames } = this.data, at = this.focus, wide = list => list.filter(i => this.placed.some(p => p[0] === i));
		const beside = by => {
			const list = at ? wide(this.children[frames.parent[at]]) : [at];
			return list[list.indexOf(at) + by];
		};
		const inner = () => wide(this.children[at]).sort((a, b) => this.sum.width[b] - this.sum.width[a])[0];
		const outer = () => at ? frames.parent[at] : at;
		const moves = { ArrowLeft: () => beside(-1), ArrowRight: () => beside(1), ArrowDown: this.icicle ? inner : outer, ArrowUp: this.icicle ? outer : inner };
		if (event.key === 'Enter') this.take(at);
		else if (event.key === 'Escape' && this.zoom) this.zoomTo(0);
		else if (moves[event.key]) this.focusOn(moves[event.key]());
		else return;
		event.preventDefault();
		event.stopPropagation();
	}

	focusOn(frame) {
		if (frame === undefined) return;
		this.focus = frame;
		this.told.textContent = this.facts(frame).flat().join(' ');
		this.draw();
	}
}
