import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { blameFile, historyOf, movedAuthors } from '../../../src/provenance/fileBlame.js';
import { Repository } from '../../../src/provenance/git.js';
import { isDeep, seed } from '../../support/fixedInputs.js';
import { generatedRepository, type RepositoryDeed } from '../../support/generatedRepository.js';

/** How many repositories of a kind are looked at; each costs some forty processes of git. */
const REPOSITORIES = isDeep ? 30 : 6;

const ALL: readonly RepositoryDeed[] = [
  'write',
  'rename',
  'rebase',
  'merge',
  'squash',
  'revert',
  'move',
  'windows',
  'together',
];

/** What is told wrongly of which line, and of how many lines of agents it is told that they are theirs. */
async function toldOf(deeds: readonly RepositoryDeed[]) {
  const wrong: object[] = [];
  let [written, told] = [0, 0];
  const done = new Map<RepositoryDeed, number>();
  for (let at = 0; at < REPOSITORIES; at++) {
    const made = generatedRepository(seed + at, 8 + ((at * 7) % 24), deeds);
    onTestFinished(() => rmSync(made.root, { recursive: true, force: true }));
    for (const [deed, count] of made.done) done.set(deed, (done.get(deed) ?? 0) + count);
    const repository = await Repository.around(made.root);
    for (const [path, { lines: truth, end }] of made.files) {
      const file = join(made.root, path);
      const history = await historyOf(file, repository);
      const text = truth.map((line) => `${line.text}${end}`).join('');
      const asked = { file, text, repository, edits: made.edits };
      const first = blameFile(asked, history);
      const moved =
        repository &&
        (await movedAuthors(first, history, repository, { editsOf: () => Promise.resolve(made.edits) }));
      const { lines } = blameFile(asked, history, moved);
      for (const [line, { text: own, by }] of truth.entries()) {
        const said = Number(lines[line]?.callId ?? 0);
        if (said !== 0 && said !== by) wrong.push({ repository: at, path, line, own, by, said });
        if (by !== 0) written++;
        if (by !== 0 && said !== 0) told++;
      }
    }
  }
  return { wrong, done, recall: told / written };
}

const CASES: readonly (readonly [string, number, readonly RepositoryDeed[]])[] = [
  ['people write', 0.9, ['write']],
  ['files are renamed', 0.9, ['write', 'rename']],
  ['branches are rebased', 0.9, ['write', 'rebase']],
  ['branches are merged', 0.9, ['write', 'merge']],
  ['commits are squashed', 0.9, ['write', 'squash']],
  ['commits are reverted', 0.9, ['write', 'revert']],
  ['lines move to another file', 0.7, ['write', 'move']],
  ['ends of lines change', 0.9, ['write', 'windows']],
  ['two sessions edit at the same moment', 0.9, ['write', 'together']],
];

test.each([...(isDeep ? CASES : []), ['all of these happen', 0.7, ALL] as const])(
  'what is said of lines in a real repository is true where %s',
  async (_, least, deeds) => {
    const { wrong, done, recall } = await toldOf(deeds);
    if (process.env.TELL) console.log(_, recall, Object.fromEntries(done));
    expect(wrong).toEqual([]);
    if (isDeep) expect([...done.keys()].sort()).toEqual([...deeds].sort());
    expect(recall).toBeGreaterThan(least);
  },
);
