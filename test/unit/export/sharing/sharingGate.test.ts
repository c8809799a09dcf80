import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXPORT_FORMATS, type ExportFormat, type ExportReport } from '../../../../src/export/exportFormat.js';
import { exportToFile } from '../../../../src/export/files/exportFile.js';
import { exportChunks, exportMessages } from '../../../../src/export/exportMessages.js';
import { fileChunks } from '../../../../src/export/files/fileChunks.js';
import { fillExample } from '../../../../src/export/secrets/secretRow.js';
import { foundTogether, isAsked, masked } from '../../../../src/export/sharing/finding.js';
import { NotCleanError, ResultCheck } from '../../../../src/export/sharing/resultCheck.js';
import { SharingGate } from '../../../../src/export/sharing/sharingGate.js';
import {
  sharingRules,
  valueHash,
  type SharingPolicy,
  type SharingRules,
} from '../../../../src/export/sharing/sharingPolicy.js';
import { FILE_FORMATS, type FileFormat } from '../../../../src/core/ports/exportFormats.js';
import { isDeep } from '../../../support/fixedInputs.js';
import { INNOCENTS, SECRET_KINDS } from '../../../support/secretKinds.js';
import { temporaryWorkspace } from '../../agents/tools/toolHarness.js';

const user = (content: unknown, seq = 0) => ({
  seq,
  type: 'message',
  id: `m${seq}`,
  time: 1,
  conversation: 'c',
  run: 'r',
  call: 'k',
  agent: 'Cookie',
  depth: 0,
  message: { role: 'user', content },
});

function gateOver(items: readonly unknown[], policy?: SharingRules): SharingGate {
  const gate = new SharingGate(policy);
  items.forEach((item, at) => gate.look(item, at));
  return gate;
}

function exported(items: readonly unknown[], format: ExportFormat, gate = gateOver(items)): string {
  const made = exportMessages(items, format, {
    gate,
    full: true,
    includeMetadata: true,
    maxContentLength: 1e6,
    title: 'T',
  });
  return typeof made === 'string' ? made : JSON.stringify(made);
}

async function written(items: readonly unknown[], format: FileFormat, gate: SharingGate): Promise<string> {
  let text = '';
  for await (const chunk of fileChunks(items, format, {
    gate,
    full: true,
    includeMetadata: true,
    title: 'T',
  }))
    text += chunk;
  return text;
}

const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';

/** A GitHub token that nobody else has. */
const anyToken = fc
  .array(fc.nat(letters.length * 10 - 1), { minLength: 36, maxLength: 36 })
  .map((draws) =>
    draws.map((draw, at) => (at % 4 === 3 ? draw % 10 : letters[draw % letters.length])).join(''),
  )
  .map((body) => `ghp_${body}`);

const TOKEN = fillExample('ghp_{36}');

describe('what is planted survives no way out', () => {
  /** The kinds that are found at all; `secretKinds.test.ts` tells how many these are. */
  const found = Object.entries(SECRET_KINDS)
    .map(([kind, template]) => [kind, fillExample(template)] as const)
    .filter(([, text]) => gateOver([user(text)]).findings.length > 0);

  test.each(FILE_FORMATS)('as %s: in a message, in arguments, in JSON within JSON', async (format) => {
    for (const [kind, text] of found) {
      const call = {
        id: 'a',
        type: 'function',
        function: { name: 't', arguments: JSON.stringify({ text }) },
      };
      const items = [
        user(text),
        user(JSON.stringify({ inner: JSON.stringify({ text }) }), 1),
        { ...user('', 2), message: { role: 'assistant', content: null, tool_calls: [call] } },
      ];
      const gate = gateOver(items);
      const made = await written(items, format, gate);
      const long = gate.findings.map(({ value }) => value).filter((value) => value.length >= 10);
      const read = [made, made.replaceAll('\\', ''), made.replaceAll('&amp;', '&').replaceAll('&quot;', '"')];
      expect
        .soft([kind, long.filter((value) => read.some((one) => one.includes(value))).map(masked)])
        .toEqual([kind, []]);
    }
  });

  test.each(FILE_FORMATS)('as %s, what is innocent is refused nowhere', async (format) => {
    for (const text of INNOCENTS.map(fillExample)) {
      const items = [user(text), { ...user('', 1), message: { role: 'assistant', content: 'Fine.' } }];
      expect(await written(items, format, gateOver(items))).toContain('Fine.');
    }
  });

  test('nor where only its name gives it away once, and it stands elsewhere without it, as it is or encoded', () => {
    fc.assert(
      fc.property(anyToken, fc.constantFrom('', 'a', 'ab', 'abc'), (token, before) => {
        const value = token.slice(4);
        const base64 = Buffer.from(`${before}${value}!`).toString('base64');
        const items = [
          user(`use ${value} there`),
          user(`API_TOKEN=${value}`, 1),
          user(`and ${base64} here`, 2),
        ];
        for (const format of EXPORT_FORMATS) {
          const made = exported(items, format);
          expect(made).not.toContain(value);
          expect(made).not.toContain(base64);
          expect(made.match(/\[REDACTED:[a-z-]+:1\]/g)?.length).toBeGreaterThanOrEqual(3);
        }
      }),
    );
  });
});

describe('the same value has the same number', () => {
  test('in every format, of every part of the conversation, and when the conversation grows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyToken, fc.boolean()), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...EXPORT_FORMATS),
        fc.nat(),
        (tokens, format, draw) => {
          const items = tokens.flatMap(([token, twice], at) => [
            user(`first ${token} end`, 2 * at),
            ...(twice ? [user(`again ${token} end`, 2 * at + 1)] : []),
          ]);
          const numbers = new Map(
            gateOver(items).findings.map(({ value, placeholder }) => [value, placeholder]),
          );
          const half = items.slice(0, Math.ceil(items.length / 2));
          for (const { value, placeholder } of gateOver(half).findings)
            expect(numbers.get(value)).toBe(placeholder);
          const [token = ''] = tokens[draw % tokens.length] ?? [];
          const part = items.filter((item) => JSON.stringify(item).includes(token));
          const made = exported(part, format, gateOver(items));
          expect(new Set(made.replaceAll('\\', '').match(/\[REDACTED:[a-z-]+:\d+\]/g))).toEqual(
            new Set([numbers.get(token)]),
          );
        },
      ),
    );
  });

  test('whether others are left in or not', () => {
    const other = TOKEN.replace('aB', 'Zz');
    const items = [user(`one ${TOKEN}`), user(`two ${other}`, 1)];
    const gate = gateOver(items);
    gate.decide([[TOKEN, 'leaveIn']]);
    const made = exported(items, 'markdown', gate);
    expect(made.replaceAll('\\', '')).toContain(`one ${TOKEN}`);
    expect(made.replaceAll('\\', '')).toContain('two [REDACTED:github-token:2]');
  });
});

describe('what was decided', () => {
  const items = [user(`my ${TOKEN} and password=hunter2hunter2`)];
  const left = async (policy: SharingPolicy) => {
    let report: ExportReport | undefined;
    const gate = gateOver(items, await sharingRules(policy));
    const text = exportMessages(items, 'json', { gate, onReport: (made) => (report = made) });
    return { text, redacted: report?.redacted, leftIn: report?.leftIn, findings: gate.findings };
  };

  test('without a decision, everything is left out', async () => {
    const { text, redacted, leftIn, findings } = await left({});
    expect(text).toContain('my [REDACTED:github-token:1] and password=[REDACTED:named-value:1]');
    expect([redacted, leftIn]).toEqual([2, undefined]);
    expect(
      findings.map(({ kind, count, isLeftIn, isDecided }) => [kind, count, isLeftIn, isDecided]),
    ).toEqual([
      ['named-value', 1, false, false],
      ['github-token', 1, false, false],
    ]);
    expect(findings[1]?.places).toEqual([
      {
        position: 0,
        seq: 0,
        field: 'message.content',
        before: 'my ',
        after: ' and password=[REDACTED:named-value:1]',
      },
    ]);
  });

  test('of a kind', async () => {
    const { text, redacted, leftIn } = await left({ leaveIn: ['github-token'] });
    expect(text).toContain(`my ${TOKEN} and password=[REDACTED:named-value:1]`);
    expect([redacted, leftIn]).toEqual([1, 1]);
  });

  test('of one value, which is remembered without telling it', async () => {
    const policy = { values: { [valueHash(TOKEN)]: 'leaveIn' } } as const;
    expect(JSON.stringify(policy)).not.toContain(TOKEN);
    expect((await left(policy)).text).toContain(`my ${TOKEN} and password=[REDACTED:named-value:1]`);
    expect(
      (await left({ ...policy, values: { [valueHash(TOKEN)]: 'leaveOut' }, leaveIn: ['github-token'] }))
        .redacted,
    ).toBe(2);
  });

  test('of names, folders of people and own patterns', async () => {
    const said = [
      user('Anna (ANNA) of Annaberg wrote /home/anna/work/a.ts and C:\\Users\\anna\\b.ts for PROJ-1234.'),
    ];
    const policy = {
      names: ['Anna'],
      homeFolders: true,
      patterns: [{ name: 'Ticket', pattern: 'PROJ-[0-9]+' }],
    };
    expect(
      exportMessages(said, 'dict', { gate: gateOver(said, await sharingRules(policy)) })[0]?.content,
    ).toBe(
      '[REDACTED:name:1] ([REDACTED:name:1]) of Annaberg wrote [REDACTED:home:1]/work/a.ts and ' +
        '[REDACTED:home:2]\\b.ts for [REDACTED:ticket:1].',
    );
  });
});

describe('what fails the second look is not written', () => {
  /** A key in two parts, which a format joins: neither is one by itself. */
  const parts = [
    { type: 'text', text: TOKEN.slice(0, 12) },
    { type: 'text', text: TOKEN.slice(12) },
  ];
  const filler = Array.from({ length: 50 }, (_, at) => user('x'.repeat(5_000), at));

  test('to a file: nothing of it is left', async () => {
    const { root } = await temporaryWorkspace();
    const items = [...filler, user(parts, 99)];
    for (const gate of [undefined, gateOver(items)])
      await expect(
        exportToFile(items, 'csv', join(root, 'out.csv'), { gate, maxContentLength: 1e6 }),
      ).rejects.toThrow(/github-token: gh….*was not written/);
    expect(await readdir(root)).toEqual([]);
  });

  test('to a stream: nothing of it has passed', async () => {
    let passed = '';
    const run = async () => {
      for await (const chunk of exportChunks([...filler, user(parts, 99), ...filler], 'csv', {
        maxContentLength: 1e6,
      }))
        passed += chunk;
    };
    await expect(run()).rejects.toThrow('was not written');
    expect(passed).not.toContain(TOKEN.slice(12));
  });

  test('unless it was decided to stay, or secrets stay at all', () => {
    const items = [user(parts)];
    expect(exportMessages(items, 'csv', { redact: false })).toContain(TOKEN);
    expect(
      exportMessages(items, 'csv', { gate: gateOver(items, { leaveIn: ['github-token'], rows: [] }) }),
    ).toContain(TOKEN);
  });

  test('wherever a chunk ends', () => {
    const text = `${'some words '.repeat(20)}${TOKEN}${' and more'.repeat(20)}`;
    for (let cut = 0; cut < text.length; cut++) {
      const check = new ResultCheck();
      expect(() => {
        check.next(text.slice(0, cut));
        check.next(text.slice(cut));
      }).toThrow('github-token');
    }
  });

  test('and says what it was without telling it', () => {
    const tell = () => new ResultCheck().next(TOKEN);
    expect(tell).toThrow(/^(?!.*B3dE5gH).*$/);
  });
});

test('very many values are looked for in one pass', () => {
  const count = isDeep ? 20_000 : 5_000;
  const bodies = Array.from(
    { length: count },
    (_, at) => `ghp_${String(at).padStart(8, 'q0')}aB3dE5gH7jK9mN1pQ2sT4vW6yZ8c`,
  );
  const items = [user(bodies.join('\n')), user('ghp_'.repeat(10 * count), 1), user(bodies.join(' '), 2)];
  const made = exported(items, 'csv');
  expect(made.match(/\[REDACTED:github-token:\d+\]/g)).toHaveLength(2 * count);
});

describe('a page is checked as it is read', () => {
  test.each([
    ['the JSON-LD of a web page', '{"@context":"https://schema.org","name":"Shop","@type":"Store"}'],
    ['place holders in an address', 'DATABASE_URL=postgres://<user>:<password>@<host>/shop'],
    ['a variable in an address', 'psql postgres://shop:"$PGPASSWORD"@db/shop'],
  ])('%s is no secret once its quotes are entities', (_, content) => {
    expect(exportMessages([{ role: 'user', content }], 'html')).toContain('</html>');
  });

  test('a password with an ampersand in it is refused where only the check sees it', () => {
    const check = new ResultCheck();
    check.next('<p>postgres://shop:&quot;$PGPASSWORD&quot;@db/shop</p>');
    expect(() => {
      check.next('<p>postgres://shop:Tr0ub4dor&amp;3x@db/shop</p>');
    }).toThrow(NotCleanError);
  });
});

describe('what tells of people and their machines', () => {
  const told =
    'Ask anna.baker@bakery.org, see /home/anna/work on build-7.bakery.internal\nanna@oven-3:~/work$ ls';
  const personal = ['anna.baker@bakery.org', '/home/anna', 'build-7.bakery.internal', 'oven-3'];
  const innocent =
    'git@github.com:bakery/oven.git react@18.2.0 @types/node@22.1.0 settings.local.json host.docker.internal .env.local noreply@github.com a@b /usr/share/home';
  const items = [user(`${told} ${innocent}`)];

  test('is left out of what is for readers, unless its kind stays', async () => {
    const page = exported(items, 'markdown', gateOver(items, await sharingRules({}, 'readers')));
    for (const each of personal) expect(page).not.toContain(each);
    for (const each of innocent.split(' ')) expect(page).toContain(each);
    const kept = exported(
      items,
      'markdown',
      gateOver(items, await sharingRules({ leaveIn: ['mail', 'host'] }, 'readers')),
    );
    expect(personal.map((each) => kept.includes(each))).toEqual([true, false, true, true]);
  });

  test('is shown in a review, stays there where nobody decides, and asks nobody by itself', async () => {
    const gate = gateOver(items, await sharingRules({}, 'reviewed'));
    expect(gate.findings.map(({ value, isLeftIn, isDecided }) => [value, isLeftIn, isDecided])).toEqual(
      expect.arrayContaining(personal.map((each) => [each, true, true])),
    );
    expect(isAsked('whenFound', gate.findings)).toBe(false);
    gate.decide([['oven-3', 'leaveOut']]);
    expect(personal.map((each) => exported(items, 'markdown', gate).includes(each))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(gateOver(items, await sharingRules({})).findings).toEqual([]);
  });
});

test('a value that one of several transcripts leaves out is left out of all that leave with it', () => {
  const place = { position: 0, seq: 0, field: 'message.content', before: '', after: '' };
  const asHost = {
    kind: 'host',
    name: 'host name',
    value: 'build-7.bakery.internal',
    placeholder: '[REDACTED:host:1]',
    count: 2,
    places: [place],
    isLeftIn: true,
    isDecided: true,
  };
  const asPassword = { ...asHost, kind: 'password', count: 1, isLeftIn: false, isDecided: false };
  for (const both of [foundTogether(asHost, asPassword), foundTogether(asPassword, asHost)])
    expect(both).toMatchObject({ kind: 'password', isLeftIn: false, isDecided: false, count: 3 });
});
