import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { someOf } from '../support/fixedInputs.js';
import { hasRealTranscripts, importMany, importReal, MANY } from './support/realTranscripts.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

let titles: ReadonlyMap<string, string> = new Map();
const test = uiTest({
  // So high that no row of the tree is out of view: such rows are not in the page.
  viewport: { width: 1280, height: 1800 },
  prepare: async (folder) => {
    titles = await importReal(folder);
  },
});

const texts = async (view: FrameLocator, selector: string) =>
  (await view.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());

/** A number as the page writes it. */
const number = (words: string | undefined) => Number((words ?? '0').replaceAll(',', ''));

/**
 * The least and the most that a short number as the page writes it may stand for: of "2.8k" 2,750 and 2,850; no number
 * is none.
 */
function roundedFrom(words: string): readonly [number, number] {
  const [, digits = '0', unit = ''] = /([\d.,]+)([kM]?)/.exec(words) ?? [];
  const size = { k: 1e3, M: 1e6 }[unit] ?? 1;
  const step = size === 1 ? 0 : size / 10 ** (digits.split('.')[1]?.length ?? 0);
  const value = number(digits) * size;
  return [value - step / 2, value + step / 2];
}

/** Holds a number against those it is the sum of, which are rounded. */
function expectSum(whole: number, parts: readonly string[]) {
  const ranges = parts.map(roundedFrom);
  expect(whole).toBeGreaterThanOrEqual(sum(ranges.map(([least]) => least)));
  expect(whole).toBeLessThanOrEqual(sum(ranges.map(([, most]) => most)));
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** Opens a conversation by its row in the tree, and waits until all messages are read of which that tells. */
async function open(workbench: Workbench, title: string, row: string): Promise<FrameLocator> {
  await workbench.closeEditors();
  await workbench.treeItem(title.slice(0, 30)).first().click();
  const view = workbench.webview();
  const messages = /[\d,]+ messages?/.exec(row)?.[0] ?? '';
  await view.locator('.count-of-messages', { hasText: new RegExp(`^${messages}$`) }).waitFor();
  return view;
}

/** Everything that the views of a panel say of the whole transcript, read as a person reads it. */
async function numbersOf(view: FrameLocator) {
  const facts = await texts(view, '.fact');
  const used = await view.locator('.fact[title*=" in, "]').getAttribute('title');
  const [, input, output] = /([\d,]+) in, ([\d,]+) out/.exec(used ?? '') ?? [];
  const header = {
    messages: number((await texts(view, '.count-of-messages'))[0]?.replace(/ messages?$/, '')),
    errors: number(facts.find((fact) => / errors?$/.test(fact))?.replace(/ errors?$/, '')),
    input: number(input),
    output: number(output),
    words: facts,
  };
  await view.locator('.facet', { hasText: 'Errors' }).click();
  await expect.poll(async () => (await texts(view, '.count')).join('')).toMatch(/^[\d,]+ of [\d,]+ rows$/);
  const filter = number((await texts(view, '.count')).join('').split(' of ')[0]);
  await view.locator('.facet', { hasText: 'Errors' }).click();
  await view.locator('#tab-statistics').click();
  await view.locator('#view-statistics :is(.tile, .empty)').first().waitFor();
  const tiles = new Map<string, string>();
  for (const tile of await view.locator('.tile').all())
    tiles.set(await tile.locator('dt').innerText(), await tile.locator('dd').innerText());
  const column = async (tab: string, label: string) => {
    const heads = (await texts(view, `${tab} th`)).map((head) => head.replace(/[^\w %]/g, '').trim());
    return texts(view, `${tab} td:nth-child(${heads.indexOf(label) + 1})`);
  };
  const byAgent = '#view-statistics [aria-label="By agent"]';
  const agents = {
    names: await column(byAgent, 'Agent'),
    messages: await column(byAgent, 'Messages'),
    tokens: await column(byAgent, 'Tokens'),
  };
  await view.locator('#tab-tools').click();
  await view.locator('#view-tools :is(td, .empty)').first().waitFor();
  const tools = {
    calls: await column('#view-tools', 'Calls'),
    failures: await column('#view-tools', 'Failures'),
  };
  await view.locator('#tab-timeline').click();
  await view.locator('#view-timeline :is(.lane-name, .empty)').first().waitFor();
  const lanes = await texts(view, '.lane-name');
  // Failures too close to be told apart are drawn as one, which says how many it is.
  const failures = await view
    .locator('.timeline-svg .span-failed:not(.span-call)')
    .evaluateAll((all) => all.map((each) => Number(each.getAttribute('data-merged'))));
  const failed = sum(failures);
  await view.locator('#tab-messages').click();
  return { header, filter, tiles, agents, tools, lanes, failed };
}

/** Holds each number against the same one of every other view. */
function expectOneNumber({
  header,
  filter,
  tiles,
  agents,
  tools,
  lanes,
  failed,
}: Awaited<ReturnType<typeof numbersOf>>) {
  const tile = (...names: string[]) =>
    names.map((name) => tiles.get(name)).find((value) => value !== undefined);
  const short = (value: string | undefined) => value?.replace('≈ ', '');
  const words = header.words.map((word) => short(word));
  if (header.messages === 0) return;
  expect(number(tile('messages', 'message'))).toBe(header.messages);
  expect([filter, number(tile('errors', 'error'))]).toEqual([header.errors, header.errors]);
  const tokens = [tile('tokens in') ?? '', tile('tokens out') ?? ''];
  expectSum(header.input, tokens.slice(0, 1));
  expectSum(header.output, tokens.slice(1));
  expectSum(header.input + header.output, agents.tokens);
  expect(failed).toBe(header.errors);
  expect(sum(agents.messages.map((each) => number(each)))).toBe(header.messages);
  expect(sum(tools.calls.map((each) => number(each)))).toBe(number(tile('tool calls', 'tool call')));
  expect(sum(tools.failures.map((each) => number(each.split(' ')[0])))).toBeLessThanOrEqual(header.errors);
  expect(lanes).toEqual(expect.arrayContaining(agents.names));
  const duration = tile('running time');
  if (duration !== '–') expect(words).toContain(duration);
}

/** What the tree says of a conversation, to a person who cannot see it. */
async function rowOf(workbench: Workbench, title: string): Promise<string> {
  const row = workbench.treeItem(title.slice(0, 30)).first();
  return (await row.getAttribute('aria-label')) ?? '';
}

/** Holds what the tree says against the header. */
function expectSameRow(
  row: string,
  { messages, words }: Awaited<ReturnType<typeof numbersOf>>['header'],
): void {
  const inRow = (what: string) => new RegExp(`(≈ )?[\\d.,]+[kM]? ${what}`).exec(row)?.[0];
  expect(number(inRow('messages?')?.split(' ')[0])).toBe(messages);
  expect(inRow('tokens')).toBe(words.find((word) => word.endsWith(' tokens')));
}

describe.skipIf(!hasRealTranscripts)('transcripts of other tools', { timeout: 500_000 }, () => {
  test('say one number for one thing, whatever view is asked', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench
      .treeItem(/ 20\d\d/)
      .first()
      .waitFor();
    await workbench.unfoldGroups();
    for (const [name, title] of someOf([...titles], 4)) {
      const row = await rowOf(workbench, title);
      const view = await open(workbench, title, row);
      const numbers = await numbersOf(view);
      expectOneNumber(numbers);
      expectSameRow(row, numbers.header);
      await workbench.screenshot(join(pictures, `real-${name.replaceAll(/\W+/g, '-')}.png`));
    }
  });

  test('fill the tree by the thousand, which stays readable by day, source, project and agent', async ({
    workbench,
  }) => {
    await workbench.closeEditors();
    await importMany(workbench.folder);
    const { quickInput } = workbench;
    for (const [choice, expected] of [
      ['By Date', /Today/],
      ['By Source', /Claude Code/],
      ['By Project', /bakery/],
      ['By Agent', /Claude/],
    ] as const) {
      await workbench.command('Agent Logbook: Group Transcripts…');
      await quickInput.choose(choice);
      await workbench.treeItem(expected).first().waitFor();
      await workbench.screenshot(join(pictures, `thousand-${choice.replace(' ', '-')}.png`));
    }
    // The last is by agent: the thousand are there, in three groups with those of the real files, once all were listed.
    const counts = async () => {
      const labels = await workbench
        .treeItem(/^(?:Claude|Codex|Gemini)/)
        .evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
      return sum(labels.map((label) => Number(/, ([\d,]+) sessions$/.exec(label)?.[1] ?? 0)));
    };
    await expect.poll(counts).toBeGreaterThanOrEqual(MANY);
  });
});
