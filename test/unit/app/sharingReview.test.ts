import { expect, test } from 'vitest';
import { SharingReview } from '../../../src/app/sharing/reviewWords.js';
import type { Finding } from '../../../src/export/sharing/finding.js';

const found = (kind: string, value: string): Finding => ({
  kind,
  name: kind,
  value,
  placeholder: `[REDACTED:${kind}:1]`,
  count: 1,
  places: [],
  isLeftIn: false,
  isDecided: false,
});

test('a whole kind is left in or out for this time, where there is more than one of it', () => {
  const [one, two, other] = [found('jwt', 'a'), found('jwt', 'b'), found('aws-key', 'c')] as const;
  const review = new SharingReview([one, two, other]);
  expect([one, two, other].map((finding) => review.isAlone(finding))).toEqual([false, false, true]);
  review.decideKind('jwt', 'leaveIn');
  expect(Object.fromEntries(review.decisions)).toEqual({ a: 'leaveIn', b: 'leaveIn', c: 'leaveOut' });
  review.decideKind('jwt', 'leaveOut');
  expect(new Set(Object.values(Object.fromEntries(review.decisions)))).toEqual(new Set(['leaveOut']));
});
