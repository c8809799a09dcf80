import { isSameState, type SessionState } from '../../../app/discovery/stateWords.js';
import { delay, systemTimers } from '../../../core/timers.js';
import type { ReportedSession } from '../../../app/sources/toolSessions.js';
import type { Call } from '../call.js';
import { WrongUse } from '../terminal.js';
import { shapeOf, writeLive } from './listFound.js';

/** How often it is looked, in milliseconds. */
const LOOK_MS = 1_000;

/** Clears the screen of a terminal and goes to its beginning. */
const CLEAR = '\u001B[2J\u001B[H';

/** Shows what live sessions do, again and again until the person interrupts. */
export async function watch(call: Call): Promise<void> {
  const { out, terminal, signal } = call;
  const ofTools = await call.ofTools?.();
  if (!ofTools) throw new WrongUse('watch is asked of tools: write watch --from all, or name one.');
  const told = new Map<string, SessionState>();
  let drawn = '';
  for (;;) {
    signal.throwIfAborted();
    const all = await ofTools.states(terminal.now());
    const live = all.filter(({ state }) => state.isLive);
    if (out.isJson) await tellChanges(call, told, all);
    else {
      const now = JSON.stringify(live.map(({ id, state }) => [id, state]));
      if (now !== drawn) {
        if (terminal.out.isTerminal) await out.write(CLEAR);
        await writeLive(call, live);
      }
      drawn = now;
    }
    await out.flush();
    await delay(systemTimers, LOOK_MS, signal);
  }
}

/** Writes those that do something else than before, of which one that is live no more is told once. */
async function tellChanges(
  { out }: Call,
  told: Map<string, SessionState>,
  all: readonly ReportedSession[],
): Promise<void> {
  for (const session of all) {
    const { path, state } = session;
    const before = told.get(path);
    if ((state.isLive || before) && !isSameState(before, state)) await out.tell('found', shapeOf(session));
    if (state.isLive) told.set(path, state);
    else told.delete(path);
  }
}
