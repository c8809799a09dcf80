/** The ledger of decisions, and rules that come from it. */
export { ledgerGate, ledgerText } from '../../export/ledgerText.js';
export { readAllowRules } from '../../agents/tools/rules/allowRules.js';
export { suggestRules } from '../../agents/tools/rules/suggestRules.js';
export { isRuled, pastCalls } from '../approvals/pastCalls.js';
export { ledgersOf } from '../approvals/ledgers.js';
export { storedLedgers } from '../approvals/storedLedgers.js';
export { LedgerSession } from '../../page/panel/ledger/ledgerSession.js';
