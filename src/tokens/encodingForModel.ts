/** The encodings whose ranks we have. */
export type Encoding = 'o200k_base' | 'cl100k_base';

/** An encoding, and whether it is the model's own; where not, its counts are estimates. */
export interface ModelEncoding {
  readonly encoding: Encoding;
  readonly exact: boolean;
}

/**
 * The families of OpenAI's models by the beginning of their names: tiktoken's `model.py` and what has come since, which
 * kept to o200k (gpt-oss has more special tokens in o200k_harmony, none of which a text is encoded to).
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
 * The encoding of a model by its name, which may stand behind a provider's (`openai/gpt-5`, `ft:gpt-4o:team`). Models of
 * other makers, and those that nobody knows, are estimated with o200k_base.
 */
export function encodingForModel(model: string): ModelEncoding {
  const name = model.toLowerCase().replace(/^ft:/, '').split('/').at(-1) ?? '';
  return families.find(([family]) => family.test(name))?.[1] ?? { encoding: 'o200k_base', exact: false };
}
