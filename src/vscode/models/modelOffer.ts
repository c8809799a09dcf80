import type { ScriptedModel } from '../../models/scriptedModel.js';
import type { Model } from '../../ports/model.js';

/**
 * The scripts that a conversation has begun, by the model's id: each run goes on where the last one stopped, as
 * long as the script's file says the same.
 */
export type BegunScripts = Map<string, { readonly source: string; readonly model: ScriptedModel }>;

/** A model that can be chosen; made only when it is used. */
export interface ModelOffer extends Pick<Model, 'id' | 'label' | 'endpoint' | 'kind'> {
  /** More about it for the person who chooses, like the file of a script. */
  readonly detail?: string;
  /** The model; a script that `begun` holds goes on, and one that it does not hold is added. */
  open(begun?: BegunScripts): Promise<Model>;
}
