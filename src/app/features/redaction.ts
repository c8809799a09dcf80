/** Leaving secrets out of what is logged or exported. */
export { sharingPolicyOf } from '../sharing/sharingSettings.js';
export { logLine } from '../logLine.js';
export { Redactor } from '../../export/secrets/redact.js';
export { sharedText } from '../../export/sharing/sharingGate.js';
export { redactorFor } from '../../export/sharing/sharingGate.js';
export { sharingRules, valueHash } from '../../export/sharing/sharingPolicy.js';
