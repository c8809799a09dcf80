import { formatCost } from '../../core/cost.js';
import type { MessageCounts, MessageStats } from './answers.js';
import { compactJson } from './jsonText.js';
import type { ToolInteraction, Turn } from './answers.js';
import type { ToolCallInfo } from './answers.js';

/** Statistics as lines of text; agents, exact tokens and a cost appear only where there are any. */
export function statsText(stats: Omit<MessageStats, 'toString'>): string {
  const agents = Object.entries(stats.byAgent).sort(byName);
  const told =
    stats.exactTokens > 0 ? ` (${stats.exactTokens} exact, ${stats.estimatedTokens} estimated)` : '';
  const cost = stats.cost ? formatCost(stats.cost) : '';
  return [
    'Message Statistics',
    ...countLines(stats, told),
    ...(cost === '' ? [] : [`  Cost:           ${cost}`]),
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
  return new TurnWriter().write([turn]);
}

/** All turns as lines of text, separated by blank lines. */
export function timelineText(turns: readonly Turn[]): string {
  return new TurnWriter().write(turns);
}

const NOTES: Readonly<Record<ToolInteraction['status'], string>> = {
  answered: '',
  unanswered: ' (never answered)',
  answeredLater: ' (answered in a later turn)',
  late: ' (late result)',
  orphan: ' (no call)',
  unseen: ' (dispatch not recorded)',
};

/** How far the turns of a dispatched agent are indented below the one that dispatched it. */
const NESTED = ' '.repeat(6);

/** Writes each line once, with the indentation of all levels above it: nesting costs no more than its own blanks. */
class TurnWriter {
  readonly #lines: string[] = [];
  /** What is still to be written, the next one last; a list instead of recursion, however deep turns nest. */
  readonly #waiting: (() => void)[] = [];

  write(turns: readonly Turn[]): string {
    turns.forEach((turn, position) => {
      if (position > 0) this.#lines.push('');
      this.#waiting.push(() => this.#turn(turn, ''));
      for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) next();
    });
    return this.#lines.join('\n');
  }

  #turn(turn: Turn, indent: string): void {
    const { agent, index, systemContext, userContent, assistantContent, toolInteractions } = turn;
    this.#say(agent === null ? `Turn ${index}:` : `Turn ${index} (${agent}):`, indent);
    if (systemContext !== null) this.#say(`  System: ${systemContext}`, indent);
    if (userContent !== null) this.#say(`  User: ${userContent}`, indent);
    if (assistantContent !== null) this.#say(`  Assistant: ${assistantContent}`, indent);
    if (toolInteractions.length > 0) this.#say('  Tool interactions:', indent);
    this.#later(toolInteractions.map((interaction) => () => this.#interaction(interaction, indent)));
  }

  #interaction({ toolName, toolCallId, ...rest }: ToolInteraction, indent: string): void {
    const { status, rawArguments, turns, result } = rest;
    const isCall = status === 'answered' || status === 'unanswered' || status === 'answeredLater';
    const hasResult = status === 'answered' || status === 'late' || status === 'orphan';
    this.#say(`    [${toolName || '(unnamed)'}] id=${toolCallId}${NOTES[status]}`, indent);
    if (isCall) this.#say(`      args: ${argumentText(rest.arguments, rawArguments)}`, indent);
    this.#later([
      ...turns.map((turn) => () => this.#turn(turn, indent + NESTED)),
      ...(hasResult ? [() => this.#say(`      result: ${result}`, indent)] : []),
    ]);
  }

  #later(acts: readonly (() => void)[]): void {
    for (let index = acts.length - 1; index >= 0; index--) {
      const act = acts[index];
      if (act) this.#waiting.push(act);
    }
  }

  /** Adds a text; its lines that are not empty are indented. */
  #say(text: string, indent: string): void {
    this.#lines.push(indent === '' ? text : text.replace(/^(?=.)/gm, indent));
  }
}
