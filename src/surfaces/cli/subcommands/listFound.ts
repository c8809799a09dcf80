import type { ReportedSession, ToolSession, ToolSessions } from '../../../app/sources/toolSessions.js';
import { stateText } from '../../../app/discovery/stateWords.js';
import { formatCount, formatShortMoment } from '../../../app/text/format.js';
import { preview } from '../../../core/text.js';
import type { Call } from '../call.js';
import { writeTable, type Column } from '../table.js';

/** How much of a command or a question is shown, in code points. */
const MAX_AT = 40;

/** Lists sessions that tools keep on this machine, the newest first, as far as the beginnings and ends of their files tell. */
export async function listFound(
  call: Call,
  found: readonly ToolSession[],
  from: Pick<ToolSessions, 'told' | 'hasProblems'>,
): Promise<void> {
  const { out } = call;
  const shown = found.slice(0, call.number('limit'));
  const rows: (readonly string[])[] = [];
  for await (const session of from.told(shown, call.terminal.now())) {
    call.signal.throwIfAborted();
    out.progress(`Reading ${session.id}`);
    if (out.isJson) await out.tell('found', shapeOf(session));
    else rows.push(rowOf(call, session));
  }
  await call.tellTroubles();
  if (out.isJson) return;
  if (found.length === 0) {
    // What was told of it says why.
    if (from.hasProblems) return;
    await out.note('There are no sessions of this kind on this machine.');
    return;
  }
  await writeTable(
    out,
    [
      { head: 'ID', style: 'cyan' },
      { head: 'CHANGED', isExtra: true },
      { head: 'STATE', isExtra: true },
      { head: 'MESSAGES', side: 'right', isExtra: true },
      { head: 'TITLE', gives: true },
    ],
    rows,
  );
  await out.flush();
  const more = found.length - shown.length;
  if (more > 0) await out.note(`${formatCount(more, 'more session')}; --limit shows more.`);
}

function rowOf(
  { out, terminal }: Call,
  { id, changed, state, toolName, about }: ReportedSession,
): readonly string[] {
  const { messages, isEstimated = false, title = '' } = about ?? {};
  return [
    out.line(id),
    formatShortMoment(changed, terminal.now()),
    stateText(state, terminal.now()),
    messages === undefined ? '' : `${isEstimated ? '~' : ''}${messages}`,
    out.line(`${title} (${toolName})`),
  ];
}

/** A session as programs get it. */
export function shapeOf({ id, tool, path, changed, bytes, state, about }: ReportedSession): object {
  const { title = '', workspace, agent, model, messages, isEstimated } = about ?? {};
  return {
    session: id,
    title,
    source: tool,
    project: workspace,
    file: path,
    agents: agent === undefined ? [] : [agent],
    model,
    changed: Math.round(changed),
    ...(messages !== undefined && { messages, messagesEstimated: isEstimated }),
    state: state.state,
    isLive: state.isLive,
    reason: state.reason,
    since: Math.round(state.since),
    knownFrom: state.source,
    words: state.words,
    tool: state.tool,
    command: state.command,
    until: state.until,
    quietMs: state.quiet,
    marks: state.marks.map(({ kind, source }) => ({ kind, knownFrom: source })),
    context: about?.context,
    bytes,
  };
}

/** The columns of a table of live sessions. */
const LIVE_COLUMNS: readonly Column[] = [
  { head: 'ID', style: 'cyan', isExtra: true },
  { head: 'STATE' },
  { head: 'SINCE', isExtra: true },
  { head: 'AT', isExtra: true },
  { head: 'TITLE', gives: true },
];

/** Writes live sessions as a table. */
export async function writeLive(call: Call, sessions: readonly ReportedSession[]): Promise<void> {
  const { out, terminal } = call;
  const now = terminal.now();
  const rows = sessions.map(({ id, state, toolName, about }) => [
    out.line(id),
    out.line(stateText(state, now)),
    formatShortMoment(state.since, now),
    out.line(preview(state.command ?? state.words ?? '', MAX_AT)),
    out.line(`${about?.title ?? ''} (${toolName})`),
  ]);
  await writeTable(out, LIVE_COLUMNS, rows);
}

/** Lists the sessions of tools that are live, who needs a person first. */
export async function listLive(call: Call, from: ToolSessions): Promise<void> {
  const { out, terminal } = call;
  const live = (await from.live(terminal.now())).slice(0, call.number('limit'));
  if (out.isJson) for (const session of live) await out.tell('found', shapeOf(session));
  await call.tellTroubles();
  if (out.isJson) return;
  if (live.length > 0) await writeLive(call, live);
  else await out.note('No session is live.');
}
