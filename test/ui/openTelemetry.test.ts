import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { spanProblems } from '../support/otlpRules.js';
import { answers, StrictCollector } from '../support/strictCollector.js';
import { teamStory } from '../support/teamStory.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';

const collector = new StrictCollector();
beforeAll(() => collector.up());
afterAll(() => collector.down());

const test = uiTest({
  prepare: async (folder) => {
    await keepStories(folder, [{ title: 'Nightly export', daysAgo: 0, story: teamStory() }]);
  },
});

const COMMAND = 'Agent Logbook: Send to OpenTelemetry Collector…';

test('the first time, the address of the collector is asked for, and a wrong one is told while it is typed', async ({
  workbench,
}) => {
  await workbench.view('Agent Logbook');
  await workbench.command(COMMAND);
  await workbench.quickInput.choice('Nightly export').first().click();
  await workbench.quickInput.fill('http://collector.example');
  await expect.poll(() => workbench.quickInput.message().innerText()).toContain('without encryption');
  await workbench.screenshot(join(pictures, 'opentelemetry-address.png'));
  await workbench.quickInput.answer(collector.url);
  await workbench.told(/Sent \d+ spans\./);
  await workbench.screenshot(join(pictures, 'opentelemetry-sent.png'));
  const spans = [...collector.spans.values()];
  expect(spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['invoke_agent planner', 'execute_tool search']),
  );
  expect(spanProblems(spans)).toEqual([]);
});

test('headers are kept and go along', async ({ workbench }) => {
  await workbench.command('Agent Logbook: Set OpenTelemetry Headers…');
  await workbench.quickInput.answer('Authorization=Bearer%20abc,x-tenant=bakery');
  await workbench.told('2 headers kept for the collector.');
  await workbench.command(COMMAND);
  await workbench.quickInput.choice('Nightly export').first().click();
  await expect.poll(() => collector.headers.at(-1)?.authorization).toBe('Bearer abc');
  expect(collector.headers.at(-1)).toMatchObject({ 'x-tenant': 'bakery' });
});

test('what is refused says what to do, waits, and goes out when that is done', async ({ workbench }) => {
  await workbench.command('Notifications: Clear All Notifications');
  collector.spans.clear();
  collector.next.push(answers(401, {}, 'who are you?'));
  await workbench.command(COMMAND);
  await workbench.quickInput.choice('Nightly export').first().click();
  const told = await workbench.told(/refused the credentials \(401: who are you\?\).*waits on this machine/);
  const status = workbench.page.locator('.statusbar-item', { hasText: /\d+ spans wait/ });
  await status.first().waitFor();
  await workbench.screenshot(join(pictures, 'opentelemetry-refused.png'));
  expect(collector.spans.size).toBe(0);
  await told.getByRole('button', { name: 'Open Settings' }).click();
  const page = workbench.page.locator('.settings-editor');
  await page
    .locator('.setting-item-contents', { hasText: 'Send what agents do to the collector' })
    .first()
    .waitFor();
  await workbench.screenshot(join(pictures, 'opentelemetry-settings.png'));
  // VS Code shows the settings over the window, where no other command is heard.
  await workbench.page.keyboard.press('Escape');
  await page.waitFor({ state: 'detached' });
  await status.first().click();
  await expect.poll(() => collector.spans.size).toBeGreaterThan(0);
  await status.first().waitFor({ state: 'hidden' });
});
