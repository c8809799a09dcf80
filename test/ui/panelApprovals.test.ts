import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ApprovalBody } from '../../src/core/record.js';
import { StoryTeller } from '../support/storyTeller.js';
import { THEMES } from '../support/themes.js';
import { panelTest } from './support/panelTest.js';
import { seriousViolations } from './support/seriousViolations.js';
import { pictures } from './support/uiTest.js';

/** A run in which much was decided, and which failed in an agent that another one had asked. */
function failedStory(): StoryTeller {
  const story = new StoryTeller();
  const planner = story.run('planner', 'Bring the ferry timetable to the new data source and run the tests.');
  const { child: coder, call } = planner.dispatch('coder', 'Change the reader of the timetable.');
  const use = (
    tool: string,
    args: object,
    decided: Partial<ApprovalBody>,
    result?: string,
    isError = false,
  ) => {
    const asked = coder.toolCall(tool, args);
    coder.say(null, 1_200, [asked]);
    story.wait(decided.waitedMs ?? 0);
    coder.add({
      ...{ type: 'approval', toolName: tool, toolCallId: asked.id, subject: Object.values(args).join('\n') },
      ...{ decision: 'approved', decidedBy: 'user', waitedMs: 0, ...decided },
    });
    story.wait(800);
    const denied = 'This was not allowed: use the fixture instead.';
    coder.answer(asked, result ?? denied, 800 + (decided.waitedMs ?? 0), isError || result === undefined);
  };
  use(
    'run_command',
    { command: 'git log --oneline -5' },
    { decidedBy: 'policy', rule: 'only looks (git)' },
    'a1b2c3d Add quay',
  );
  use('write_file', { path: 'src/timetable/reader.ts' }, { waitedMs: 21_400 }, 'Created.');
  use(
    'run_command',
    { command: 'npm test -- --reporter=dot' },
    { decidedBy: 'rule', rule: 'run_command: npm test' },
    '3 failed',
    true,
  );
  use(
    'run_command',
    { command: 'curl -sS https://timetable.example/quays.json -o quays.json' },
    {
      decision: 'denied',
      waitedMs: 8_200,
      rule: 'This always asks: it sends or fetches something (curl).',
      reason: 'use the fixture instead',
    },
  );
  use('edit_file', { path: 'src/timetable/reader.ts' }, { decidedBy: 'remembered' }, 'Changed 1 place.');
  use(
    'run_command',
    { command: 'npm test -- --reporter=dot' },
    { decidedBy: 'rule', rule: 'run_command: npm test' },
    '0 failed',
  );
  story.wait(30_000);
  const lost = { code: 'busy', message: 'The server is overloaded.', status: 529 };
  for (const attempt of [1, 2]) {
    story.wait(1_500);
    coder.add({
      type: 'request',
      model: 'gpt-5-mini',
      endpoint: 'local',
      attempt,
      durationMs: 1_500,
      error: lost,
    });
  }
  coder.add({ type: 'error', where: 'model', error: lost });
  coder.end('failed', lost.message);
  planner.answer(call, lost.message, 60_000, true);
  planner.end('failed', lost.message);
  return story;
}

const failed = { state: 'failed', canStop: false, canContinue: true } as const;

panelTest('decisions are chosen and opened by keyboard alone', async ({ open }) => {
  const panel = await open({ story: failedStory(), live: failed });
  const { page } = panel;
  await panel.show('approvals');
  const rows = page.locator('.view-approvals tbody tr');
  await rows.nth(5).waitFor();
  expect(await page.locator('.ledger-summary').innerText()).toBe('5 approved, 1 denied, waited 30 s');
  await page.locator('.ledger-choice', { hasText: 'denied' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.ledger-summary', { hasText: '1 of 6 decisions' }).waitFor();
  expect(await rows.count()).toBe(1);
  expect(await rows.innerText()).toContain('use the fixture instead');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-pressed'))).toBe('true');
  await page.locator('.ledger-exports vscode-button').first().focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => panel.done).toEqual(['approvals csv {"decision":"denied"}']);
  await rows.locator('.ledger-what').focus();
  await page.keyboard.press('Enter');
  await page.locator('.row.selected', { hasText: 'curl' }).waitFor();
});

panelTest('the header of a failed run leads to what went wrong first', async ({ open }) => {
  const panel = await open({ story: failedStory(), live: failed });
  const { page } = panel;
  const trouble = page.locator('.trouble');
  await trouble.waitFor();
  expect(await trouble.innerText()).toMatch(
    /First error: run_command failed \(coder, asked by planner\)\.\s*\d more errors after it\./,
  );
  await trouble.focus();
  await page.keyboard.press('Enter');
  await page.locator('.row.selected', { hasText: 'npm test' }).waitFor();
  await panel.show('statistics');
  const detours = page.locator('.panel', { hasText: 'Detours and waits' }).locator('tbody tr');
  await detours.first().waitFor();
  expect(
    (await detours.allInnerTexts()).map((text) => text.split('\t').slice(0, 3).join(' ').trim()).sort(),
  ).toEqual(['Idle 1 30 s', 'Requests tried again 1 1.5 s', 'Waiting for you 2 30 s']);
});

for (const theme of THEMES) {
  panelTest(`approvals, detours and what went wrong, ${theme}`, async ({ open }) => {
    const folder = join(pictures, 'approvals');
    await mkdir(folder, { recursive: true });
    const panel = await open({
      story: failedStory(),
      live: failed,
      theme,
      viewport: { width: 1200, height: 760 },
    });
    const { page } = panel;
    for (const tab of ['approvals', 'timeline', 'statistics'] as const) {
      await panel.show(tab);
      await panel.settled();
      await page.screenshot({ path: join(folder, `${tab}-${theme}.png`) });
      expect.soft(await seriousViolations(page), tab).toEqual([]);
    }
  });
}
