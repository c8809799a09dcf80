import { ContextUse, type CallWindow } from '../../../../../src/query/numbers/context/contextUse.js';
import { CONTEXT_KINDS, type ContextKind } from '../../../../../src/query/numbers/context/contextKinds.js';
import type { SentPiece } from '../../../../../src/query/numbers/context/contextWindow.js';
import type { ContextRequest } from '../../../../../src/query/numbers/context/sentRequests.js';
import { importTranscript } from '../../../../../src/import/importTranscript.js';

/** The windows of records, or of bare messages. */
export function windowsOf(items: readonly unknown[]): readonly CallWindow[] {
  const use = new ContextUse();
  for (const item of items) use.add(item);
  return use.windows();
}

/** The windows of a file of JSONL that another tool might have written. */
export async function importedWindows(values: readonly unknown[]): Promise<readonly CallWindow[]> {
  const text = values.map((value) => JSON.stringify(value)).join('\n');
  const { conversations } = await importTranscript([Buffer.from(text)], 'session.jsonl');
  return windowsOf(conversations.flatMap(({ records }) => records));
}

/** The kinds that a request has, with their tokens. */
export function partsOf({ parts }: ContextRequest): Partial<Record<ContextKind, number>> {
  return Object.fromEntries(CONTEXT_KINDS.flatMap((kind, at) => (parts[at] ? [[kind, parts[at]]] : [])));
}

/** What does not add up in windows: each whole is the sum of its kinds, and of what it was sent with, up to any place in it. */
export function disagreements(windows: readonly CallWindow[]): string[] {
  return windows.flatMap(({ call, window }) =>
    window.requests.flatMap((request, at) => {
      const ofKinds = sum(request.parts);
      const ofPieces = sum(window.sentWith(at).map(({ tokens }) => tokens));
      const isWhole = [...request.parts, request.total].every(
        (part) => Number.isSafeInteger(part) && part >= 0,
      );
      const off = [0, 1, Math.floor(request.total / 3), request.total - 1, request.total].filter(
        (tokens) => window.positionAt(at, tokens) !== endOf(window.sentWith(at), tokens),
      );
      if (off.length > 0) return [`${call} #${at}: its first ${off.join(', ')} tokens end elsewhere`];
      if (isWhole && ofKinds === request.total && ofPieces === request.total) return [];
      return [`${call} #${at}: ${request.total} is not ${request.parts.join(' + ')}, pieces ${ofPieces}`];
    }),
  );
}

/** Where the first `tokens` of what was sent end, see `positionAt`. */
function endOf(sent: readonly SentPiece[], tokens: number): number | undefined {
  const isFront = ({ piece }: SentPiece) =>
    piece === undefined || piece.kind === 'system' || piece.kind === 'tools';
  let left = tokens - sum(sent.filter(isFront).map((each) => each.tokens));
  if (left < 0) return undefined;
  const rest = sent.filter((each) => !isFront(each));
  return rest.find((each) => (left -= each.tokens) < 0)?.position ?? rest.at(-1)?.position;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
