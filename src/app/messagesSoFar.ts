import type { MessageQuery } from '../export/messageQuery.js';
import type { AccumulatedMessage, MessageAccumulator } from '../record/messageAccumulator.js';

/**
 * A query over what is in an accumulator at each question, whose tokens are counted in the encoding of a model. Loads
 * queries, exports and ranks; rejects where the ranks are missing.
 */
export async function messagesSoFar(
  accumulator: Pick<MessageAccumulator, 'all'>,
  model: string,
): Promise<MessageQuery<AccumulatedMessage>> {
  const [{ MessageQuery }, { encodingForModel }, { loadTokenCounter }] = await Promise.all([
    import('../export/messageQuery.js'),
    import('../tokens/encodingForModel.js'),
    import('../tokens/loadTokenCounter.js'),
  ]);
  const tokenCounter = await loadTokenCounter(encodingForModel(model).encoding);
  return new MessageQuery(() => accumulator.all(), { tokenCounter });
}
