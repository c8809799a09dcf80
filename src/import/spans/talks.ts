import { CONVERSATION, namesConversation } from '../../core/sessionAttributes.js';
import { text } from '../reading/fields.js';
import type { RawSpan } from '../trace/rawSpans.js';

/**
 * The conversations of traces: one, unless spans of one trace name several by the conventions' own attribute. A span that names
 * none is of the conversation of the nearest one around it that does, else of the first.
 */
export function talksIn(
  traces: readonly (readonly RawSpan[])[],
): readonly (readonly (readonly RawSpan[])[])[] {
  const named = new Set(traces.flat().flatMap((span) => conversationNamed(span) ?? []));
  if (named.size < 2) return [traces];
  const [first = ''] = named;
  const talks = new Map<string, RawSpan[][]>();
  for (const spans of traces) {
    const byId = new Map(spans.map((span) => [span.id, span]));
    const here = new Map<string, RawSpan[]>();
    for (const span of spans) {
      const key = nearestNamed(span, byId) ?? first;
      here.set(key, [...(here.get(key) ?? []), span]);
    }
    for (const [key, all] of here) talks.set(key, [...(talks.get(key) ?? []), all]);
  }
  return [...talks.values()];
}

function conversationNamed({ attributes }: RawSpan): string | undefined {
  return namesConversation(attributes) ? text(attributes[CONVERSATION]) : undefined;
}

function nearestNamed(span: RawSpan, byId: ReadonlyMap<string, RawSpan>): string | undefined {
  const seen = new Set<RawSpan>();
  for (let at: RawSpan | undefined = span; at && !seen.has(at); at = byId.get(at.parent)) {
    const named = conversationNamed(at);
    if (named !== undefined) return named;
    seen.add(at);
  }
  return undefined;
}
