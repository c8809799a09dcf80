import { storedFormat } from '../../messages/storedSession.js';
import { kiroLog } from './kiroLog.js';
import type { Tool } from '../tool.js';

/** Kiro's command line, whose sessions stand in a database; see `kiroDatabase`. */
export const kiro: Tool = {
  formats: [
    storedFormat({
      name: 'kiro',
      of: 'Kiro',
      files: 'sessions of its command line in `data.sqlite3`',
      carries: ['messages', 'calls', 'times', 'models', 'images'],
    }),
    kiroLog,
  ],
};
