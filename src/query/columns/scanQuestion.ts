import type { TextCriteria } from '../textTest.js';
import type { StructureTests } from './structureColumns.js';

/** A question that columns and an index of texts answer alone: all of it must hold for one and the same item. */
export interface ScanQuestion {
  readonly structure: StructureTests;
  readonly texts: readonly TextCriteria[];
  /**
   * Of each text, for each way in which it may be there, the grams that stand where it does, see `gramsOfLiteral`; none
   * where nothing is known of one.
   */
  readonly grams: readonly (readonly (readonly number[])[])[];
}
