import type { Tool } from '../tool.js';
import { copilotEvents } from './copilotEvents.js';
import { copilotTimeline } from './copilotTimeline.js';

/** Copilot CLI. */
export const copilotCli: Tool = { formats: [copilotEvents, copilotTimeline] };
