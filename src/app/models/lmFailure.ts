import { errorCode } from '../../core/errorCode.js';
import { messageOf } from '../../core/text.js';
import type { ModelFailure } from '../../core/ports/model.js';

interface Kind {
  readonly code: string;
  /** What it means for the person; the message of the model's extension follows. */
  readonly words?: string;
  readonly retryable?: boolean;
}

/** Kinds by the code of VS Code's own errors. */
const byCode: Readonly<Record<string, Kind>> = {
  NoPermissions: {
    code: 'consent',
    words: 'You have not allowed Agent Logbook to use this model. Run again and allow it when VS Code asks.',
  },
  Blocked: {
    code: 'blocked',
    words: 'The model refused the request: its quota is used up, or it does not want to answer this.',
  },
  NotFound: {
    code: 'notFound',
    words: 'This model is not there any more. Choose another one with "Select Model…".',
  },
};

/** Kinds by the message of the extension that provides the model, where VS Code has no code. */
const byWords: readonly (readonly [RegExp, Kind])[] = [
  [
    /context[_ ](?:length|window)|maximum context|token limit|too many tokens|prompt is too long/i,
    { code: 'contextLength' },
  ],
  [
    /quota|premium requests|allowance|billing/i,
    {
      code: 'quota',
      words: 'The quota of this model is used up. Wait, or choose another one with "Select Model…".',
    },
  ],
  [
    /rate[- ]?limit|too many requests|\b429\b/i,
    { code: 'rateLimit', words: 'The model is asked too often.', retryable: true },
  ],
  [/overloaded|unavailable|time[d ]*out|network|\b50[0234]\b/i, { code: 'provider', retryable: true }],
];

/** Converts an error of a VS Code language model to a failure with a message for a person. */
export function lmFailure(error: unknown): ModelFailure {
  const said = wordsOf(error);
  const code = errorCode(error);
  const known = Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  const kind = known ?? byWords.find(([pattern]) => pattern.test(said))?.[1] ?? { code: 'model' };
  return {
    code: kind.code,
    message: [kind.words, said].filter(Boolean).join(' '),
    retryable: kind.retryable ?? false,
  };
}

/** The message of an error, and that of its cause where it adds something. */
function wordsOf(error: unknown): string {
  const own = messageOf(error);
  const cause = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : '';
  return own.includes(cause) ? own : `${own} ${cause}`;
}
