import { describe, expect, expectTypeOf, test } from 'vitest';
import { clipboardText } from '../../../src/app/text/clipboardText.js';
import type { showWarning } from '../../../src/surfaces/vscode/ui/notices.js';
import {
  firstSeen,
  iconText,
  plain,
  plainLines,
  SafeLink,
  wholeText,
  words,
  type PlainText,
} from '../../../src/app/text/plainText.js';
import type { Report, TextQuestion } from '../../../src/app/ports/dialogs.js';
import type { withProgress } from '../../../src/surfaces/vscode/ui/progress.js';
import type { TextBox } from '../../../src/surfaces/vscode/ui/pickers.js';
import type { Row, Tree } from '../../../src/surfaces/vscode/ui/treeItems.js';

/** What VS Code takes for a link in notifications, progress, prompts and messages of trees. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

const QUIT = '[Yes](command:workbench.action.quit)';

/** The targets of the links that VS Code finds in a text. */
function linksIn(text: string): string[] {
  return [...text.matchAll(LINK)].map(([, , target = '']) => target);
}

describe('a text of others', () => {
  test.each([
    ['as it is', plain(QUIT)],
    ['in a sentence', words`Imported ${QUIT}.`],
    ['with its halves in two places', words`${'[Yes]'}${'(command:workbench.action.quit)'}`],
    ['with its halves around ours', words`${'[Yes'}](${'command:workbench.action.quit)'}`],
    ['with something invisible between', plain('[Yes]\u200b(command:x)')],
    ['in several lines', plainLines(`a\n${QUIT}`)],
    ['with an icon', iconText(QUIT, 'save')],
  ])('makes no link, %s', (_, text) => {
    expect(linksIn(text)).toEqual([]);
    expect(text).toContain('Yes');
  });

  test('leaves a link of ours whole, however long it is itself', () => {
    const link = new SafeLink('open transcript', 'agentLogbook.openTranscript', { conversation: 'a)(b' });
    const text = words`${`${QUIT} `.repeat(200)} (${link})`;
    expect(linksIn(text)).toEqual([
      `command:agentLogbook.openTranscript?${encodeURIComponent('{"conversation":"a)(b"}').replace(')', '%29').replace('(', '%28')}`,
    ]);
    expect(text.length).toBeLessThan(500);
  });

  test('keeps the blanks at its ends in a sentence of ours', () => {
    const [number, where, none] = ['(2) ', ' to\n\u202e ', ''];
    expect(words`${number}Helper asks${where}a file${none}.`).toBe('(2) Helper asks to ⟨U+202E⟩ a file.');
  });

  test('cannot pass itself off as a link of ours', () => {
    const link = new SafeLink('open', 'agentLogbook.openTranscript', { conversation: 'a' });
    expect(linksIn(words`${link.markdown}`)).toEqual([]);
  });

  test('shows what is invisible, in one line of a bounded length', () => {
    expect(plain('a\u202eb\u001b[31m\nc\u200b')).toBe('a⟨U+202E⟩b⟨U+001B⟩[31m c⟨U+200B⟩');
    expect(plain('x'.repeat(1_000_000))).toHaveLength(303);
    expect(plainLines('a\n\tb\u2066')).toBe('a\n\tb⟨U+2066⟩');
  });

  test('shows an icon by its name where icons are drawn', () => {
    expect(iconText('echo $(date)', 'search')).toBe('$(search) echo \\$(date)');
  });

  test('stays as it is where a person decides by it', () => {
    expect(wholeText(`echo ${QUIT}\u202e`)).toBe(`echo ${QUIT}⟨U+202E⟩`);
  });
});

test('no surface of VS Code takes a raw text', () => {
  expectTypeOf<Parameters<typeof showWarning>[0]>().toEqualTypeOf<PlainText>();
  expectTypeOf<Parameters<typeof withProgress>[0]>().toEqualTypeOf<PlainText>();
  expectTypeOf<Parameters<Report>[0]>().toEqualTypeOf<PlainText>();
  expectTypeOf<TextQuestion['prompt']>().toEqualTypeOf<PlainText | undefined>();
  expectTypeOf<TextBox['validationMessage']>().toEqualTypeOf<PlainText | undefined>();
  expectTypeOf<Row['label']>().toEqualTypeOf<PlainText>();
  expectTypeOf<Tree<unknown>['message']>().toEqualTypeOf<PlainText | undefined>();
  expectTypeOf<string>().not.toExtend<PlainText>();
});

describe('the clipboard', () => {
  test('gets no control character that a terminal obeys, and no hidden one', () => {
    expect(clipboardText('ls\u001b[2J\r\n\tx\u202e', 'text')).toBe('ls⟨U+001B⟩[2J\r\n\tx⟨U+202E⟩');
  });

  test('gets JSON that means the same', () => {
    const value = { text: 'a\u202e\u{e0041}\u200bb' };
    const copied = clipboardText(JSON.stringify(value), 'json');
    expect(copied).not.toMatch(/[\u202e\u200b]/);
    expect(JSON.parse(copied)).toEqual(value);
  });
});

test('a row is never blank: of what is named by nothing that is seen, something else is told', () => {
  for (const blank of ['', ' ', '\n', '\u200d', '\ufe0f', '\u2800', '\u00a0'])
    expect(firstSeen(blank, 'Baker', '(no title)')).toBe('Baker');
  expect(firstSeen('', '', '(no title)')).toBe('(no title)');
  expect(firstSeen('\u200b', 'Baker')).toBe('⟨U+200B⟩');
  expect(firstSeen('家', 'Baker')).toBe('家');
});
