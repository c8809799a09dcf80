import { basename, dirname, join } from 'node:path';
import { existing, type Tool } from '../tool.js';

/** Mistral Vibe, whose messages are those of any chat and which says of a session in `meta.json` beside them. */
export const mistralVibe: Tool = {
  formats: [],
  sidecarFiles: (path) =>
    Promise.resolve(basename(path) === 'messages.jsonl' ? existing([join(dirname(path), 'meta.json')]) : []),
  placesBeside: (path) => Promise.resolve(basename(path) === 'messages.jsonl' ? undefined : []),
};
