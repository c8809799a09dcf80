import { expect, test } from 'vitest';
import { google, openAi, refused } from '../../../support/refusals.js';

test.each([
  ['OpenAI', 400, openAi("This model's maximum context length is 128000 tokens.", 'context_length_exceeded')],
  ['OpenAI', 400, openAi('Your input exceeds the context window of this model.')],
  [
    'OpenAI',
    429,
    openAi(
      'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 42040. The input or output tokens must be reduced in order to run successfully.',
      'rate_limit_exceeded',
      'tokens',
    ),
  ],
  [
    'Groq',
    413,
    openAi(
      'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again. Need more tokens? Upgrade at https://console.groq.com/settings/billing',
      'rate_limit_exceeded',
      'tokens',
    ),
  ],
  ['Groq, Cerebras', 400, openAi('Please reduce the length of the messages or completion.')],
  [
    'Anthropic',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    },
  ],
  ['Anthropic', 400, openAi('input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000')],
  [
    'Gemini',
    400,
    google(
      400,
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      'INVALID_ARGUMENT',
    ),
  ],
  [
    'Mistral',
    400,
    {
      object: 'error',
      message:
        'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_prompt',
      code: '3051',
    },
  ],
  [
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
  ],
  [
    'vLLM',
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  ],
  [
    'vLLM',
    400,
    {
      error: {
        message: 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
        type: 'BadRequestError',
        code: 400,
      },
    },
  ],
  [
    'vLLM',
    400,
    { error: { message: 'max_tokens must be at least 1, got -904.', type: 'BadRequestError', code: 400 } },
  ],
  [
    'LM Studio',
    400,
    {
      error:
        'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    },
  ],
  [
    'TGI',
    422,
    {
      error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000',
      error_type: 'validation',
    },
  ],
  [
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    },
  ],
  ['Bedrock', 400, { message: 'Input is too long for requested model.' }],
  ['Moonshot', 400, openAi('Invalid request: Your request exceeded model token limit: 262144')],
  ['z.ai', 400, { error: { code: '1261', message: 'Prompt exceeds max length' } }],
  [
    'DashScope',
    400,
    openAi(
      '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]',
      'invalid_parameter_error',
    ),
  ],
  [
    'Copilot',
    400,
    openAi('prompt token count of 130000 exceeds the limit of 128000', 'model_max_prompt_tokens_exceeded'),
  ],
  [
    'OpenRouter',
    400,
    {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: {
          provider_name: 'DeepInfra',
          raw: '{"error":{"message":"This model\'s maximum context length is 8192 tokens."}}',
        },
      },
    },
  ],
])('%s: a request that is too long (%i) can be made shorter', async (_, status, body) => {
  expect(await refused(status, body)).toMatchObject({ code: 'contextLength', retryable: false });
});
