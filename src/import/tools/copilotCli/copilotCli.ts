import type { Tool } from '../tool.js';
import { copilotEvents } from './copilotEvents.js';
import { copilotStoreFormat } from './copilotStore.js';
import { copilotTimeline } from './copilotTimeline.js';

/** Copilot CLI. */
export const copilotCli: Tool = { formats: [copilotEvents, copilotTimeline, copilotStoreFormat] };
