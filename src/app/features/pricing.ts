/** What models cost. */
export { loadPrices } from '../../query/pricing/loadPrices.js';
