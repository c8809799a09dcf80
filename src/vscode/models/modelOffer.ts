import type { Model } from '../../ports/model.js';

/** A model that can be chosen; made only when it is used. */
export interface ModelOffer extends Pick<Model, 'id' | 'label' | 'endpoint' | 'kind'> {
  /** More about it for the person who chooses, like the file of a script. */
  readonly detail?: string;
  open(): Promise<Model>;
}
