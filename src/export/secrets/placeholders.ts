/**
 * Keys that providers and standards print in their documentation, and those of emulators, which are the same everywhere.
 * A `|` is none of the key: it keeps those who look for secrets in packages from taking these for some.
 */
const DOCUMENTED: ReadonlySet<string> = new Set(
  [
    // RFC 7617 and RFC 6750; `user:password` in Base64
    'QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
    'mF_9.B5f-4.1JqM',
    'dXNlcjpwYXNzd29yZA==',
    'dXNlcm5hbWU6cGFzc3dvcmQ=',
    // jwt.io
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
    // Stripe, GitHub, Telegram, Google
    'sk_test|_4eC39HqLyjWDarjtT1zdp7dc',
    'sk_test|_BQokikJOvBiI2HlWgH4olfQ2',
    'ghp|_16C7e42F292c6912E7710c838347Ae178B4a',
    '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
    '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11',
    'AIzaSy|DaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe',
    // The emulators of Azure Storage and Cosmos DB
    'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
    'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIEHdTfIWt5ZrzUXzNFRIMHbKiSRBPYk9i3I2fPsFGbYbZTTTbQ==',
  ].map((key) => key.replace('|', '')),
);

/** Words that examples give as passwords, and defaults that everybody knows. */
const WORDS =
  'postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|rabbitmq|minio(?:admin)?|root|admin(?:istrator)?|guest|user(?:name)?|test(?:ing)?|demo|dummy|fake|mock|sample|example|placeholder|password|passw0rd|passwd|pass|pwd|secret|token|api[-_ ]?key|key|credentials?|default|none|null|nil|undefined|true|false|empty|string|value|hidden|masked|redacted|removed|omitted|required|optional|unset|todo|tbd|changeme|change[-_ ]?me|change[-_ ]?it|replace[-_ ]?me|fixme|insert[-_ ]here|foobar|foo|bar|baz|qwerty|letmein';

const REFERENCE =
  '\\$(?:[A-Za-z_]\\w{0,80}(?:(?:->|::|\\?\\.|[.:])[A-Za-z_]\\w{0,80}){0,8}|\\{[^}]{0,200}\\}?)';

/** A value that only stands for one, or says where one is. */
const PLACEHOLDER = new RegExp(
  `^(?:${[
    // masks: xxxx, ****, ...., 0000, aaaa
    '(.)\\1{2,}',
    '[x*•.#_-]{3,}',
    '.{0,12}(?:\\*{3,}|•{3,}|x{4,}|X{4,}|…|\\.{3}).{0,12}',
    // references: $VAR, ${VAR}, $(command), %VAR%, {{ var }}, <your-key>, [key], @VAR@, @file; whole ones, for a password
    // may begin like one. What a row cuts at a bracket has no end.
    `${REFERENCE}(?:[-_./:@]{0,3}${REFERENCE}){0,8}(?:[;,.)|/&][^\\d]{0,100}|[[(].*)?`,
    '\\$\\(.*',
    '%[A-Za-z_][\\w.]*%?',
    '\\{+.*',
    '<[^<>]{0,200}>.{0,40}',
    '<[A-Za-z_ .:-]{0,100}',
    '<[<(].*',
    '\\[[\\w .:-]*\\]?',
    '@[\\w.-]+@',
    '@[A-Za-z_.-]{1,60}\\d?',
    '@(?:[\\w.-]{0,40}/)*[\\w-]{1,60}\\.[a-z]{2,5}',
    '#\\{.*',
    '!(?:Ref|Sub|GetAtt|Secret|vault|env_var)\\b.*',
    // where a secret is: env:NAME, vault:path, op://…, arn:…, file:…, projects/…/secrets/…
    '(?:env|vault|file|secret|ssm|keyring|keychain|gcp-sm|aws-sm|sm|op|doppler|ref\\+\\w+|secretref|azurekv|keyvault|kms|sops|pass|bws)[:/].*',
    'arn:aws[\\w-]*:(?:secretsmanager|ssm|kms|iam):.*',
    'projects\\/[^/]+\\/secrets\\/.*',
    '(?:\\.{0,2}|~)\\/(?:[\\w.@-]{1,24}\\/)*[\\w.@-]{1,24}',
    'https?:\\/\\/[^\\s?]*',
    // code that reads one: process.env.KEY, os.environ, settings.SECRET, secrets.TOKEN
    '[A-Za-z_$]{1,30}(?:(?:\\?\\.|\\.|::|->)[A-Za-z_$]{1,40})+\\d{0,2};?',
    '(?:process|os|env|ENV|Deno|import|System|std|config|settings|secrets|getenv|environ)\\b[.([:].*',
    // words
    `(?:${WORDS})[\\d!]{0,4}`,
    'your(?:[-_ ]?[a-z]{1,20}){0,1}(?:[-_ ][a-z0-9]{1,20}){0,7}',
    '(?:my|the|some|our|this)(?:[-_][a-z]{1,20}){1,8}\\d{0,3}',
    '(?:your|my)[a-z]{3,40}',
    '(?:insert|enter|put|paste|add|replace|change|generate|use|fill)(?:[-_ ][a-z]+){1,8}',
    '(?:dummy|fake|mock|sample|example|demo|test|testing|placeholder|invalid|not[-_]a[-_]real)(?:[-_ ][a-z0-9]{1,12}){1,6}',
    '(?:.*[-_])?(?:goes[-_]here|here|placeholder|example|changeme|redacted)',
    // sequences
    '0?1234567890?(?:1234567890)*',
    '0?123456789(?:0?abcdef)?',
    'abc(?:123|def)?(?:456|ghi)?',
    '[01]{8}-(?:0{4}-){3}[0-9a-f]{12}',
  ].join('|')})$`,
  'i',
);

/** Parts of keys by which issuers and people mark examples; capitals, because lower case is a part of words. */
const MARKED =
  /^[A-Z]{2,}(?:_(?:[A-Z]+|\d{1,2})){1,8}$|EXAMPLE|NOTREAL|NOT-A-REAL|-not-a-real-|PLACEHOLDER|(?:^|[_/-])X{4,}$|YOUR[_-]|REPLACE[_-]?ME|^sk-(?:\.{3}|x{4,}|your|test-?$)/;

/** The longest value that is compared with these; longer ones are keys. */
const MAX_PLACEHOLDER = 200;

/** Masked characters: `sk-ab****yz`, `xxxx`. */
const MASKED = /^(?:(.)\1{2,}|.{0,16}(?:\*{3,}|•{3,}|x{6,}|X{6,}|…|\.{3}).{0,16})$/;

/**
 * A prefix of an issuer with words in place of its key, as `xoxb-your-token`: a key that an issuer made has a digit, and no such
 * words. Or with rows of x. A person's password may begin with any other word.
 */
const WORDED =
  /^(?:xox[a-z]|xapp|sk|pk|rk|gsk|xai|pplx|nvapi|hf|gh[oprsu]|github_pat|gl[a-z]{2,5}|npm|whsec|lsv2|tvly|r8|dop_v1|shpat|ya29|SG)[-_.](?:(?:ant|api|proj|live|test|pt|bot|app|user)(?:\d\d)?[-_])*(?:(?:your|my)(?:[-_][a-z]{2,12}){1,7}|(?:[a-z]{2,10}[-_]){0,3}(?:goes[-_])?here|x{3,}(?:[-_.]x{3,})*)$/i;

/** Whether something in the shape of an issuer's key is one of a documentation, marked as an example, or masked. */
export function isExampleKey(value: string): boolean {
  return (
    DOCUMENTED.has(value) ||
    (value.length <= MAX_PLACEHOLDER && (MARKED.test(value) || MASKED.test(value) || WORDED.test(value)))
  );
}

/** Whether a value is no secret but stands for one: a placeholder, a reference, or a key of a documentation. */
export function isPlaceholder(value: string): boolean {
  return isExampleKey(value) || (value.length <= MAX_PLACEHOLDER && PLACEHOLDER.test(value));
}
