import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ExportOptions } from '../../../../src/export/exportFormat.js';
import { fileChunks } from '../../../../src/export/files/fileChunks.js';
import {
  approvalLogGate,
  approvalLogText,
  type ConversationApprovalLog,
} from '../../../../src/export/approvalLogText.js';
import { SharingGate } from '../../../../src/export/sharing/sharingGate.js';
import { sharingRules, type SharingPolicy } from '../../../../src/export/sharing/sharingPolicy.js';
import { exportTables } from '../../../../src/export/tables/exportTables.js';
import { FILE_FORMATS, type FileFormat } from '../../../../src/core/ports/exportFormats.js';
import { temporaryWorkspace } from '../../agents/tools/toolHarness.js';

/** Names and words that stand in what we write ourselves: scripts, headings, fields, kinds of records, placeholders. */
const NAMES = ['Max', 'Page', 'Agent', 'Result', 'Message', 'user', 'type', 'Key', 'name', 'Codex', 'cli'];

const place = { conversation: 'c', run: 'r', call: 'k', agent: 'Baker', depth: 0, time: 1_700_000_000_000 };
const said = (seq: number, message: object) => ({ seq, id: `m${seq}`, ...place, type: 'message', message });
const call = (name: string, input: object) => ({
  id: 'call-1',
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});

const HOME = '/home/anna42x/work';

const RECORDS = [
  said(1, { role: 'user', content: `Ask max about the page in ${HOME}, key AKIA${'Z7KQ'.repeat(4)}.` }),
  said(2, {
    role: 'assistant',
    content: null,
    tool_calls: [call('read', { path: `${HOME}/a.ts`, max: 'Page' })],
  }),
  said(3, { role: 'tool', tool_call_id: 'call-1', content: 'The Agent of MAX, PROJ-12.' }),
  said(4, { role: 'assistant', content: 'Done, Max.' }),
];

async function exported(
  records: readonly unknown[],
  format: FileFormat,
  policy: SharingPolicy,
  options: ExportOptions = {},
): Promise<string> {
  const gate = new SharingGate(await sharingRules(policy));
  records.forEach((record, at) => gate.look(record, at));
  let text = '';
  for await (const chunk of fileChunks(records, format, {
    full: true,
    includeMetadata: true,
    gate,
    ...options,
  }))
    text += chunk;
  return text;
}

describe.each(FILE_FORMATS)('as %s', (format) => {
  test.each(NAMES)('a person who is called %s can export', async (name) => {
    const made = await exported(RECORDS, format, { names: [name] });
    expect(made).toContain('REDACTED:');
    expect(made).not.toMatch(/AKIA|REDACTED:\[/);
    if (name === 'Max') expect(made).not.toMatch(/Ask max|of MAX|Done, Max/);
  });

  test('patterns and folders of people do not stand in the way of what we write ourselves', async () => {
    const policy = {
      homeFolders: true,
      patterns: [{ name: 'Version', pattern: '[0-9]+\\.[0-9]+\\.[0-9]+|[a-z]*_[a-z_]*' }],
    };
    const made = await exported(RECORDS, format, policy, {
      session: { id: '00000000-0000-4000-8000-000000000000', folder: '/home/anna42x/project' },
    });
    expect(made.replaceAll('/home/anna42x/project', '')).not.toContain('anna42x');
  });

  test('what would join to a name is not written', async () => {
    const parts = [
      { type: 'text', text: 'I am Ann' },
      { type: 'text', text: 'abel.' },
    ];
    await expect(
      exported([said(1, { role: 'user', content: parts })], format, { names: ['Annabel'] }),
    ).rejects.toThrow('was not written');
  });
});

test.each(NAMES)('as tables, a person who is called %s can export', async (name) => {
  const { root } = await temporaryWorkspace();
  const sessions = [
    { session: `a ${name} session`, title: `For ${name}`, source: 'Codex', records: RECORDS },
  ];
  const report = await exportTables(sessions, join(root, 'tables'), { sharing: { names: [name] } });
  expect(report.rows).toMatchObject({ sessions: 1, messages: 4, calls: 1 });
});

test.each(NAMES)('as a ledger, a person who is called %s can export', async (name) => {
  const entry = { position: 0, time: 1, agent: 'Baker', call: `k-${name}`, tool: 'bash', toolCallId: 'x' };
  const more = { isApproved: true, decidedBy: 'user', rule: '', reason: `For ${name}.`, waitedMs: 1 };
  const approvalLogs = [
    {
      conversation: 'c',
      title: name,
      entries: [{ ...entry, ...more, subject: 'ls', outcome: 'done', tookMs: 1 }],
    },
  ] as unknown as readonly ConversationApprovalLog[];
  for (const format of ['csv', 'json'] as const) {
    const rules = await sharingRules({ names: [name] });
    const { text } = approvalLogText(approvalLogs, format, approvalLogGate(approvalLogs, rules));
    expect(text).not.toMatch(new RegExp(`k-${name}\\b|For ${name}`));
  }
});
