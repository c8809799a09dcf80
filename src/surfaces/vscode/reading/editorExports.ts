/** Exporting, with the review before it; loaded with the first export of a panel or a command. */
export { openChanges, openLink } from './changeViews.js';
export { exportApprovalLogs } from './exportApprovalLogs.js';
export { exportAsTables } from './tableExport.js';
export { exportTranscript } from './transcriptExport.js';
