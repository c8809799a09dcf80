import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { hasRealTranscripts, importMany, importReal, MANY } from './support/realTranscripts.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

let titles: ReadonlyMap<string, string> = new Map();
const test = uiTest({
  viewport: { width: 1280, height: 800 },
  prepare: async (folder) => {
    titles = await importReal(folder);
  },
});

const texts = async (view: FrameLocator, selector: string) =>
  (await view.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());

/** A number as the page writes it. */
const number = (words: string | undefined) => Number((words ?? '0').replaceAll(',', ''));

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** Opens a conversation of the store by its title, and waits until something of it is there. */
async function open(workbench: Workbench, title: string): Promise<FrameLocator> {
  await workbench.command('View: Close All Editors');
  await workbench.command('Agent Logbook: Open Transcript');
  await workbench.quickInput.fill(title.slice(0, 60));
  await workbench.quickInput.choice(title.slice(0, 30)).first().click();
  const view = workbench.webview();
  await view.locator('.page:not(.is-loading)').waitFor();
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
    tokens: number(input) + number(output),
    words: facts,
  };
  await view.locator('.facet', { hasText: 'Errors' }).click();
  await expect.poll(async () => (await texts(view, '.count')).join('')).toMatch(/^[\d,]+ of [\d,]+$/);
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
  const agents = { names: await column(byAgent, 'Agent'), messages: await column(byAgent, 'Messages') };
  await view.locator('#tab-tools').click();
  await view.locator('#view-tools :is(td, .empty)').first().waitFor();
  const tools = {
    calls: await column('#view-tools', 'Calls'),
    failures: await column('#view-tools', 'Failures'),
  };
  await view.locator('#tab-timeline').click();
  await view.locator('#view-timeline :is(.lane-name, .empty)').first().waitFor();
  const lanes = await texts(view, '.lane-name');
  await view.locator('#tab-messages').click();
  return { header, filter, tiles, agents, tools, lanes };
}

/** Holds each number against the same one of every other view. */
function expectOneNumber({
  header,
  filter,
  tiles,
  agents,
  tools,
  lanes,
}: Awaited<ReturnType<typeof numbersOf>>) {
  const tile = (...names: string[]) =>
    names.map((name) => tiles.get(name)).find((value) => value !== undefined);
  const short = (value: string | undefined) => value?.replace('≈ ', '');
  const words = header.words.map((word) => short(word));
  if (header.messages === 0) return;
  expect(number(tile('messages', 'message'))).toBe(header.messages);
  expect([filter, number(tile('errors', 'error'))]).toEqual([header.errors, header.errors]);
  expect(sum(agents.messages.map((each) => number(each)))).toBe(header.messages);
  expect(sum(tools.calls.map((each) => number(each)))).toBe(number(tile('tool calls', 'tool call')));
  expect(sum(tools.failures.map((each) => number(each.split(' ')[0])))).toBeLessThanOrEqual(header.errors);
  expect(lanes).toEqual(expect.arrayContaining(agents.names));
  const duration = tile('running time');
  if (duration !== '–') expect(words).toContain(duration);
}

describe.skipIf(!hasRealTranscripts)('transcripts of other tools', { timeout: 500_000 }, () => {
  test('say one number for one thing, whatever view is asked', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.treeItem(/./).first().waitFor();
    for (const [name, title] of titles) {
      const view = await open(workbench, title);
      expectOneNumber(await numbersOf(view));
      await workbench.screenshot(join(pictures, `real-${name.replaceAll(/\W+/g, '-')}.png`));
    }
  });

  test('fill the tree by the thousand, which stays readable by day, source, project and agent', async ({
    workbench,
  }) => {
    await workbench.command('View: Close All Editors');
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
    // The last is by agent: the thousand are there, in three groups with those of the real files.
    const labels = await workbench
      .treeItem(/^(?:Claude|Codex|Gemini)/)
      .evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
    const counts = labels.map((label) => Number(/, ([\d,]+) conversations$/.exec(label)?.[1] ?? 0));
    expect(sum(counts)).toBeGreaterThanOrEqual(MANY);
  });
});
