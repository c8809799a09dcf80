/** What models cost. */
export { loadPrices, loadUsablePrices } from '../../query/pricing/loadPrices.js';
