import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { StoryTeller } from '../support/storyTeller.js';
import { inEachTheme } from './support/inEachTheme.js';
import { panelTest } from './support/panelTest.js';
import { violationsIn } from './support/seriousViolations.js';
import { pictures } from './support/uiTest.js';

/** What a tool put into a person's words, before them and instead of them, and a part of an unknown kind. */
function remindedTalk(): StoryTeller {
  const story = new StoryTeller();
  const at = { run: 'r1', call: 'k1', agent: 'Claude', depth: 0 };
  const add = (content: unknown, role: string, injected?: object[]) =>
    story.add(at, { type: 'message', message: { role, content }, ...(injected && { injected }) } as never);
  const reminder = '<system-reminder>The list of tasks is empty.\nDo not mention this.</system-reminder>\n';
  add(`${reminder}Bake two loaves of rye.`, 'user', [{ from: 0, to: reminder.length, kind: 'reminder' }]);
  add('They are in the oven.', 'assistant');
  const told = 'The flour for tomorrow is ordered.';
  add(told, 'user', [{ from: 0, to: told.length, kind: 'agent', by: 'buyer' }]);
  const part = { type: 'compaction', content: 'They asked for rye, and two loaves are in the oven.' };
  add([part, { type: 'text', text: 'Thank you, buyer.' }], 'assistant');
  return story;
}

panelTest('what a tool put into a conversation is folded in a line of its own', async ({ open }) => {
  const panel = await open({ story: remindedTalk(), viewport: { width: 900, height: 560 } });
  const { page } = panel;
  await panel.row('Bake two loaves of rye.').waitFor();
  await panel.row('two loaves are in the oven').waitFor();
  expect(await page.getByText('The list of tasks is empty.').count()).toBe(0);
  await mkdir(pictures, { recursive: true });
  await inEachTheme(page, async (theme) => {
    await page.screenshot({ path: join(pictures, `injected-${theme}.png`) });
    expect(await violationsIn(page, theme)).toEqual([]);
  });
});
