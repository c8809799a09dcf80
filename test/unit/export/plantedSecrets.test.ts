import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogRecord } from '../../../src/core/record.js';
import { EXPORT_FORMATS, type ExportFormat, type ExportOptions } from '../../../src/export/exportFormat.js';
import { exportToFile } from '../../../src/export/files/exportFile.js';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { Redactor } from '../../../src/export/secrets/redact.js';
import { readFile } from 'node:fs/promises';
import { builtInTools } from '../../../src/agents/tools/builtInTools.js';
import { DiskWorkspaceFiles } from '../../../src/agents/tools/files/writeDiskText.js';
import { SeenFiles } from '../../../src/agents/tools/files/seenFiles.js';
import { PathGuard } from '../../../src/agents/tools/paths/pathGuard.js';
import { plants, type Plant } from '../../support/plantedSecrets.js';
import { aTeam, aTool, use } from '../../support/scriptedTeam.js';
import { temporaryWorkspace } from '../agents/tools/toolHarness.js';

/** How a plant gets into the conversation: the call that a model makes for it. */
function callFor({ way, text }: Plant, at: number) {
  switch (way) {
    case 'file':
      return use('read_file', { path: `notes/${at}.txt` });
    case 'command':
      return use('run_command', { command: `cat notes/${at}.txt` });
    case 'toolResult':
      return use('ask', { number: at });
    case 'argument':
      return use('write_file', { path: `made/${at}.txt`, content: text });
    case 'argumentJson':
      return use('post', text);
  }
}

/** The record of a run in which all plants went through real tools on real files. */
async function conversation(): Promise<readonly LogRecord[]> {
  const inFiles = plants.map(({ way, text }, at) => [way, `notes/${at}.txt`, text] as const);
  const { root } = await temporaryWorkspace(
    Object.fromEntries(
      inFiles.filter(([way]) => way === 'file' || way === 'command').map(([, path, text]) => [path, text]),
    ),
  );
  const workspace = { guard: new PathGuard([root]), files: new DiskWorkspaceFiles(), seen: new SeenFiles() };
  const tools = [
    ...builtInTools(workspace, { shell: '/bin/bash', host: process.env }),
    aTool('ask', ({ number }) => plants[Number(number)]?.text ?? 'nothing'),
    aTool('post', () => 'done'),
  ];
  const steps = [...plants.map(callFor), { text: 'Done.' }];
  const team = aTeam(['Cookie'], { script: { Cookie: steps }, tools, limits: { steps: 100 } });
  const { outcome, error } = await team.session.run('Look at everything.');
  expect([outcome, error]).toEqual(['done', undefined]);
  const results = team.records.filter((one) => one.type === 'message' && one.message.role === 'tool');
  expect(results.filter((one) => one.type === 'message' && one.isError)).toEqual([]);
  return team.records;
}

/** Pieces of a secret that would give it away, the prefix that its issuer publishes left out. */
function pieces({ secret }: Plant): string[] {
  const own = secret.replace(/^[A-Za-z]{1,12}[-_.](?:[A-Za-z]+[-_])?(?:[a-z]+\d\d-|\d+-)?/, '');
  return Array.from({ length: own.length - 7 }, (_, at) => own.slice(at, at + 8));
}

/** Which plants can be read in a text, also where it escapes something. */
function readable(text: string): string[] {
  const unescaped = text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
  const plainer = [text, unescaped, unescaped.replaceAll('\\', ''), unescaped.replaceAll('&amp;', '&')];
  return plants
    .filter((plant) => plainer.some((one) => pieces(plant).some((piece) => one.includes(piece))))
    .map(({ way, text: shown }) => `${way}: ${shown}`);
}

function exported(records: readonly LogRecord[], format: ExportFormat, options: ExportOptions = {}) {
  let redacted = -1;
  const onReport = (report: { redacted: number }) => (redacted = report.redacted);
  const made = exportMessages(records, format, { maxContentLength: 100_000, onReport, ...options });
  return { text: typeof made === 'string' ? made : JSON.stringify(made), redacted };
}

test('sixty secrets that went through files, tools, commands and arguments are in no export, and are counted', async () => {
  const records = await conversation();
  expect(plants).toHaveLength(60);
  const { root } = await temporaryWorkspace();
  for (const format of EXPORT_FORMATS) {
    const { text, redacted } = exported(records, format);
    expect([format, readable(text), redacted]).toEqual([format, [], 60]);
    expect(exported(records, format, { includeMetadata: true, indent: 0 }).redacted).toBe(60);

    const file = join(root, `out.${format}`);
    const report = await exportToFile(records, format, file);
    expect([format, readable(await readFile(file, 'utf8')), report.redacted]).toEqual([format, [], 60]);
  }
});

test('they are all there where a person has switched that off, and only there', async () => {
  const records = await conversation();
  for (const format of ['json', 'markdown', 'html', 'dict'] as const) {
    const { text, redacted } = exported(records, format, { redact: false });
    expect([format, readable(text).length, redacted]).toEqual([format, 60, 0]);
    // Whatever is not `false` is no such wish.
    const odd = exported(records, format, { redact: undefined });
    expect([format, readable(odd.text), odd.redacted]).toEqual([format, [], 60]);
  }
});

test('a title that is the beginning of what was said shows no key either, and counts nothing twice', () => {
  const [plant] = plants;
  const message = { role: 'user', content: plant?.text };
  const { text, redacted } = exported([message as never], 'html', { title: plant?.text });
  expect([readable(text), redacted]).toEqual([[], 1]);
  expect(exported([message as never], 'html', { title: plant?.text, redact: false }).text).toMatch(
    /<title>OPENAI/,
  );
});

test('an item that is no message is exported without its secrets', () => {
  const key = plants[2]?.text ?? '';
  for (const format of EXPORT_FORMATS) {
    expect(readable(exported([key as never, [key] as never], format).text)).toEqual([]);
  }
});

test('arguments without secrets stay as they were written, to the last escape', () => {
  const redactor = new Redactor();
  for (const text of [
    '{"a":"\\u0062\\/","a":1e2,"token":""}',
    '{"key": "\\n"',
    '"secret \\u0041"',
    '{"token":null}',
  ]) {
    expect(redactor.value({ arguments: text })).toEqual({ arguments: text });
  }
  expect(redactor.count).toBe(0);
});
