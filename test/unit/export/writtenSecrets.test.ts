import { describe, expect, test } from 'vitest';
import { PlainText } from '../../../src/export/secrets/plainText.js';
import { Redactor } from '../../../src/export/secrets/redact.js';
import { fillExample } from '../../../src/export/secrets/secretRow.js';

const KEY = fillExample('ghp_{36}');
const SK = fillExample('sk-proj-{40}');

describe('a key that is written in another way', () => {
  test.each([
    ['with escapes of JSON', `the token is ${KEY.replace('g', '\\u0067').replace('_', '\\u005F')} now`],
    ['with escapes of JSON within JSON', `{\\"a\\":\\"${KEY.replace('g', '\\\\u0067')}\\"}`],
    ['with escapes of HTML', `<td>${KEY.replace('_', '&#95;')}</td> now`],
    ['with hexadecimal ones', `<td>${KEY.replace('p', '&#x70;')}</td> now`],
    ['with named ones', `<td>${KEY.replace('_', '&lowbar;')}</td> now`],
    ['with escapes of a URL', `https://a.example/?q=${KEY.replace('_', '%5F')}&x=1`],
    ['with those twice', `https://a.example/?q=${KEY.replace('_', '%255F')}&x=1`],
    ['with bytes', `x = "${KEY.replace('h', '\\x68')}"`],
    ['with what has no width', `the token is ${[...KEY].join('\u200b')} now`],
    ['with what varies them', `the token is ${[...KEY].join('\ufe0f')} now`],
    ['with joiners of letters', `the token is ${[...KEY].join('\u034f')} now`],
    ['with what turns the direction', `the token is ${[...KEY].join('\u202e')} now`],
    ['with invisible signs', `the token is ${[...KEY].join('\u2063')} now`],
    ['with tags', `the token is ${[...KEY].join('\u{e0041}')} now`],
    ['with escapes of HTML twice', `<td>${KEY.replace('_', '&amp;#95;')}</td> now`],
    ...['+ ', '# ', '// ', '    | ', ' * '].map((mark) => [
      `over lines that begin with ${mark}`,
      `${mark}${'Set this key in the settings: '.padEnd(48)}${SK.slice(0, 20)}\n${mark}${SK.slice(20)} and go on`,
    ]),
    ['over texts of a program', `k = "${SK.slice(0, 20)}" +\n  "${SK.slice(20)}" # and go on`],
    ['over texts that stand below each other', `k = ('${SK.slice(0, 20)}'\n  '${SK.slice(20)}') # and go on`],
    ['with soft hyphens', `the token is ${KEY.slice(0, 12)}\u00ad${KEY.slice(12)} now`],
    [
      'over two lines',
      `${'Set this key in the settings of the pipeline: '.padEnd(48)}${KEY.slice(0, 20)}\n${KEY.slice(20)} and go on`,
    ],
    ['over lines of a shell', `T=${KEY.slice(0, 14)}\\\n${KEY.slice(14, 20)}\\\n${KEY.slice(20)} and go on`],
    [
      'over two lines of JSON',
      `{"a":"${'Set this key in the settings of the pipeline: '.padEnd(48)}${SK.slice(0, 20)}\\n${SK.slice(20)} and go on"}`,
    ],
    [
      'over lines of a mail',
      `${'Set this key in the settings of the pipeline: '.padEnd(48)}${SK.slice(0, 24)}=\r\n${SK.slice(24)} and go on`,
    ],
  ])('%s is left out', (_, text) => {
    const redactor = new Redactor();
    const clean = redactor.text(text);
    expect(redactor.count).toBeGreaterThan(0);
    expect(clean).toMatch(/\[REDACTED:/);
    for (const part of [KEY.slice(-12), SK.slice(-12), KEY.slice(-8).split('').join('\u200b')])
      expect(clean).not.toContain(part);
    expect(clean).toMatch(/now|x=1|\}|"$|and go on/);
  });

  test.each([
    'a%20b%20c and 100%25 of it',
    'The list of words goes on in the next line of this text, which is long\nenough to be wrapped',
    'See C:\\users\\x41\\u0041 and &amp;&#95;&lowbar; for more',
    'curl https://a.example/path\\\n/to/a/file && make build \\\n  test-everything-now',
    '👩\u200d🔬 has a joiner, and soft\u00adly',
    `${'0123456789abcdef'.repeat(4)}\n${'fedcba9876543210'.repeat(4)}`,
  ])('what is none stays as it is: %j', (text) => {
    const redactor = new Redactor();
    expect(redactor.text(text)).toBe(text);
    expect(redactor.count).toBe(0);
  });
});

describe('the words of a wallet behind their name', () => {
  const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'.split(' ');
  test.each([
    ['one below the other', words.join('\n')],
    ['in a list', `- ${words.join('\n- ')}`],
    ['numbered', words.map((word, at) => `${at + 1}. ${word}`).join('\n')],
    ['with commas', words.join(', ')],
    ['in capitals', words.join(' ').toUpperCase()],
    ['as a list of a program', JSON.stringify(words)],
    ['with breaks of JSON', words.join('\\n')],
  ])('%s are left out', (_, list) => {
    const clean = new Redactor().text(`My recovery phrase: ${list}\nand go on`);
    expect(clean).toContain('[REDACTED:wallet-key');
    expect(clean).not.toMatch(/winner/i);
    expect(clean).toContain('and go on');
  });

  test.each([
    'Seed data:\n- users\n- orders\n- items\n- carts\n- prices\n- stocks\n- taxes\n- rates\n- shops\n- towns\n- lanes\n- doors',
    'The wallet: it shows what the user has bought, sold, kept, lost, found, given, taken and lent',
  ])('what is none stays: %j', (text) => expect(new Redactor().text(text)).toBe(text));
});

test.each([
  '4111\u00a01111\u00a01111\u00a01111',
  '4111.1111.1111.1111',
  '5555\u202f5555\u202f5555\u202f4444',
])('a card that is written %j is left out', (number) =>
  expect(new Redactor().text(`Pay with ${number} now`)).toMatch(/^Pay with \[REDACTED:card(?::1)?\] now$/),
);

test.each(['4111.111111111111', '4111.1111', '4111.1111.1111.1112'])('the number %s stays', (number) =>
  expect(new Redactor().text(`It is ${number} now`)).toBe(`It is ${number} now`),
);

test.each([
  'парола: 7kTz!wQ9m2',
  'lozinka: 7kTz!wQ9m2',
  'รหัสผ่าน: 7kTz!wQ9m2',
  'пароль такой: 7kTz!wQ9m2',
  'My PIN is: 4213',
])('what is said in other languages is left out: %s', (text) =>
  expect(new Redactor().text(text)).toMatch(/: \[REDACTED:[a-z]+(?::1)?\]$/),
);

test('keys one below the other are each one', () => {
  const redactor = new Redactor();
  const keys = Array.from({ length: 50 }, (_, at) => `ghp_${String(at).padStart(36, 'aB3d')}`);
  expect(redactor.text(keys.join('\n')).split('\n')).toEqual(keys.map(() => '[REDACTED:github-token]'));
});

test('names of a list, one on a line, are no key, as they are and as JSON writes them', () => {
  const names = `${'The folder holds these: '.padEnd(40)}live_data_persistence\nmigrations\nmigrations2\nmodel_fields`;
  for (const text of [names, JSON.stringify(names), JSON.stringify(JSON.stringify(names))])
    expect(new Redactor().text(text)).toBe(text);
});

test('a token of a bot below another key is one of its own', () => {
  const [first, token] = [fillExample('sbp_{40}'), `7481920365:AA${'Hk3lZx5cVb7'.repeat(3)}`];
  expect(new Redactor().text(`${first}\n${token}`)).not.toContain(token.slice(12));
});

test('what is edited in what is meant is edited in what is written, in several rounds', () => {
  const view = new PlainText('a\\u0062c-%64ef-g&#104;i');
  expect(view.text).toBe('abc-def-ghi');
  view.note({ start: 4, end: 7, by: 'LONGER' });
  view.settle();
  expect(view.source).toBe('a\\u0062c-LONGER-g&#104;i');
  view.note({ start: 0, end: 3, by: 'x' });
  view.note({ start: 11, end: 14, by: 'y' });
  view.settle();
  expect(view.source).toBe('x-LONGER-y');
});
