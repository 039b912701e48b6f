// SPDX-License-Identifier: Apache-2.0
// Elements and numbers. Names of functions become text nodes, never markup.

export const byId = id => document.getElementById(id);

// el('td', { class: 'number', title: name }, text, child...): attributes, listeners (onclick) and children.
export function el(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes))
		if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
		else if (value === true) element.setAttribute(name, '');
		else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
	element.append(...children.filter(child => child !== null && child !== undefined));
	return element;
}

export function svg(tag, attributes = {}, ...children) {
	const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
	for (const [name, value] of Object.entries(attributes))
		if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
		else element.setAttribute(name, value);
	element.append(...children);
	return element;
}

/* ---- numbers for people ---- */

const groups = new Intl.NumberFormat('en-US'); // made once: toLocaleString() takes 40 µs each time
export const grouped = n => groups.format(Math.round(n));
// '1 track', '2 tracks', '3 entries'.
export const several = (n, what) => `${grouped(n)} ${n === 1 ? what : what.endsWith('y') ? what.slice(0, -1) + 'ies' : what + 's'}`;
const digits = n => Math.abs(n) >= 100 ? grouped(n) : Math.abs(n) >= 10 ? n.toFixed(1) : n.toFixed(2);

function scaled(n, steps) {
	for (const [size, unit] of steps)
		if (Math.abs(n) >= size) return digits(n / size) + '\u202f' + unit;
	return null;
}

export function count(n) {
	return (Math.abs(n) >= 1e6 && scaled(n, [[1e12, 'T'], [1e9, 'G'], [1e6, 'M']])) || grouped(n);
}

export function duration(seconds) {
	if (!seconds) return '0\u202fs';
	return scaled(seconds, [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']]) || digits(seconds * 1e9) + '\u202fns';
}

export function bytes(n) {
	return (Math.abs(n) >= 1024 && scaled(n, [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [1024, 'KiB']])) || grouped(n) + '\u202fB';
}

export function percent(n, whole) {
	if (!whole) return '';
	const share = 100 * n / whole;
	return (share && Math.abs(share) < 0.005 ? (share < 0 ? '−' : '') + '<0.01' : share.toFixed(2)) + '\u202f%';
}

export const signed = (n, text) => n > 0 ? '+' + text : n < 0 ? text.replace('-', '−') : '0';

// Ticks of a clock whose rate is known are shown as time.
export const eventName = (event, frequency) => event.unit === 'ticks' && frequency ? 'Time' : event.name;

// A cost of an event ({ unit }) of a profile with a clock of so many ticks per second, 0: unknown.
export function cost(n, event, frequency) {
	if (event.unit === 'ticks' && frequency) return duration(n / frequency);
	if (event.unit === 'ns') return duration(n / 1e9);
	if (event.unit === 'bytes') return bytes(n);
	return count(n);
}

/* ---- names ---- */

// C++ names without what stands in brackets of templates and parameters: short, but still to be told apart.
export function shortName(name) {
	if (name.length < 32 || !/[<(]/.test(name)) return name;
	let depth = 0, text = '';
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		if (/operator[-<>=(]*$/.test(name.slice(0, i)) && /[<>()=-]/.test(c)) text += c;
		else if (c === '<' || c === '(' && i) {
			if (name.startsWith('(anonymous', i)) { text += '(anonymous namespace)'; i += 20; continue; }
			if (!depth++) text += c === '<' ? '<…' : '(…';
		} else if ((c === '>' && name[i - 1] !== '-' || c === ')') && depth) {
			if (!--depth) text += c;
		} else if (!depth) text += c;
	}
	return text || name;
}

export function hashOf(text) {
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
	return (hash ^ hash >>> 15) >>> 0;
}

// A search: part of a name, "name" for the whole of it, /pattern/. @return a function, or null for a pattern that is none
export function matcher(term) {
	const text = term.trim();
	if (!text) return () => true;
	const pattern = /^\/(.*)\/(i?)$/.exec(text);
	try {
		if (pattern) {
			const expression = new RegExp(pattern[1], pattern[2]);
			return name => expression.test(name);
		}
	} catch (error) {
		return null;
	}
	const whole = /^"(.*)"$/.exec(text);
	if (whole) return name => name === whole[1];
	const small = text.toLowerCase();
	return name => name.toLowerCase().includes(small);
}

/* ---- colours ---- */

// Asked for each rectangle of a picture: styles are computed once for each scheme.
const scheme = matchMedia('(prefers-color-scheme: dark)'), variables = { true: new Map(), false: new Map() };
export const dark = () => {
	const { theme } = document.documentElement.dataset;
	return theme ? theme === 'dark' : scheme.matches;
};

export function colourVariable(name) {
	const known = variables[dark()];
	if (!known.has(name)) known.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
	return known.get(name);
}

// The colour of a function, the same for the same name wherever it is drawn: hue in degrees, saturation and lightness up to 1.
export function nameHue(name, light = 0) {
	const hash = hashOf(name), hue = hash % 360, depth = (hash >>> 9) % 12;
	return dark() ? [hue, (38 + depth) / 100, (34 + depth / 2 - light) / 100] : [hue, (52 + depth) / 100, (74 - depth / 2 + light) / 100];
}

const hueCache = new Map();
export function nameColour(name) {
	const key = (dark() ? 'd' : 'l') + name;
	let colour = hueCache.get(key);
	if (!colour) {
		const [hue, saturation, lightness] = nameHue(name);
		colour = `hsl(${hue} ${100 * saturation}% ${100 * lightness}%)`;
		if (hueCache.size > 50000) hueCache.clear();
		hueCache.set(key, colour);
	}
	return colour;
}

/* ---- texts on a canvas ---- */

const letterWidths = new Map(); // by font: widths of characters

function widthsOf(context) {
	if (!letterWidths.has(context.font)) letterWidths.set(context.font, new Map([['…', context.measureText('…').width]]));
	return letterWidths.get(context.font);
}

// A text cut to so many pixels, by the widths of its characters in the canvas's font; '' where nothing of it fits.
export function fitted(context, text, width) {
	const known = widthsOf(context), dots = known.get('…');
	let used = 0, fits = 0;
	for (const letter of text) {
		if (!known.has(letter)) known.set(letter, context.measureText(letter).width);
		used += known.get(letter);
		if (used + dots <= width) fits += letter.length;
		if (used > width) return fits < 2 ? '' : text.slice(0, fits) + '…';
	}
	return text;
}

/* ---- the tip at the pointer ---- */

export function showTip(x, y, lines) {
	const tip = byId('tip');
	tip.replaceChildren(...lines.map(line => Array.isArray(line)
		? el('div', { class: 'tip-row' }, el('span', {}, line[0]), el('span', {}, line[1])) : el('div', { class: 'tip-name' }, line)));
	tip.hidden = false;
	const box = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, x + 14 + box.width > innerWidth ? x - box.width - 10 : x + 14) + 'px';
	tip.style.top = Math.max(4, y + 14 + box.height > innerHeight ? y - box.height - 10 : y + 14) + 'px';
}

export function hideTip() {
	byId('tip').hidden = true;
}

export function button(text, action, attributes = {}) {
	return el('button', { type: 'button', onclick: action, ...attributes }, text);
}
