import * as v from 'valibot';
import type { Events } from './events.js';
import type { AllParams, Answers } from './requests.js';
import { count } from './row.js';

/** The most UTF-16 code units in one answer or event, so that none exceeds a megabyte. */
export const MESSAGE_CHARACTERS = 250_000;

/** What one kind of page and its host say to each other, by names: parameters and answers of requests, data of events. */
export interface Contract {
  readonly params: object;
  readonly answers: object;
  readonly events: object;
}

/** The contract of the page of a transcript. */
export interface PanelContract extends Contract {
  readonly params: AllParams;
  readonly answers: Answers;
  readonly events: Events;
}

/** The name of a request that a page may send. */
export type NameIn<C extends Contract> = keyof C['params'] & keyof C['answers'] & string;
/** The parameters of a request. */
export type ParamsIn<C extends Contract, N extends NameIn<C>> = C['params'][N];
/** The answer to a request. */
export type AnswerIn<C extends Contract, N extends NameIn<C>> = C['answers'][N];
/** An event of a host, with its data. */
export type EventIn<C extends Contract> = {
  readonly [N in keyof C['events']]: { readonly name: N; readonly data: C['events'][N] };
}[keyof C['events']];

/** The requests of a contract with the forms of their parameters: what is not in the table is refused. */
export type RequestTable<C extends Contract> = {
  readonly [N in NameIn<C>]: v.GenericSchema<unknown, ParamsIn<C, N>>;
};

/** The form of what a page sends; its host checks all of it, because the page shows what strangers wrote. */
export const fromPage = v.object({
  kind: v.literal('request'),
  id: count,
  name: v.string(),
  params: v.unknown(),
});
/** See `fromPage`. */
export type FromPage = v.InferOutput<typeof fromPage>;

/** A message from the host to the page. Both are built together, so its type is all that is checked. */
export type FromHost<C extends Contract = PanelContract> =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | {
      readonly kind: 'failure';
      readonly id: number;
      readonly message: string;
      /** True where the person called it off, so that nothing is to be said. */
      readonly cancelled?: true;
    }
  | ({ readonly kind: 'event' } & EventIn<C>);
