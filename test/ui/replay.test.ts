import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { pictureOf } from './support/inEachTheme.js';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest();

describe('a recorded run is run again', () => {
  test('exactly, and nobody is asked anything', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.runAgent('Pickle', 'Prove it.');
    const question = await workbench.told('Crumb asks: Run node kitchen/scale.mjs');
    await question.getByRole('button', { name: 'Deny' }).click();
    await workbench.told('Proven twice');
    await workbench.open(workbench.doneConversation('Prove it.'), 'Prove it.');
    await workbench.command('Agent Logbook: Replay Run');
    const exact = await workbench.told('Exact: 1 run');
    await workbench.screenshot(join(pictures, 'replay-exact.png'));
    await exact.getByRole('button', { name: 'Show Report' }).click();
    await workbench.tab('replay.md').waitFor();
    await workbench.closeEditors();
  });

  test('and a changed prompt is compared with what was recorded, also in a window that comes again', async ({
    workbench,
  }) => {
    const folder = join(workbench.folder, '.github/agents');
    const file = join(folder, 'cookie.agent.md');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('You are Cookie', 'You are Cookie, the careful one'));
    // VS Code hears of files seconds late, and of this one not before the other.
    const waiter = '---\nname: Waiter\ndescription: Waits\n---\nYou wait.\n';
    await writeFile(join(folder, 'waiter.agent.md'), waiter);
    await workbench
      .treeItem(/^Waiter/)
      .first()
      .waitFor();
    await workbench.open(workbench.doneConversation('Prove it.'), 'Prove it.');
    await workbench.command('Agent Logbook: Replay Run');
    const notice = await workbench.told('The system prompt of Cookie is another now.');
    const sentence = workbench.webview().locator('.compare-sentence');
    await sentence.getByText('Another system prompt of Cookie; the same until step').waitFor();
    await workbench.webview().getByText('Cookie departed: The system prompt of Cookie is another').waitFor();
    await pictureOf(workbench, join(pictures, 'replay-departed'));
    await notice.getByRole('button', { name: 'Show Request' }).click();
    await workbench.tab(/Cookie: Expected and Asked/).waitFor();
    const right = workbench.page.locator('.editor.modified .view-lines', { hasText: 'careful' });
    await right.first().waitFor();
    await workbench.screenshot(join(pictures, 'replay-request.png'));
    await workbench.command('View: Close Editor');
    await sentence.waitFor();
    await workbench.keptForReload(/agentLogbook\.compareEditor.*"replay"/);
    await workbench.reload();
    await sentence.getByText('Another system prompt of Cookie; the same until step').waitFor();
    await workbench.closeEditors();
  });
});

/** What a program asked a model once, and was answered. */
const REQUEST = { model: 'm', messages: [{ role: 'user', content: 'Why are the cookies so small?' }] };
const ANSWER = { choices: [{ message: { role: 'assistant', content: 'Turn the factor around.' } }] };

describe('a program that was recorded is served', () => {
  test('from the menu of recordings, until somebody ends it', async ({ workbench }) => {
    const kept = join(workbench.dataDir, 'data/User/globalStorage/agent-logbook.agent-logbook/recordings');
    await mkdir(kept, { recursive: true });
    const url = 'https://api.openai.com/v1/chat/completions';
    const lines = [
      { exchange: '1', url, request: REQUEST, startTime: '2026-11-20T08:00:00Z' },
      { exchange: '1', status: 200, response: ANSWER },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await writeFile(join(kept, 'cookies.exchanges.jsonl'), text);
    await workbench.command('Agent Logbook: Recording…');
    await workbench.quickInput.choose('Serve Recording');
    await workbench.quickInput.choice('Requests to a model').waitFor();
    await pictureOf(workbench, join(pictures, 'serve-choose'));
    await workbench.quickInput.confirm();
    const notice = await workbench.told('every other request is refused');
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await notice.innerText()) ?? [];
    await workbench.page.locator('.statusbar-item', { hasText: 'Serving' }).first().waitFor();
    await pictureOf(workbench, join(pictures, 'serve-begun'));
    const ask = async (body: object) => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return await fetch(`${address}/openai/v1/chat/completions`, init);
    };
    expect((await ask({ ...REQUEST, model: 'other' })).status).toBe(422);
    expect(await (await ask(REQUEST)).json()).toEqual(ANSWER);
    await workbench.command('Agent Logbook: Recording…');
    await workbench.quickInput.choice('Stop Serving').waitFor();
    await workbench.screenshot(join(pictures, 'serve-menu.png'));
    await workbench.quickInput.choose('Stop Serving');
    const ended = await workbench.told('1 recorded answer given, 1 request refused');
    await ended.getByRole('button', { name: 'Show What Was Refused' }).click();
    await workbench.text('editor').getByText('Refused: This is not in the recording').waitFor();
    await pictureOf(workbench, join(pictures, 'serve-refused'));
    await expect(ask(REQUEST)).rejects.toThrow();
  });
});
