import type { Model } from '../../ports/model.js';

/** A model that can be chosen; made only when it is used. */
export interface ModelOffer {
  /** As settings and records name it: `endpoint/model`. */
  readonly id: string;
  /** As a person reads it, and as agent files may name it. */
  readonly label: string;
  /** Where it comes from: an endpoint's name, a vendor, a script. */
  readonly source: string;
  readonly kind: Model['kind'];
  open(): Promise<Model>;
}
