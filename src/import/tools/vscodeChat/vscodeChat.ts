import type { Tool } from '../tool.js';
import { chatReplay } from './chatReplay.js';
import { vscodeSessions } from './vscodeSessions.js';

/** The chat of VS Code, with Copilot. */
export const vscodeChat: Tool = { formats: [chatReplay, vscodeSessions] };
