import { storedFormat } from '../../messages/storedSession.js';
import type { Tool } from '../tool.js';

/** Hermes, whose sessions stand in a database; see `hermesDatabase`. */
export const hermes: Tool = {
  formats: [
    storedFormat({
      name: 'hermes',
      of: 'Hermes',
      files: 'sessions in `state.db`',
      carries: ['messages', 'calls', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
    }),
  ],
};
