/** Leaving secrets out of what is logged or exported. */
export { logLine } from '../logLine.js';
export { Redactor } from '../../export/redact.js';
