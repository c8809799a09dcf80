import { storedFormat } from '../../messages/storedSession.js';
import type { Tool } from '../tool.js';

/** Crush, whose sessions stand in a database; see `crushDatabase`. */
export const crush: Tool = {
  formats: [
    storedFormat({
      name: 'crush',
      of: 'Crush',
      files: 'sessions in `crush.db`, with those of their subagents',
      carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
    }),
  ],
};
