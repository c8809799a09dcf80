import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleOfTexts, sources, textsIn } from '../../scripts/l10n.mjs';

const root = join(import.meta.dirname, '../..');

const found = [...sources()].map(([path, source]) => ({ path, ...textsIn(path, source) }));

/**
 * What looks like a sentence and is none: questions, ids of buttons and rows, a command, a new agent's file, the product, a
 * selector, classes, keys, nouns behind a number; and mistakes of a program, which no person can make.
 */
const noTexts: Readonly<Record<string, RegExp>> = {
  'src/app/chat/chatFrontend.ts': /^@logbook/,
  'src/app/discovery/watchRules.ts':
    /^(?:is:error tool:Edit|finished while away|broken off|tokens of context > 80 %|cost of today > 50|command:"git push")$/,
  'src/app/runs/failedRun.ts': /^(?:Set API Key…|Change Model…)$/,
  'src/app/transcripts/failureReason.ts': /^(?:Set API Key…|Change Model…)$/,
  'src/page/panel/transcriptSession.ts': /^_no result_$/,
  'src/page/panel/panelSession.ts': /^Nobody answers/,
  'src/page/panel/search/searchSession.ts': /^Nobody answers/,
  'src/page/panel/compare/compareSession.ts': /^Nobody answers/,
  'src/page/panel/approvalLog/approvalLogSession.ts': /^Nobody answers/,
  'src/app/sources/sealStamp.ts': /^no DER$/,
  'src/app/sources/checkExpectations.ts': /^not told$/,
  'src/app/approvals/storedApprovalLogs.ts': /^approval:\(approved OR denied\)$/,
  'src/query/language/checkRows.ts': /^(?:is|has) [a-z]+$/,
  'src/query/language/edit.ts': /^There is no field /,
  'src/query/language/evaluate.ts': /^There is no record /,
  'src/query/language/fields.ts': /^(?:There is no field |[a-z]+:\S)/,
  'src/query/language/gatheredUnits.ts': /^There is no record /,
  'src/query/language/plan.ts': /^There is no time zone /,
  'src/query/language/programs.ts': /^env /,
  'src/query/language/queryOfCriteria.ts': /^The pattern .* needs the flag u /,
  'src/query/language/terms.ts': / has no meaning yet\.$/,
  'webview/search/spendingPage.ts': /^(?:unit \P{L}|\P{L} more|since:\P{L} before:\P{L})$/u,
  'webview/search/emptyState.ts': /^(?:is:error since:7d|role:user since:today)$/,
  'src/surfaces/vscode/reading/handOver.ts': /^No place is known/,
  'src/surfaces/vscode/commands/agentCommands.ts': /^---\nname: /,
  'src/surfaces/vscode/views/transcriptRows.ts': /^conversation/,
  'src/surfaces/vscode/expectations/expectationLanguage.ts': /^Agent Logbook$/,
  'src/surfaces/vscode/reading/agentBlame.ts': /^<svg /,
  'src/surfaces/vscode/views/agentsView.ts': /^Agent Logbook$/,
  'webview/pages/keys.ts': /^button, vscode-button$/,
  'webview/rows/controls.ts': /^button, vscode-button, \[tabindex\]$/,
  'webview/views/header.ts': /^bad fact-reason$/,
  'webview/views/statisticsView.ts': /^(?:agent|tool) call$/,
  'webview/views/keysHelp.ts': /^(?:PageDown PageUp|Home End|\/ or Ctrl\+F)$/,
};

test('each text that a person reads is in the list for translators', () => {
  const bundle = readFileSync(join(root, 'l10n/bundle.l10n.json'), 'utf8');
  expect(bundle, 'npm run l10n').toBe(bundleOfTexts());
  expect(Object.keys(JSON.parse(bundle) as object).length).toBeGreaterThan(400);
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly l10n: string };
  expect(manifest.l10n).toBe('./l10n');
});

test('no surface and no page shows a sentence that cannot be translated', () => {
  const bare = found.flatMap(({ path, bare }) => bare.map(({ text }) => ({ path, text })));
  expect(bare.filter(({ path, text }) => noTexts[path]?.test(text) !== true)).toEqual([]);
});

test('no text is made before the language is known', () => {
  expect(found.flatMap(({ path, early }) => early.map(({ line }) => `${path}:${line}`))).toEqual([]);
});

test.each([
  ["showInformation(plain('Nothing was found.'))", 'bare'],
  ['const label = `Export ${count} Here`;', 'bare'],
  ['const TITLE = t`Export`;', 'early'],
])('%s is found', (source, kind) => {
  expect(textsIn('src/surfaces/vscode/a.ts', source)[kind as 'bare' | 'early']).toHaveLength(1);
});
