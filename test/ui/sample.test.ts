import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { LogRecord } from '../../src/core/record.js';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest();

/** What the one conversation of a workspace has recorded, its header aside. */
async function recorded(workspace: string): Promise<LogRecord[]> {
  const folder = join(workspace, '.agent-logbook/conversations');
  const [conversation = ''] = await readdir(folder);
  const lines = (await readFile(join(folder, conversation, 'messages.jsonl'), 'utf8')).trimEnd().split('\n');
  return lines.slice(1).map((line) => JSON.parse(line) as LogRecord);
}

describe('the sample workspace', () => {
  test('shows agents at once and two levels deep, a denial and a failure', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.runAgent('Pickle', 'Prove it.');
    const question = await workbench.told('Crumb asks: Run node kitchen/scale.mjs');
    await question.getByRole('button', { name: 'Deny' }).click();
    await workbench.told('Proven twice');
    const conversation = workbench.doneConversation('Prove it.');
    await workbench.open(conversation, 'Prove it.');
    const page = workbench.webview();
    await page.getByText('Proven twice').first().waitFor();
    await workbench.unfold(conversation);
    const cookie = workbench.treeItem(/^Cookie: /).first();
    await cookie.waitFor();
    await workbench
      .treeItem(/^Crumb: Run the scaler/)
      .first()
      .waitFor();
    await workbench.unfold(cookie);
    await workbench
      .treeItem(/^Crumb: What is 200 ml/)
      .first()
      .waitFor();
    await workbench.screenshot(join(pictures, 'sample.png'));

    const find = (text: string) => page.locator('.question-input').fill(text);
    await find('abacus fell');
    await page.locator('.row', { hasText: 'The abacus fell behind the stove.' }).first().waitFor();
    await find('not allowed');
    await page
      .locator('.state-denied', { hasText: 'run_command' })
      .getByText('This was not allowed.')
      .waitFor();
    await workbench.screenshot(join(pictures, 'sample-denied.png'));
  });

  test('recorded who worked at the same time, who asked whom, the denial and the failures', async ({
    workbench,
  }) => {
    const records = await recorded(workbench.folder);
    const dispatches = records.flatMap(({ depth, agent, ...body }) =>
      body.type === 'dispatch' ? [`${depth} ${agent} → ${body.target}`] : [],
    );
    expect(dispatches.sort()).toEqual(['0 Pickle → Cookie', '0 Pickle → Crumb', '1 Cookie → Crumb']);
    const first = records.filter(({ depth, type }) => depth === 1 && type.startsWith('call')).slice(0, 2);
    expect(first.map(({ type, agent }) => `${type} ${agent}`).sort()).toEqual([
      'callStart Cookie',
      'callStart Crumb',
    ]);
    const answers = records.flatMap((record) =>
      record.type === 'message' && record.message.role === 'tool' && record.toolName !== 'subagent_dispatch'
        ? [`${record.agent} ${record.toolName}${record.isError ? ' failed' : ''}`]
        : [],
    );
    expect(answers.filter((answer) => answer.startsWith('Cookie'))).toEqual([
      'Cookie read_file',
      'Cookie search_text',
    ]);
    expect(answers.filter((answer) => answer.startsWith('Crumb'))).toEqual([
      'Crumb run_command failed',
      'Crumb read_file failed',
    ]);
    const [approval, ...others] = records.filter((record) => record.type === 'approval');
    expect(approval).toMatchObject({ agent: 'Crumb', decision: 'denied', decidedBy: 'user' });
    expect(others).toEqual([]);
    expect(
      records.filter((record) => record.type === 'callEnd' && record.outcome === 'failed'),
    ).toMatchObject([{ agent: 'Crumb', depth: 2, reason: 'The abacus fell behind the stove.' }]);
  });
});
