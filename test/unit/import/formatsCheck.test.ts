import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { appendFile, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NEWEST } from '../../../scripts/checkedFormats.mjs';
import { importFile } from '../../../src/import/importFile.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { said } from './reading.js';

const SCRIPT = join(NEWEST, '../../scripts/formatsCheck.mjs');

/** What the check says of a folder, by lines, and how it ends. */
function check(folder: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8' });
  return { status, lines: stdout.trimEnd().split('\n'), stderr };
}

test('the newest sessions of the commonest tools are read whole', () => {
  const { status, lines, stderr } = check(NEWEST);
  expect(stderr).toBe('');
  expect(lines).toHaveLength(readdirSync(NEWEST).length);
  expect(lines.filter((line) => !/: [1-9]\d* whole, 0 by halves, 0 refused$/.test(line))).toEqual([]);
  expect(status).toBe(0);
});

test('what is new in a session, and what is none, is told by its tool', async () => {
  const folder = await temporaryFolder();
  await cp(join(NEWEST, 'codex'), folder, { recursive: true });
  const [name = ''] = readdirSync(folder);
  const line = {
    ordinal: 13,
    type: 'response_item',
    payload: { type: 'hologram', text: 'Nobody knows this' },
  };
  await appendFile(
    join(folder, name),
    `${JSON.stringify(line)}\n${JSON.stringify({ ...line, ordinal: 14 })}\n`,
  );
  await writeFile(join(folder, 'broken.json'), '{"color":"blue"}');
  const { status, lines } = check(folder);
  expect(status).toBe(1);
  expect(lines).toContain(`refused: ${join(folder, 'broken.json')}`);
  expect(lines.find((each) => each.startsWith('Codex: '))).toMatch(
    /^Codex: 0 whole, 1 by halves, 0 refused; new: .*hologram \(2\)/,
  );
});

test.each([
  ['claudeCode', ['Weigh the flour', 'In ounces, too', '500 g, or 17.6 ounces.']],
  ['codex', ['Grind the corn', 'ground', 'It is ground.']],
  ['copilotCli', ['Open the shop', 'opened', 'It is open.']],
  ['vscodeChat', ['Heat the oven', 'I turn the knob.', 'It is hot.']],
  ['gemini', ['Sow the corn', 'sown', 'It is sown.']],
  ['openCode', ['Clean the barn', 'swept', 'It is clean.']],
  ['cursor', ['Load the cart', 'I lift the sacks.', 'It is loaded.']],
  ['cline', ['Milk the cow', 'I fetch the bucket.', 'It is milked.']],
  ['goose', ['Count the fish', '7', 'Seven.']],
  ['pi', ['Draw water', 'a bucket', 'Drawn.']],
  ['amp', ['Shear the sheep', 'shorn', 'They are shorn.']],
  ['droid', ['Mend the fence', 'mended', 'It is mended.']],
  ['windsurf', ['Oil the hinge', 'oiled', 'It is oiled.']],
  ['antigravity', ['Feed the goats', 'fetched', 'They are fed.']],
  ['kimi', ['Grease the wheel', 'greased', 'It turns.']],
  ['qwenCode', ['Light the lamp', 'lit', 'It is lit.']],
])('of that of %s, what was asked, called and answered is said in its order', async (tool, words) => {
  for (const name of readdirSync(join(NEWEST, tool))) {
    const talk = said(await importFile(join(NEWEST, tool, name))).join('\n');
    let from = 0;
    for (const each of words) {
      const at = talk.indexOf(each, from);
      expect({ each, isThere: at >= 0 }).toEqual({ each, isThere: true });
      from = at + each.length;
    }
  }
});
