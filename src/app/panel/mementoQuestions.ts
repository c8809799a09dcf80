import * as v from 'valibot';
import { t } from '../../core/l10n.js';
import type { QuestionBook } from '../../page/panel/ports.js';
import {
  isUnasked,
  question as questionSchema,
  questionOfCriteria,
  savedFilter,
  savedQuestion,
  type QuestionScope,
  type SavedQuestion,
} from '../../page/protocol/question.js';
import { isSameQuestion, type Question } from '../../query/language/question.js';
import type { Memory } from '../ports/settings.js';

const SAVED = 'agentLogbook.savedQuestions';
const RECENT = 'agentLogbook.recentQuestions';
/** Where older versions kept filters under names. */
const FILTERS = 'agentLogbook.savedFilters';
const MAX_SAVED = 100;
const MAX_RECENT = 50;

/**
 * The questions that were asked and saved, kept across windows: those of a person, and those of this workspace. Filters that
 * an older version saved are among them, as questions that find the same; malformed entries are left out.
 */
export function mementoQuestions(user: Memory, workspace: Memory): QuestionBook {
  const memoryOf = (scope: QuestionScope) => (scope === 'user' ? user : workspace);
  const savedIn = (scope: QuestionScope): readonly SavedQuestion[] => {
    const saved = listIn(memoryOf(scope), SAVED, savedQuestion).map((each) => ({ ...each, scope }));
    if (scope === 'workspace') return saved;
    const names = new Set(saved.map(({ name }) => name));
    return [...filtersIn(user).filter(({ name }) => !names.has(name)), ...saved];
  };
  const recent = () => listIn(workspace, RECENT, questionSchema);
  const replace = async (scope: QuestionScope, saved: readonly SavedQuestion[]): Promise<void> => {
    await memoryOf(scope).update(SAVED, saved);
    // The filters of older versions are among them now.
    if (scope === 'user' && user.get(FILTERS) !== undefined) await user.update(FILTERS, undefined);
  };
  const others = (name: string, scope: QuestionScope) => savedIn(scope).filter((each) => each.name !== name);
  return {
    known: () => ({ saved: [...savedIn('workspace'), ...savedIn('user')], recent: recent() }),
    note: async (asked: Question) => {
      if (isUnasked(asked)) return;
      const before = recent().filter((each) => !isSameQuestion(each, asked));
      await workspace.update(RECENT, [asked, ...before].slice(0, MAX_RECENT));
    },
    save: async (saved) => {
      const all = [...others(saved.name, saved.scope), saved];
      if (all.length > MAX_SAVED)
        throw new Error(t`There are ${MAX_SAVED} saved questions; remove one first.`);
      await replace(saved.scope, all);
    },
    remove: async (name, scope) => replace(scope, others(name, scope)),
  };
}

/** The filters that an older version saved, as questions. */
function filtersIn(user: Memory): SavedQuestion[] {
  return listIn(user, FILTERS, savedFilter).map(({ name, criteria }) => {
    const { text, rows } = questionOfCriteria(criteria);
    return { name, scope: 'user', question: { text, rows } };
  });
}

function listIn<S extends v.GenericSchema>(memory: Memory, key: string, schema: S): v.InferOutput<S>[] {
  const kept = memory.get(key);
  if (!Array.isArray(kept)) return [];
  return kept.flatMap((each: unknown) => {
    const parsed = v.safeParse(schema, each);
    return parsed.success ? [parsed.output] : [];
  });
}
