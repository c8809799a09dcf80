import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ExportOptions } from '../../../../src/export/exportFormat.js';
import { fileChunks } from '../../../../src/export/files/fileChunks.js';
import { fillExample } from '../../../../src/export/secrets/secretRow.js';
import { SharingGate } from '../../../../src/export/sharing/sharingGate.js';
import { sharingRules } from '../../../../src/export/sharing/sharingPolicy.js';
import { exportTables } from '../../../../src/export/tables/exportTables.js';
import { FILE_FORMATS, type FileFormat } from '../../../../src/core/ports/exportFormats.js';
import { temporaryWorkspace } from '../../agents/tools/toolHarness.js';

/** Kinds of secrets that are found by their form. */
const KINDS: Readonly<Record<string, string>> = {
  github: 'ghp_{36}',
  aws: 'AKIA{A16}',
  anthropic: 'sk-ant-api03-{93}AA',
  openAi: 'sk-proj-{48}',
  slack: 'xoxb-{d12}-{d12}-{24}',
  stripe: 'sk_live_{24}',
  google: 'AIza{35}',
};

/** What a person wants left out besides, a machine with digits too: such a value is looked for wherever it stands. */
const NAMES = ['Annabel', 'build-host-77'];

/** Records of every type, in each of whose texts something stands that must not be seen. */
function planted(secret: string) {
  const at = {
    conversation: `c-${secret}`,
    run: `r-${secret}`,
    agent: `Baker ${secret}`,
    time: 1_700_000_000_000,
  };
  const entry = { ...at, call: `k-${secret}`, depth: 0 };
  const below = { ...at, call: `below-${secret}`, parentCall: entry.call, depth: 1 };
  const path = `/srv/${secret}/a.ts`;
  const called = {
    name: `tool_${secret}`,
    arguments: JSON.stringify({ path, [secret]: [{ deep: `x "${secret}"` }] }),
  };
  const calls = [{ id: `t-${secret}`, type: 'function', function: called }];
  const picture = { type: 'image_url', image_url: { url: `https://a.example/${secret}.png` } };
  const usage = { inputTokens: 5, outputTokens: 6, estimated: false };
  const bodies = [
    { ...entry, type: 'callStart', task: `do ${secret}`, model: `m ${secret}`, tools: [`tool_${secret}`] },
    said(entry, { role: 'system', content: `You are ${secret}.` }),
    said(entry, { role: 'user', name: secret, content: [{ type: 'text', text: `Use ${secret}.` }, picture] }),
    {
      ...said(entry, {
        role: 'assistant',
        content: `I use ${secret}`,
        reasoning_content: secret,
        tool_calls: calls,
      }),
      model: `m ${secret}`,
      usage,
      partial: 'length',
    },
    {
      ...entry,
      type: 'approval',
      toolName: `tool_${secret}`,
      toolCallId: `t-${secret}`,
      subject: `run ${secret}`,
      decision: 'approved',
      decidedBy: 'user',
      rule: secret,
      reason: `as ${secret}`,
      waitedMs: 1,
    },
    {
      ...said(entry, {
        role: 'tool',
        tool_call_id: `t-${secret}`,
        content: `{"key": "${secret}"}\n${secret}`,
      }),
      toolName: `tool_${secret}`,
      isError: true,
      durationMs: 3,
    },
    {
      ...entry,
      type: 'dispatch',
      target: `Helper ${secret}`,
      task: `help ${secret}`,
      toolCallId: `d-${secret}`,
      childCall: below.call,
    },
    { ...below, type: 'callStart', task: `help ${secret}`, model: 'm', tools: [], toolCallId: `d-${secret}` },
    said(below, { role: 'user', content: `help ${secret}` }),
    said(below, { role: 'assistant', content: null, refusal: `not with ${secret}`, [secret]: secret }),
    {
      ...below,
      type: 'callEnd',
      outcome: 'failed',
      reason: `no ${secret}`,
      durationMs: 1,
      ownUsage: usage,
      totalUsage: usage,
    },
    {
      ...entry,
      type: 'request',
      model: `m ${secret}`,
      endpoint: `https://a.example/?key=${secret}`,
      attempt: 1,
      durationMs: 5,
      error: { code: `c ${secret}`, message: `refused ${secret}` },
      superseded: `half ${secret}`,
    },
    { ...entry, type: 'error', where: 'model', error: { code: 'x', message: `failed ${secret}` } },
    { ...entry, type: 'title', title: `About ${secret}` },
    { ...entry, type: 'laterKind', note: secret, [`field ${secret}`]: { [secret]: secret } },
    said(entry, { role: 'assistant', content: `Done with ${secret}.` }),
  ];
  return bodies.map((body, index) => ({ seq: index + 1, id: `i-${secret}-${index}`, ...body }));
}

const said = (place: object, message: object) => ({ ...place, type: 'message', message });

async function exported(secret: string, format: FileFormat, gate: SharingGate | undefined): Promise<string> {
  const records = planted(secret);
  records.forEach((record, at) => gate?.look(record, at));
  const notes = new Map([
    [2, [{ text: `see ${secret}` }]],
    [3, [{ text: `call of ${secret}`, call: 0 }]],
    [4, [{ text: `decided ${secret}` }]],
  ]);
  const options: ExportOptions = {
    gate,
    notes,
    full: true,
    includeMetadata: true,
    maxContentLength: 1e6,
    title: `About ${secret}`,
  };
  let text = '';
  for await (const chunk of fileChunks(records, format, options)) text += chunk;
  return text;
}

/** The text as it stands there, and without what JSON, Markdown and HTML write before characters. */
const readings = (text: string) => [text, text.replaceAll('\\', ''), text.replaceAll('&quot;', '"')];

describe.each(FILE_FORMATS)('as %s', (format) => {
  test.each(Object.keys(KINDS))('no text of a record shows a key of %s, reviewed or not', async (kind) => {
    const secret = fillExample(KINDS[kind] ?? '');
    for (const gate of [new SharingGate(), undefined]) {
      const made = await exported(secret, format, gate);
      expect(made).toContain('REDACTED:');
      for (const reading of readings(made)) expect(reading).not.toContain(secret);
    }
  });

  test.each(NAMES)('nor the name %s', async (name) => {
    const made = await exported(name, format, new SharingGate(await sharingRules({ names: NAMES })));
    for (const reading of readings(made)) expect(reading.toLowerCase()).not.toContain(name.toLowerCase());
  });
});

/** Examples of longer keys repeat themselves, so that a packed table has no whole one even where they stay. */
const SHORT = Object.values(KINDS)
  .map(fillExample)
  .filter(({ length }) => length <= 50);

test.each([...SHORT, ...NAMES])('tables do not show %s', async (secret) => {
  const { root } = await temporaryWorkspace();
  const records = planted(secret);
  const session = { session: `s-${secret}`, title: `About ${secret}`, project: `/srv/${secret}`, records };
  const written = async (folder: string, redact: boolean) => {
    await exportTables([session], join(root, folder), { redact, sharing: { names: NAMES } });
    const tables = ['sessions', 'messages', 'calls', 'requests'];
    return Promise.all(
      tables.map(async (table) =>
        (await readFile(join(root, folder, `${table}.parquet`))).toString('latin1'),
      ),
    );
  };
  // What they are looked for in is not packed in a way that hides them.
  for (const table of await written('open', false)) expect(table).toContain(secret);
  for (const table of await written('clean', true)) expect(table).not.toContain(secret);
});
