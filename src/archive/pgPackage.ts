/** What of `pg` is used: a bundle of its own, which is loaded with the first connection to an archive. */
export { Client } from 'pg';
