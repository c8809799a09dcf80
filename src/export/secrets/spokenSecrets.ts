import { isRandom, NEW, type Span } from './redacted.js';
import type { SecretRow } from './secretRow.js';
import { listedPhrases } from './walletsAndCards.js';

/** Words for a password in other languages than English; see `SPOKEN_WORD`. */
const FOREIGN_PASSWORD =
  'passwort|kennwort|mot de passe|contrase(?:ñ|n)a|clave de acceso|parola d.(?:ordine|accesso)|senha|palavra-passe|wachtwoord|has(?:ł|l)o|l(?:ö|o)senord|парол[аьяюе]|лозинка|lozinka|geslo|slaptažodis|parol[aăe]|parool|contrasenya|pasvorto|पासवर्ड|รหัสผ่าน|رمز عبور|گذرواژه|パスワード|密码|密碼|口令|비밀번호|암호|(?:ş|s)ifre|heslo|salasana|adgangskode|passord|jelsz(?:ó|o)|κωδικός|mật khẩu|kata sandi|סיסמה|كلمة المرور';

/** A word of every text that a row here without a sign could match: so that what others look for is not looked for more often. */
export const SPOKEN_WORD = new RegExp(
  `passw|passphrase|passcode|\\b(?:pin|puk|tan)\\b|cv[vc]2?\\b|code(?:\\s(?:is|lautet)|\\s?[:=]|s\\b)|recovery|backup|seed|mnemonic|secret[ _-]?(?:phrase|words)|wallet|sess|\\.sid|(?:setup|set-up|authenticator|totp|otp|entry|2fa)[ _-]?(?:key|code|secret)|otpauth|(?:private|secret|signing)[ _-]?key|${FOREIGN_PASSWORD}`,
  'i',
);

/** What stands between such a word and its value: a sign, or a verb. */
const IS =
  '(?:[ \\t]{0,3}(?:[:=：—–]|->|は|是|为|為|는|은)|[ \\t]{1,3}(?:is|lautet|ist|est|es|è|é|to|är|er|jest|je|такой|şudur|on|:)[ \\t]{0,2}:?[ \\t])[ \\t]{0,3}[—–-]?[ \\t]{0,2}["\'“«„`*]{0,3}';
const VALUE = '[^\\s"\'`<>,;«»“”„()\\[\\]{}|*]{6,64}';

const spoken = (source: string) => new RegExp(source, 'gi');

/** A value that nobody would say of a password: with letters and digits, and no word that is joined to others. */
function isPassword(value: string): boolean {
  const own = value.replace(/[.,!?]+$/, '');
  if (/^(?:https?:|\/|\.)/.test(own) || !/[A-Za-z]/.test(own)) return false;
  if (/[!@#$%^&+~?]/.test(own.slice(1))) return /\d|[A-Z]/.test(own);
  return /\d/.test(own) && !/^[a-z]+-?\d{1,4}(?:-[a-z]+)*$/.test(own);
}

/** The codes that stand behind the words for them, on their line or in lines below. */
const CODES =
  /(?:recovery|backup|scratch|emergency|wiederherstellungs|notfall)[- _]?(?:codes?|keys?|schl(?:ü|ue)ssel)\b/gi;
const BETWEEN =
  /(?:[\s,;:|•*"'[\]>-]|\\[nrt]|\d{1,2}[.)]\s|\b(?:is|are|for|lautet|lauten|your|2FA|account|GitHub|Google)\b)*/y;
const CODE =
  /(?=[A-Za-z]{0,10}\d)[A-Za-z0-9]{4,11}(?:[- ](?=[A-Za-z]{0,5}\d)[A-Za-z0-9]{4,6}|-[A-Za-z0-9]{4,6}){0,11}(?![A-Za-z0-9])/y;
const MAX_CODES = 40;

function recoveryCodes(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { index, 0: words } of text.matchAll(CODES)) {
    let at = index + words.length;
    for (let count = 0; count < MAX_CODES; count++) {
      BETWEEN.lastIndex = at;
      BETWEEN.test(text);
      CODE.lastIndex = BETWEEN.lastIndex;
      if (CODE.lastIndex === at || !CODE.test(text)) break;
      spans.push({ start: BETWEEN.lastIndex, end: CODE.lastIndex });
      at = CODE.lastIndex;
    }
  }
  return spans;
}

/** Secrets that words before them give away, in more languages than one, and what addresses and cookies carry. */
export const SPOKEN_SECRETS: readonly SecretRow[] = [
  {
    name: 'password in other languages',
    kind: 'password',
    isSpoken: true,
    find: spoken(`((?:${FOREIGN_PASSWORD})[a-z]{0,2}["']?${IS})${NEW}${VALUE}`),
    accepts: isPassword,
    example: 'Das Passwort lautet {12}',
    counterExample: 'Das Passwort ist falsch, Kennwort: mindestens 12 Zeichen',
  },
  {
    name: 'password that is said',
    kind: 'password',
    isSpoken: true,
    find: spoken(
      `(\\b(?:password|passphrase|passcode)[ \\t]{1,3}(?:is|was|to)[ \\t]{1,3}["'“\`*]{0,3})${NEW}${VALUE}`,
    ),
    accepts: (value) => isPassword(value) && (isRandom(value) || /[!@#$%^&+~?]/.test(value.slice(1, -1))),
    example: 'the password is {12}',
    counterExample: 'the password is sha256-hashed',
  },
  {
    name: 'PIN',
    kind: 'pin',
    isSpoken: true,
    find: /(\b(?:PIN|PUK|pin|puk|Pin|TAN|CVV2?|CVC2?|cvv|cvc)(?:[- ]?(?:code|Code|nummer|number))?["']?(?:\s{0,2}[:=]|\s(?:is|lautet|ist|est|es|è|é|to)\s?:?)\s{0,2}["']?)(?:(?<=[Cc][Vv][VvCc]2?["']?[^\d]{1,8})\d{3,4}|\d{4,8})(?!\w|\.\d)/g,
    example: 'PIN: {d4}',
    counterExample: '{"pin": 13}, PIN_COUNT = 4000',
  },
  {
    name: 'one-time code',
    kind: 'code',
    isSpoken: true,
    find: spoken(
      '((?:verification|security|confirmation|one-time|login|sign-in|2fa|mfa|otp|sms|authentication|bestätigungs|sicherheits)[- ]?(?:code|passcode|pin)(?:\\s(?:is|lautet|ist)|\\s?[:=])\\s{0,2})(?:\\d{4,8}|\\d{3}[ -]\\d{3})(?!\\d|\\.\\d)',
    ),
    example: 'Your verification code is {d6}',
    counterExample: 'the verification code was wrong 4 times',
  },
  {
    name: 'recovery codes',
    kind: 'recovery-code',
    isSpoken: true,
    find: recoveryCodes,
    example: 'Recovery codes:\n{h5}-{h5}',
    counterExample: 'recovery codes are shown once',
  },
  {
    name: 'seed phrase in a list',
    kind: 'wallet-key',
    isSpoken: true,
    find: listedPhrases,
    example:
      'Seed phrase:\n1. zoo\n2. zero\n3. zone\n4. able\n5. about\n6. above\n7. zebra\n8. abuse\n9. access\n10. acid\n11. across\n12. act',
    counterExample: 'Mnemonic:\n- what is easy to keep in mind\n- see below',
  },
  {
    name: 'setup key of an authenticator',
    kind: 'totp-secret',
    isSpoken: true,
    find: /((?:setup|set-up|authenticator|totp|otp|manual entry|2fa)[ _-]?(?:key|code|secret)\b[^\n]{0,40}?[:=]\s{0,2}["']?|otpauth:\/\/[^\s]{0,200}?[?&]secret=)(?:[A-Z2-7a-z]{4}(?: [A-Z2-7a-z]{4}){3,12}|[A-Z2-7]{16,64})(?![A-Za-z0-9])/gi,
    accepts: (value) => /\d/.test(value),
    example: 'Enter this setup key: {A4} {A4} {A4} {A4}',
    counterExample: 'setup key: what they want from this',
  },
  {
    name: 'private key in hexadecimal',
    kind: 'private-key',
    isSpoken: true,
    find: spoken(
      `((?:private|secret|signing)[ _-]?key\\b[^\\n]{0,40}?)${NEW}(?:0x)?[0-9a-f]{64}(?![0-9a-f])`,
    ),
    example: 'the private key is 0x{h64}',
    counterExample: 'the private key is in a file',
  },
  {
    name: 'session',
    kind: 'session',
    isSpoken: true,
    find: spoken(
      `((?:PHPSESSID|JSESSIONID|ASP\\.NET_SessionId|ASPSESSIONID\\w{0,10}|connect\\.sid|sessionid|session[-_]?(?:id|key|token)|[a-z]{2,20}_session|auth[-_]?session)["']?\\s{0,2}[:=]\\s{0,2}["']?)${NEW}[A-Za-z0-9%._~+/=-]{20,4000}`,
    ),
    // A tool's own id of a session is no secret: a UUID, or with a prefix, or a time.
    accepts: (value) => isRandom(value) && !/^[a-z]{1,8}[_-]|^\d{8}[-T]|\.(?:jsonl?|py|ts|js)$/.test(value),
    example: 'JSESSIONID={A32}',
    counterExample: 'sessionId={u}, session_id: ses_3c3b9f1a2ffe4d5b6a7c8d9e, "session_id":"k_{h32}"',
  },
  {
    name: 'code in an address',
    kind: 'address-code',
    sign: { before: '[?&]code', at: '=' },
    find: /([?&]code=)(?!\[REDACTED)[A-Za-z0-9%._~+/=-]{20,600}/g,
    accepts: isRandom,
    example: 'https://a.azurewebsites.net/api/x?code={54}==',
    counterExample: 'https://a.example/?code=not-found-in-this-list',
  },
  {
    name: 'token in the path of an address',
    kind: 'address-code',
    sign: {
      before:
        '(?:magic(?:-?link)?|reset(?:-?password)?|password|verify|confirm|invite|invitation|activate|unsubscribe|catch\\/\\d{3,12})',
      at: '/',
    },
    find: /(\/(?:magic(?:-?link)?|reset(?:-?password)?|password|verify|confirm|invite|invitation|activate|unsubscribe)\/|hooks\.zapier\.com\/hooks\/catch\/\d{3,12}\/)(?!\[REDACTED)(?:(?<=catch\/\d{3,12}\/)[a-z0-9]{5,20}|[A-Za-z0-9_-]{24,400})(?![A-Za-z0-9_.-])/g,
    accepts: (value) => value.length < 24 || isRandom(value),
    example: 'https://a.example/login/magic/{40}',
    counterExample: 'https://a.example/docs/reset/how-to-reset-a-password-2026',
  },
  {
    name: 'password of a wireless network',
    kind: 'password',
    sign: { before: 'WIFI', at: ':' },
    find: /(WIFI:[^\n]{0,200}?P:)(?!\[REDACTED)[^;\n]{8,64}(?=;)/g,
    example: 'WIFI:T:WPA;S:home;P:{12};;',
    counterExample: 'WIFI: on',
  },
];
