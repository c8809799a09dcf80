import type { ContextKind } from '../query/numbers/context/contextKinds.js';
import type { WindowCompaction } from '../query/numbers/context/contextWindow.js';
import type { ContextSection, ExportedPart, ExportedWindow, LargestRequest } from './contextSection.js';

/** What filled one agent's window, in words. */
export interface WindowWords {
  /** Whose it is, and how large its largest request was. */
  readonly agent: string;
  readonly line: string;
  /** What that was made of. */
  readonly parts: readonly PartWords[];
  readonly compactions: readonly string[];
}

/** A row of a table: cells that may hold any text. */
export type PartWords = readonly [what: string, tokens: string, share: string];

/** What filled the windows of a conversation, for people; the last line says how the numbers are known. */
export function contextWords({ windows, moreWindows }: ContextSection): {
  readonly windows: readonly WindowWords[];
  readonly last: string;
} {
  const rest =
    moreWindows === 0 ? '' : `${number(moreWindows)} more ${plural(moreWindows, 'window')} of agents. `;
  return { windows: windows.map(windowWords), last: rest + HOW_KNOWN };
}

const HOW_KNOWN =
  'A whole is what the provider reported, or with ≈ our estimate; its parts are estimates that add up to it.';

/** What each kind of part is called, as in the panel; exports are in English. */
const KINDS: Readonly<Record<ContextKind, string>> = {
  unrecorded: 'Not recorded',
  system: 'System prompt',
  tools: 'Tool schemas',
  summary: 'Summaries',
  prompts: 'Prompts',
  answers: 'Answers',
  thinking: 'Thinking',
  calls: 'Tool calls',
  files: 'Files',
  results: 'Tool results',
  images: 'Images',
};

function windowWords({
  agent,
  requests,
  largest,
  compactions,
  moreCompactions,
}: ExportedWindow): WindowWords {
  const count = `${number(requests)} ${plural(requests, 'request')}`;
  const mark = largest?.provenance === 'estimated' ? '≈ ' : '';
  const told = compactions.map(compactionWords);
  return {
    agent,
    line: largest ? `${count}; the largest was sent ${mark}${number(largest.total)} tokens.` : `${count}.`,
    parts: largest ? partWords(largest) : [],
    compactions: moreCompactions === 0 ? told : [...told, `${number(moreCompactions)} more compactions.`],
  };
}

function partWords({ total, parts, moreParts }: LargestRequest): PartWords[] {
  const row = (what: string, tokens: number): PartWords => [
    what,
    number(tokens),
    `${((100 * tokens) / total).toFixed(1)} %`,
  ];
  const rest = moreParts.parts === 0 ? [] : [row(`${number(moreParts.parts)} more`, moreParts.tokens)];
  return [...parts.map((part) => row(nameOf(part), part.tokens)), ...rest];
}

function nameOf({ kind, tool, path }: ExportedPart): string {
  return [KINDS[kind], tool, path].filter((word) => word !== '').join(' · ');
}

function compactionWords({ requestsBefore, messages, tokens, trigger }: WindowCompaction): string {
  const how = trigger === 'auto' ? ' (automatic)' : trigger === 'manual' ? ' (asked for)' : '';
  const what = `${number(messages)} ${plural(messages, 'message')}`;
  const taken = messages === 0 ? 'no message that is known' : `${what}, about ${number(tokens)} tokens`;
  return `After request ${number(requestsBefore)} a compaction${how} took out ${taken}.`;
}

function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
