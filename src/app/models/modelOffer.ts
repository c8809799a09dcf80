import type { ScriptedModel } from '../../models/scriptedModel.js';
import type { Model } from '../../ports/model.js';

/**
 * The scripts that a conversation has started, by the model's id: each run continues where the last one stopped, as long
 * as the script's file is unchanged.
 */
export type BegunScripts = Map<string, { readonly source: string; readonly model: ScriptedModel }>;

/** A model that can be chosen; created only when it is used. */
export interface ModelOffer extends Pick<Model, 'id' | 'label' | 'endpoint' | 'kind'> {
  /** A detail for the person who chooses, like the file of a script. */
  readonly detail?: string;
  /** Creates the model; a script that is in `begun` continues, another one is added to it. */
  open(begun?: BegunScripts): Promise<Model>;
}
