import { appendAll } from '../core/lists.js';
import type { MessageCounts, MessageStats } from './messageStats.js';
import { compactJson } from './jsonText.js';
import type { ToolInteraction, Turn } from './timeline.js';
import type { ToolCallInfo } from './toolSummary.js';

/** Statistics as lines of text; agents and exact tokens appear only where there are any. */
export function statsText(stats: Omit<MessageStats, 'toString'>): string {
  const agents = Object.entries(stats.byAgent).sort(byName);
  const told =
    stats.exactTokens > 0 ? ` (${stats.exactTokens} exact, ${stats.estimatedTokens} estimated)` : '';
  return [
    'Message Statistics',
    ...countLines(stats, told),
    ...agents.flatMap(([agent, counts]) => [
      `  Agent ${agent}:`,
      ...countLines(counts, '').map((line) => `  ${line}`),
    ]),
  ].join('\n');
}

function countLines(counts: MessageCounts, told: string): string[] {
  return [
    `  Total messages: ${counts.totalMessages}`,
    `  Total tokens:   ${counts.totalTokens}${told}`,
    `  Avg tokens/msg: ${counts.avgTokensPerMessage.toFixed(1)}`,
    ...roleLines('  Messages by role:', counts.messagesByRole),
    ...roleLines('  Tokens by role:', counts.tokensByRole),
  ];
}

function roleLines(title: string, numbers: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(numbers).sort(byName);
  return entries.length === 0 ? [] : [title, ...entries.map(([role, count]) => `    ${role}: ${count}`)];
}

/** Compares by UTF-16 code units, so that the order is the same on every machine. */
function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The calls and results of one tool as lines of text. */
export function toolText({ toolName, callCount, calls, orphans }: ToolCallInfo): string {
  const lines = [`Tool: ${toolName || '(unnamed)'} (called ${callCount} time(s))`];
  for (const call of calls) {
    lines.push(`  [${call.id}]`);
    if (call.rawArguments !== null)
      lines.push(`    args: ${argumentText(call.arguments, call.rawArguments)}`);
    lines.push(`    result: ${call.result ?? '(none)'}`);
  }
  for (const orphan of orphans) lines.push(`  [${orphan.id}] (no call)`, `    result: ${orphan.result}`);
  return lines.join('\n');
}

/** All tools as lines of text, separated by blank lines. */
export function summaryText(tools: readonly ToolCallInfo[]): string {
  return tools.map((tool) => toolText(tool)).join('\n\n');
}

/** Arguments as JSON, or exactly as the model wrote them where that was not a JSON object. */
function argumentText(parsed: Readonly<Record<string, unknown>> | null, raw: string): string {
  const text = compactJson(parsed ?? {});
  return text === '{}' && raw !== '' ? raw : text;
}

/** A turn as lines of text, with the turns of dispatched agents indented below their interaction. */
export function turnText(turn: Turn): string {
  const lines = [turn.agent === null ? `Turn ${turn.index}:` : `Turn ${turn.index} (${turn.agent}):`];
  if (turn.systemContext !== null) lines.push(`  System: ${turn.systemContext}`);
  if (turn.userContent !== null) lines.push(`  User: ${turn.userContent}`);
  if (turn.assistantContent !== null) lines.push(`  Assistant: ${turn.assistantContent}`);
  if (turn.toolInteractions.length > 0) lines.push('  Tool interactions:');
  for (const interaction of turn.toolInteractions) appendAll(lines, interactionLines(interaction));
  return lines.join('\n');
}

const NOTES: Readonly<Record<ToolInteraction['status'], string>> = {
  answered: '',
  unanswered: ' (never answered)',
  answeredLater: ' (answered in a later turn)',
  late: ' (late result)',
  orphan: ' (no call)',
  unseen: ' (dispatch not recorded)',
};

function interactionLines(interaction: ToolInteraction): string[] {
  const { toolName, toolCallId, status, rawArguments, turns } = interaction;
  const lines = [`    [${toolName || '(unnamed)'}] id=${toolCallId}${NOTES[status]}`];
  const isCall = status === 'answered' || status === 'unanswered' || status === 'answeredLater';
  const hasResult = status === 'answered' || status === 'late' || status === 'orphan';
  if (isCall) lines.push(`      args: ${argumentText(interaction.arguments, rawArguments)}`);
  for (const turn of turns) lines.push(turnText(turn).replace(/^(?=.)/gm, '      '));
  if (hasResult) lines.push(`      result: ${interaction.result}`);
  return lines;
}

/** All turns as lines of text, separated by blank lines. */
export function timelineText(turns: readonly Turn[]): string {
  return turns.map((turn) => turnText(turn)).join('\n\n');
}
