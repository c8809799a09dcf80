import { expect, test } from 'vitest';
import { isWrong, sealWords } from '../../../src/app/text/sealWords.js';
import type { SealReport } from '../../../src/store/write/sealReport.js';

const HEAD = { segment: 0, entries: 10, chain: 'c' };
const INTACT: SealReport = {
  session: 'c_sealed',
  state: 'intact',
  files: 1,
  lines: 10,
  sealed: 10,
  unsealed: 0,
  breaks: [],
  gaps: [],
  anew: [],
  notes: [],
  head: HEAD,
};
const signedBy = (isTrusted?: boolean) => ({
  signed: {
    ...HEAD,
    behind: 0,
    key: 'SHA256:k',
    isGood: true,
    ...(isTrusted !== undefined && { isTrusted }),
  },
});
const anchored = { segment: 0, entries: 1, chain: 'd', behind: 9 };
const completeness = (report: SealReport) => sealWords(report, { hasAnchors: true }).completeness;

test('a head that a stranger signed proves nothing, and is wrong where signers were named', () => {
  const strange = { ...INTACT, ...signedBy(false) };
  expect(isWrong(strange)).toBe(true);
  expect(sealWords(strange, { hasAnchors: false }).sentence).toMatch(
    /^Not proved: its head is signed by no /,
  );
  expect(completeness(strange)).toMatch(/^Not proved: its head is signed by no /);
  expect(completeness({ ...strange, anchored })).toMatch(
    /^Yes, up to the head that was kept: 1 line\. 9 lines/,
  );
});

test('a head counts by itself where its signer was named, and otherwise it is said that the signer was not', () => {
  for (const isTrusted of [true, undefined])
    expect(isWrong({ ...INTACT, ...signedBy(isTrusted) })).toBe(false);
  expect(completeness({ ...INTACT, ...signedBy(true), anchored })).toMatch(/^Yes, up to its end/);
  expect(completeness({ ...INTACT, ...signedBy() })).toMatch(/^Up to its end, .* by a key that nobody named/);
  expect(completeness({ ...INTACT, ...signedBy(), anchored })).toMatch(/^Yes, up to .*: 1 line\./);
});

test('a timestamp that is not of its head, or by no authority that was named, is wrong', () => {
  const stamped = { ...HEAD, behind: 0, time: 0 };
  const report = { ...INTACT, stamped };
  const told = (stamp: { isOfHead: boolean; isVerified?: boolean }) => {
    const whole = { ...stamped, ...stamp };
    return [isWrong(report, whole), sealWords(report, { hasAnchors: false, stamp: whole }).sentence];
  };
  expect(told({ isOfHead: false })).toEqual([
    true,
    expect.stringMatching(/^The timestamp is not of the head/),
  ]);
  expect(told({ isOfHead: true, isVerified: false })).toEqual([
    true,
    expect.stringMatching(/by no authority that was named/),
  ]);
  expect(told({ isOfHead: true })).toEqual([false, expect.stringMatching(/^Intact/)]);
});
