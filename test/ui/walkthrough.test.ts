import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const test = uiTest();

/** Opens the walkthrough at a step; gives the step. */
async function openStep(workbench: Workbench, title: string): Promise<Locator> {
  await workbench.command('Welcome: Open Walkthrough...');
  await workbench.quickInput.choose('Get Started with Agent Logbook');
  const step = workbench.page.locator('.gettingStartedContainer .getting-started-step', { hasText: title });
  await step.first().click();
  await workbench.page
    .locator('.gettingStartedContainer .getting-started-step.expanded', { hasText: title })
    .waitFor();
  return step.first();
}

describe('the walkthrough', () => {
  test('opens from the command palette, and each step shows its page', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Pickle').first().waitFor();
    for (const [title, words] of [
      // What is there already comes first.
      ['See what your tools did', 'What is live stands on top'],
      ['Make an agent', 'This file lies in'],
      ['Select a model', 'On offer is what is there'],
      ['Run an agent', 'Agents run only in a workspace that you trust'],
      ['Read the transcript', 'Everything that was said is kept in'],
    ] as const) {
      await openStep(workbench, title);
      await workbench.webview().getByText(words).first().waitFor();
      await workbench.screenshot(join(pictures, `walkthrough-${title.replaceAll(' ', '-')}.png`));
    }
    const titles = workbench.page.locator('.gettingStartedContainer .getting-started-step .step-title');
    expect(await titles.first().innerText()).toBe('See what your tools did');
  });

  test('its buttons do what they say', async ({ workbench }) => {
    const { quickInput } = workbench;
    const press = async (step: string, name: string) =>
      (await openStep(workbench, step)).getByRole('button', { name }).click();
    const ticked = async () => {
      await workbench.command('Welcome: Open Walkthrough...');
      await quickInput.choose('Get Started with Agent Logbook');
      const steps = workbench.page.locator('.gettingStartedContainer .getting-started-step');
      await steps.first().waitFor();
      return steps
        .filter({ has: workbench.page.locator('.codicon.complete') })
        .locator('.step-title')
        .allInnerTexts();
    };
    await press('See what your tools did', 'Choose Tools…');
    await quickInput.choice('Claude Code').first().waitFor();
    await quickInput.cancel();
    await press('See what your tools did', 'Show Sessions');
    await workbench.section('Sessions').first().waitFor();
    await press('Make an agent', 'New Agent…');
    await quickInput.box.getByText(/name/i).first().waitFor();
    await quickInput.cancel();
    await press('Select a model', 'Select Model…');
    await quickInput.choice('The recipe box').first().waitFor();
    await quickInput.cancel();
    // A question that was left has done nothing.
    expect(await ticked()).toEqual([]);
    await press('Run an agent', 'Run Agent…');
    await quickInput.choose('Pickle');
    await quickInput.answer('Why were there so few cookies on Tuesday?');
    await workbench.doneConversation('Why were there so few cookies on Tuesday?').waitFor();
    await press('Read the transcript', 'Open Transcript');
    await quickInput.choose('Why were there so few cookies');
    await workbench.tab('Why were there so few cookies').waitFor();
    await workbench.webview().getByText('line 8').first().waitFor();
    await expect.poll(ticked).toEqual(expect.arrayContaining(['Run an agent', 'Read the transcript']));
    await workbench.screenshot(join(pictures, 'walkthrough-ticks.png'));
  });
});
