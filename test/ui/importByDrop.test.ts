import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { StoryTeller } from '../support/storyTeller.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

/** A file to drop: its name and what is in it. */
interface DroppedFile {
  readonly name: string;
  readonly text: string;
}

/** A transcript of chat messages. */
function transcript(name: string, question: string): DroppedFile {
  const messages = [
    { role: 'user', content: question },
    { role: 'assistant', content: 'In the second drawer.' },
  ];
  return { name, text: JSON.stringify({ messages }) };
}

/** An evaluation log of Inspect's with one sample. */
const EVALUATION = {
  version: 2,
  status: 'success',
  eval: { eval_id: 'e1', task: 'find_the_whisk', model: 'mock/cook', created: '2026-05-12T20:27:00Z' },
  results: { scores: [{ name: 'match', metrics: { accuracy: { name: 'accuracy', value: 0.5 } } }] },
  samples: [
    {
      id: 7,
      epoch: 1,
      input: 'Where is the whisk?',
      target: 'on the hook',
      scores: { match: { value: 'I', answer: 'in the sink' } },
      messages: [
        { id: 'm1', role: 'user', content: 'Where is the whisk?' },
        { id: 'm2', role: 'assistant', content: 'In the sink.' },
      ],
    },
  ],
};

const test = uiTest({
  prepare: async (folder) => {
    const { name, text } = transcript('spoons.json', 'Where are the spoons?');
    await writeFile(join(folder, name), text);
    await writeFile(join(folder, 'whisk.json'), JSON.stringify(EVALUATION));
    await mkdir(join(folder, 'drawers'));
    const story = new StoryTeller();
    story.run('Pickle', 'Where is the teapot?').say('It was replaced by a bowl.');
    await keepStories(folder, [{ title: 'The teapot', daysAgo: 0, story }]);
  },
});

/** Drops files from elsewhere on a row, as a browser tells of it. */
async function drop(workbench: Workbench, row: Locator, files: readonly DroppedFile[]): Promise<void> {
  const dataTransfer = await workbench.page.evaluateHandle((all) => {
    const data = new DataTransfer();
    for (const { name, text } of all) data.items.add(new File([text], name));
    return data;
  }, files);
  const box = await row.boundingBox();
  if (!box) throw new Error('The row is not in sight.');
  const at = { dataTransfer, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  await row.dispatchEvent('dragenter', at);
  await row.dispatchEvent('dragover', at);
  await row.dispatchEvent('drop', at);
}

/** Drags an entry of the explorer onto a row of the tree: held over it, the activity bar opens the view. */
async function dragFromExplorer(workbench: Workbench, name: string): Promise<void> {
  await workbench.command('View: Show Explorer');
  const entry = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name });
  const { mouse } = workbench.page;
  /** Moves there once it stands still; only a second movement tells a browser that something is dragged over it. */
  const moveOver = async (place: Locator) => {
    for (const x of [20, 21]) await place.hover({ position: { x, y: 10 } });
  };
  await moveOver(entry.first());
  await mouse.down();
  await moveOver(workbench.activityBarItem('Agent Logbook'));
  await moveOver(target(workbench));
  await mouse.up();
}

/** How many conversations are kept. */
async function kept(workbench: Workbench): Promise<number> {
  return (await readdir(join(workbench.folder, '.agent-logbook/conversations'))).length;
}

/** The row that things are dropped on. */
function target(workbench: Workbench): Locator {
  return workbench.treeItem('The teapot').first();
}

describe('files that are dropped on the Transcripts tree', () => {
  test('a file of the explorer is dragged there, and is a conversation', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await target(workbench).waitFor();
    await dragFromExplorer(workbench, 'spoons.json');
    // Chat messages tell no time.
    await workbench.unfold(workbench.treeItem('No date'));
    await workbench.treeItem('Where are the spoons?').first().waitFor();
    await workbench.told('Imported 1 conversation');
    await workbench.screenshot(join(pictures, 'drop.png'));
  });

  test('what was imported is read, and a line says that nobody here can go on with it', async ({
    workbench,
  }) => {
    await workbench.open(workbench.treeItem('Where are the spoons?').first(), 'Where are the spoons?');
    const chat = workbench.webview().locator('.chat');
    await expect.poll(() => chat.innerText()).toContain('This transcript was recorded elsewhere');
    expect(await chat.locator('.chat-text').isVisible()).toBe(false);
  });

  test('of an evaluation the header tells the tool, the file and the score', async ({ workbench }) => {
    await dragFromExplorer(workbench, 'whisk.json');
    await workbench.unfold(workbench.treeItem('May 2026'));
    const row = workbench.treeItem('find_the_whisk 7').first();
    await workbench.open(row, 'find_the_whisk 7');
    const facts = workbench.webview().locator('.fact');
    const words = async () => (await facts.allTextContents()).map((text) => text.replace(/\s+/g, ' '));
    const told = [
      'Inspect',
      join(workbench.folder, 'whisk.json'),
      basename(workbench.folder),
      'Task: find_the_whisk',
      'Model: mock/cook',
      'Status: success',
      'Score (match): I (incorrect)',
      'Accuracy (match): 0.5',
      'Target: on the hook',
    ];
    await expect.poll(words).toEqual(expect.arrayContaining(told));
    await workbench.screenshot(join(pictures, 'imported-evaluation.png'));
  });

  test('several files of this computer are imported, each under its own name', async ({ workbench }) => {
    await drop(workbench, target(workbench), [
      transcript('forks.json', 'Where are the forks?'),
      transcript('knives.json', 'Where are the knives?'),
    ]);
    await workbench.treeItem('Where are the forks?').first().waitFor();
    await workbench.treeItem('Where are the knives?').first().waitFor();
    await workbench.told('Imported 2 conversations');
  });

  test('what cannot be read keeps nothing else out, and is told by its name', async ({ workbench }) => {
    const before = await kept(workbench);
    await drop(workbench, target(workbench), [
      { name: 'shopping list.txt', text: 'butter, flour\nand no conversation at all' },
      transcript('ladles.json', 'Where are the ladles?'),
      { name: 'picture.png', text: '\u0089PNG\r\n\u001a\n\u0000\u0000' },
    ]);
    await workbench.treeItem('Where are the ladles?').first().waitFor();
    const told = await workbench.told('2 of 3 files were not imported');
    const words = await told.innerText();
    expect(words).toContain('shopping list.txt holds no conversation that could be read');
    expect(words).toContain('picture.png holds no conversation that could be read');
    await workbench.screenshot(join(pictures, 'drop-nonsense.png'));
    expect(await kept(workbench)).toBe(before + 1);
  });

  test('a folder is not taken for a transcript', async ({ workbench }) => {
    await dragFromExplorer(workbench, 'drawers');
    await workbench.told('drawers is a folder; a transcript is a file.');
  });
});
