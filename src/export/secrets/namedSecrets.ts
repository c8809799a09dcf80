import { quotedValues } from './quotedValues.js';
import { type Span, NEW, isRedactedAt, isRandom, NAME, VARIABLE } from './redacted.js';
import { BEFORE, hasDigit, type SecretRow, type SecretSign } from './secretRow.js';

const HEADER = '[A-Za-z0-9._~+/=-]';
const BARE = '[^\\s"\'`,;&<>()\\\\[\\]{}]';
/** A value in the arguments of a command: quoted or not. */
const ARGUMENT = `["']?)${NEW}[^\\s"'\\\\]{4,200}`;

const global = (source: string) => new RegExp(source, 'g');
const named = (source: string) => new RegExp(source, 'gi');
/** Something after an option that is one letter: ` -p`, ` -a`. */
const option = (letters: string): SecretSign => ({ before: '\\s', at: '-', after: letters });

/** Secrets recognised by what stands before them: a name, a header, an option of a command. */
export const NAMED_SECRETS: readonly SecretRow[] = [
  {
    name: 'private key',
    find: privateKeys,
    example: '-----BEGIN RSA PRIVATE KEY-----\n{64}\n{64}\n-----END RSA PRIVATE KEY-----',
    counterExample: '-----BEGIN PUBLIC KEY-----\n{64}\n-----END PUBLIC KEY-----',
  },
  {
    name: 'PuTTY key',
    find: /(Private-Lines: \d{1,4}\\?r?(?:\n|\\n))(?:[A-Za-z0-9+/=]{1,76}\\?r?(?:\n|\\n)){1,400}(?:Private-MAC: [0-9a-f]{40,64})?/g,
    example:
      'PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n{48}\nPrivate-MAC: {h64}\n',
    counterExample: 'PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\n{48}\n',
  },
  {
    name: 'private part of a JSON web key',
    find: /("kty\\{0,3}"[^{}]{0,2000}?"d\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"|"d\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"(?=[\w-]{20,1000}\\{0,3}"[^{}]{0,2000}"kty))[\w-]{20,1000}/g,
    sign: { before: '"kt', at: 'y' },
    example: '{"kty":"EC","crv":"P-256","d":"{43}","x":"a"}',
    counterExample: '{"kty":"EC","crv":"P-256","x":"{43}"}',
  },
  {
    name: 'bearer token',
    find: named(`(bearer(?<=${BEFORE}bearer)\\s{1,4})(?:${hasDigit(HEADER)}${HEADER}{8,}|${HEADER}{20,})`),
    example: 'Authorization: Bearer {30}',
    counterExample: 'Authorization: Bearer <token>, bearer bonds',
  },
  {
    name: 'other schemes of authorization',
    find: named(
      `((?:basic|token|apikey|api-key|digest|negotiate|key|bot)(?<=${BEFORE}(?:basic|token|apikey|api-key|digest|negotiate|key|bot))\\s{1,4})${hasDigit(HEADER)}${HEADER}{16,}`,
    ),
    accepts: (value) => isRandom(value) || value.endsWith('='),
    example: 'Authorization: Basic {36}==',
    counterExample: 'a basic understanding-of-things',
  },
  {
    name: 'signature of a request',
    find: /((?:Signature|oauth_signature|response)=["']?)(?!\[REDACTED:[a-z0-9-]{1,80}(?::\d{1,9})?\])[A-Za-z0-9%+/=]{24,}/g,
    sign: { before: '(?:Signature|oauth_signature|response)', at: '=' },
    accepts: isRandom,
    example: 'Authorization: AWS4-HMAC-SHA256 Credential=x/eu/s3, SignedHeaders=host, Signature={h64}',
    counterExample: 'response=ok Signature=none',
  },
  {
    name: 'cookies',
    find: cookies,
    example: 'Set-Cookie: session={32}; Path=/; HttpOnly',
    counterExample: 'Cookie: theme=dark; lang=en',
  },
  {
    name: 'quoted value of a name',
    find: quotedValues,
    example: '{"client_secret": "{32}"}',
    counterExample: '{"client_secret": "<your-client-secret>"}',
  },
  {
    name: 'value of an environment variable',
    find: new RegExp(
      `((?:^|\\\\n|[;\\s"'])(?:export[ \\t]{1,4}|set[ \\t]{1,4}|ENV[ \\t]{1,4}|-e[ \\t]{1,4})?[A-Z][A-Z0-9_]{0,60}(?<=${VARIABLE})=)${NEW}(?![%{(]|\\$[({])[^\\s"'\`\\\\]{6,}`,
      'gm',
    ),
    example: 'DB_PASSWORD={12}&{8}',
    counterExample: 'DB_PASSWORD=postgres',
  },
  {
    name: 'value of a name',
    // With a digit, because code is full of assignments to such names that are no secrets.
    find: named(
      `(${NAME}["']?\\s{0,4}(?:=>|:=|[:=>|])\\s{0,4}\\\\{0,8}["']?)${NEW}${hasDigit(BARE)}${BARE}{8,}`,
    ),
    accepts: isValue,
    example: 'aws_secret_access_key = {40}',
    counterExample: 'token: 12345678, nextToken = getToken2(x), password: process.env.PASSWORD2',
  },
  {
    name: 'password without digits',
    find: named(`((?:passw(?:or)?d=|passphrase=|(?<![a-z])pwd=(?!\\/))["']?)${NEW}${BARE}{6,}`),
    example: 'password=correcthorse',
    counterExample: 'password=changeme',
  },
  {
    name: 'password of letters and a mark',
    find: named(
      `((?:passw(?:or)?d|passphrase|passwort|kennwort)["']?\\s{0,4}[:=]\\s{0,4}["']?)${NEW}[A-Za-z]{6,40}!(?=["'\\s\\\\]|$)`,
    ),
    accepts: (value) => !MARKED_WORD.test(value) && !/^[a-z]+[A-Z]/.test(value),
    example: 'Password: Correcthorse!',
    counterExample: 'password: String!, password = newPassword!',
  },
  {
    name: 'long random value of a key',
    find: named(
      `((?<!(?:public|publishable|cache|primary|foreign|partition|sort|object|idempotency|translation|locale|query|row|registry|host|site|measurement|group)[_. -]?)key["']?\\s{0,4}(?:=>|[:=])\\s{0,4}\\\\{0,8}["']?)${NEW}(?=[A-Za-z0-9+/=_:.-]{0,200}\\d)[A-Za-z0-9+/=_:.-]{20,}`,
    ),
    accepts: (value) => isRandom(value) && !/[:.].*[:.]|^(?:ssh-|ecdsa-)/.test(value),
    example: 'ALGOLIA_SEARCH_KEY={h32}',
    counterExample: 'cache_key: v2-linux-node-modules-1234567890',
  },
  {
    name: 'secret access key of AWS in prose',
    find: /((?:aws|secret|A[KS]IA[A-Z0-9]{16})[^\n]{0,60}?[\s"':=,|`])(?!\[REDACTED:[a-z0-9-]{1,80}(?::\d{1,9})?\])(?=[A-Za-z0-9/+]{0,39}\d)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])/gi,
    accepts: (value) => /[a-z]/.test(value) && /[A-Z]/.test(value) && new Set(value).size >= 16,
    example: 'the AWS secret is {40}, keep it',
    counterExample: 'the secret commit is {h40}',
  },
  {
    name: '.netrc',
    // A quote belongs to the password only where it cannot close a JSON string around it.
    find: named(
      `(login\\s{1,4}\\S{1,200}\\s{1,4}password\\s{1,4}\\\\{0,8}["']?)${NEW}(?:[^\\s"'\\\\]|["'](?=[A-Za-z0-9])){4,}`,
    ),
    example: 'machine example.com login me password {10}',
    counterExample: 'machine example.com login me password <password>',
  },
  {
    name: '.pgpass',
    find: /((?:^|\\n|[\s"'])[A-Za-z0-9.*_-]{1,100}:(?:\d{4,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:)(?!\[REDACTED:[a-z0-9-]{1,80}(?::\d{1,9})?\])[^\s:"']{4,200}(?=\s|\\n|"|$)/gm,
    sign: { before: ':(?:\\d{4,5}|\\*)', at: ':', after: '[\\w*-]{1,64}:[\\w*-]{1,64}:' },
    example: 'db.local:5432:shop:app:{12}',
    counterExample: 'main.c:120:14:error:unknown',
  },
  {
    name: 'auth of Docker and npm',
    find: /((?:"auth"\s{0,4}:\s{0,4}\\{0,3}"|\\"auth\\"\s{0,4}:\s{0,4}\\"|_auth\s{0,4}=\s{0,4}"?|_password\s{0,4}=\s{0,4}"?|"identitytoken"\s{0,4}:\s{0,4}"))(?!\[REDACTED:[a-z0-9-]{1,80}(?::\d{1,9})?\])[A-Za-z0-9+/_-]{8,}={0,2}/g,
    example: '{"auths":{"registry.example":{"auth":"{28}=="}}}',
    counterExample: '{"auth":"basic"}',
  },
  {
    name: 'data of a Kubernetes secret',
    find: secretManifests,
    example: 'kind: Secret\nmetadata:\n  name: a\ndata:\n  db: {16}==\n',
    counterExample: 'kind: ConfigMap\ndata:\n  db: {16}==\n',
  },
  {
    name: 'element of XML',
    find: named(
      `(<[\\w.:-]{0,60}${NAME}(?:\\s[^<>]{0,100})?>\\s{0,4}|(?:key|name)=["'][^"'<>]{0,60}${NAME}["']\\s{1,4}value=["'])${NEW}[^<>\\s"']{4,200}`,
    ),
    example: '<server><password>{12}</password></server>',
    counterExample: '<password>${env.PASSWORD}</password>',
  },
  {
    name: 'password in SQL',
    find: named(
      `((?:identified\\s{1,4}by|password)\\s{1,4}(?:password\\s{1,4})?\\\\{0,3}["'])${NEW}[^\\s"'\\\\]{4,200}(?=\\\\{0,3}["'])`,
    ),
    example: "CREATE USER app IDENTIFIED BY '{12}';",
    counterExample: "IDENTIFIED BY '<password>'",
  },
  {
    name: 'option with a password',
    find: named(
      `(\\s--?(?:[a-z]{1,20}-){0,3}(?:passw(?:or)?d|pass|passphrase|secret|token|api-?key|access-?key|secret-?key|auth|password-?file-?content)[= ]{1,2}${ARGUMENT}`,
    ),
    accepts: (value) => !/^[-|>&(]/.test(value),
    example: 'tool --user me --password {12} run',
    counterExample: 'tool --password "$PASSWORD" --token-file x',
  },
  {
    name: 'arguments of commands with passwords',
    find: new RegExp(
      `(\\b(?:${[
        'mysql(?:dump|admin|import|show|check)?\\b[^\\n]{0,200}?\\s-p(?=[^\\s-])',
        'mariadb(?:-dump|-admin)?\\b[^\\n]{0,200}?\\s-p(?=[^\\s-])',
        'sshpass\\s{1,4}-p\\s?',
        'redis-cli\\b[^\\n]{0,200}?\\s(?:-a|--pass)\\s{1,4}',
        '(?:docker|podman|helm|buildah|skopeo|oc|az|cf|ibmcloud)\\b[^\\n]{0,60}?\\blogin\\b[^\\n]{0,200}?\\s-p[ =]?',
        'mongo(?:sh|dump|restore|import|export)?\\b[^\\n]{0,200}?\\s-p[ =]?',
        '(?:ldapsearch|ldapadd|ldapmodify|ldapwhoami|ldappasswd)\\b[^\\n]{0,200}?\\s-w\\s{1,4}',
        '(?:sqlcmd|bcp)\\b[^\\n]{0,200}?\\s-P\\s{1,4}',
        'cqlsh\\b[^\\n]{0,200}?\\s-p\\s{1,4}',
        '(?:zip|unzip)\\b[^\\n]{0,100}?\\s-P\\s{1,4}',
        '7z[az]?\\b[^\\n]{0,100}?\\s-p(?=[^\\s-])',
        'openssl\\b[^\\n]{0,200}?\\s-(?:passin|passout|pass)\\s{1,4}pass:',
        'openssl\\b[^\\n]{0,200}?\\s-k\\s{1,4}',
        'htpasswd\\s{1,4}-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}\\s{1,4}\\S{1,200}\\s{1,4}\\S{1,100}\\s{1,4}',
        'rabbitmqctl\\s{1,4}(?:add_user|change_password)\\s{1,4}\\S{1,100}\\s{1,4}',
        'smbclient\\b[^\\n]{0,200}?\\s-U\\s{1,4}[^\\s%]{1,100}%',
        'net\\s{1,4}use\\b[^\\n]{0,100}?\\s\\/user:\\S{1,100}\\s{1,4}',
        'snmp\\w{1,10}\\b[^\\n]{0,200}?\\s-[AX]\\s{1,4}',
        'configure\\s{1,4}set\\s{1,4}aws_secret_access_key\\s{1,4}',
        'xfreerdp\\b[^\\n]{0,200}?\\s\\/p:',
        'kinit\\b[^\\n]{0,20}<<<\\s{0,4}',
      ].join('|')})${ARGUMENT}`,
      'g',
    ),
    sign: [' ', '\t', '\u00a0'].map((at) => ({
      before:
        '\\b(?:mysql|mariadb|sshpass|redis-cli|login|mongo|ldap|sqlcmd|bcp|cqlsh|zip|7z|openssl|htpasswd|rabbitmqctl|smbclient|use|snmp|aws_secret_access_key|xfreerdp|kinit)[^\\n]{0,200}?',
      at,
      after: '(?:-[aAkpPUwXbBcn]|\\/user:|\\/p:|<<<|add_user|change_password|\\S{20})',
    })),
    example: 'mysql -u root -p{12} shop',
    counterExample: 'mysql -u root -p shop; mkdir -p a/b',
  },
  {
    name: 'password of curl',
    find: global(
      `(curl[^\\n]{0,300}?\\s(?:-u|--user|--proxy-user|-U)[\\s=]{1,4}["']?[^\\s:"'\\\\]{1,100}:)${NEW}[^\\s"'\\\\]{6,}`,
    ),
    sign: option('(?:[uU]\\b|-user|-proxy-user)'),
    example: 'curl -u deploy:{12} https://example.com',
    counterExample: 'curl -u "$USER:$PASSWORD" https://example.com; docker run --user 1000:1000 x',
  },
];

/** What stands before a `!` and is no password: types, names of a program, and what is told of one. */
const MARKED_WORD =
  /(?:String|Input|Type|Char|Hash|Field|Label|View|Control|Option(?:s|al)?)!$|^(?:password|secret|text|value|please|never|always|nothing|anything|whatever|(?:in)?correct|(?:in)?valid|wrong|weak|strong|denied|rejected|refused|failed|accepted|changed|updated|expired|missing|needed|success|forgotten|protected|unknown)!$/i;

/** Numbers and dates are no secrets: counts of tokens, sizes of pages, times. */
function isValue(value: string): boolean {
  return /[A-Za-z]/.test(value) && !/^\d{4}-\d{2}-\d{2}/.test(value);
}

/** More than the longest private key has: an RSA key of 16,384 bits with its headers. */
const MAX_KEY_CHARACTERS = 20_000;
const KEY_BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
const KEY_END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
/** The number of a line, as tools that read files write it. */
const LINE_NUMBER = '(?:\\d{1,6}(?:[\\t|:→]|\\\\t|[ \\t]){1,8})?';
const BREAK = '(?:\\s|\\\\[rnt]){0,40}';
/** The body of a key whose end is missing: its lines, and a last one that is shorter. */
const KEY_BODY = new RegExp(
  `(?:${BREAK}${LINE_NUMBER}(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info|Comment|Version): [^\\n\\\\]{1,200}))*(?:${BREAK}${LINE_NUMBER}[A-Za-z0-9+/]{1,15}={0,2}(?=\\s{0,4}\\n|\\\\[rn]|\\\\{0,8}["'\`]|$))?(?:\\s|\\\\[rn])*`,
  'y',
);
/** A line of the body of a key. */
const KEY_LINE = new RegExp(`^[ \\t]{0,20}${LINE_NUMBER}[A-Za-z0-9+/]{1,80}={0,2}[ \\t]{0,4}$`);

/** Not one lazy pattern, because that would search the whole rest for a missing end again and again. */
function privateKeys(text: string): readonly Span[] {
  if (!text.includes('PRIVATE KEY')) return [];
  const spans: Span[] = [];
  let from = 0;
  let end = next(KEY_END, text, 0);
  for (let begin = next(KEY_BEGIN, text, 0); begin; begin = next(KEY_BEGIN, text, from)) {
    if (end && end.start < begin.end) end = next(KEY_END, text, begin.end);
    const isNear = end !== undefined && end.end - begin.start <= MAX_KEY_CHARACTERS;
    from = (isNear ? end : next(KEY_BODY, text, begin.end))?.end ?? begin.end;
    spans.push({ start: begin.start, end: from });
  }
  return [...spans, ...headless(text, spans)].toSorted((a, b) => a.start - b.start);
}

/** The bodies of keys of which only the end is there, as where a file was read from its middle. */
function headless(text: string, whole: readonly Span[]): readonly Span[] {
  const spans: Span[] = [];
  let [from, passed] = [0, 0];
  for (let end = next(KEY_END, text, 0); end; end = next(KEY_END, text, end.end)) {
    for (let span = whole[passed]; span && span.start < end.end; span = whole[++passed])
      from = Math.max(from, span.end);
    if (from >= end.end) continue;
    const begin = bodyStart(text, Math.max(from, end.start - MAX_KEY_CHARACTERS), end.start);
    if (begin < end.start - MIN_BODY) spans.push({ start: begin, end: end.end });
    from = end.end;
  }
  return spans;
}

/** The shortest body of a key, in UTF-16 code units. */
const MIN_BODY = 16;

/** Where the lines of a key begin that end at a place. */
function bodyStart(text: string, from: number, end: number): number {
  let start = end;
  const lines = text.slice(from, end).split(/(\r?\n|(?:\\r)?\\n)/);
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    const isLast = at === lines.length - 1;
    if (at % 2 === 0 && !KEY_LINE.test(line) && !(isLast && /^[\s\d|:→]{0,20}$/.test(line))) break;
    start -= line.length;
  }
  return start;
}

/** The next match of a global or sticky pattern. */
function next(pattern: RegExp, text: string, from: number): Span | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? { start: match.index, end: pattern.lastIndex } : undefined;
}

const COOKIE_HEADER = /(?:set-)?cookie\d?\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?(?=[\w.-]{1,100}=)/gi;
const COOKIE = /([\w.%-]{1,100})=([^\s;"'\\,]{1,4096})[;,]?[ \t]{0,4}/y;
const ATTRIBUTE = /^(?:expires|max-age|path|domain|samesite|priority|version)$/i;
const SESSION = /sess|sid$|token|auth|jwt|remember|login|csrf|xsrf|key|secret|id$/i;

/** The values of cookies that are long or named like a session. */
function cookies(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (let header = next(COOKIE_HEADER, text, 0); header; header = next(COOKIE_HEADER, text, header.end)) {
    COOKIE.lastIndex = header.end;
    for (let pair = COOKIE.exec(text); pair; pair = COOKIE.exec(text)) {
      const [, name = '', value = ''] = pair;
      const isSecret = SESSION.test(name) ? value.length >= 6 : value.length >= 16 && /\d/.test(value);
      const start = pair.index + name.length + 1;
      if (isSecret && !ATTRIBUTE.test(name) && !isRedactedAt(value, 0))
        spans.push({ start, end: start + value.length });
      header = { start: header.start, end: COOKIE.lastIndex };
    }
  }
  return spans;
}

/** How far below `kind: Secret` its data are looked for, in UTF-16 code units. */
const MAX_MANIFEST = 4_000;
const MANIFEST = /kind["']?:\s{0,4}["']?Secret\b|(?:client-key-data|token-data|secret-data)["']?:/g;
const ENTRY =
  /(client-key-data["']?:\s{1,4}["']?|^[ \t]{1,8}[\w.-]{1,100}:[ \t]{1,4}["']?)(?!\[REDACTED:[a-z0-9-]{1,80}(?::\d{1,9})?\])([A-Za-z0-9+/]{8,}={0,2})(?=["']?\s|["']?$)/gm;

/** The values below `data:` of a manifest of kind Secret, and keys in a kubeconfig. */
function secretManifests(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (let found = next(MANIFEST, text, 0); found; found = next(MANIFEST, text, found.end)) {
    const isKey = text.startsWith('client', found.start);
    const limit = Math.min(text.length, found.start + MAX_MANIFEST);
    const begin = isKey ? found.start : dataStart(text, found.end, limit);
    if (begin === -1) continue;
    const block = text.slice(begin, isKey ? limit : dataEnd(text, begin, limit));
    for (const match of block.matchAll(ENTRY)) {
      const [, name = '', value = ''] = match;
      const start = begin + match.index + name.length;
      spans.push({ start, end: start + value.length });
      if (isKey) break;
    }
    found = { start: found.start, end: Math.max(found.end, spans.at(-1)?.end ?? 0) };
  }
  return spans;
}

function dataStart(text: string, from: number, limit: number): number {
  const block = /^(?:data|stringData):[ \t]*\r?$/m.exec(text.slice(from, limit));
  return block ? from + block.index + block[0].length : -1;
}

function dataEnd(text: string, from: number, limit: number): number {
  const end = /\n(?=[^\s#])/.exec(text.slice(from, limit));
  return end ? from + end.index : limit;
}
