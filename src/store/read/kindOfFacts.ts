import type { Facts } from '../../query/numbers/facts.js';
import type { Kind } from '../format/scannedRecord.js';

/** What facts have in common with those of many records. */
export function kindOf(facts: Facts): Kind {
  const { role, usage } = facts;
  // One plain literal, because spreads take longer than all else that is done with a record that was parsed.
  return {
    isRecord: facts.isRecord,
    type: facts.type,
    role: role === undefined ? 0 : role,
    model: facts.model,
    toolName: facts.toolName,
    reporter: facts.reporter ?? 0,
    isEstimated: usage?.estimated === true,
    isFailure: facts.isFailure,
    state: facts.state,
    says: facts.says,
    hasText: facts.hasText,
    hasDuration: facts.durationMs !== undefined,
    hasUsage: usage !== undefined,
    hasCost: usage?.cost !== undefined,
    compaction: facts.compaction,
    describesWindow: facts.describesWindow,
    isAbsorbed: facts.isAbsorbed,
  };
}

/** Whether two kinds are the same. */
export function isSameKind(one: Kind, other: Kind): boolean {
  return (
    one.role === other.role &&
    one.toolName === other.toolName &&
    one.model === other.model &&
    one.type === other.type &&
    one.isRecord === other.isRecord &&
    one.reporter === other.reporter &&
    one.isEstimated === other.isEstimated &&
    one.isFailure === other.isFailure &&
    one.state === other.state &&
    one.says === other.says &&
    one.hasText === other.hasText &&
    one.hasDuration === other.hasDuration &&
    one.hasUsage === other.hasUsage &&
    one.hasCost === other.hasCost &&
    one.compaction === other.compaction &&
    one.describesWindow === other.describesWindow &&
    one.isAbsorbed === other.isAbsorbed
  );
}

/** A kind as a list, always in the same order. */
export function listOfKind(kind: Kind): unknown[] {
  const { isRecord, type, role, model, toolName, reporter, isEstimated, isFailure, state } = kind;
  const { says, hasText, hasDuration, hasUsage, hasCost, compaction, describesWindow, isAbsorbed } = kind;
  return [
    isRecord,
    type,
    role,
    model,
    toolName,
    reporter,
    isEstimated,
    isFailure,
    state,
    says,
    hasText,
    hasDuration,
    hasUsage,
    hasCost,
    compaction,
    describesWindow,
    isAbsorbed,
  ];
}
