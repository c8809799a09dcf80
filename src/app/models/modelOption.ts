import type { Log } from '../../core/ports/log.js';
import type { ScriptedModel } from '../../agents/models/scriptedModel.js';
import type { Model } from '../../core/ports/model.js';

/**
 * The scripts that a conversation has started, by the model's id: each run continues where the last one stopped, as long
 * as the script's file is unchanged.
 */
export type BegunScripts = Map<string, { readonly source: string; readonly model: ScriptedModel }>;

/** A model that can be chosen; created only when it is used. */
export interface ModelOption extends Pick<Model, 'id' | 'label' | 'endpoint' | 'kind'> {
  /** A detail for the person who chooses, like the file of a script. */
  readonly detail?: string;
  /** Creates the model; a script that is in `begun` continues, another one is added to it. */
  open(begun?: BegunScripts): Promise<Model>;
}

/** What a person can do where the wanted model is not offered. */
export type OtherModelChoice = 'addEndpoint' | 'lookAgain';

/** Logs the steps of a conversation's scripts that have not been used so far. */
export function logUnusedSteps(begun: BegunScripts, log: Log): void {
  for (const { model } of begun.values()) {
    const steps = model.unused().map(({ agent, at }) => `${agent} ${at}`);
    if (steps.length > 0) log.debug(`${model.label}: not used so far: ${steps.join(', ')}`);
  }
}
