// SPDX-License-Identifier: Apache-2.0
// Files that change while they are looked at, and a server that has ended: both are said above all panes.
import { answers, ask } from './api.js';
import { byId } from './util.js';

const PAUSE = 2000; // milliseconds between two looks

function say(text) {
	const box = byId('changes');
	if (box.textContent === text) return;
	box.textContent = text;
	box.hidden = !text;
}

const sentence = ({ path, change }) => `${path.split('/').pop()} ${change} since it was opened.`;

async function look() {
	try {
		const { changes } = await ask('/api/changes', {}, { again: true });
		say(changes.length ? changes.map(sentence).join(' ') + ' The timeline is of the file as it was; what is read from now on is of the file as it is. Start the view again to see all of it.' : '');
	} catch (error) {
		say('The server does not answer any more: what is shown stays, and nothing else can be asked for.');
	}
	setTimeout(look, PAUSE);
}

export function watchChanges() {
	if (!answers) setTimeout(look, PAUSE);
}
