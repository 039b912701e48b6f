// SPDX-License-Identifier: Apache-2.0
// A pane as text: its tables line by line, with the whole names, or what it says itself.

// The whole name of a button that shows a short one.
const cellText = cell => {
	const name = cell.querySelector('button[title]');
	return (name ? name.title : cell.innerText).replace(/\s+/g, ' ').trim();
};

const rowText = row => [...row.cells].map(cellText).join('\t');
const tableText = table => [...(table.caption ? [table.caption.innerText] : []), ...[...table.rows].map(rowText)].join('\n');

export function paneText(pane) {
	if (pane.textOf) return pane.textOf();
	const tables = [...pane.querySelectorAll('table')];
	return tables.length ? tables.map(tableText).join('\n\n') + '\n' : pane.innerText;
}

function copyByHand(text) {
	const box = document.createElement('textarea');
	box.value = text;
	document.body.append(box);
	box.select();
	const done = document.execCommand('copy');
	box.remove();
	return done;
}

// @return how many lines were copied, -1: the browser does not allow it
export async function copyText(text) {
	const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
	try {
		await navigator.clipboard.writeText(text);
		return lines;
	} catch (error) {
		return copyByHand(text) ? lines : -1;
	}
}
