import type { ContextSection, ExportedPart, ExportedWindow } from './contextSection.js';
import { costShape } from './costShape.js';
import type { Ending } from './textWriter.js';

/**
 * The last element of a full export as JSON: what the conversation is called, what all of it cost, by which prices, and what
 * filled the windows of agents. Undefined where there is nothing of these; what there is none of is left out.
 */
export function jsonEnding({ title = '', cost, context }: Ending): object | undefined {
  if (title === '' && !cost && !context) return undefined;
  return {
    ...(title !== '' && { title }),
    ...(cost && { cost: { ...costShape(cost.total), ...(cost.version !== '' && { prices: cost.version }) } }),
    ...(context && { context: contextValue(context) }),
  };
}

function contextValue({ windows, moreWindows }: ContextSection): object {
  return {
    windows: windows.map(windowValue),
    ...(moreWindows > 0 && { more_windows: moreWindows }),
  };
}

function windowValue({ agent, call, requests, largest, ...compacted }: ExportedWindow): object {
  const { compactions, moreCompactions } = compacted;
  return {
    agent,
    call,
    requests,
    ...(largest && {
      largest: {
        tokens: largest.total,
        provenance: largest.provenance,
        parts: largest.parts.map(partValue),
        ...(largest.moreParts.parts > 0 && { more_parts: largest.moreParts }),
      },
    }),
    ...(compactions.length > 0 && {
      compactions: compactions.map(({ requestsBefore, trigger, messages, tokens }) => ({
        after_request: requestsBefore,
        ...(trigger && { trigger }),
        messages,
        tokens,
      })),
    }),
    ...(moreCompactions > 0 && { more_compactions: moreCompactions }),
  };
}

function partValue({ kind, tool, path, tokens }: ExportedPart): object {
  return { kind, ...(tool !== '' && { tool }), ...(path !== '' && { path }), tokens };
}
