/** What a person can do about a run that has failed, each the label of a button. */
export const FAILURE_WAYS = ['Retry', 'Set API Key…', 'Change Model…'] as const;
/** See `FAILURE_WAYS`. */
export type FailureWay = (typeof FAILURE_WAYS)[number];
