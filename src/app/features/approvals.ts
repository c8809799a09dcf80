/** The ledger of decisions, and rules that come from it. */
export { ledgerGate, ledgerText } from '../../export/ledgerText.js';
export { readAllowRules } from '../../tools/rules/allowRules.js';
export { suggestRules } from '../../tools/rules/suggestRules.js';
export { isRuled, pastCalls } from '../approvals/pastCalls.js';
export { ledgersOf } from '../approvals/ledgers.js';
export { storedLedgers } from '../approvals/storedLedgers.js';
export { LedgerSession } from '../../panel/ledger/ledgerSession.js';
