import { join } from 'node:path';
import { timestampOf } from '../../export/metadata.js';
import { toolHomes } from '../../import/toolHomes.js';
import type { HandOver, Machine } from '../../import/tools/home.js';

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
export interface HandOverTool extends Pick<HandOver, 'format' | 'commandOf'> {
  readonly id: string;
  readonly name: string;
  /** Where it looks for a session, absolute. */
  fileOf(session: HandedSession, machine: Machine): string;
}

/** When what began at no time that a date can tell is filed. */
const EPOCH = '1970-01-01T00:00:00';

/** Every tool that a transcript can be handed over to. */
export const handOverTools: readonly HandOverTool[] = toolHomes.flatMap(({ id, name, places, handOver }) => {
  if (!handOver) return [];
  const fileOf: HandOverTool['fileOf'] = ({ startedAt, ...session }, machine) => {
    const [location] = places(machine, []);
    if (!location) throw new Error(`No place is known for the sessions of ${id}.`);
    const began = (timestampOf(startedAt) ?? EPOCH).slice(0, 19);
    return join(location.folder, handOver.fileOf({ ...session, began }));
  };
  return [{ id, name, format: handOver.format, fileOf, commandOf: handOver.commandOf }];
});
