import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { contextStory } from '../support/contextStory.js';
import { isDeep } from '../support/fixedInputs.js';
import { claudeSession, writeAt } from '../support/sessionHome.js';
import { keepStories } from './support/pastStories.js';
import { SEARCHED } from './support/searchedStories.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

/** A trajectory as SWE-agent writes it. */
const TRAJECTORY = JSON.stringify({
  trajectory: [],
  history: [
    { role: 'system', content: 'You bake.', agent: 'main', message_type: 'system_prompt' },
    { role: 'user', content: 'Which flour is it?', agent: 'main', message_type: 'observation' },
    { role: 'assistant', content: 'It is rye.', agent: 'main', message_type: 'action' },
  ],
  info: {},
});

/** A conversation that was compacted. */
const LONG = 'Find out why the export fails';

const test = uiTest({
  prepare: async (folder, home) => {
    await keepStories(folder, [...SEARCHED, { title: LONG, daysAgo: 2, story: contextStory() }]);
    await writeAt(home, {
      '.claude/projects/-home-me-bakery/live.jsonl':
        claudeSession('Whip the cream', '/home/me/bakery', 'cream') +
        `${JSON.stringify({ sessionId: 'cream', type: 'user', uuid: 'u2', message: { role: 'user', content: 'Faster' } })}\n`,
    });
    await writeFile(join(folder, 'bread.traj'), TRAJECTORY);
    const sessions = join(folder, '.codex', 'sessions');
    await mkdir(sessions, { recursive: true });
    const said = (role: string, type: string, text: string) =>
      JSON.stringify({
        type: 'response_item',
        payload: { type: 'message', role, content: [{ type, text }] },
      });
    await writeFile(
      join(sessions, 'rollout-1.jsonl'),
      `${JSON.stringify({ type: 'session_meta', payload: { id: '2', cwd: '/mill' } })}\n${said('user', 'input_text', 'Grind the corn')}\n${said('assistant', 'output_text', 'It is ground.')}\n`,
    );
  },
});

const folder = join(pictures, 'first-look');

describe('files that are transcripts', () => {
  test('a trajectory opens as one by a double-click', async ({ workbench }) => {
    await mkdir(folder, { recursive: true });
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Pickle').first().waitFor();
    await workbench.command('View: Show Explorer');
    await workbench.page
      .locator('.explorer-folders-view .monaco-list-row', { hasText: 'bread.traj' })
      .dblclick();
    await workbench.tab('bread.traj').waitFor();
    await workbench.webview().locator('.row', { hasText: 'Which flour is it?' }).first().waitFor();
    await workbench.closeEditors();
  });

  test('a session of a tool does after one question, which is asked once', async ({ workbench }) => {
    await workbench.command('Go to File...');
    await workbench.quickInput.fill('rollout-1');
    await workbench.quickInput.choose('rollout-1');
    await workbench.tab('rollout-1.jsonl').waitFor();
    await workbench.text('editor').waitFor();
    await workbench.closeEditors();
    await workbench.command('Agent Logbook: Open File as Transcript…');
    await workbench.quickInput.file(join(workbench.folder, '.codex/sessions/rollout-1.jsonl'));
    await workbench.webview().locator('.row', { hasText: 'Grind the corn' }).first().waitFor();
    const asked = await workbench.told('Open the session files of Codex as transcripts');
    await workbench.screenshot(join(folder, 'always.png'));
    await asked.getByRole('button', { name: 'Always' }).click();
    await workbench.closeEditors();
    await workbench.command('Go to File...');
    await workbench.quickInput.fill('rollout-1');
    await workbench.quickInput.choose('rollout-1');
    await workbench.webview().locator('.row', { hasText: 'Grind the corn' }).first().waitFor();
    await workbench.closeEditors();
  });
});

describe('the search', () => {
  test('has one name, and opens in an editor with what is asked in it', async ({ workbench }) => {
    const field = await workbench.openSearch();
    const { page } = workbench;
    expect(await page.locator('.sidebar .composite.title h2').innerText()).toMatch(/^Logbook Search$/i);
    const search = workbench.searchView();
    await field.fill('agnt:');
    await search.locator('.question-problem').waitFor();
    expect(await search.locator('.question-problem').innerText()).not.toContain('Still shown');
    await field.fill('temperature agent:Crumb');
    await search.getByText(/^4 messages in 4 sessions/).waitFor();
    expect(await search.locator('.refine > summary').innerText()).toMatch(/^Refine 1 chosen$/);
    await workbench.screenshot(join(folder, 'search.png'));
    await workbench.command('Agent Logbook: Open Search in Editor');
    await workbench.tab('Search: temperature agent:Crumb').waitFor();
    await workbench
      .webview()
      .getByText(/^4 messages in 4 sessions/)
      .waitFor();
    await workbench.closeEditors();
    await field.fill('');
    await search.getByText('Commands that removed files').waitFor();
    await workbench.command('Agent Logbook: Open Search in Editor');
    await workbench.webview().getByText('Commands that removed files').click();
    expect(await workbench.webview().getByRole('combobox', { name: 'Search all' }).inputValue()).toBe(
      'command:rm -is:denied',
    );
    await workbench.closeEditors();
  });

  test('a hit is marked in its menu, and compared with one that is chosen after it', async ({
    workbench,
  }) => {
    const field = await workbench.openSearch();
    const search = workbench.searchView();
    await field.fill('temperature');
    await search.getByText('14 messages in 4 sessions').waitFor();
    const hit = (text: string) => search.locator('.result', { hasText: text }).first();
    await workbench.fromMenu(hit('Why are the cookies raw?'), 'Select for Compare');
    await workbench.fromMenu(hit('Raise the temperature'), 'Compare with Selected');
    await workbench.webview().locator('.compare-sentence').waitFor();
    await workbench.screenshot(join(folder, 'search-compared.png'));
    await workbench.closeEditors();
  });
});

test('a row of the tree is marked, and compared with one that is chosen after it', async ({ workbench }) => {
  await workbench.view('Agent Logbook');
  await workbench.showOnly('Sessions');
  await workbench.unfoldGroups();
  await workbench.fromMenu(workbench.doneConversation('Why are the cookies raw?'), 'Select for Compare');
  await workbench.fromMenu(workbench.doneConversation('Bake'), 'Compare with Selected');
  await workbench.webview().locator('.compare-sentence').waitFor();
  await workbench.screenshot(join(folder, 'tree-compared.png'));
  await workbench.closeEditors();
});

test('a link to a message opens it there', async ({ workbench }) => {
  const { page } = workbench;
  await workbench.open(workbench.doneConversation('Why are the cookies raw?'), 'Why are the cookies raw?');
  const row = workbench.webview().locator('.row', { hasText: 'The oven is at 190 degrees now' }).last();
  await row.click();
  await page.keyboard.press('l');
  await workbench.closeEditors();
  await workbench.command('Developer: Open URL');
  await workbench.quickInput.box.waitFor();
  await page.keyboard.press('ControlOrMeta+v');
  await workbench.screenshot(join(folder, 'link.png'));
  await page.keyboard.press('Enter');
  await workbench.dialog('open this URI').getByRole('button', { name: 'Open' }).click();
  await workbench.tab('Why are the cookies raw?').waitFor();
  await workbench.webview().locator('.row.selected', { hasText: 'The oven is at 190 degrees now' }).waitFor();
  await workbench.screenshot(join(folder, 'link-opened.png'));
  await workbench.closeEditors();
});

test('formats stand in three groups', async ({ workbench }) => {
  await workbench.open(workbench.doneConversation('Bake'), 'Bake');
  const page = workbench.webview();
  await page.locator('#export').click();
  const legends = page.locator('.popover:popover-open legend');
  await expect
    .poll(() => legends.allTextContents())
    .toEqual(['To read', 'To work with', 'For other tools', 'What']);
  await workbench.screenshot(join(folder, 'export.png'));
  await workbench.page.keyboard.press('Escape');
  await workbench.command('Agent Logbook: Open Recording…');
  const told = await workbench.told('Nothing was recorded yet');
  await told.getByRole('button', { name: 'Record in a New Terminal' }).waitFor();
  expect(await told.locator('.codicon-info').count()).toBe(1);
  await workbench.screenshot(join(folder, 'no-recording.png'));
});

/** A person's hand, whose clicks count; choosing in a list of the page is two. */
class Hand {
  clicks = 0;

  constructor(private readonly workbench: Workbench) {}

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }

  async openSession(title: string): Promise<FrameLocator> {
    this.clicks++;
    await this.workbench.open(this.workbench.treeItem(title).first(), title);
    return this.workbench.webview();
  }

  /** Takes an entry of the menu of the view of sessions. */
  async fromViewMenu(name: string): Promise<void> {
    const header = this.workbench.section('Sessions').first();
    await header.hover();
    await this.click(header.getByRole('button', { name: /More Actions/ }));
    await this.fromMenu(name);
  }

  /** Takes an entry of the menu of a row. */
  async fromRowMenu(title: string, name: string): Promise<void> {
    this.clicks += 2;
    await this.workbench.fromMenu(this.workbench.treeItem(title).first(), name);
  }

  async fromMenu(name: string): Promise<void> {
    this.clicks++;
    const entry = this.workbench.page.getByRole('menuitem', { name, exact: true });
    await entry.click({ delay: 300 });
  }

  /** Asks Logbook Search, and chooses what is asked for. */
  async search(text: string, rows: string): Promise<FrameLocator> {
    await this.click(this.workbench.activityBarItem('Logbook Search'));
    const page = this.workbench.searchView();
    const field = page.getByRole('combobox', { name: 'Search all conversations' });
    await field.fill(text);
    this.clicks += 2;
    await page.getByRole('combobox', { name: 'What to find' }).selectOption(rows);
    return page;
  }
}

const TEAM = 'Nightly export of invoices fails';

/** The way to the answer of each question of docs/guide.md, in its words. */
const WAYS: Readonly<Record<string, (hand: Hand, workbench: Workbench) => Promise<void>>> = {
  'What did a subagent do?': async (hand) => {
    const page = await hand.openSession(TEAM);
    await page.locator('.list').press('Home');
    await hand.click(page.getByRole('button', { name: 'Show the conversation of researcher' }).first());
    await page.locator('.row', { hasText: 'exportInvoices' }).first().waitFor();
  },
  'Which calls failed?': async (hand) => {
    const page = await hand.openSession(TEAM);
    await hand.click(page.locator('.fact-errors'));
    await page.locator('.row.selected .state-word-failed, .row.selected .level-error').first().waitFor();
  },
  'What failed first?': async (hand) => {
    const page = await hand.openSession(TEAM);
    await hand.click(page.getByRole('button', { name: 'First error:' }));
    await page.locator('.row.selected', { hasText: 'failed' }).first().waitFor();
  },
  'What did it cost?': async (hand, workbench) => {
    const page = await hand.openSession(TEAM);
    await page
      .locator('.facts .fact', { hasText: /^≈? ?\$\d/ })
      .first()
      .waitFor();
    await hand.fromViewMenu('Show Spending and Live Sessions');
    await workbench.tab('Spending').waitFor();
    // Of two pages, the one in front is not told from the other.
    await workbench.command('View: Close Other Editors in Group');
    await workbench.webview().getByText('each counted once').waitFor();
  },
  'What was wasted?': async (hand) => {
    const page = await hand.openSession(TEAM);
    await hand.click(page.getByRole('tab', { name: 'Statistics' }));
    await page.getByRole('heading', { name: 'Wasted' }).waitFor();
  },
  'Which sessions ran `rm`?': async (hand) => {
    const page = await hand.search('command:rm', 'sessions');
    await page
      .getByText(/^4 sessions/)
      .first()
      .waitFor();
  },
  'All Bash calls of this week': async (hand) => {
    const page = await hand.search('tool:bash since:7d', 'toolCalls');
    await page
      .getByText(/^\d+ tool calls in 1 session/)
      .first()
      .waitFor();
  },
  'Who approved what?': async (hand) => {
    const page = await hand.openSession(TEAM);
    await hand.click(page.getByRole('tab', { name: 'Approvals' }));
    await page.locator('.ledger-summary', { hasText: '2 approved' }).waitFor();
  },
  'What did the compaction throw away?': async (hand) => {
    const page = await hand.openSession(LONG);
    await hand.click(page.getByRole('tab', { name: 'Context' }));
    await hand.click(page.getByRole('button', { name: 'Uncompact' }));
    await page.locator('.dropped-list li').first().waitFor();
  },
  'How do I share one without secrets?': async (hand, workbench) => {
    const page = await hand.openSession('Bake');
    await hand.click(page.locator('#export'));
    await hand.click(page.getByRole('button', { name: 'Save as file…' }));
    await workbench.quickInput.box.waitFor();
  },
  'How do I follow my Claude Code?': async (hand, workbench) => {
    await hand.click(workbench.treeItem('Show Them').first());
    const live = workbench.treeItem('Whip the cream').first();
    await hand.click(live);
    await workbench.webview().locator('.row', { hasText: 'Whip the cream' }).first().waitFor();
  },
  'How do I continue elsewhere?': async (hand, { quickInput }) => {
    await hand.fromRowMenu(TEAM, 'Hand Over To…');
    await quickInput.choice('Claude Code').first().waitFor();
  },
  'What if it had been asked otherwise?': async (hand, { quickInput }) => {
    const page = await hand.openSession('Why are the cookies raw?');
    const row = page.locator('.row', { hasText: 'Why are the cookies raw?' }).first();
    await hand.click(row);
    await hand.click(row.locator('.row-toolbar vscode-button[aria-label="Go on from here"]'));
    await quickInput.box.waitFor();
  },
};

test('each question of docs/guide.md is answered in three clicks at most', async ({ workbench }) => {
  const guide = await readFile('docs/guide.md', 'utf8');
  const [, table = ''] = /### Questions and the way to each\n([^#]+)/.exec(guide) ?? [];
  const asked = [...table.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, question = '']) => question);
  expect(Object.keys(WAYS)).toEqual(asked.filter((each) => each !== 'question' && !each.startsWith('-')));
  await workbench.view('Agent Logbook');
  await workbench.showOnly('Sessions');
  await workbench.unfoldGroups();
  for (const [question, way] of Object.entries(WAYS)) {
    // After a search the view is not the one in front.
    if (!(await workbench.section('Sessions').first().isVisible())) await workbench.view('Agent Logbook');
    // Of two pages that stay as they are, the one in front is not told from the other.
    if (await workbench.tab('Spending').isVisible()) await workbench.closeEditors();
    const hand = new Hand(workbench);
    await way(hand, workbench);
    await workbench.screenshot(join(folder, `asked-${question.replaceAll(/\W+/g, '-')}.png`));
    if (await workbench.quickInput.box.isVisible()) await workbench.quickInput.cancel();
    expect.soft(hand.clicks, question).toBeLessThanOrEqual(3);
  }
});

// Each picture is for the eye: what would break is looked at elsewhere.
test.runIf(isDeep)(
  'what everybody sees reads well in every theme, and in a low window',
  async ({ workbench }) => {
    const { page } = workbench;
    const tab = (name: string) => async () => {
      await workbench.webview().getByRole('tab', { name }).click();
      await workbench.webview().locator('[role=tabpanel]:visible').first().waitFor();
    };
    const views: readonly (readonly [name: string, show: () => Promise<void>])[] = [
      ['transcript', tab('Messages')],
      ['timeline', tab('Timeline')],
      ['statistics', tab('Statistics')],
      ['tools', tab('Tools')],
      ['approvals-of-one', tab('Approvals')],
      ['context', tab('Context')],
      ['search', searchInEditor],
      ['spending', alone('Agent Logbook: Show Spending and Live Sessions')],
      ['approvals', alone('Agent Logbook: Show Approvals of All Transcripts')],
    ];
    // Of two pages that stay as they are, the one in front is not told from the other.
    function alone(command: string) {
      return async () => {
        await workbench.closeEditors();
        await workbench.command(command);
      };
    }
    async function searchInEditor() {
      await alone('Agent Logbook: Open Search in Editor')();
      const search = workbench.webview().getByRole('combobox', { name: 'Search all' });
      await workbench.webview().getByRole('combobox', { name: 'What to find' }).selectOption('messages');
      await search.fill('temperature');
      await workbench.webview().getByText('14 messages in 4 sessions').waitFor();
    }
    await workbench.closeEditors();
    await workbench.view('Agent Logbook');
    await workbench.unfoldGroups();
    await workbench.open(workbench.treeItem(TEAM).first(), TEAM);
    for (const [name, show] of views) {
      await page.setViewportSize({ width: 1400, height: 900 });
      await show();
      if (name === 'transcript')
        await workbench.webview().locator('.row:not(.row-skeleton)').first().waitFor();
      if (name === 'spending') await workbench.webview().getByText('each counted once').waitFor();
      for (const [theme, kind] of [
        ['Light Modern', 'vscode-light'],
        ['Dark Modern', 'vscode-dark'],
        ['Dark High Contrast', 'vscode-high-contrast'],
        ['Light High Contrast', 'vscode-high-contrast-light'],
      ] as const) {
        await workbench.chooseTheme(theme);
        await workbench.webview().locator(`body.${kind}`).waitFor();
        for (const [width, height] of [
          [1400, 900],
          [700, 450],
        ] as const) {
          await page.setViewportSize({ width, height });
          await workbench.screenshot(
            join(folder, `looks-${name}-${theme.replaceAll(' ', '-').toLowerCase()}-${width}.png`),
          );
        }
      }
    }
  },
);
