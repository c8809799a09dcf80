import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { StoryTeller } from '../support/storyTeller.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest({
  settings: { 'agentLogbook.retention.maxAgeDays': 30 },
  machineSettings: { 'agentLogbook.retention.maxAgeDays': 30 },
});

/** A conversation in the store of a workspace, of so many messages, begun at the given time. */
async function keep(
  folder: string,
  conversation: string,
  time: number,
  texts: readonly string[],
): Promise<string> {
  const place = join(folder, '.agent-logbook/conversations', conversation);
  const records = texts.map((content, at) => ({
    seq: at + 1,
    id: `m_${conversation}_${at}`,
    time: time + at,
    conversation,
    run: 'r_1',
    call: 'k_1',
    agent: 'Pickle',
    depth: 0,
    type: 'message',
    message: { role: at === 0 ? 'user' : 'assistant', content },
  }));
  const lines = [{ logbook: 1, conversation, created: time }, ...records].map((line) => JSON.stringify(line));
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'messages.jsonl'), `${lines.join('\n')}\n`);
  return place;
}

const many = Array.from({ length: 400 }, (_, at) => (at === 300 ? 'the walnut is here' : `line ${at}`));

describe('the commands of the store', () => {
  test('retention is offered with the names of what would go, and deletes nothing by itself', async ({
    workbench,
  }) => {
    await keep(workbench.folder, 'c_old', Date.parse('2020-01-01'), ['An old question', 'An old answer']);
    await keep(workbench.folder, 'c_new', Date.now(), ['What of the nuts?', ...many]);
    await writeFile(join(workbench.folder, '.agent-logbook/.logbook'), '{"logbook":1}\n');
    await workbench.view('Agent Logbook');
    await (await workbench.told('1 conversation is older or larger')).getByText('Review…').click();
    const question = workbench.dialog('Delete 1 conversation?');
    expect(await question.innerText()).toContain('An old question');
    await question.getByText('Cancel').click();
    expect(existsSync(join(workbench.folder, '.agent-logbook/conversations/c_old'))).toBe(true);
  });

  test('a search tells how much it found, and opens at the message', async ({ workbench }) => {
    await workbench.treeItem('What of the nuts?').first().waitFor();
    const field = await workbench.openSearch();
    const search = workbench.searchView();
    await field.fill('/line \\d+/');
    await search.getByText('399 messages in 1 session').waitFor();
    await field.fill('walnut');
    await search.getByText('1 message in 1 session').waitFor();
    await search.locator('.result-session', { hasText: 'What of the nuts?' }).waitFor();
    await search.locator('.result-hit', { hasText: 'the walnut is here' }).click();
    await workbench.webview().getByText('the walnut is here').first().waitFor();
    await expect.poll(() => workbench.webview().getByText('line 3', { exact: true }).count()).toBe(0);
  });

  test('a question that is written anew takes the place of the one before, and what is wrong is said', async ({
    workbench,
  }) => {
    const field = await workbench.openSearch();
    const search = workbench.searchView();
    await field.fill('/(line|walnut)/');
    await field.fill('/(/');
    await search.locator('.question-problem').waitFor();
    await field.fill('"An old answer"');
    await search.locator('.result-hit', { hasText: 'An old answer' }).waitFor();
    await field.fill('');
  });

  test('the raw journal opens as text', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.treeItem('What of the nuts?').first().click();
    await workbench.command('Agent Logbook: Open Raw Journal');
    await workbench.tab('messages.jsonl').waitFor();
    await workbench.text('editor').getByText('"logbook":1').first().waitFor();
  });

  test('the journal is shown where files are', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.treeItem('What of the nuts?').first().click();
    await workbench.command('Agent Logbook: Reveal in File Explorer');
    await workbench.page
      .locator('.explorer-folders-view .monaco-list-row', { hasText: 'messages.jsonl' })
      .waitFor();
    await workbench.view('Agent Logbook');
  });

  test('what retention names is deleted when the person says so', async ({ workbench }) => {
    await workbench.command('Agent Logbook: Delete Old Conversations…');
    await workbench.dialog('Delete 1 conversation?').getByRole('button', { name: 'Delete' }).click();
    const conversations = join(workbench.folder, '.agent-logbook/conversations');
    await expect.poll(() => readdir(conversations)).toEqual(['c_new']);
  });

  test('a search looks into arguments, reasoning and tasks, and opens them unfolded and marked', async ({
    workbench,
  }) => {
    const story = new StoryTeller();
    const cook = story.run('Pickle', 'Ask the pantry.');
    cook.say('Let me see.', 100, [], { reasoning_content: 'The cardamom is dear this week.' });
    cook.useTool('read_file', { path: 'notes.md', looking_for: 'sesame rolls' }, 'nothing there');
    const { child, call } = cook.dispatch('Cookie', 'Count the saffron buns');
    child.say('There are nine.');
    child.end();
    cook.answer(call, 'There are nine.');
    cook.say('Nine.');
    cook.end();
    await keepStories(workbench.folder, [{ title: 'The pantry', daysAgo: 1, story }]);
    await workbench.view('Agent Logbook');
    await workbench.treeItem('The pantry').first().waitFor();
    const search = workbench.searchView();
    for (const [text, part, agent] of [
      ['sesame', 'sesam', 'Pickle'],
      ['cardamom', 'cardamo', 'Pickle'],
      ['saffron', 'saffro', 'Pickle'],
    ] as const) {
      await workbench.closeEditors();
      const field = await workbench.openSearch();
      await field.fill(part);
      await search.locator('.result-hit', { hasText: text }).first().waitFor();
      await field.fill(`word:${part}`);
      await search.getByText('Nothing found').waitFor();
      await field.fill(`word:${text}`);
      const hit = search.locator('.result-hit', { hasText: text }).first();
      await hit.waitFor();
      expect(await hit.innerText()).toContain(agent);
      const heading = search.locator('.result-session', { hasText: 'The pantry' });
      expect(await heading.first().innerText()).toMatch(/The pantry[^]*\d\d:\d\d/);
      await hit.click();
      await workbench.webview().locator('mark', { hasText: text }).first().waitFor();
      await workbench.screenshot(join(pictures, `found-${text}.png`));
    }
  });
});
