import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { Redactor } from '../../../src/export/secrets/redact.js';
import { runs } from '../../support/fixedInputs.js';
import { anyItems, anyText } from '../query/arbitraries.js';

const body = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5kL7n';
const PEM = ['-----BEGIN RSA PRIVATE KEY-----', body, body, '-----END RSA PRIVATE KEY-----'];

/** What stands for a secret of any kind. */
const REDACTED = '[REDACTED]';
const anyKind = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replace(/\[REDACTED:[a-z0-9-]+\]/g, REDACTED)) as T;

/** Checks what is left of a text and how much was taken out. */
function expectClean(text: string, clean: string, count = 1) {
  const redactor = new Redactor();
  expect(anyKind(redactor.text(text))).toBe(clean);
  expect(redactor.count).toBe(count);
}

describe('secrets are taken out of texts', () => {
  test.each([
    ['an OpenAI key', `sk-proj-${body}`],
    ['an Anthropic key', `sk-ant-api03-${body}`],
    ['a Stripe key', `sk_live_${body}`],
    ['a GitHub token', `ghp_${body}`],
    ['a fine-grained GitHub token', `github_pat_${body}`],
    ['a GitLab token', `glpat-${body}`],
    ['a Slack token', `xoxb-1234567890-${body}`],
    ['an AWS key', 'AKIAQ7ZT4KX2MB6NW3PL'],
    ['a Google key', `AIzaSy${body}`],
    ['a Google token', `ya29.${body}`],
    ['an npm token', `npm_${body}`],
    ['a Hugging Face token', `hf_${body}`],
    ['a SendGrid key', `SG.${body}.${body}`],
    ['a JSON web token', `eyJ${body}.${body}.${body}`],
    ['a Telegram bot', `1234567890:AA${body.slice(0, 33)}`],
    ['a Discord bot', `M${body.slice(0, 23)}.Ab1-_x.${body}`],
    ['a temporary AWS key', 'ASIAQ7ZT4KX2MB6NW3PL'],
    ['a Slack app', `xapp-1-${body}`],
    ['a PyPI token', `pypi-${body}`],
    ['a DigitalOcean token', `dop_v1_${body}`],
    ['a Databricks token', `dapi0${body}`],
    ['a Vault token', `hvs.${body}`],
    ['a Groq key', `gsk_${body}`],
    ['an xAI key', `xai-${body}`],
    ['a Grafana token', `glsa_${body}`],
    ['a Google client secret', `GOCSPX-${body}`],
    ['an Atlassian token', `ATATT3${body}`],
    ['a Docker token', `dckr_pat_${body}`],
    ['an age key', `AGE-SECRET-KEY-1${body}`],
    ['a private key', PEM.join('\n')],
    ['a private key inside of JSON', PEM.join('\\n')],
  ])('%s', (_, secret) => {
    expectClean(secret, REDACTED);
    expectClean(`before ${secret} after`, `before ${REDACTED} after`);
    expectClean(`"${secret}", then "${secret}"`, `"${REDACTED}", then "${REDACTED}"`, 2);
  });

  test.each([
    ['Authorization: Bearer abcdef1234', `Authorization: Bearer ${REDACTED}`],
    ['authorization: basic dXNlcjpwYXNzd29yZDE=', `authorization: basic ${REDACTED}`],
    ['postgres://app:hunter2@db.local/x', `postgres://app:${REDACTED}@db.local/x`],
    ['redis://:p4ss@cache:6379', `redis://:${REDACTED}@cache:6379`],
    ['OPENAI_API_KEY=abcd1234efgh', `OPENAI_API_KEY=${REDACTED}`],
    ['export TOKEN="abcd1234efgh"', `export TOKEN="${REDACTED}"`],
    ['https://a.b/c?api_key=abcd1234efgh&x=1', `https://a.b/c?api_key=${REDACTED}&x=1`],
    ['password=correcthorse', `password=${REDACTED}`],
    ['Password: Sommergarten!', `Password: ${REDACTED}`],
    ['my password = "Correcthorse!" is set', `my password = "${REDACTED}" is set`],
    ['SLACK=xoxb-yourteam-4182937506-token', `SLACK=${REDACTED}`],
    ['{"client_secret": "abcdefgh"}', `{"client_secret": "${REDACTED}"}`],
    [String.raw`{\"password\":\"hunter2\"}`, String.raw`{\"password\":\"${REDACTED}\"}`],
    ['x-api-key: abcd1234efgh', `x-api-key: ${REDACTED}`],
    [`hooks.slack.com/services/${body}`, `hooks.slack.com/services/${REDACTED}`],
    [`discord.com/api/webhooks/${body}`, `discord.com/api/webhooks/${REDACTED}`],
    ['curl -u bob:hunter22 a.b', `curl -u bob:${REDACTED} a.b`],
    ['curl --user=bob:hunter22 a.b', `curl --user=bob:${REDACTED} a.b`],
    [`a.b/c?sv=1&sig=${body}`, `a.b/c?sv=1&sig=${REDACTED}`],
  ])('%s', (text, clean) => {
    expectClean(text, clean);
  });
});

test.each([
  ['password=', 'rover12-my-good-dog', ''],
  ['DB_PASSWORD: ', 'tiger42_my_secret_garden', ''],
  ['api_key=', 'zebra77_your_moonlight_dancer', ''],
  ['client_secret=', 'oauth2-my-prod-key-alpha', ''],
  ['postgres://app:', 'rover12-my-good-dog', '@db.internal/x'],
  ['Authorization: Bearer ', 'prod7_my-good-horse-battery', ''],
  ['password: ', 'TopSecret!', ''],
])('words behind another word are no example of an issuer: %s%s%s', (before, secret, behind) => {
  expectClean(`${before}${secret}${behind}`, `${before}${REDACTED}${behind}`);
});

test.each([
  'The password is asked for, the token is not.',
  'max_tokens: 4096, tokenizer = fast, next_token_count: 12345678',
  'https://example.com:8080/path?x=1 and mail@example.com',
  'task-force, risk-free, ask-me-anything-you-like, sk-learn',
  'const token = getToken(); const key = keys[0];',
  'basic understandings and bearer bonds',
  'xoxb-your-token, xoxp-your-bot-token-here, gsk_xxx, xoxb-xxxx-xxxx-xxxx and xapp-my-app-token',
  'password: String!, password: Incorrect!\npassword = newPassword!\nForgot your password? Click!',
  'PWD=/home/me/work and OLDPWD=/home/me/2026, task-2026-report-final',
  '{"token": "if", "key": "Enter", "passwordHint": "your first pet"}',
  'TOKEN=$(cat token.txt) API_KEY=${KEY:-none} SECRET=<yours>',
  'const password = "the password"; label = { secret: "Show it" }',
  'docker run --user 1000:1000 x; curl -u "$USER" https://example.com',
  'A line that says -----BEGIN CERTIFICATE----- holds nothing private.',
])('%s', (text) => {
  expectClean(text, text, 0);
});

test('a private key without an end takes only what can belong to it', () => {
  const [begin = ''] = PEM;
  expectClean(`${begin}\n${body}\n${body}\nAnd then we talked.`, `${REDACTED}And then we talked.`);
  expectClean(
    `A key file starts with ${begin} in its first line.`,
    `A key file starts with ${REDACTED}in its first line.`,
  );
});

test.each([
  ['plain', 'aB3'.repeat(1_700)],
  ['with escapes', 'aB3\\/'.repeat(1_000)],
])('a long value goes out to its end: %s', (_, value) => {
  expectClean(`{"access_token":"${value}","b":1}`, `{"access_token":"${REDACTED}","b":1}`);
  expectClean(`{"access_token":"${value.replaceAll('\\', '')}`, `{"access_token":"${REDACTED}`);
});

test.each([
  ['machine h login me password hunter22', `machine h login me password ${REDACTED}`],
  ['login me password "hunter22"', `login me password "${REDACTED}"`],
  ['login me password hun"ter22 x', `login me password ${REDACTED} x`],
])('.netrc: %s', (text, clean) => {
  expectClean(text, clean);
});

test('.netrc inside of arguments leaves what stands behind it', () => {
  const args = (text: string) => JSON.stringify({ function: { arguments: JSON.stringify({ text, b: 1 }) } });
  const words = 'login me password ';
  expectClean(args(`${words}hunter22`), args(words + REDACTED));
  const redactor = new Redactor();
  const clean = redactor.value({ arguments: JSON.stringify({ text: `${words}hunter22`, b: 1 }) });
  expect(anyKind(clean)).toEqual({ arguments: JSON.stringify({ text: words + REDACTED, b: 1 }) });
});

test('keys of objects that hold secrets are numbered, so that no value is lost', () => {
  const [a, b] = [`sk-${body}1`, `sk-${body}2`];
  const key = '[REDACTED:model-key]';
  expect(new Redactor().value({ [a]: 1, [`${key} 2`]: 2, [b]: 3, rest: 4 })).toEqual({
    [key]: 1,
    [`${key} 2`]: 2,
    [`${key} 3`]: 3,
    rest: 4,
  });
});

test('keys of objects that name a secret lose their value, whatever it looks like', () => {
  const redactor = new Redactor();
  const message = {
    role: 'assistant',
    meta: { apiKey: 'plain', next: [{ Password: 'x' }], passwordHint: 'none' },
  };
  expect(anyKind(redactor.message(message))).toEqual({
    role: 'assistant',
    meta: { apiKey: REDACTED, next: [{ Password: REDACTED }], passwordHint: 'none' },
  });
  expect(redactor.count).toBe(2);
  expect(message.meta.apiKey).toBe('plain');
});

test('arguments that hold secrets are still JSON', () => {
  const input = JSON.stringify({
    url: 'https://u:s3cr3t@h/',
    headers: { authorization: 'Bearer abcdef1234' },
    password: 'a b',
  });
  const clean = JSON.parse(new Redactor().text(input)) as object;
  expect(anyKind(clean)).toMatchObject({
    url: `https://u:${REDACTED}@h/`,
    headers: { authorization: `Bearer ${REDACTED}` },
  });
});

test('what was taken out is not taken out again', () => {
  const secret = fc.constantFrom(
    `sk-${body}`,
    'token=abcd1234efgh',
    'a://b:c@d',
    `"password": "${body}"`,
    ...PEM,
    'Bearer abcdef1234',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(secret, anyText)), (parts) => {
      const once = new Redactor().text(parts.join(' '));
      const again = new Redactor();
      expect(again.text(once)).toBe(once);
      expect(again.count).toBe(0);
    }),
  );
});

test('messages without secrets are given back as they are', () => {
  fc.assert(
    fc.property(anyItems, (items) => {
      const redactor = new Redactor();
      for (const item of items) {
        if (typeof item !== 'object' || item === null || Array.isArray(item)) continue;
        const clean = redactor.message(item as object as Record<string, unknown>);
        if (redactor.count === 0) expect(clean).toBe(item);
      }
    }),
  );
});

test('exports take secrets out and count them, unless told not to', () => {
  const messages = [{ role: 'user', content: `my key is sk-${body}` }];
  const reports: unknown[] = [];
  const onReport = (report: unknown) => reports.push(report);
  for (const format of ['json', 'markdown', 'csv', 'html'] as const) {
    expect(exportMessages(messages, format, { onReport })).not.toContain(body);
    expect(exportMessages(messages, format, { redact: false, onReport })).toContain(body);
  }
  expect(exportMessages(messages, 'dict')[0]?.content).toBe('my key is [REDACTED:model-key]');
  expect(reports[0]).toEqual({ messages: 1, redacted: 1 });
  expect(reports[1]).toEqual({ messages: 1, redacted: 0 });
});

test('the name of an agent holds no secret either, and one that speaks often counts once', () => {
  const record = { seq: 1, type: 'message', agent: `sk-${body}`, message: { role: 'user', content: 'hi' } };
  for (const format of ['json', 'markdown', 'html', 'dict'] as const) {
    const reports: unknown[] = [];
    const onReport = (report: unknown) => reports.push(report);
    const made = exportMessages([record, record], format, { includeMetadata: true, onReport });
    expect(JSON.stringify(made)).not.toContain(body);
    expect(JSON.stringify(made)).toContain('REDACTED');
    expect(reports).toEqual([{ messages: 2, redacted: 1 }]);
  }
});

test('long texts of almost-secrets are read in one go', () => {
  const texts = [
    '-----BEGIN PRIVATE KEY-----'.repeat(runs(40_000)),
    'sk-'.repeat(runs(300_000)),
    'a://b:'.repeat(runs(200_000)),
    'token = '.repeat(runs(150_000)),
    'eyJ'.repeat(runs(300_000)),
    'bearer '.repeat(runs(150_000)),
    `"password": "${'\\'.repeat(runs(500_000))}`,
    `"password":"${'\\"'.repeat(runs(400_000))}`,
    `token: "`.repeat(runs(120_000)),
    'curl -u a:'.repeat(runs(100_000)),
    'A_'.repeat(runs(500_000)),
    'TOKEN\n'.repeat(runs(150_000)),
    'password>'.repeat(runs(100_000)),
    'login a '.repeat(runs(120_000)),
    `${'token="x '.repeat(runs(60_000))}${"token='".repeat(runs(60_000))}`,
    Array.from({ length: runs(100_000) }, (_, i) => `token=${'\\'.repeat(i % 9)}"`).join(''),
    'M.'.repeat(runs(500_000)),
    ' '.repeat(runs(1_000_000)),
    'x'.repeat(runs(1_000_000)),
  ];
  for (const text of texts) expect(new Redactor().text(text).length).toBeLessThanOrEqual(text.length);
});
