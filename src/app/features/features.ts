/**
 * The features of the application, each loaded when it is first needed: what is not here is loaded with the program.
 * This is the one place that does so, and each row is a file of `dist/`, by the table of `scripts/bundles.mjs`. What
 * these files load are the files beside this one; they and all that they import must not import this one, so that no
 * feature waits for another.
 */
export const features = {
  redaction: () => import('./redaction.js'),
  transcripts: () => import('./transcripts.js'),
  agents: () => import('./agents.js'),
  markdown: () => import('./markdown.js'),
  run: () => import('./run.js'),
  exporting: () => import('./exporting.js'),
  pricing: () => import('./pricing.js'),
  approvals: () => import('./approvals.js'),
  comparing: () => import('./comparing.js'),
  capturing: () => import('./capturing.js'),
  archiving: () => import('./archiving.js'),
  discovering: () => import('./discovering.js'),
  telemetry: () => import('./telemetry.js'),
  chats: () => import('./chats.js'),
};
