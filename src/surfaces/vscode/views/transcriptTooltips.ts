import { inLanguage, t } from '../../../core/l10n.js';
import { appendAll } from '../../../core/lists.js';
import type { CatalogEntry, ConversationSource } from '../../../core/ports/transcript.js';
import type { OutlineTurn } from '../../../query/numbers/outline.js';
import { isReadByOlder, readerWords } from '../../../app/panel/panelsInView.js';
import { toolWords } from '../../../import/toolWords.js';
import { plain, plainLines, type PlainText } from '../../../app/text/plainText.js';
import { formatBytes, formatCount, formatMoment } from '../../../app/text/format.js';
import type { ConversationCost, CostWords } from '../../../search/reader/conversationCost.js';
import type { CallRow, OwnRow } from '../../../app/views/transcriptGroups.js';
import { withTooltip, type UnresolvedRow } from '../ui/treeItems.js';
import { agentOf, agentsOf, callCounts, counts, stateOf, stateWords } from './transcriptRows.js';

/** How much of a path a tooltip shows, in code points. */
const MAX_PATH = 500;

/** Gives a row its tooltip, which is made only on hover, so that long lists stay light. */
export function withRowTooltip(
  item: UnresolvedRow,
  row: OwnRow,
  cost: ConversationCost | undefined,
  all: readonly CatalogEntry[],
): UnresolvedRow {
  return withTooltip(item, tooltipFor(row, cost, all));
}

function tooltipFor(
  row: OwnRow,
  cost: ConversationCost | undefined,
  all: readonly CatalogEntry[],
): PlainText {
  switch (row.kind) {
    case 'group':
      return plain(formatCount(row.members.length, 'session'));
    case 'conversation':
      return conversationTooltip(row.entry, cost, all);
    case 'call':
      return callTooltip(row, cost?.calls.get(row.call.call));
    case 'turn':
      return turnTooltip(row.turn);
  }
}

function conversationTooltip(
  entry: CatalogEntry,
  cost: CostWords | undefined,
  all: readonly CatalogEntry[],
): PlainText {
  const lines = [
    plain(entry.title),
    t`State: ${inLanguage(stateWords[entry.state])}`,
    t`Agents: ${plain(agentsOf(entry)) || 'none'}`,
    t`Began: ${formatMoment(entry.startedAt) || 'unknown'}`,
    t`Last message: ${formatMoment(entry.endedAt) || 'unknown'}`,
    [formatCount(entry.runs, 'run'), ...counts(entry, cost)].filter(Boolean).join(' · '),
    plain(cost?.explained ?? '', MAX_PATH),
    t`On disk: ${formatBytes(entry.bytes)}`,
  ];
  appendAll(lines, familyLines(entry, all));
  if (entry.origin) appendAll(lines, originLines(entry.origin));
  if (entry.scripted) lines.push(t`Answered by a script, not by a model.`);
  return plainLines(lines.filter(Boolean).join('\n'));
}

/** How many conversations that go on from one are named; further ones are only counted. */
const MAX_FORKS = 5;

/** What a conversation goes on from, and what goes on from it. */
function familyLines({ conversation, goesOnFrom }: CatalogEntry, all: readonly CatalogEntry[]): string[] {
  const origin = all.find((each) => each.conversation === goesOnFrom);
  const forks = all.filter((each) => each.goesOnFrom === conversation);
  const named = forks.slice(0, MAX_FORKS).map(({ title }) => plain(title));
  const rest = forks.length - named.length;
  return [
    goesOnFrom === undefined
      ? ''
      : t`Goes on from: ${origin ? plain(origin.title) : t`one that is not there any more`}`,
    named.length === 0
      ? ''
      : t`Others go on from it: ${named.join(', ')}${rest > 0 ? t` and ${rest} more` : ''}`,
  ];
}

/** Where an imported conversation comes from. */
function originLines(origin: ConversationSource): string[] {
  const { tool, session, path, project, version } = origin;
  return [
    t`Imported from: ${plain(toolWords(tool))}`,
    project === undefined ? '' : t`Project: ${plain(project)}`,
    path === undefined ? '' : t`File: ${plain(path, MAX_PATH)}`,
    t`Session: ${plain(session)}`,
    version === undefined ? '' : t`Version ${version} of this session; the ones before are kept.`,
    isReadByOlder(origin) ? t`Read by version ${readerWords(origin)}` : '',
  ];
}

function callTooltip(row: CallRow, cost: CostWords | undefined): PlainText {
  const { call } = row;
  const lines = [
    `${agentOf(call)} (${call.model})`,
    call.task,
    t`State: ${inLanguage(stateWords[stateOf(row)])}`,
    call.end?.reason,
    t`Began: ${formatMoment(call.startedAt) || 'unknown'}`,
    callCounts(call, cost).filter(Boolean).join(' · '),
    plain(cost?.explained ?? '', MAX_PATH),
  ];
  return plainLines(lines.filter(Boolean).join('\n'));
}

function turnTooltip({ text, deeds, partial }: OutlineTurn): PlainText {
  const lines = [text, ...deeds, partial && t`The answer broke off.`];
  return plainLines(lines.filter(Boolean).join('\n'));
}
