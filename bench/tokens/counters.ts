import { createRequire } from 'node:module';
import { Tiktoken } from 'js-tiktoken/lite';
import { loadLibrary } from '../harness/library.js';
import { loadPeer } from '../harness/loadPeer.js';

/** Gives the number of tokens of a text in o200k_base, special tokens taken as plain text. */
export type Count = (text: string) => number;

/** What counts tokens, each with its fastest way to a number. */
export const counters: Readonly<Record<string, () => Promise<Count>>> = {
  'Agent Logbook': async () => {
    const counter = await (await loadLibrary()).loadTokenCounter('o200k_base');
    return (text) => counter.count(text);
  },
  'js-tiktoken/lite': async () => {
    const { default: ranks } = await import('js-tiktoken/ranks/o200k_base');
    const encoding = new Tiktoken(ranks);
    return (text) => encoding.encode(text, [], []).length;
  },
  'gpt-tokenizer': async () => {
    const { countTokens } = (await loadPeer('gpt-tokenizer/encoding/o200k_base')) as {
      countTokens: (text: string, options: { disallowedSpecial: Set<string> }) => number;
    };
    const options = { disallowedSpecial: new Set<string>() };
    return (text) => countTokens(text, options);
  },
  'ai-tokenizer': async () => {
    const { default: Tokenizer } = (await loadPeer('ai-tokenizer')) as {
      default: new (encoding: unknown) => { count(text: string): number };
    };
    const tokenizer = new Tokenizer(await loadPeer('ai-tokenizer/encoding/o200k_base'));
    return (text) => tokenizer.count(text);
  },
  'tiktoken (WASM)': async () => {
    const { Tiktoken: WasmTiktoken } = (await loadPeer('tiktoken/lite')) as {
      Tiktoken: new (
        ranks: string,
        special: unknown,
        pattern: string,
      ) => {
        encode_ordinary(text: string): Uint32Array;
      };
    };
    const require = createRequire(import.meta.url);
    const ranks = require('tiktoken/encoders/o200k_base.json') as Record<string, string>;
    const encoding = new WasmTiktoken(ranks.bpe_ranks!, ranks.special_tokens, ranks.pat_str!);
    return (text) => encoding.encode_ordinary(text).length;
  },
};
