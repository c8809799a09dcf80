/** The encodings whose ranks are available. */
export const ENCODINGS = ['o200k_base', 'cl100k_base'] as const;

/** One of them. */
export type Encoding = (typeof ENCODINGS)[number];

/** An encoding, and whether it is the model's own; if not, its counts are estimates. */
export interface ModelEncoding {
  readonly encoding: Encoding;
  readonly exact: boolean;
}

/**
 * The families of OpenAI's models by the start of their names: from tiktoken's `model.py`, and later models, which still
 * use o200k (gpt-oss has further special tokens in o200k_harmony, but no text is encoded to them).
 */
const families: readonly (readonly [RegExp, ModelEncoding])[] = [
  [
    /^(chatgpt-4o|gpt-4o|gpt-4\.[1-9]|gpt-[5-9]|gpt-oss|codex-mini|o[1-9])(?![a-z0-9])/,
    { encoding: 'o200k_base', exact: true },
  ],
  [
    /^(gpt-4|gpt-3\.5|gpt-35|text-embedding-(3|ada-002))(?![a-z0-9])/,
    { encoding: 'cl100k_base', exact: true },
  ],
  [
    /^(gpt-?[23]|(text|code)-|(code-)?(ada|babbage|curie|davinci|cushman)\b)/,
    { encoding: 'cl100k_base', exact: false },
  ],
];

/**
 * The encoding of a model by its name, which may follow a prefix (`openai/gpt-5`, `ft:gpt-4o:team`). Models of other
 * vendors and unknown models are estimated with o200k_base.
 */
export function encodingForModel(model: string): ModelEncoding {
  const name = model.toLowerCase().replace(/^ft:/, '').split('/').at(-1) ?? '';
  return families.find(([family]) => family.test(name))?.[1] ?? { encoding: 'o200k_base', exact: false };
}
