import { formatCount, formatShortMoment, formatTokens } from '../../../app/text/format.js';
import type { CatalogEntry } from '../../../core/ports/transcript.js';
import type { Call } from '../call.js';
import { writeTable } from '../table.js';
import { listFound } from './listFound.js';

/** Lists sessions, of a store the newest first. */
export async function list(call: Call): Promise<void> {
  const { out } = call;
  const ofTools = await call.ofTools?.();
  if (ofTools) {
    await listFound(call, await ofTools.named(call.words), ofTools);
    return;
  }
  const most = call.number('limit') ?? Infinity;
  const rows: (readonly string[])[] = [];
  let count = 0;
  const entries = call.words.length === 0 ? await call.sources.listed() : entriesOf(call);
  for await (const entry of entries) {
    if (entry.damaged > 0) call.fail();
    if (++count > most) continue;
    if (out.isJson) await out.tell('session', shapeOf(entry));
    else rows.push(rowOf(call, entry));
  }
  await call.tellTroubles();
  if (out.isJson) return;
  if (count === 0) {
    await out.note('There are no sessions yet.');
    return;
  }
  await writeTable(
    out,
    [
      { head: 'ID', style: 'cyan' },
      { head: 'BEGAN', isExtra: true },
      { head: 'STATE', isExtra: true },
      { head: 'MESSAGES', side: 'right', isExtra: true },
      { head: 'TOKENS', side: 'right', isExtra: true },
      { head: 'TITLE', gives: true },
    ],
    rows,
  );
  await out.flush();
  if (count > most) await out.note(`${formatCount(count - most, 'more session')}; --limit shows more.`);
}

async function* entriesOf(call: Call): AsyncGenerator<CatalogEntry> {
  for await (const session of call.sessions()) yield await session.entry();
}

function rowOf(call: Call, entry: CatalogEntry): readonly string[] {
  const { out, terminal } = call;
  const { conversation, title, source, startedAt, state, messages, tokens, tokensEstimated, damaged } = entry;
  const what = damaged > 0 ? `${state}, damaged` : state;
  return [
    out.line(conversation),
    formatShortMoment(startedAt, terminal.now()),
    what,
    String(messages),
    formatTokens(tokens, tokensEstimated).replace(/ tokens$/, ''),
    out.line(source === undefined ? title : `${title} (${source})`),
  ];
}

/** A session as programs get it; times in milliseconds since 1970. */
export function shapeOf(entry: CatalogEntry): object {
  const { conversation, title, source, project, origin, ...rest } = entry;
  return {
    session: conversation,
    title,
    source,
    project,
    file: origin?.path,
    ...rest,
  };
}
