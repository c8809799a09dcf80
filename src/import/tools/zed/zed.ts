import { storedFormat } from '../../messages/storedSession.js';
import type { Tool } from '../tool.js';
import { zedText } from './zedText.js';

/** Zed: text threads, and threads of its agents, which stand in a database; see `zedDatabase`. */
export const zed: Tool = {
  formats: [
    storedFormat({
      name: 'zed',
      of: 'Zed',
      files: 'threads of its agents in `threads.db`, with those of their subagents',
      carries: ['messages', 'calls', 'subagents', 'models', 'usage', 'images', 'thinking'],
    }),
    zedText,
  ],
};
