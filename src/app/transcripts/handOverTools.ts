import { join } from 'node:path';
import { sessionTool, type Machine } from '../../capture/discovery/sessionTools.js';
import { timestampOf } from '../../export/metadata.js';
import type { BridgeFormat } from '../../core/ports/exportFormats.js';

/** A session that is handed over. */
export interface HandedSession {
  /** Its id, a UUID. */
  readonly id: string;
  /** When the conversation began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The absolute path of the folder in which it goes on. */
  readonly folder: string;
}

/** A tool that goes on with a session that it finds in its folder. */
export interface HandOverTool {
  readonly id: 'claude-code' | 'codex';
  readonly name: string;
  readonly format: BridgeFormat;
  /** Where it looks for a session, absolute. */
  fileOf(session: HandedSession, machine: Machine): string;
  /** What makes it go on, in a terminal. */
  commandOf(session: HandedSession): string;
}

/** When what began at no time that a date can tell is filed. */
const EPOCH = '1970-01-01T00:00:00';

/** Every tool that a transcript can be handed over to. */
export const handOverTools: readonly HandOverTool[] = [
  {
    id: 'claude-code',
    name: sessionTool('claude-code').name,
    format: 'claude-session',
    fileOf: ({ id, folder }, machine) =>
      join(placeOf('claude-code', machine), folder.replaceAll(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`),
    commandOf: ({ id }) => `claude --resume ${id}`,
  },
  {
    id: 'codex',
    name: sessionTool('codex').name,
    format: 'codex-session',
    fileOf({ id, startedAt }, machine) {
      const moment = (timestampOf(startedAt) ?? EPOCH).slice(0, 19);
      const day = moment.slice(0, 10).replaceAll('-', '/');
      return join(placeOf('codex', machine), day, `rollout-${moment.replaceAll(':', '-')}-${id}.jsonl`);
    },
    commandOf: ({ id }) => `codex resume ${id}`,
  },
];

/** The folder of a tool's sessions on this machine. */
function placeOf(id: HandOverTool['id'], machine: Machine): string {
  const [place] = sessionTool(id).places(machine, []);
  if (!place) throw new Error(`No place is known for the sessions of ${id}.`);
  return place.folder;
}
