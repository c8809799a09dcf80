import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, list, objects, text, time, type Fields } from '../../reading/fields.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/**
 * Files of MT-bench and of judges like it: the questions of each case, what a model answered to them turn by turn, and
 * what a judge was asked and said of that.
 */
export const mtBench: TranscriptFormat = {
  name: 'mt-bench',
  of: 'MT-bench',
  files: '`question.jsonl`, `model_answer/*.jsonl` and `model_judgment/*.jsonl`',
  carries: ['messages', 'times', 'models'],
  detect: (head) =>
    most(head, (value) => isQuestion(value) || answersIn(value).length > 0 || isJudgment(value)),
  *readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      readCase(fields(value), sink);
      yield;
    }
  },
};

const isWords = (value: unknown) =>
  list(value).length > 0 && list(value).every((each) => typeof each === 'string');

function isQuestion(value: unknown): boolean {
  const { question_id, category, turns } = fields(value);
  return question_id !== undefined && typeof category === 'string' && isWords(turns);
}

/** The answers to a question, of which a model may have given several. */
function answersIn(value: unknown): readonly Fields[] {
  const { question_id, choices } = fields(value);
  return question_id === undefined ? [] : objects(choices).filter(({ turns }) => isWords(turns));
}

function isJudgment(value: unknown): boolean {
  const { question_id, judge, judgment, g1_judgment } = fields(value);
  const isSaid = typeof judgment === 'string' || typeof g1_judgment === 'string';
  return question_id !== undefined && judge !== undefined && isSaid;
}

function readCase(about: Fields, sink: ImportSink): void {
  const model = text(about.model_id) ?? text(about.model);
  const names = [about.question_id, model, about.turn].filter((each) => each !== undefined);
  const judge = isJudgment(about) ? asText(list(about.judge)[0] ?? about.judge) : undefined;
  const builder = sink.conversation(
    names.map((each) => asText(each)).join('-'),
    judge ?? model ?? 'assistant',
  );
  const when = time(about.tstamp);
  const answers = answersIn(about);
  if (judge !== undefined) {
    for (const [asked, said] of [
      ['user_prompt', 'judgment'],
      ['g1_user_prompt', 'g1_judgment'],
      ['g2_user_prompt', 'g2_judgment'],
    ] as const) {
      const [question, answer] = [text(about[asked]), text(about[said])];
      if (question !== undefined)
        builder.message(builder.entry, { role: 'user', content: question }, { time: when });
      if (answer !== undefined)
        builder.message(builder.entry, { role: 'assistant', content: answer }, { time: when, model: judge });
    }
    if (typeof about.score === 'number') builder.facts.set('Score', String(about.score));
  } else if (answers.length > 0)
    for (const [at, { turns }] of answers.entries()) {
      const callSite = at === 0 ? builder.entry : builder.run(builder.entry.agent);
      for (const content of list(turns))
        builder.message(callSite, { role: 'assistant', content }, { time: when, model });
    }
  else
    for (const content of list(about.turns))
      builder.message(builder.entry, { role: 'user', content }, { time: when });
  builder.keepRest(builder.entry, 'case', about, { time: when, beside: builder.since(0) });
}
