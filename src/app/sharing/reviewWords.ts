import { t } from '../../core/l10n.js';
import { preview } from '../../core/text.js';
import type { Finding, FindingLocation } from '../../export/sharing/finding.js';
import type { Decision } from '../../export/sharing/sharingPolicy.js';
import { formatCount } from '../text/format.js';

/** How much of a value and of what surrounds it is shown, in code points. */
const MAX_VALUE = 48;
const MAX_AROUND = 40;

/** What a person decides about each value that was found, until it is shared. */
export class SharingReview {
  readonly findings: readonly Finding[];
  readonly #decisions: Map<string, Decision>;

  constructor(findings: readonly Finding[]) {
    // What is settled comes last: a person looks at what is not.
    this.findings = findings.toSorted(
      (a, b) => Number(a.isDecided) - Number(b.isDecided) || a.kind.localeCompare(b.kind, 'en'),
    );
    this.#decisions = new Map(
      findings.map(({ value, isLeftIn }) => [value, isLeftIn ? 'leaveIn' : 'leaveOut']),
    );
  }

  decisionOn({ value }: Finding): Decision {
    return this.#decisions.get(value) ?? 'leaveOut';
  }

  decide({ value }: Finding, decision: Decision): void {
    this.#decisions.set(value, decision);
  }

  /** Whether nothing else of its kind was found. */
  isAlone({ kind }: Finding): boolean {
    return this.findings.filter((each) => each.kind === kind).length === 1;
  }

  decideKind(kind: string, decision: Decision): void {
    for (const finding of this.findings) if (finding.kind === kind) this.decide(finding, decision);
  }

  get decisions(): readonly (readonly [value: string, decision: Decision])[] {
    return [...this.#decisions];
  }

  count(decision: Decision): number {
    return [...this.#decisions.values()].filter((one) => one === decision).length;
  }

  /** What would happen now, for the line that shares. */
  get outcome(): string {
    const [out, left] = [this.count('leaveOut'), this.count('leaveIn')];
    if (out + left === 0) return t`Nothing was found that looks like a secret`;
    if (left === 0) return t`${formatCount(out, 'value')} left out`;
    if (out === 0) return t`${formatCount(left, 'value')} left in`;
    return t`${formatCount(out, 'value')} left out, ${left} left in`;
  }
}

/** The value, cut, on one line. */
export function valueWords({ value }: Finding): string {
  return preview(value.replace(/\s+/g, ' '), MAX_VALUE);
}

/** What surrounds a value at its first place, with the value between marks, and how to find it. */
export function contextWords(finding: Finding): string {
  const [location] = finding.places;
  return location ? `${fieldWords(location)}: ${lineWords(finding, location)}` : '';
}

function lineWords(finding: Finding, { before, after }: FindingLocation): string {
  const [start, end] = [before.trimStart(), after.trimEnd()];
  const first = start.length > MAX_AROUND ? `…${start.slice(-MAX_AROUND)}` : start;
  return `${first}«${valueWords(finding)}»${preview(end, MAX_AROUND)}`;
}

/** Where a value stands, as a person says it. */
function fieldWords({ seq, field }: FindingLocation): string {
  if (field.includes('tool_calls')) return t`#${seq}, in a tool call`;
  if (field.startsWith('message.content')) return t`#${seq}`;
  return t`#${seq}, ${field}`;
}

/** How often a value stands there. */
export function timesWords(count: number): string {
  return count === 1 ? t`once` : t`${count.toLocaleString('en')} times`;
}
