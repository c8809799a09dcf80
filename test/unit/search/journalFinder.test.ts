import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/core/ports/log.js';
import { SharedMatches, JournalFinder, ripgrepFinder } from '../../../src/search/sessions/journalFinder.js';
import { mayStandIn } from '../../../src/search/sessions/storedSession.js';
import type { RawText } from '../../../src/search/bytes/rawText.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import { recordOf, said, temporaryFolder } from '../../support/storeFixture.js';

/** More than the thread looks through itself. */
const MANY = () => 100_000_000;

/** What ripgrep does with these arguments, told by a program that needs nothing but Node. */
const LIKE_RIPGREP = `#!${process.execPath}
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const args = process.argv.slice(2);
const folder = args.at(-1);
const patterns = args.flatMap((each) => (each.startsWith('--regexp=') ? [each.slice(9)] : [])).map((source) =>
  new RegExp(source.replace('(?i)', '').replace(/\\\\x\\{/g, '\\\\u{'), source.startsWith('(?i)') ? 'iu' : 'u'));
const found = readdirSync(folder).map((name) => join(folder, name, 'messages.jsonl'))
  .filter((path) => patterns.some((pattern) => pattern.test(readFileSync(path, 'utf8'))));
process.stdout.write(found.map((path) => path + '\\0').join(''));
process.exitCode = found.length > 0 ? 0 : 1;
`;

/** A store of journals with a line each, and what finds in it. */
async function storeOf(lines: Readonly<Record<string, string | Buffer>>, program = LIKE_RIPGREP) {
  const root = await temporaryFolder();
  const paths = Object.entries(lines).map(([name, line]) => {
    const path = join(root, 'conversations', name, 'messages.jsonl');
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, Buffer.concat([Buffer.from(line), Buffer.from('\n')]));
    return path;
  });
  const ripgrep = join(root, 'rg.cjs');
  writeFileSync(ripgrep, program);
  chmodSync(ripgrep, 0o700);
  return { paths, finder: new JournalFinder(ripgrepFinder(ripgrep, silentLog), root) };
}

const line = (content: string) => encodeLine(recordOf(1, said(content)));
const LINES = {
  plain: line('the KISS of the oven'),
  none: line('nothing of it'),
  escaped: JSON.stringify(recordOf(1, said('kiss'))).replaceAll('kiss', '\\u006b\\u0069\\u0073\\u0073'),
  kelvin: line('a \u212aiss'),
  longS: line('a ki\u017fs'),
  dotted: line('a k\u0130ss'),
  spilled: line('elsewhere').toString().replace('{', '{"spill":[],'),
  brackets: line('a list [1] (or 2)'),
};

describe.skipIf(process.platform === 'win32')('journals in which a text may stand', () => {
  test.each<RawText>([
    { text: 'kiss', ignoresCase: true },
    { text: 'KISS', ignoresCase: false },
    { text: '[1] (or', ignoresCase: true },
    { text: 'no such text', ignoresCase: true },
  ])('are all among those that are found: $text', async (text) => {
    const { paths, finder } = await storeOf(LINES);
    const found = await finder.among([text], MANY);
    expect(found).toBeDefined();
    const missed = paths.filter((path) => mayStandIn(path, [text]) && found?.has(path) !== true);
    expect(missed).toEqual([]);
    expect(found?.has(paths[1] ?? '')).toBe(false);
  });

  test('are looked for once for each question, and not where little is to be looked through', async () => {
    const { finder } = await storeOf(LINES);
    const texts = [{ text: 'kiss', ignoresCase: true }];
    expect(await finder.among(texts, () => 1_000)).toBeUndefined();
    const found = await finder.among(texts, MANY);
    expect(await finder.among(texts, () => 1_000)).toBe(found);
  });

  test.each([
    ['fails', `#!${process.execPath}\nprocess.exitCode = 2;`],
    ['is no program', 'nothing'],
  ])('are not known where ripgrep %s', async (_, program) => {
    const { finder } = await storeOf(LINES, program);
    expect(await finder.among([{ text: 'kiss', ignoresCase: true }], MANY)).toBeUndefined();
  });

  test('are looked for once for all threads that share a question, and anew for the next', async () => {
    const { paths } = await storeOf(LINES);
    let asked = 0;
    const once = new SharedMatches(() => Promise.resolve(new Set(paths.slice(0, ++asked))));
    const texts = () => [{ text: 'kiss', ignoresCase: true }];
    const ask = () => new JournalFinder(once.find, 'root').among(texts(), MANY);
    once.begin();
    const [one, other] = await Promise.all([ask(), ask()]);
    expect([asked, other]).toEqual([1, one]);
    await once.find('root', [{ text: 'other', ignoresCase: true }]);
    await once.find('another root', texts());
    expect(asked).toBe(3);
    once.begin();
    expect((await ask())?.size).toBe(4);
  });
});
