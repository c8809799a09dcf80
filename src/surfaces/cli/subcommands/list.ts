import { keyOf } from '../../../app/sources/blamedFiles.js';
import { formatCount, formatShortMoment, formatTokens } from '../../../app/text/format.js';
import type { CatalogEntry } from '../../../core/ports/transcript.js';
import type { Call } from '../call.js';
import { writeTable } from '../table.js';
import { WrongUse } from '../terminal.js';
import { keptOf } from './blame.js';
import { listFound, listLive } from './listFound.js';

/** Lists sessions, the newest first. */
export async function list(call: Call): Promise<void> {
  const { out } = call;
  const ofTools = await call.ofTools?.();
  if (call.has('live') && (!ofTools || call.words.length > 0))
    throw new WrongUse(
      '--live is asked of tools: write list --live --from all, or name one, without a session.',
    );
  if (ofTools && call.has('live')) {
    await listLive(call, ofTools);
    return;
  }
  if (ofTools && !call.has('kept')) {
    await listFound(call, await ofTools.named(call.words), ofTools);
    return;
  }
  const most = call.number('limit') ?? Infinity;
  const rows: (readonly string[])[] = [];
  let count = 0;
  const isWhole = call.words.length > 0 || call.has('kept');
  const kept = call.has('kept') ? await keptOf(call, call.words) : undefined;
  const entries = isWhole
    ? await entriesOf(call)
    : (await call.sources.listed()).map((entry) => ({ entry, key: '' }));
  for (const { entry, key } of entries) {
    if (entry.damaged > 0) call.fail();
    if (++count > most) continue;
    const lines = kept && { kept: kept.get(key)?.kept ?? 0, put: kept.get(key)?.put ?? 0 };
    if (out.isJson)
      await out.tell('session', {
        ...shapeOf(entry),
        ...(lines && { linesKept: lines.kept, linesPut: lines.put }),
      });
    else rows.push(rowOf(call, entry, lines && (lines.put === 0 ? '' : `${lines.kept} of ${lines.put}`)));
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
      ...(kept ? [{ head: 'KEPT', side: 'right' as const }] : []),
      { head: 'TITLE', gives: true },
    ],
    rows,
  );
  await out.flush();
  if (count > most) await out.note(`${formatCount(count - most, 'more session')}; --limit shows more.`);
}

/** In whatever order they are named, the newest first; at the end those of which nobody knows when they began. */
async function entriesOf(
  call: Call,
): Promise<readonly { readonly entry: CatalogEntry; readonly key: string }[]> {
  const entries: { entry: CatalogEntry; key: string }[] = [];
  for await (const session of call.sessions())
    entries.push({ entry: await session.entry(), key: keyOf(session) });
  return entries.sort((a, b) => b.entry.startedAt - a.entry.startedAt || 0);
}

function rowOf(call: Call, entry: CatalogEntry, kept: string | undefined): readonly string[] {
  const { out, terminal } = call;
  const { conversation, title, source, startedAt, state, messages, tokens, tokensEstimated, damaged } = entry;
  const what = damaged > 0 ? `${state}, damaged` : state;
  return [
    out.line(conversation),
    formatShortMoment(startedAt, terminal.now()),
    what,
    String(messages),
    formatTokens(tokens, tokensEstimated).replace(/ tokens$/, ''),
    ...(kept === undefined ? [] : [kept]),
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
