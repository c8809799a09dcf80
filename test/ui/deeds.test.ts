import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { StoryTeller } from '../support/storyTeller.js';
import { writeAt } from '../support/sessionHome.js';
import { pictureOf } from './support/inEachTheme.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';

/** How Claude Code says that a person has refused a call. */
const REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected.";

/** Calls as tools make them, what came of each, and the line that a person reads. */
const CALLS: readonly [tool: string, input: object, result: string, line: RegExp][] = [
  [
    'Bash',
    { command: 'npm test -- dates', description: 'Run the tests of dates' },
    'Exit code 1\nFAIL dates',
    /^Bash npm test -- dates exit 1/,
  ],
  [
    'Read',
    { file_path: 'src/date.txt', offset: 1, limit: 3 },
    'a\nb\nc',
    /^Read src\/ ?date\.txt:1–3 3 lines/,
  ],
  ['Grep', { pattern: 'Temporal', path: 'src' }, 'src/a.ts', /^Grep Temporal in src 1 line/],
  ['LS', { path: 'src' }, '- date.txt\n- x.ts', /^LS src 2 lines/],
  [
    'TodoWrite',
    {
      todos: [
        { content: 'Find it', status: 'completed', activeForm: 'Finding' },
        { content: 'Mend it', status: 'in_progress', activeForm: 'Mending' },
      ],
    },
    'ok',
    /^TodoWrite 1 of 2 done, now: Mend it/,
  ],
  [
    'Edit',
    { file_path: 'src/date.txt', old_string: 'b = 2;\nc = 3;', new_string: 'b = 3;\nc = 3;\nd = 4;' },
    'ok',
    /^Edit src\/ ?date\.txt \+2 −1/,
  ],
  ['Write', { file_path: 'NOTES.md', content: '# Notes\n\nfixed\n' }, 'ok', /^Write NOTES\.md \+3/],
  ['WebSearch', { query: 'temporal api' }, 'Links', /^WebSearch temporal api/],
  [
    'WebFetch',
    { url: 'https://example.com/docs?token=x', prompt: 'p' },
    'A page',
    /^WebFetch example\.com\/ ?docs/,
  ],
  [
    'mcp__github__get_issue',
    { owner: 'o', repository: 'a-long-name-of-it', number: 7 },
    'ok',
    /^github › get_issue owner: o, number: 7/,
  ],
  ['Bash', { command: 'rm -rf build' }, REFUSED, /^Bash rm -rf build/],
  ['Task', { subagent_type: 'reviewer', description: 'Review it', prompt: 'Say.' }, 'Fine.', /reviewer/],
];

function session(): string {
  let at = 0;
  const line = (type: string, content: unknown, more: object = {}) =>
    JSON.stringify({
      sessionId: 'd1',
      cwd: '/home/me/shop',
      uuid: `u${++at}`,
      timestamp: new Date(Date.now() - 7_200_000 + at * 1_000).toISOString(),
      type,
      message: { id: `m${at}`, role: type, content, ...(type === 'assistant' && { model: 'claude-opus-5' }) },
      ...more,
    });
  const prompt = line('user', 'Fix the dates');
  const calls = CALLS.flatMap(([name, input, content], id) => {
    const isError = content === REFUSED || content.startsWith('Exit code');
    const result = { type: 'tool_result', tool_use_id: `t${id}`, content, is_error: isError };
    return [
      line('assistant', [{ type: 'tool_use', id: `t${id}`, name, input }]),
      line('user', [result], content === REFUSED ? { toolUseResult: 'User rejected tool use' } : {}),
    ];
  });
  return `${[prompt, ...calls, line('assistant', [{ type: 'text', text: 'Mended.' }])].join('\n')}\n`;
}

/** A run whose model was asked three times. */
function triedStory(): StoryTeller {
  const story = new StoryTeller();
  const call = story.run('planner', 'Ask until it answers.');
  for (const [attempt, wait] of [
    [1, 2_000],
    [2, 4_000],
    [3, 0],
  ] as const) {
    call.add({
      type: 'request',
      model: 'gpt-5-mini',
      endpoint: 'e',
      attempt,
      durationMs: 300,
      error: { code: 'rate_limit', status: 429, message: 'Too many requests.' },
    });
    story.wait(wait + 300);
  }
  call.say('It answers now.');
  call.end();
  return story;
}

const SESSION = '.claude/projects/-home-me-shop/d1.jsonl';
const folder = join(pictures, 'deeds');

const test = uiTest({
  prepare: async (workspace, home) => {
    await writeAt(home, { [SESSION]: session() }, Date.now() - 7_200_000);
    await keepStories(workspace, [{ title: 'Tried again', daysAgo: 0, story: triedStory() }]);
  },
});

test('each call reads like a deed, in its card, in the search and in the tree', async ({ workbench }) => {
  const { page, home } = workbench;
  await mkdir(folder, { recursive: true });
  await workbench.view('Agent Logbook');
  await workbench.command('Agent Logbook: Import Transcript…');
  await workbench.quickInput.file(join(home, SESSION));
  await workbench.told('Imported 1 conversation');
  await page.setViewportSize({ width: 1400, height: 1600 });
  await workbench.open(workbench.treeItem('Fix the dates').first(), 'Fix the dates');
  const rows = workbench.webview();
  for (const [, , , line] of CALLS) {
    const lines = async () =>
      (await rows.locator('.card-line').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
    await expect.poll(lines).toContainEqual(expect.stringMatching(line));
  }
  const denied = rows.locator('.row', { hasText: 'rm -rf build' }).first();
  expect(await denied.innerText()).toContain('You denied it');
  expect(await denied.innerText()).not.toMatch(/failed/i);
  expect(await rows.locator('.row .about').first().innerText()).toBe('Run the tests of dates');
  await pictureOf(workbench, join(folder, 'cards'));
  const edit = rows.locator('.row', { hasText: '+2 −1' }).first();
  await edit.locator('.card-head').click();
  await edit.getByRole('button', { name: 'Open Changes' }).click();
  await workbench.tab('date.txt (What the call changed)').waitFor();
  await expect.poll(() => page.locator('.monaco-diff-editor').first().innerText()).toMatch(/d\s=\s4;/);
  await page.setViewportSize({ width: 1400, height: 900 });
  await pictureOf(workbench, join(folder, 'open-changes'));
  await workbench.closeEditors();
  const field = await workbench.openSearch();
  await field.fill('tool:edit');
  const search = workbench.searchView();
  await search.locator('.result', { hasText: 'Edit src/date.txt +2 −1' }).first().waitFor();
  expect(await search.locator('.results').innerText()).not.toMatch(/\{\s*"/);
  await workbench.screenshot(join(folder, 'search.png'));
  await field.fill('');
  await workbench.view('Agent Logbook');
  await workbench.unfold(workbench.treeItem('Fix the dates').first());
  const run = workbench.page
    .locator('.pane-body .monaco-list-row[aria-level="3"][aria-expanded="false"]')
    .first();
  if (await run.isVisible()) await workbench.unfold(run);
  await workbench.treeItem('Bash npm test -- dates').first().waitFor();
  await workbench.screenshot(join(folder, 'tree.png'));
});

test('tries of a request are one row that unfolds to their words', async ({ workbench }) => {
  await workbench.open(workbench.treeItem('Tried again').first(), 'Tried again');
  const row = workbench.webview().locator('.row', { hasText: 'Tried 3 times in' }).first();
  await row.waitFor();
  expect(await row.innerText()).toMatch(/Tried 3 times in [\d.]+ s, waited 2\.0 s, 4\.0 s: /);
  expect(await workbench.webview().locator('.row', { hasText: 'Too many requests' }).count()).toBe(1);
  await workbench.screenshot(join(folder, 'tries.png'));
});
