/** The log of approvals of decisions, and rules that come from it. */
export { approvalLogGate, approvalLogText } from '../../export/approvalLogText.js';
export { readAllowRules } from '../../agents/tools/rules/allowRules.js';
export { suggestRules } from '../../agents/tools/rules/suggestRules.js';
export { isRuled, pastCalls } from '../approvals/pastCalls.js';
export { approvalLogsOf } from '../approvals/approvalLogs.js';
export { storedApprovalLogs } from '../approvals/storedApprovalLogs.js';
export { ApprovalLogSession } from '../../page/panel/approvalLog/approvalLogSession.js';
