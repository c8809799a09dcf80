import type { ReportedSession, ToolSession, ToolSessions } from '../../../app/sources/toolSessions.js';
import { formatCount, formatShortMoment } from '../../../app/text/format.js';
import type { Call } from '../call.js';
import { writeTable } from '../table.js';

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
    state,
    messages === undefined ? '' : `${isEstimated ? '~' : ''}${messages}`,
    out.line(`${title} (${toolName})`),
  ];
}

/** A session as programs get it. */
function shapeOf({ id, tool, path, changed, bytes, state, about }: ReportedSession): object {
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
    state,
    bytes,
  };
}
