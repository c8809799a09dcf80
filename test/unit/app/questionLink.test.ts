import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  messageLink,
  QUESTION_LINK,
  questionLink,
  readMessageLink,
  readQuestionLink,
  signedQuestion,
} from '../../../src/app/transcripts/questionLink.js';
import { TranscriptLinkTokens } from '../../../src/app/transcripts/transcriptLinkTokens.js';
import { ROW_KINDS } from '../../../src/query/language/syntax.js';
import { wellFormed } from '../../../src/core/wellFormed.js';
import { anyText } from '../query/arbitraries.js';

const tokens = new TranscriptLinkTokens('key');
const sign = (link: string) => tokens.signatureOf(link);
const conversation = '20261122-000000-00000000';

/** Whether a link was made with this key. */
function isOurs(link: string): boolean {
  return signedQuestion(link, sign) !== undefined;
}

test('a link leads to the transcript, or to the search over all, and the question that it was made of, and is found in a text', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom(...ROW_KINDS), fc.boolean(), (given, rows, isOfAll) => {
      // Half of a pair has no bytes, and so no place in a link.
      const text = given.replace(/\p{Surrogate}/gu, '');
      const linked = { ...(!isOfAll && { conversation }), question: { text, rows } };
      const link = questionLink(linked, sign) ?? '';
      expect(readQuestionLink(link)).toEqual(linked);
      expect(isOurs(link)).toBe(true);
      expect(`See ${link}, or (${link}).`.match(QUESTION_LINK)).toEqual([link, link]);
    }),
  );
});

test('a link that somebody else has changed or made is not ours', () => {
  const question = { text: 'is:error', rows: 'messages' as const };
  const link = questionLink({ conversation, question }, sign) ?? '';
  expect(isOurs(link.replace('is%3Aerror', 'is%3Alive'))).toBe(false);
  expect(isOurs(link.replace('messages', 'runs'))).toBe(false);
  expect(isOurs(link.replace(/&mark=.*/, ''))).toBe(false);
  const theirs = new TranscriptLinkTokens('other key');
  expect(isOurs(questionLink({ conversation, question }, (text) => theirs.signatureOf(text)) ?? '')).toBe(
    false,
  );
});

test('a question that is too long for a link has none', () => {
  const question = { text: 'x'.repeat(4_001), rows: 'messages' as const };
  expect(questionLink({ conversation, question }, sign)).toBeUndefined();
});

test.each([
  'https://example.com/?rows=messages&question=a',
  'logbook:c',
  'logbook:?rows=messages',
  'logbook:%E0%A4%A?rows=messages&question=a',
  'logbook:c?rows=tables&question=a',
  'logbook:c?rows=messages',
  `logbook:${'c'.repeat(301)}?rows=messages&question=a`,
  `logbook:c?rows=messages&question=${'a'.repeat(4_001)}`,
])('%.50s is none', (link) => {
  expect(readQuestionLink(link)).toBeUndefined();
});

test('an address of a message says what it was made of, also where an editor has undone its escapes', () => {
  const at = { scheme: 'vscode', extension: 'agent-logbook.agent-logbook' };
  const anyId = anyText.filter((text) => text !== '' && text.length < 200 && wellFormed(text) === text);
  fc.assert(
    fc.property(anyId, anyId, anyId, fc.option(fc.nat(), { nil: undefined }), (tool, session, id, near) => {
      const linked = { session: { tool, session }, message: { id, ...(near !== undefined && { near }) } };
      const link = messageLink(linked, at);
      fc.pre(link.length < 4_000);
      expect(readMessageLink(link)).toEqual(linked);
      expect(readMessageLink(decodeURIComponent(link))).toEqual(linked);
    }),
  );
});

test.each([
  'vscode://agent-logbook.agent-logbook/message?tool=codex&session=1',
  'vscode://agent-logbook.agent-logbook/other?tool=codex&session=1&at=2',
  `vscode://agent-logbook.agent-logbook/message?tool=codex&session=${'1'.repeat(301)}&at=2`,
  'logbook:1?rows=messages&question=a',
])('%s leads to no message', (link) => {
  expect(readMessageLink(link)).toBeUndefined();
});
