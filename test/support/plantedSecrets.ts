/** How a secret comes into a conversation. */
type Way = 'file' | 'command' | 'toolResult' | 'argument' | 'argumentJson';

/** A text with one secret in it. */
export interface Plant {
  readonly way: Way;
  readonly text: string;
  /** What nobody may read; made up, and different in each plant. */
  readonly secret: string;
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** The same characters each time, but for each seed others; letters and digits by turns. */
function characters(length: number, seed: number, alphabet = LETTERS): string {
  let state = (seed * 2_654_435_761) >>> 0;
  return Array.from({ length }, (_, at) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return at % 5 === 4 ? String((state >>> 16) % 10) : alphabet.charAt((state >>> 16) % alphabet.length);
  }).join('');
}

const upper = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const hex = 'abcdef';

type Making = (random: (length: number, alphabet?: string) => string) => {
  readonly secret: string;
  readonly around?: (secret: string) => string;
};

const plain =
  (prefix: string, length: number, around?: (secret: string) => string, alphabet?: string): Making =>
  (random) => ({ secret: `${prefix}${random(length, alphabet)}`, ...(around && { around }) });

const json = (key: string) => (secret: string) => JSON.stringify({ user: 'app', [key]: secret });

/** In files: settings, keys and notes as they lie in repositories. */
const inFiles: readonly Making[] = [
  plain('sk-proj-', 40, (secret) => `OPENAI_API_KEY=${secret}\nDEBUG=1\n`),
  plain('sk-ant-api03-', 60, (secret) => `export ANTHROPIC_API_KEY="${secret}"\n`),
  plain('ghp_', 36, (secret) => `# the deploy token\n${secret}\n`),
  plain('', 40, (secret) => `aws_secret_access_key = ${secret}\n`),
  plain('AKIA', 16, (secret) => `aws_access_key_id=${secret}\n`, upper),
  plain('', 24, (secret) => `postgres://app:${secret}@db.local:5432/shop\n`),
  plain('', 20, (secret) => `DB_PASSWORD=${secret.slice(0, 9)}&${secret.slice(9)}\n`),
  plain('', 28, (secret) => `machine example.com login me password ${secret}\n`),
  (random) => ({
    secret: random(64),
    around: (secret) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}\n-----END OPENSSH PRIVATE KEY-----\n`,
  }),
  (random) => ({
    secret: random(64),
    around: (secret) =>
      JSON.stringify({
        type: 'service_account',
        private_key: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`,
      }),
  }),
  plain('', 32, (secret) => `client_secret: "${secret}"\n`),
  (random) => ({
    secret: `correct horse ${random(8)} staple`,
    around: (secret) => `{"passphrase": "${secret}"}\n`,
  }),
  plain('npm_', 36, (secret) => `//registry.example/:_authToken=${secret}\n`),
  plain('glpat-', 20, (secret) => `remote: https://oauth2:${secret}@gitlab.example/a/b.git\n`),
  plain('', 88, (secret) => `AccountName=a;AccountKey=${secret}==;EndpointSuffix=core.example\n`),
];

/** In what commands print: coloured, in requests, in traces. */
const inCommands: readonly Making[] = [
  plain('sk-', 48, (secret) => `\u001b[33m${secret}\u001b[0m\n`),
  plain('gho_', 36, (secret) => `  - Token: ${secret}\n`),
  plain('', 30, (secret) => `> Authorization: Bearer ${secret}\n> Accept: */*\n`),
  plain('', 36, (secret) => `authorization: basic ${secret}==\n`),
  plain('123456789:AA', 33, (secret) => `GET https://api.telegram.org/bot${secret}/getMe\n`),
  plain('xoxb-1234567890-', 24, (secret) => `slack: ${secret}\n`),
  plain('hf_', 34, (secret) => `token saved: '${secret}'\n`),
  plain('AIzaSy', 33, (secret) => `https://maps.example/api?key=${secret}&q=1\n`),
  plain('', 40, (secret) => `curl -u deploy:${secret} https://example.com\n`),
  plain('', 32, (secret) => `https://a.example/login?access_token=${secret}&next=%2F\n`),
  plain('SG.', 22, (secret) => `sendgrid ${secret}.aBcDeFgHiJkLmNoPqRsTuVwXyZ012345\n`),
  plain('', 24, (secret) => `https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/${secret}\n`),
  plain('', 40, (secret) => `export NPM_TOKEN=${secret}\n`),
  plain('dapi', 32, (secret) => `databricks ${secret}\n`, hex),
  plain('hvs.', 40, (secret) => `Success! token   ${secret}\n`),
];

/** In what tools answer: JSON, JSON inside of JSON, headers. */
const inResults: readonly Making[] = [
  plain('', 26, json('password')),
  plain('', 26, (secret) => JSON.stringify({ body: JSON.stringify({ password: `${secret}"x` }) })),
  (random) => ({
    secret: `${random(12)}/${random(12)}+${random(12)}`,
    around: (secret) => json('secretKey')(secret).replaceAll('/', '\\/'),
  }),
  plain(
    'eyJhbGciOiJIUzI1NiJ9.',
    30,
    (secret) => `Set-Cookie: session=${secret}.c2lnbmF0dXJl1234567; HttpOnly`,
  ),
  plain('', 30, json('x-api-key')),
  plain('gsk_', 40, (secret) => `{"keys":["${secret}"]}`),
  plain('sk_live_', 24, (secret) => `stripe\\n${secret}\\n`),
  plain('ya29.', 40, json('access_token')),
  plain('GOCSPX-', 28, (secret) => `{"installed":{"client":"${secret}"}}`),
  plain('', 32, (secret) => `<add key="ApiKey" value="x"/> connection: Server=a;Password=${secret};`),
  plain('', 25, (secret) => `redis://:${secret}@cache:6379/0`),
  plain('github_pat_', 60, (secret) => `["${secret}"]`),
  plain('pypi-', 60, (secret) => `username = __token__ password = ${secret}`),
  plain('ASIA', 16, (secret) => `{"AccessKeyId":"${secret}"}`, upper),
  (random) => ({
    secret: `M${random(23)}.G1x_-y.${random(38)}`,
    around: (secret) => `discord bot ${secret}`,
  }),
];

/** In what models write as arguments: behind escapes, in scripts, under names that say what they are. */
const inArguments: readonly Making[] = [
  plain('sk-or-v1-', 48, (secret) => `first line\n${secret}\nlast line`),
  plain('ghs_', 36, (secret) => `\t${secret}`),
  plain('rk_live_', 24, (secret) => `a\r\n${secret}`),
  plain('', 28, (secret) => `const password = "${secret}";`),
  plain('', 28, (secret) => `{\n  "apiKey": "${secret}"\n}`),
  (random) => ({
    secret: random(64),
    around: (secret) => `-----BEGIN EC PRIVATE KEY-----\n${secret}\n-----END EC PRIVATE KEY-----`,
  }),
  plain('xapp-1-', 40, (secret) => `"${secret}"`),
  plain('', 22, (secret) => `mongodb+srv://root:${secret}@cluster.example/db`),
];

/** Arguments as JSON texts: with characters written as escapes, and with names beside the secret. */
const inArgumentJson: readonly Making[] = [
  (random) => {
    const secret = `sk-proj-${random(40)}`;
    return { secret, around: (text) => `{"note":"${text.replaceAll('-', '\\u002d')}"}` };
  },
  (random) => ({
    secret: random(30),
    around: (text) => `{"headers":{"authorization":"Bearer\\u0020${text}"}}`,
  }),
  (random) => ({ secret: `two words ${random(9)}`, around: json('password') }),
  (random) => ({ secret: `${random(9)}"${random(9)}`, around: json('token') }),
  (random) => ({ secret: random(8), around: (text) => `{"auth":{"client_secret":"${text}"}}` }),
  (random) => ({ secret: random(26), around: (text) => `{"passw\\u006frd":"${text}"}` }),
  (random) => ({ secret: `ghr_${random(36)}`, around: (text) => `{"${text}":true}` }),
];

const ways: readonly [Way, readonly Making[]][] = [
  ['file', inFiles],
  ['command', inCommands],
  ['toolResult', inResults],
  ['argument', inArguments],
  ['argumentJson', inArgumentJson],
];

/** Sixty texts, each with one made-up secret. */
export const plants: readonly Plant[] = ways.flatMap(([way, makings], group) =>
  makings.map((making, at): Plant => {
    let draws = 0;
    const random = (length: number, alphabet?: string) =>
      characters(length, (group + 1) * 1_000 + at * 10 + draws++, alphabet);
    const { secret, around = (text: string) => text } = making(random);
    return { way, secret, text: around(secret) };
  }),
);
