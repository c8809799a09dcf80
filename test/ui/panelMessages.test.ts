import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { StoryTeller } from '../support/storyTeller.js';
import { teamStory } from '../support/teamStory.js';
import type { PanelPage } from './support/panelPage.js';
import { inEachTheme } from './support/inEachTheme.js';
import { panelTest } from './support/panelTest.js';
import { violationsIn } from './support/violations.js';
import { pictures } from './support/uiTest.js';

/** One short conversation with a long answer, a tool with JSON, a picture, and a result in a file of its own. */
function mixedStory(): StoryTeller {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  call.say(`Long: ${'word '.repeat(3_000)}the end`, 2_500);
  call.useTool('read_config', { path: 'conf/app.json', line: 7 }, '{"port": 8080, "hosts": ["a", "b"]}', {
    ms: 1_500,
  });
  call.useTool('fetch_log', { job: 'nightly' }, 'placeholder', { ms: 20 });
  const result = story.records.pop();
  if (result?.type !== 'message') throw new Error('The result is a message.');
  story.records.push({
    ...result,
    message: { ...result.message, content: 'The log begins' },
    spill: [{ field: 'content', path: 'logs/x.json', bytes: 60_000, sha256: 'x' }],
  });
  call.message({
    role: 'user',
    content: [{ type: 'image_url', image_url: { url: PNG } }, { type: 'input_audio' }],
  });
  call.say('```ts\nconst answer: number = 42;\n```\n\nSee [the site](https://example.com/a?b=c).', 900);
  return story;
}

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNkYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

/** Presses one of the buttons that stand over a row under the pointer. */
async function pressTool(panel: PanelPage, row: Locator, label: string): Promise<void> {
  await row.hover();
  await panel.page.locator('.row-toolbar').locator(`vscode-button[aria-label="${label}"]`).click();
}

panelTest('a message says who spoke, when, how long it took, and what it cost', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const row = panel.row('I will first have the history searched');
  expect(await row.locator('.agent').first().textContent()).toBe('planner');
  expect(await row.locator('.meta').innerText()).toMatch(
    /gpt-5-mini\s+482 → 40 tok\s+2\.3 s\s+\d\d:\d\d:\d\d/,
  );
  expect(await row.locator('.meta-tokens').getAttribute('title')).toBe(
    'Tokens: 482 in, 40 out, as the provider told them',
  );
  expect(await row.getAttribute('aria-label')).toMatch(/^assistant message, planner: I will first/);
  expect(await row.locator('ol li').allInnerTexts()).toHaveLength(3);
});

panelTest('names of characters are read as Markdown says', async ({ open }) => {
  const story = new StoryTeller();
  story
    .run('planner', 'Go')
    .say('Names: caf&eacute;&semi; &Tab;a &copy &notit; &nosuch; &amp;lt; &ngE;', 900);
  const panel = await open({ story });
  const shown = await panel.row('Names:').locator('p').last().textContent();
  expect(shown).toBe('Names: café; \ta &copy &notit; &nosuch; &lt; \u2267\u0338');
});

panelTest('tokens that were estimated are marked so', async ({ open }) => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  const usage = { inputTokens: 1_200, outputTokens: 30, estimated: true };
  call.message({ role: 'assistant', content: 'About this much' }, { model: 'm', usage });
  const panel = await open({ story });
  expect(await panel.row('About this much').locator('.meta-tokens').innerText()).toBe('≈1.2k → 30 tok');
});

panelTest('tokens that a source did not record are not shown as none', async ({ open }) => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  const usage = { inputTokens: 0, outputTokens: 30, estimated: false };
  call.message({ role: 'assistant', content: 'Only what came back' }, { model: 'm', usage });
  const panel = await open({ story });
  expect(await panel.row('Only what came back').locator('.meta-tokens').innerText()).toBe('30 tok out');
});

panelTest('a tool call and its result are one card, folded until it is opened', async ({ open }) => {
  const panel = await open({ story: mixedStory() });
  const card = panel.row('read_config');
  expect(await card.locator('.tool-summary').textContent()).toBe('conf/app.json:7');
  expect(await card.locator('.meta-duration').innerText()).toBe('1.5 s');
  expect(await card.locator('.card-body').count()).toBe(0);
  await card.locator('.card-head').click();
  expect(await card.locator('.json-key').allInnerTexts()).toEqual(['path', 'line', 'port', 'hosts']);
  await card.getByRole('button', { name: 'conf/app.json:7' }).click();
  expect(await panel.wasDone('openFile')).toBe('openFile conf/app.json 7');
});

panelTest('a failed tool call shows its error without being opened', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await panel.page.keyboard.press('End');
  const card = panel.row('ask_human');
  expect(await card.locator('.failure').innerText()).toBe('Unparsable arguments');
  expect(await card.locator('.state-word-failed').count()).toBe(1);
  await card.locator('.card-head').click();
  expect(await card.locator('.section').first().innerText()).toContain('{"question": "Shall I go on');
});

panelTest('a dispatch opens the conversation of the other agent in place', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const card = panel.row('Show the conversation of coder');
  await card.getByRole('button', { name: 'Show the conversation of coder' }).click();
  await panel.row('Hide the conversation of coder').waitFor();
  const child = panel.row('A small change at the one call.');
  await child.waitFor();
  expect(await child.getAttribute('aria-label')).toMatch(/^assistant message, coder, depth 1: A small/);
  expect(await child.locator('.rail').count()).toBe(1);
  const nested = panel.row('Which status does the upload answer');
  await nested.getByRole('button', { name: /Show the conversation/ }).click();
  const grandchild = panel.page.getByLabel('assistant message, researcher, depth 2');
  await grandchild.waitFor();
  expect(await grandchild.locator('.rail').count()).toBe(2);
  await panel.row('Hide the conversation of coder').getByRole('button', { name: /Hide/ }).click();
  await child.waitFor({ state: 'detached' });
});

panelTest(
  'the answer to a dispatch is shown as the text that it is, in plain words while the card is closed',
  async ({ open }) => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Go');
    const { child, call: asked } = call.dispatch('researcher', 'Look');
    child.end();
    call.answer(asked, '{"result":"It is **there**.","session_id":"k_2"}');
    const panel = await open({ story });
    const card = panel.row('researcher');
    expect(await card.locator('.answer').innerText()).toBe('← It is there.');
    await card.locator('.card-head').click();
    expect(await card.locator('.section').last().locator('strong').innerText()).toBe('there');
    expect(await card.locator('.session').innerText()).toBe('Session k_2');
  },
);

panelTest('a long text is cut, says by how much, and is shown whole when asked', async ({ open }) => {
  const panel = await open({ story: mixedStory() });
  const row = panel.row('Long: word');
  const more = row.locator('vscode-button', { hasText: /^Show all/ });
  expect(await more.innerText()).toBe('Show all (9,013 more characters)');
  expect(await row.innerText()).not.toContain('the end');
  await more.click();
  await row.getByText('the end').waitFor({ state: 'attached' });
  expect(await more.count()).toBe(0);
});

panelTest('a result in a file of its own is fetched when asked, never before', async ({ open }) => {
  const panel = await open({ story: mixedStory() });
  const whole = `The log begins\n${'line\n'.repeat(11_000)}last line of the log`;
  panel.transcript.spills.set('logs/x.json', whole);
  const card = panel.row('fetch_log');
  await card.locator('.card-head').click();
  const show = card.locator('vscode-button', { hasText: 'Show all (60 KB)' });
  expect(await card.innerText()).not.toContain('last line');
  await show.click();
  await card.getByText('last line of the log').waitFor({ state: 'attached' });
});

panelTest('a file that is gone is said so, and what is left stays', async ({ open }) => {
  const panel = await open({ story: mixedStory() });
  await panel.row('fetch_log').locator('.card-head').click();
  await panel
    .row('fetch_log')
    .getByRole('button', { name: /^Show all/ })
    .click();
  await panel.page.getByText('The file with the whole text is missing or was changed').waitFor();
  expect(await panel.row('fetch_log').innerText()).toContain('The log begins');
});

panelTest('a picture is shown when asked, and other parts are named', async ({ open }) => {
  const panel = await open({ story: mixedStory() });
  await panel.page.getByRole('button', { name: /^Show image/ }).click();
  const picture = panel.page.locator('img.picture');
  await picture.waitFor();
  expect(
    await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
  ).toBe(10);
  await panel.page.getByText('Part of type “input_audio”').waitFor();
});

panelTest(
  'a picture that a tool answered with stands in its card, and is shown when asked',
  async ({ open }) => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Go');
    const asked = call.toolCall('photograph', {});
    call.say(null, 5, [asked]);
    const url = PNG.slice(0, 40);
    call.message(
      {
        role: 'tool',
        tool_call_id: asked.id,
        content: [
          { type: 'text', text: 'Cheese!' },
          { type: 'image_url', image_url: { url } },
        ],
      },
      { spill: [{ field: 'content', index: 1, path: 'x.json', bytes: 80_000, sha256: 'x' }] },
    );
    const panel = await open({ story });
    panel.transcript.spills.set('x.json', PNG);
    const card = panel.row('photograph');
    await card.locator('.card-head').click();
    await card.getByText('Cheese!').waitFor();
    await card.getByRole('button', { name: 'Show image (image/png, 60 KB)' }).click();
    const picture = card.locator('img.picture');
    await picture.waitFor();
    expect(
      await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
    ).toBe(10);
  },
);

panelTest('a remote picture is named and not asked for', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await panel.page.keyboard.press('End');
  await panel.page.getByText('Remote image, not loaded').waitFor();
});

panelTest('code is coloured, can be copied alone, and links ask the host', async ({ open }) => {
  const panel = await open({ story: mixedStory() });
  const row = panel.row('const answer');
  await row.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
  await row.hover();
  await row.locator('.code').getByRole('button').click();
  expect(await panel.wasDone('copy')).toBe('copy const answer: number = 42;');
  await row.getByText('the site').click();
  expect(await panel.wasDone('openLink')).toBe('openLink https://example.com/a?b=c');
});

panelTest('a row is copied, as Markdown too, and opened in an editor', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const row = panel.row('The cause is clear');
  await pressTool(panel, row, 'Copy the text (C)');
  expect(await panel.wasDone('copy The cause')).toBe(
    'copy The cause is clear. The coder fixes it while the reviewer prepares the cases that must hold.',
  );
  await pressTool(panel, row, 'Copy as Markdown (Shift+C)');
  expect(await panel.wasDone('copy **planner** (assistant)')).toContain('The cause is clear.');
  await pressTool(panel, row, 'Open in an editor (E)');
  expect(await panel.wasDone('showText')).toMatch(/^showText markdown The cause is clear/);
  await panel.page.getByText('Copied as Markdown.').waitFor();
});

panelTest('JSON is folded deeper down, and opens', async ({ open }) => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  call.useTool('deep', { a: { b: { c: { d: { e: 'bottom' } } } } }, 'ok');
  const panel = await open({ story });
  const card = panel.row('deep');
  await card.locator('.card-head').click();
  while ((await card.getByText('bottom').count()) < 2) {
    await card.locator('.json-head[aria-expanded="false"]').first().click();
  }
  expect(await card.locator('.json-key').allInnerTexts()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

panelTest('a change of a file is shown as the lines that go and come', async ({ open }) => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  const [before, after] = ['one\ntwo\nthree', 'one\n2\nthree'];
  call.useTool('Edit', { file_path: 'a.ts', old_string: before, new_string: after }, 'Changed', { ms: 1 });
  const patch = '*** Begin Patch\n*** Update File: b.ts\n@@\n-old\n+new\n*** End Patch';
  call.useTool('apply_patch', { input: patch }, 'Changed', { ms: 1 });
  const panel = await open({ story });
  for (const [tool, text, gone, come] of [
    ['Edit', ' one\n-two\n+2\n three', '-two', '+2'],
    ['apply_patch', '-old\n+new', '-old', '+new'],
  ] as const) {
    const card = panel.row(tool);
    await card.locator('.card-head').click();
    expect(await card.locator('.diffs pre').textContent()).toBe(text);
    expect(await card.locator('.removed').innerText()).toBe(gone);
    expect(await card.locator('.added').innerText()).toBe(come);
  }
  expect(await panel.row('Edit').locator('.json').count()).toBe(0);
  expect(await panel.row('apply_patch').locator('.json').count()).toBe(0);
});

panelTest('of a change nothing is hidden that the card does not show as lines', async ({ open }) => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  const shown = { old_text: 'a', new_text: 'b' };
  call.useTool('Edit', { ...shown, old_string: 'real', new_string: 'deed' }, 'Changed', { ms: 1 });
  call.useTool('edit_files', { edits: [{ path: 'hidden.ts', ...shown }] }, 'Changed', { ms: 1 });
  const panel = await open({ story });
  for (const [tool, where, words] of [
    ['Edit', '.diffs', 'deed'],
    ['Edit', '.json', 'old_text'],
    ['edit_files', '.tool-summary', 'hidden.ts'],
  ] as const) {
    const card = panel.row(tool);
    if ((await card.locator('.card-body').count()) === 0) await card.locator('.card-head').click();
    await card.locator(where).getByText(words).first().waitFor();
  }
});

panelTest('tables keep their alignment, and lists of things to do their boxes', async ({ open }) => {
  const story = new StoryTeller();
  story.run('planner', 'Go').say('| what | grams |\n|---|---:|\n| salt | 10 |\n\n- [x] weigh\n- [ ] bake', 9);
  const panel = await open({ story });
  const row = panel.row('weigh');
  expect(
    await row
      .locator('td')
      .last()
      .evaluate((cell) => getComputedStyle(cell).textAlign),
  ).toBe('right');
  expect(await row.locator('li').allInnerTexts()).toEqual(['☑ weigh', '☐ bake']);
});

/** Calls of the tools that everybody has. */
function deedStory(): StoryTeller {
  const story = new StoryTeller();
  const call = story.run('coder', 'Mend the date');
  call.useTool(
    'Bash',
    { command: 'npm test -- dates', description: 'Run the tests of dates' },
    'Exit code 1\n1 failing',
    {
      ms: 900,
      isError: true,
    },
  );
  call.useTool(
    'Edit',
    {
      file_path: 'src/date.ts',
      old_string: 'const a = 1;\nreturn a;',
      new_string: 'const a = 2;\nconst b = 3;\nreturn a + b;',
    },
    'done',
  );
  call.useTool('Read', { file_path: 'src/date.ts', offset: 1, limit: 3 }, 'one\ntwo\nthree');
  call.useTool('Grep', { pattern: 'Temporal', path: 'src' }, '');
  call.useTool(
    'TodoWrite',
    {
      todos: [
        { content: 'Find it', status: 'completed' },
        { content: 'Mend it', status: 'in_progress' },
        { content: 'Tell', status: 'pending' },
      ],
    },
    'ok',
  );
  call.useTool(
    'mcp__github__get_issue',
    { owner: 'o', repository: 'a-long-name', number: 7 },
    '{"title":"x"}',
  );
  call.useTool('WebFetch', { url: 'https://example.com/docs?token=x', prompt: 'what' }, 'a page');
  call.useTool('Bash', { command: 'rm -rf build' }, 'The user denied this.');
  const result = story.records.pop();
  if (result?.type !== 'message') throw new Error('The result is a message.');
  story.records.push({ ...result, state: 'denied' });
  call.useTool('Task', { subagent_type: 'reviewer', description: 'Review it', prompt: 'Look at all.' }, '');
  // Its result never came.
  story.records.pop();
  call.say('Mended.', 900);
  return story;
}

panelTest('a tool call is told as what it did, and its change as a diff', async ({ open }) => {
  const folder = join(pictures, 'panel');
  await mkdir(folder, { recursive: true });
  const panel = await open({ story: deedStory() });
  const { page } = panel;
  const line = (words: string) => panel.row(words).locator('.card-line').innerText();
  expect(await line('npm test')).toMatch(/Bash\s+npm test -- dates\s+exit 1/);
  expect(await panel.row('npm test').locator('.about').innerText()).toBe('Run the tests of dates');
  expect(await line('date.ts +')).toMatch(/Edit\s+src\/\s*date\.ts \+3 −2/);
  expect(await line('date.ts:1')).toMatch(/Read\s+src\/\s*date\.ts:1–3\s+3 lines/);
  expect(await line('Temporal in')).toMatch(/Grep\s+Temporal in src\s+nothing/);
  expect(await line('1 of 3 done')).toContain('now: Mend it');
  expect(await line('get_issue')).toMatch(/github › get_issue\s+owner: o, number: 7/);
  expect(await panel.row('rm -rf build').innerText()).toContain('You denied it');
  expect(await page.locator('.row', { hasText: 'Review it' }).count()).toBe(1);
  expect(await panel.row('Review it').innerText()).toContain('never answered');
  await page.screenshot({ path: join(folder, 'deeds-unanswered.png') });
  for (const words of ['npm test', 'date.ts +', '1 of 3 done'])
    await panel.row(words).locator('.card-head').click();
  const change = panel.row('date.ts +');
  expect(await change.locator('.diffs').innerText()).toContain('+const b = 3;');
  await change.getByRole('button', { name: 'Open Changes' }).click();
  await expect.poll(() => panel.done).toContain('changes src/date.ts');
  const tasks = await panel.row('1 of 3 done').locator('.plan li').allInnerTexts();
  expect(tasks.map((words) => words.replace(/:\s+/, ': '))).toEqual([
    'done: Find it',
    'in progress: Mend it',
    'open: Tell',
  ]);
  // What was denied is no error.
  await page.getByRole('button', { name: /1 error/ }).click();
  await page.locator('.row.selected', { hasText: 'npm test' }).waitFor();
  await page.locator('.row.selected').focus();
  await page.keyboard.press('a');
  await page.locator('.row.selected', { hasText: 'const b = 3;' }).waitFor();
  for (const width of [1000, 700]) {
    await page.setViewportSize({ width, height: width === 700 ? 450 : 900 });
    await panel.settled();
    await inEachTheme(page, async (theme) => {
      await page.screenshot({ path: join(folder, `deeds-${theme}-${width}.png`) });
      expect.soft(await panel.overflow(), `${theme} ${width}`).toEqual([]);
      if (width === 1000) expect.soft(await violationsIn(page, theme), theme).toEqual([]);
    });
  }
});
