import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { temporaryWorkspace } from './support/temporaryWorkspace.js';
import { pictures, uiTest } from './support/uiTest.js';

const script = `
script: 1
name: Bakery
agents:
  Baker:
    - expect: { role: user }
      toolCalls:
        - name: edit_file
          arguments: { path: eggs.txt, old_text: six, new_text: twelve }
    - expect: { role: tool }
      text: Doubled.
`;
const test = uiTest({
  // In a browser VS Code saves by itself.
  settings: { 'files.autoSave': 'off' },
  workspace: await temporaryWorkspace({
    'agents.script.yaml': script,
    'eggs.txt': 'six eggs\n',
    '.github/agents/baker.agent.md': '---\nname: Baker\ndescription: Bakes\ntools: [edit]\n---\nYou bake.\n',
  }),
});

describe('an agent that changes what a person is writing', () => {
  test('asks first, leaves the saving to the person, and undo brings back what stood there', async ({
    workbench,
  }) => {
    const { keyboard } = workbench.page;
    const editor = workbench.text('editor');
    await workbench.page.locator('.explorer-folders-view').getByText('eggs.txt').dblclick();
    await editor.getByText('six eggs').click();
    await keyboard.press('ControlOrMeta+End');
    await keyboard.type('mine');
    await workbench.runAgent('Baker', 'Double them.');
    await (await workbench.told('Write eggs.txt')).getByRole('button', { name: 'Review…' }).click();
    const dialog = workbench.dialog('has unsaved changes in an editor');
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await workbench.told('Doubled.');
    await editor.getByText('twelve eggs').waitFor();
    await editor.getByText('mine').waitFor();
    await workbench.screenshot(join(pictures, 'unsaved.png'));
    expect(await readFile(join(workbench.folder, 'eggs.txt'), 'utf8')).toBe('six eggs\n');
    await editor.getByText('twelve eggs').click();
    await keyboard.press('ControlOrMeta+z');
    await editor.getByText('six eggs').waitFor();
    await editor.getByText('mine').waitFor();
  });
});
