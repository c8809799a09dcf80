import { t } from '../../core/l10n.js';
import type { ImportOutcome } from '../../store/write/importSession.js';
import { formatCount } from '../text/format.js';

/** What an import did, for a person: how many conversations are new, and what became of those that were there before. */
export function importWords(outcomes: readonly ImportOutcome[]): string {
  const of = (...kinds: readonly ImportOutcome['kind'][]) =>
    outcomes.filter(({ kind }) => kinds.includes(kind));
  const stored = of('new', 'changed', 'reread', 'namesake');
  const grown = of('grown');
  const added = grown.reduce((sum, outcome) => sum + outcome.added, 0);
  const sentences = [
    told(stored, (what) => t`Imported ${what}.`),
    told(grown, (what, verb) => t`${what} ${verb('has', 'have')} grown by ${formatCount(added, 'record')}.`),
    told(of('unchanged'), (what, verb) => t`${what} ${verb('was', 'were')} here already, unchanged.`),
    told(
      of('changed'),
      (what, verb) =>
        t`${what} had changed other than by growing and ${verb(t`is a new version; the one`, t`are new versions; the ones`)} before ${verb('is', 'are')} kept.`,
    ),
    told(
      of('reread'),
      (what, verb) =>
        t`${what} ${verb('was', 'were')} read anew, as this version reads more of such files; the ${verb('one', 'ones')} before ${verb('is', 'are')} kept.`,
    ),
    told(
      of('namesake'),
      (what, verb) =>
        t`${what} ${verb('has', 'have')} the id of another session and nothing else in common with it; both are kept.`,
    ),
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** A sentence on some outcomes; '' where there are none. */
function told(
  outcomes: readonly ImportOutcome[],
  sentence: (what: string, verb: (one: string, several: string) => string) => string,
): string {
  const verb = (one: string, several: string) => (outcomes.length === 1 ? one : several);
  return outcomes.length === 0 ? '' : sentence(formatCount(outcomes.length, 'conversation'), verb);
}
