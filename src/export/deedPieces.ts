import { deedOf, restOfArguments, type Deed } from '../query/numbers/deed.js';
import { jsonText } from '../query/numbers/jsonText.js';
import { lineDiff } from '../query/numbers/lineDiff.js';
import { readableArguments } from './markdownText.js';

/** A piece of what a call was given, as a reader of an export sees it; `language` is that of a fence in Markdown. */
export interface DeedPiece {
  readonly language: 'sh' | 'diff' | 'json' | 'text';
  /** What it is about: a file. */
  readonly of?: string;
  readonly text: string;
}

/** What a call does, and all that it was given: what a deed tells is not said again as arguments. */
export function deedPieces(
  tool: string,
  input: unknown,
): { readonly deed: Deed; readonly pieces: readonly DeedPiece[] } {
  const deed = deedOf(tool, input);
  const { script, edits = [], plan } = deed;
  const given = readableArguments(input);
  if (script === undefined && edits.length === 0 && !plan) {
    const isSaid = given === '' || given === '{}';
    return { deed, pieces: isSaid ? [] : [{ language: 'json', text: given }] };
  }
  const rest = restOfArguments(deed, input);
  return {
    deed,
    pieces: [
      ...(script === undefined ? [] : [{ language: 'sh' as const, text: script }]),
      ...edits.map(({ path, before, after }) => ({
        language: 'diff' as const,
        of: path,
        text: diffOf(before, after),
      })),
      ...(plan
        ? [
            {
              language: 'text' as const,
              text: plan.map(({ text, state }) => `[${MARKS[state]}] ${text}`).join('\n'),
            },
          ]
        : []),
      ...(Object.keys(rest).length === 0 ? [] : [{ language: 'json' as const, text: jsonText(rest, 2) }]),
    ],
  };
}

const MARKS = { done: 'x', doing: '~', open: ' ' } as const;
const SIGNS = { removed: '-', added: '+', same: ' ' } as const;
/** Longer texts are not compared, in UTF-16 code units: one stands behind the other. */
const MAX_COMPARED = 400_000;

/** All lines of both texts, with the sign of each. */
function diffOf(before: string, after: string): string {
  if (before.length + after.length > MAX_COMPARED)
    return [
      ...before.split('\n').map((line) => `-${line}`),
      ...after.split('\n').map((line) => `+${line}`),
    ].join('\n');
  return lineDiff(before, after, Number.POSITIVE_INFINITY)
    .map((line) =>
      line.kind === 'skipped' ? '' : SIGNS[line.kind] + line.parts.map(({ text }) => text).join(''),
    )
    .join('\n');
}
