import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ApprovalPrompt } from '../../src/core/ports/approvals.js';
import { StoryTeller } from '../support/storyTeller.js';
import type { LiveState } from '../../src/page/protocol/panelState.js';
import { loremOf } from '../support/largeStory.js';
import type { PanelPage } from './support/panelPage.js';
import { panelTest } from './support/panelTest.js';
import { inEachTheme } from './support/inEachTheme.js';
import { pictures } from './support/uiTest.js';
import { violationsIn, violationsOf } from './support/violations.js';

const RUNNING: LiveState = { state: 'running', canStop: true, canContinue: false };

/** A run that has said so much, and says more when told to. */
function runningStory(messages: number) {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  for (let at = 0; at < messages; at++) call.say(`Step ${at}. ${loremOf(at, 200)}`);
  const more = (panel: PanelPage, ...texts: string[]): void => {
    const before = story.records.length;
    for (const text of texts) call.say(text);
    panel.transcript.append(story.records.slice(before));
  };
  return { story, call, more };
}

const promptFor = (id: string, subject: string): ApprovalPrompt => ({
  id,
  number: 1,
  request: {
    toolName: 'write_file',
    toolCallId: id,
    call: { run: 'r', call: 'k', agent: 'coder', depth: 1 },
    subject,
    title: 'Write src/a.ts',
    key: 'k',
    signal: new AbortController().signal,
  },
});

/** Where the first row that is wholly in sight stands on the screen, and what it says. */
function firstRow(panel: PanelPage): Promise<{ text: string; top: number }> {
  return panel.page.locator('.list').evaluate((list) => {
    const { top } = list.getBoundingClientRect();
    const rows = [...list.querySelectorAll('.row')].map((row) => ({
      text: row.textContent.slice(0, 60),
      top: Math.round(row.getBoundingClientRect().top - top),
    }));
    return rows.find((row) => row.top >= 0) ?? { text: '', top: -1 };
  });
}

const atEnd = (panel: PanelPage): Promise<boolean> =>
  panel.page
    .locator('.list')
    .evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop <= 24);

panelTest('a run is followed while its end is in sight', async ({ open }) => {
  const { story, more } = runningStory(40);
  const panel = await open({ story, live: RUNNING });
  await panel.row('Step 39.').waitFor();
  for (let at = 0; at < 5; at++) {
    more(panel, `New ${at}. ${loremOf(at, 900)}`);
    await panel.row(`New ${at}.`).waitFor();
    await expect.poll(() => atEnd(panel)).toBe(true);
  }
  expect(await panel.page.locator('.pill').isVisible()).toBe(false);
});

panelTest('who reads further up is told how much is new, and nothing moves', async ({ open }) => {
  const { story, more } = runningStory(40);
  const panel = await open({ story, live: RUNNING });
  await panel.row('Step 39.').waitFor();
  await panel.page.locator('.list').hover();
  await panel.page.mouse.wheel(0, -1_500);
  await expect.poll(() => atEnd(panel)).toBe(false);
  await panel.settled();
  const before = await firstRow(panel);
  more(panel, 'New one', 'New two', 'New three');
  await panel.page.locator('.pill', { hasText: '3 new' }).waitFor();
  expect(await firstRow(panel)).toEqual(before);
  await panel.page.locator('.pill').click();
  await panel.row('New three').waitFor();
  await expect.poll(() => atEnd(panel)).toBe(true);
  expect(await panel.page.locator('.pill').isVisible()).toBe(false);
});

panelTest('cards that get their result stay where they are, in their order', async ({ open }) => {
  const { story, call } = runningStory(3);
  const tools = ['slow', 'fast'].map((name) => call.toolCall(name, { name }));
  call.say(null, 10, tools);
  const panel = await open({ story, live: RUNNING });
  const names = () => panel.page.locator('.card-tool .tool-name').allInnerTexts();
  await panel.row('fast').locator('.state-word-running').waitFor();
  expect(await names()).toEqual(['slow', 'fast']);
  const before = story.records.length;
  if (tools[1]) call.answer(tools[1], 'first to answer');
  panel.transcript.append(story.records.slice(before));
  await panel.row('fast').locator('.state-word-done').waitFor();
  expect(await names()).toEqual(['slow', 'fast']);
  expect(await panel.row('slow').locator('.state-word-running').count()).toBe(1);
});

panelTest('a screen reader is told of new messages', async ({ open }) => {
  const { story, more } = runningStory(3);
  const panel = await open({ story, live: RUNNING });
  more(panel, 'Another');
  const said = panel.page.locator('[aria-live="polite"]').filter({ hasText: /^planner: Another/ });
  await said.waitFor({ state: 'attached' });
});

panelTest('the run is stopped, and what it came to is shown', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story, live: RUNNING });
  await panel.page.locator('.badge', { hasText: 'Running' }).waitFor();
  await panel.page.locator('.stop').click();
  expect(await panel.wasDone('stop')).toBe('stop');
  panel.setLive({ state: 'cancelled', canStop: false, canContinue: true });
  await panel.page.locator('.badge', { hasText: 'Stopped' }).waitFor();
  expect(await panel.page.locator('.stop').isVisible()).toBe(false);
});

panelTest('a run that is held says why, and goes on or stops, in every theme', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story, live: { ...RUNNING, state: 'waiting' } });
  const { page } = panel;
  const why = 'Your rule “cost > 5” holds the run. The bakery: $5.12 of $5 are spent, 102 %.';
  const { request, ...prompt } = promptFor(
    'p1',
    'planner would call run_command now:\n{"command":"npm test"}',
  );
  const held = { ...request, toolName: 'go_on', title: `Go on? ${why}`, askReason: why, isOfRun: true };
  panel.setApprovals({ ...prompt, request: held });
  await mkdir(pictures, { recursive: true });
  const card = page.getByRole('alertdialog', { name: 'The run is held' });
  await card.getByText(why).waitFor();
  expect(await card.getByText('The run is held').count()).toBe(1);
  expect(await card.getByRole('textbox').count()).toBe(0);
  for (const [width, height] of [
    [1400, 900],
    [700, 450],
  ] as const) {
    await page.setViewportSize({ width, height });
    await inEachTheme(page, async (theme) => {
      await page.screenshot({ path: join(pictures, `held-card-${theme}-${width}.png`) });
      expect.soft(await violationsIn(page, theme), theme).toEqual([]);
    });
  }
  await card.locator('vscode-button', { hasText: 'Resume' }).focus();
  await page.keyboard.press('Enter');
  await card.waitFor({ state: 'hidden' });
  panel.setApprovals({ ...prompt, id: 'p2', request: held });
  await card.locator('vscode-button', { hasText: 'Stop' }).click();
  await card.waitFor({ state: 'hidden' });
  expect(panel.answers.map(({ id, answer }) => [id, answer.approved])).toEqual([
    ['p1', true],
    ['p2', false],
  ]);
});

panelTest('an approval shows exactly what will be done, and is answered in place', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story, live: { ...RUNNING, state: 'waiting' } });
  panel.setApprovals(promptFor('p1', 'write 12 lines\n+ const a = 1;\u202e'), promptFor('p2', 'second'));
  const card = panel.page.getByRole('alertdialog');
  await card.getByText('Write src/a.ts').waitFor();
  expect(await card.locator('.approval-subject').innerText()).toBe('write 12 lines\n+ const a = 1;⟨U+202E⟩');
  await card.getByText('1 of 2').waitFor();
  await panel.show('statistics');
  await card.locator('vscode-button', { hasText: 'Approve' }).click();
  await card.getByText('second').waitFor();
  await card.locator('.reason input').fill('not now');
  await card.locator('vscode-button', { hasText: 'Deny' }).click();
  await card.waitFor({ state: 'hidden' });
  expect(panel.answers).toEqual([
    { id: 'p1', answer: { approved: true, remember: false } },
    { id: 'p2', answer: { approved: false, remember: false, reason: 'not now' } },
  ]);
});

panelTest(
  'what is typed for an answer stays while others begin to wait; the next question has the focus, no button of it',
  async ({ open }) => {
    const { story } = runningStory(3);
    const panel = await open({ story, live: RUNNING });
    const { page } = panel;
    panel.setApprovals(promptFor('p1', 'first'));
    const card = page.locator('.approval-card');
    await card.locator('.reason input').fill('use the other file');
    panel.setApprovals(promptFor('p1', 'first'), promptFor('p2', 'second'));
    await card.getByText('1 of 2').waitFor();
    expect(await card.locator('.reason input').inputValue()).toBe('use the other file');
    await page.keyboard.type(', please');
    await card.locator('vscode-button', { hasText: 'Deny' }).focus();
    await page.keyboard.press('Enter');
    await card.getByText('second', { exact: true }).waitFor();
    await page.locator('.approval-subject:focus', { hasText: 'second' }).waitFor();
    expect(await card.locator('.reason input').inputValue()).toBe('');
    expect(panel.answers).toEqual([
      { id: 'p1', answer: { approved: false, remember: false, reason: 'use the other file, please' } },
    ]);
  },
);

panelTest('the conversation goes on from the field at the bottom', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story });
  const field = panel.page.locator('.chat-text textarea');
  await field.fill('And now');
  await field.press('Shift+Enter');
  await field.pressSequentially('in two lines');
  await field.press('Enter');
  expect(await panel.wasDone('continue')).toBe('continue And now\nin two lines');
  await expect.poll(() => field.inputValue()).toBe('');
});

panelTest('what is typed is still there when the panel was hidden; what is sent is not', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story });
  const field = panel.page.locator('.chat-text textarea');
  const draft = () => panel.drafts.draftOf(story.conversation);
  await field.fill('half a sentence');
  await expect.poll(draft).toBe('half a sentence');
  await panel.hide();
  await panel.load();
  await expect.poll(() => field.inputValue()).toBe('half a sentence');
  await field.press('Enter');
  await panel.wasDone('continue half a sentence');
  await expect.poll(draft).toBe('');
  await panel.hide();
  await panel.load();
  expect(await field.inputValue()).toBe('');
});

panelTest('what could not be said comes back below what is being typed', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story });
  const field = panel.page.locator('.chat-text textarea');
  const draft = () => panel.drafts.draftOf(story.conversation);
  await field.fill('being typed');
  await expect.poll(draft).toBe('being typed');
  panel.drafts.giveBack(story.conversation, 'could not be said', 'The agent is gone.');
  await panel.page.getByRole('alert').getByText('The agent is gone.').waitFor();
  await expect.poll(() => field.inputValue()).toBe('being typed\n\ncould not be said');
  await expect.poll(draft).toBe('being typed\n\ncould not be said');
  expect(await panel.page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
});

panelTest(
  'what is typed while a message is being begun is the next one, whatever becomes of it',
  async ({ open }) => {
    const { story } = runningStory(3);
    const panel = await open({ story });
    const field = panel.page.locator('.chat-text textarea');
    const draft = () => panel.drafts.draftOf(story.conversation);
    let fail: (error: Error) => void = () => undefined;
    panel.taken = new Promise((_, reject) => (fail = reject));
    await field.fill('one');
    await field.press('Enter');
    await field.press('Enter');
    await panel.wasDone('continue one');
    expect(await field.inputValue()).toBe('');
    await field.fill('two');
    await expect.poll(draft).toBe('two');
    fail(new Error('Choose a model first.'));
    await expect.poll(() => field.inputValue()).toBe('two\n\none');
    await expect.poll(draft).toBe('two\n\none');
    expect(panel.done.filter((what) => what.startsWith('continue'))).toEqual(['continue one']);
  },
);

panelTest('what is typed before the sent text is drawn away is the next message alone', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story });
  const field = panel.page.locator('.chat-text textarea');
  await field.fill('one');
  // Both in one turn, as on a page that is late to draw.
  await field.evaluate((text: HTMLTextAreaElement) => {
    text.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true }));
    text.value += 'two';
    text.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  });
  expect(await panel.wasDone('continue')).toBe('continue one');
  await panel.settled();
  expect(await field.inputValue()).toBe('two');
});

panelTest('what cannot go on says why, in one line and without a box', async ({ open }) => {
  const { story } = runningStory(3);
  const whyNot = 'This transcript was imported; it cannot go on.';
  const panel = await open({ story, live: { state: 'unknown', canStop: false, canContinue: false, whyNot } });
  const closed = panel.page.locator('.chat');
  expect((await closed.innerText()).split(/\n+/)).toEqual([whyNot, 'Hand Over To…']);
  expect(await panel.page.locator('.chat-text').isVisible()).toBe(false);
  expect((await closed.boundingBox())?.height).toBeLessThan(44);
  panel.setLive({ state: 'done', canStop: false, canContinue: true });
  await panel.page.locator('.chat-text').waitFor();
  expect(await panel.page.locator('.chat-hint').isVisible()).toBe(false);
});

panelTest('who follows a run goes on following it when the panel was hidden', async ({ open }) => {
  const { story, more } = runningStory(2);
  const panel = await open({ story, live: RUNNING });
  await panel.leftBehind(/"top":.*"following":true/);
  await panel.hide();
  more(panel, `While nobody looked. ${loremOf(1, 900)}`);
  await panel.load();
  for (let at = 0; at < 12; at++) {
    more(panel, `Later ${at}. ${loremOf(at, 900)}`);
    await panel.row(`Later ${at}.`).waitFor();
  }
  await expect.poll(() => atEnd(panel)).toBe(true);
  await panel.leftBehind(/"top":\{"id":[1-9]/);
  await panel.hide();
  more(panel, `The last word. ${loremOf(1, 3_000)}`);
  panel.setLive({ state: 'done', canStop: false, canContinue: true });
  await panel.load();
  await panel.row('The last word.').waitFor();
  await expect.poll(() => atEnd(panel)).toBe(true);
});

panelTest('a panel that was hidden comes back as it was', async ({ open }) => {
  const { story, more } = runningStory(60);
  const panel = await open({ story });
  await panel.page.locator('.list').hover();
  await panel.page.mouse.wheel(0, 1_200);
  await panel.settled();
  const row = panel.page.locator('.row').nth(8);
  await row.click({ position: { x: 300, y: 5 } });
  const chosen = await panel.page.locator('.row.selected').getAttribute('data-row');
  const before = await firstRow(panel);
  await panel.leftBehind(new RegExp(`"selected":${chosen},`));
  await panel.hide();
  const { readCount } = panel.transcript;
  more(panel, 'Said while nobody looked');
  expect(panel.transcript.readCount).toBe(readCount);
  await panel.load();
  await panel.settled();
  await panel.page.locator('.row.selected').waitFor();
  expect(await panel.page.locator('.row.selected').getAttribute('data-row')).toBe(chosen);
  expect(await firstRow(panel)).toEqual(before);
});

panelTest('why a run failed stands below it once, with what can be done', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story });
  const reason = 'Incorrect API key. (test-model (kitchen), http://127.0.0.1:8080/v1)';
  const ways = ['Set API Key…', 'Retry', 'Change Model…'] as const;
  const failed = { state: 'failed', canStop: false, canContinue: true } as const;
  panel.setLive({ ...failed, failure: { reason, ways: [...ways] } });
  await panel.page.getByRole('alert').getByText(reason).waitFor();
  expect(await panel.page.getByText('Incorrect API key').count()).toBe(1);
  expect(await panel.page.locator('.failure-dock vscode-button').allTextContents()).toEqual(ways);
  expect(await violationsOf(panel.page)).toEqual([]);
  for (const name of ways) {
    await panel.page.getByRole('button', { name }).press('Enter');
    await panel.wasDone(`after failure ${name}`);
  }
  panel.setLive(RUNNING);
  await panel.page.locator('.failure-dock').waitFor({ state: 'hidden' });
});

panelTest('whoever has the end in sight when a run is tried again follows it', async ({ open }) => {
  const { story, more } = runningStory(2);
  const panel = await open({ story });
  const failed = { state: 'failed', canStop: false, canContinue: true } as const;
  panel.setLive({ ...failed, failure: { reason: 'No oven', ways: ['Retry'] } });
  await panel.page.locator('.failure-dock').waitFor();
  await panel.page.keyboard.press('End');
  await panel.settled();
  panel.setLive(RUNNING);
  for (let at = 1; at <= 20; at++) more(panel, `Again ${at}. ${loremOf(at, 300)}`);
  await panel.row('Again 20.').waitFor();
  await expect.poll(() => atEnd(panel)).toBe(true);
  expect(await panel.page.locator('.pill').isVisible()).toBe(false);
});
