/** What of grammY is used: a bundle of its own, which is loaded when the connector is started. */
export { Api } from 'grammy';
