import type { ContextSection, ExportedPart, ExportedWindow } from './contextSection.js';

/** The key of the element that says what filled the windows; no message has it alone. */
const CONTEXT = 'context';

/** What filled the windows of agents, as the last element of an export as JSON; what there is none of is left out. */
export function contextValue({ windows, moreWindows }: ContextSection): Readonly<Record<string, unknown>> {
  return {
    [CONTEXT]: {
      windows: windows.map(windowValue),
      ...(moreWindows > 0 && { more_windows: moreWindows }),
    },
  };
}

function windowValue({ agent, call, requests, largest, ...compacted }: ExportedWindow): object {
  const { compactions, moreCompactions } = compacted;
  return {
    ...{ agent, call, requests },
    ...(largest && {
      largest: {
        ...{ tokens: largest.total, provenance: largest.provenance, parts: largest.parts.map(partValue) },
        ...(largest.moreParts.parts > 0 && { more_parts: largest.moreParts }),
      },
    }),
    ...(compactions.length > 0 && {
      compactions: compactions.map(({ requestsBefore, trigger, messages, tokens }) => ({
        after_request: requestsBefore,
        ...(trigger && { trigger }),
        ...{ messages, tokens },
      })),
    }),
    ...(moreCompactions > 0 && { more_compactions: moreCompactions }),
  };
}

function partValue({ kind, tool, path, tokens }: ExportedPart): object {
  return { kind, ...(tool !== '' && { tool }), ...(path !== '' && { path }), tokens };
}
