import { isRandom, NEW, REDACTED_SOURCE } from './redacted.js';
import { begins, hasDigit, type SecretRow, type SecretSign } from './secretRow.js';

const KEY = '[A-Za-z0-9_-]';
const ALNUM = '[A-Za-z0-9]';
const BASE64 = '[A-Za-z0-9+/]';
const END = '(?![A-Za-z0-9])';

/** The kind of keys whose prefix nobody here knows. */
const PREFIXED = 'prefixed-key';
/** Prefixes of ids, which are no secrets. */
const NAMES_OF_THINGS =
  /^(?:toolu|tool|call|msg|message|req|request|resp|response|run|step|ses|sess|session|conv|conversation|thread|asst|file|batch|chatcmpl|cmpl|gen|fp|item|evt|event|usr|user|org|proj|acct|cus|sub|pi|price|prod|txn|id|ref|img|image|part|prt|trace|span|job|task|hash|sha\d*|md5|commit|rev|build|chunk|index|test|it|should|when|given)_/;

const sign = (before: string, at: string, after = ''): SecretSign => ({ before, at, after });

/** A row for keys that begin with a prefix of their issuer: `before` + `at` + `after` is the prefix. */
function issued(
  name: string,
  [before, at, after = '']: readonly [before: string, at: string, after?: string],
  body: string,
  example: string,
  counterExample: string,
): SecretRow {
  const literal = at.replace(/[.$|]/g, '\\$&');
  const find = new RegExp(`${begins(before + literal + after)}${body}`, 'g');
  return { name, sign: { before, at, after }, find, example, counterExample };
}

/**
 * Keys that are recognised by their shape. Prefixes and lengths are those that the issuers document and that scanners
 * (gitleaks, secretlint, TruffleHog, GitHub's list of supported patterns) know; lengths are lower limits, since issuers
 * change them.
 */
export const ISSUED_KEYS: readonly SecretRow[] = [
  // models
  issued(
    'OpenAI, Anthropic, OpenRouter, DeepSeek, Langfuse',
    ['sk', '-'],
    `${hasDigit(KEY)}${KEY}{12,}`,
    'sk-proj-{40}',
    'sk-learn-and-more',
  ),
  issued('Groq', ['gsk', '_'], `${ALNUM}{30,}`, 'gsk_{52}', 'gsk_value'),
  issued('xAI', ['xai', '-'], `${hasDigit(KEY)}${KEY}{30,}`, 'xai-{80}', 'xai-grok-beta'),
  issued('Perplexity', ['pplx', '-'], `${hasDigit(KEY)}${KEY}{30,}`, 'pplx-{48}', 'pplx-70b-online'),
  issued('Replicate', ['r8', '_'], `${ALNUM}{30,}`, 'r8_{37}', 'r8_short'),
  issued('Fireworks', ['fw', '_'], `${hasDigit(ALNUM)}${ALNUM}{20,}`, 'fw_{24}', 'fw_config'),
  issued('NVIDIA', ['nvapi', '-'], `${hasDigit(KEY)}${KEY}{30,}`, 'nvapi-{64}', 'nvapi-client'),
  issued('Tavily', ['tvly', '-'], `${hasDigit(KEY)}${KEY}{20,}`, 'tvly-{32}', 'tvly-search'),
  issued('Jina', ['jina', '_'], `${hasDigit(KEY)}${KEY}{30,}`, 'jina_{60}', 'jina_embeddings_v3'),
  issued('Pinecone', ['pcsk', '_'], `${hasDigit(KEY)}${KEY}{30,}`, 'pcsk_{70}', 'pcsk_index'),
  issued(
    'Hugging Face',
    ['(?:hf|api_org)', '_'],
    `${hasDigit(ALNUM)}${ALNUM}{20,}`,
    'hf_{34}',
    'hf_hub_download',
  ),
  issued('LangSmith', ['lsv2', '_'], `(?:pt|sk)_${KEY}{30,}`, 'lsv2_pt_{h32}_{h10}', 'lsv2_format'),
  issued('Bedrock', ['', 'A', 'BSK'], `${BASE64}{60,}`, 'ABSK{100}', 'ABSK'),
  issued('Cerebras', ['csk', '-'], `${ALNUM}{40,}`, 'csk-{h48}', 'csk-x'),
  issued('Together', ['tgp_v1', '_'], `${KEY}{30,}`, 'tgp_v1_{43}', 'tgp_v1_x'),
  issued('Firecrawl', ['fc', '-'], `[0-9a-f]{32}${END}`, 'fc-{h32}', 'fc-list'),
  issued('Gemini, newer', ['AQ', '.'], `A[A-Za-z0-9_-]{40,}`, 'AQ.Ab8R{46}', 'AQ.Ab'),
  issued(
    'sk_ of several issuers',
    ['sk', '_'],
    `(?:[0-9a-f]{40,}|${hasDigit(ALNUM)}${ALNUM}{40,})${END}`,
    'sk_{h48}',
    'sk_SK.UTF-8',
  ),
  issued(
    'tokens with the prefix of their issuer',
    [
      '(?:dtn|e2b|cf[ua]t|cfk|cu|polar_[a-z]{2,5}|napi|hcai[kc]|ak|rpa|crsr|lmfwc|figma|nango|inngest|pdl_(?:live|sdbx)_apikey|lsk|mem0|zsk|bl|ctx7sk)',
      '_',
    ],
    `${hasDigit(KEY)}${KEY}{24,}`,
    'dtn_{h64}',
    'cu_small_list',
  ),
  issued('Axiom', ['xa[ap]t', '-'], '[0-9a-f-]{36}', 'xaat-{u}', 'xaat-x'),
  issued('ClickUp', ['pk_\\d{5,12}', '_'], '[A-Z0-9]{30,}', 'pk_{d8}_{A32}', 'pk_12345_x'),
  issued(
    'Infisical',
    ['st', '.'],
    '[0-9a-f]{24}\\.[0-9a-f]{32}\\.[0-9a-f]{32}',
    'st.{h24}.{h32}.{h32}',
    'st.markdown',
  ),
  issued('Cargo', ['ci', 'o'], `${hasDigit(ALNUM)}${ALNUM}{32}${END}`, 'cio{32}', 'cio'),
  ...(
    [
      ['Z', '(?:2hwX|2hvX|2h1X|2hzX|2l0aHViX3BhdF|2xwYXQt|3NrX)', 'Z2hwX'],
      ['c', '2st(?:YW50|cHJva|b3It|c3Zj)', 'c2stYW50'],
      ['Q', 'UtJQ', 'QUtJQ'],
      ['e', 'G94[YWJvcHN]', 'eG94Y'],
    ] as const
  ).map(([at, after, begin]): SecretRow => ({
    name: `Base64 of a key (${begin})`,
    kind: 'key-in-base64',
    sign: sign('', at, after),
    find: new RegExp(`(?<![A-Za-z0-9+/=])${at}${after}[A-Za-z0-9+/]{16,}={0,2}`, 'g'),
    example: `${begin}{40}`,
    counterExample: begin,
  })),
  // code and packages
  issued('GitHub token', ['gh[oprsu]', '_'], `${ALNUM}{20,}`, 'ghp_{36}', 'ghp_short'),
  issued(
    'GitHub fine-grained token',
    ['github_pat', '_'],
    '[A-Za-z0-9_]{20,}',
    'github_pat_{22}_{59}',
    'github_pat_',
  ),
  issued(
    'GitLab token',
    ['gl(?:pat|ptt|dt|rt|rtr|cbt|agent|ft|imt|oas|soat|ffct|wt)', '-'],
    `${KEY}{16,}`,
    'glpat-{20}',
    'glpat-x',
  ),
  issued('GitLab runner', ['', 'G', 'R1348941'], `${KEY}{18,}`, 'GR1348941{20}', 'GR1348941'),
  issued(
    'Bitbucket and Atlassian',
    ['', 'A', '(?:TATT3|TCTT3|TBB)'],
    '[A-Za-z0-9_=-]{20,}',
    'ATATT3{80}',
    'ATATTACK',
  ),
  issued('npm', ['npm', '_'], `${ALNUM}{20,}`, 'npm_{36}', 'npm_config_registry'),
  issued('PyPI', ['pypi', '-'], `${hasDigit(KEY)}${KEY}{30,}`, 'pypi-{60}', 'pypi-server-configuration'),
  issued('RubyGems', ['rubygems', '_'], '[a-f0-9]{30,}', 'rubygems_{h48}', 'rubygems_api'),
  issued('NuGet', ['oy', '2'], `[a-z0-9]{43}${END}`, 'oy2{h43}', 'oy2'),
  issued('Clojars', ['CLOJARS', '_'], '[a-z0-9]{50,}', 'CLOJARS_{h60}', 'CLOJARS_TOKEN'),
  issued('Docker', ['dckr_(?:pat|oat)', '_'], `${KEY}{20,}`, 'dckr_pat_{27}', 'dckr_pat_'),
  issued('Artifactory', ['', 'A', 'KCp'], `${ALNUM}{50,}`, 'AKCp{69}', 'AKCp'),
  issued('Artifactory reference', ['cm', 'V', 'md'], `${ALNUM}{50,}`, 'cmVmd{59}', 'cmVmd'),
  issued('Sourcegraph', ['sgp', '_'], '(?:[a-zA-Z0-9]{16}_|local_)?[a-f0-9]{40}', 'sgp_{h40}', 'sgp_local'),
  issued('CircleCI', ['CCIPAT', '_'], `${KEY}{30,}`, 'CCIPAT_{22}_{h40}', 'CCIPAT_'),
  issued('Buildkite', ['bk(?:ua|at|pat)', '_'], `${ALNUM}{30,}`, 'bkua_{h40}', 'bkua_name'),
  issued('Postman', ['PMA[KT]', '-'], `${KEY}{24,}`, 'PMAK-{h24}-{h34}', 'PMAK-'),
  issued('Sentry', ['sntry[su]', '_'], '[A-Za-z0-9+/=_-]{40,}', 'sntryu_{h64}', 'sntryu_'),
  issued(
    'Snyk, Prefect, ReadMe, Typeform',
    ['(?:snyk_uat|pnu|rdme|tfp)', '_'],
    `[A-Za-z0-9_.-]{30,}`,
    'rdme_{70}',
    'rdme_docs',
  ),
  issued('WakaTime', ['waka', '_'], '[a-f0-9-]{36}', 'waka_{u}', 'waka_time'),
  // clouds and hosts
  issued(
    'AWS key id',
    ['', 'A', '(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])'],
    `[A-Z0-9]{16}${END}`,
    'AKIA{A16}',
    'AKIAIOSFODNN7EXAMPLE',
  ),
  issued('Google API key', ['', 'A', 'Iza'], `${KEY}{30,}`, 'AIzaSy{33}', 'AIza'),
  issued('Google token', ['ya29', '.'], `${KEY}{20,}`, 'ya29.{60}', 'ya29.short'),
  issued('Google refresh token', ['1', '/', '/0'], `${hasDigit(KEY)}${KEY}{35,}`, '1//0{60}', 'level1//0'),
  issued('Google client secret', ['GOCSPX', '-'], `${KEY}{20,}`, 'GOCSPX-{28}', 'GOCSPX-'),
  issued('Alibaba', ['', 'L', 'TAI'], `${ALNUM}{16,24}${END}`, 'LTAI{20}', 'LTAI'),
  issued('Yandex', ['', 'A', 'QVN'], `${KEY}{35,}`, 'AQVN{36}', 'AQVN'),
  issued('DigitalOcean', ['do[opr]_v1', '_'], `${ALNUM}{20,}`, 'dop_v1_{h64}', 'dop_v1_'),
  issued('Heroku', ['HRKU', '-'], `${KEY}{30,}`, 'HRKU-{u}', 'HRKU'),
  issued('Databricks', ['da', 'p', 'i'], `${hasDigit(ALNUM)}${ALNUM}{20,}(?:-\\d)?`, 'dapi{h32}', 'dapi'),
  issued('Vault', ['hv[sbr]', '.'], `${KEY}{20,}`, 'hvs.{90}', 'hvs.token'),
  issued(
    'Terraform Cloud',
    ['[A-Za-z0-9]{14}', '.', 'atlasv1\\.'],
    `${KEY}{40,}`,
    '{14}.atlasv1.{64}',
    'x.atlasv1.',
  ),
  issued(
    'Doppler',
    ['dp\\.(?:pt|st|ct|sa|scim|audit)', '.'],
    '(?:[A-Za-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,}',
    'dp.pt.{43}',
    'dp.pt.x',
  ),
  issued('Pulumi', ['pul', '-'], '[a-f0-9]{40}', 'pul-{h40}', 'pul-x'),
  issued('Infracost', ['ico', '-'], `${hasDigit(ALNUM)}${ALNUM}{30,}`, 'ico-{32}', 'ico-sizes'),
  issued('Fly', ['f(?:o1|m1[ar]|m2)', '_'], '[A-Za-z0-9+/_=-]{40,}', 'fo1_{43}', 'fo1_x'),
  issued('Netlify', ['nf[pcu]', '_'], `${ALNUM}{30,}`, 'nfp_{36}', 'nfp_x'),
  issued(
    'Vercel',
    ['(?:vercel|vc[pikar])', '_'],
    `${hasDigit(ALNUM)}${ALNUM}{24,}`,
    'vcp_{56}',
    'vercel_analytics',
  ),
  issued('Render', ['rnd', '_'], `${hasDigit(ALNUM)}${ALNUM}{28,}`, 'rnd_{32}', 'rnd_seed'),
  issued('Supabase', ['(?:sbp|sb_secret)', '_'], `${hasDigit(KEY)}${KEY}{25,}`, 'sbp_{h40}', 'sbp_x'),
  issued(
    'PlanetScale',
    ['pscale_(?:pw|tkn|oauth)', '_'],
    '[A-Za-z0-9_.=-]{30,}',
    'pscale_pw_{43}',
    'pscale_pw_',
  ),
  issued('Tailscale', ['tskey', '-'], `[a-z]{2,10}-${KEY}{15,}`, 'tskey-auth-{12}-{32}', 'tskey-auth'),
  issued(
    'Cloudflare Origin CA',
    ['v1\\.0', '-'],
    '[a-f0-9]{24}-[a-f0-9]{100,}',
    'v1.0-{h24}-{h146}',
    'v1.0-beta',
  ),
  issued('OpenShift', ['sha256', '~'], `${KEY}{40,}`, 'sha256~{43}', 'sha256~'),
  issued('Scalingo', ['tk-us', '-'], `${KEY}{40,}`, 'tk-us-{48}', 'tk-us-x'),
  issued(
    'Linode, Hetzner and others with secret-token',
    ['secret-token', ':'],
    '[A-Za-z0-9_./+=-]{16,}',
    'secret-token:{40}',
    'secret-token: see RFC 8959',
  ),
  {
    name: 'Azure client secret',
    sign: sign('\\dQ', '~'),
    find: /(?<![A-Za-z0-9_~.])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}/g,
    example: '{3}8Q~{34}',
    counterExample: '8Q~{34}',
  },
  issued(
    'Astra',
    ['Astra', 'C', 'S:'],
    '[A-Za-z]{10,}:[a-f0-9]{50,}',
    'AstraCS:abcdefghijKLMNO:{h64}',
    'AstraCS:',
  ),
  issued('ClickHouse Cloud', ['', '4', 'b1d'], `${hasDigit(ALNUM)}${ALNUM}{38}${END}`, '4b1d{38}', '4b1d'),
  issued(
    'Dynatrace',
    ['dt0[a-z]\\d\\d', '.'],
    '[A-Z0-9]{24}\\.[A-Z0-9]{60,}',
    'dt0c01.{A24}.{A64}',
    'dt0c01.x',
  ),
  // watching, feature flags, analytics
  issued('Grafana', ['gl(?:sa|c)', '_'], '[A-Za-z0-9+/=_]{30,}', 'glsa_{32}_{h8}', 'glsa_'),
  issued('New Relic', ['NR(?:AK|II|JS|RA|AA)', '-'], '[A-Za-z0-9]{19,}', 'NRAK-{A27}', 'NRAK-'),
  issued('PostHog', ['ph[csxr]', '_'], `${hasDigit(ALNUM)}${ALNUM}{30,}`, 'phx_{43}', 'phc_x'),
  issued(
    'LaunchDarkly',
    ['(?:sdk|mob|api)', '-'],
    '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}',
    'sdk-{u}',
    'sdk-1234',
  ),
  issued(
    'Harness',
    ['(?:pat|sat)', '.'],
    `${KEY}{22}\\.[0-9a-f]{24}\\.${ALNUM}{20}`,
    'pat.{22}.{h24}.{20}',
    'pat.x',
  ),
  // mail, messages, notes
  issued('Slack', ['(?:xox[abceoprs]|xapp)', '-'], '[A-Za-z0-9-]{10,}', 'xoxb-{d12}-{24}', 'xoxb-x'),
  issued('Slack configuration', ['xoxe', '.'], '[A-Za-z0-9.-]{20,}', 'xoxe.xoxp-1-{60}', 'xoxe.'),
  issued('SendGrid', ['SG', '.'], `${KEY}{16,64}\\.${KEY}{16,}`, 'SG.{22}.{43}', 'SG.x'),
  issued('Mailgun', ['(?:key|pubkey)', '-'], `[a-f0-9]{32}${END}`, 'key-{h32}', 'key-value-store'),
  issued('Mailchimp', ['[0-9a-f]{32}', '-', 'us'], `\\d{1,2}${END}`, '{h32}-us14', 'x-us14'),
  issued('Brevo', ['x(?:keysib|smtpsib)', '-'], `${KEY}{40,}`, 'xkeysib-{h64}-{16}', 'xkeysib-'),
  issued(
    'Resend',
    ['re', '_'],
    `${hasDigit(ALNUM)}[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}`,
    're_{8}_{24}',
    're_match_groups',
  ),
  issued('Twilio', ['', 'S', 'K'], `[0-9a-f]{32}${END}`, 'SK{h32}', 'SK123'),
  {
    // In Telegram's addresses the token directly follows a word.
    name: 'Telegram',
    sign: sign('\\d{8,10}', ':', 'AA'),
    find: /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{33,}/g,
    example: 'https://api.telegram.org/bot{d10}:AA{33}/getMe',
    counterExample: '12345678:AA',
  },
  issued('Discord', [`[MNO]${KEY}{23,27}`, '.'], `${KEY}{6}\\.${KEY}{27,}`, 'M{23}.{6}.{38}', 'Mxx.G1.x'),
  issued('Twitch', ['oauth', ':'], `[a-z0-9]{30}${END}`, 'oauth:{h30}', 'oauth:authorize'),
  issued('Notion', ['ntn', '_'], `${ALNUM}{30,}`, 'ntn_{46}', 'ntn_x'),
  issued(
    'Notion, older',
    ['secret', '_'],
    `${hasDigit(ALNUM)}${ALNUM}{43}${END}`,
    'secret_{43}',
    'secret_key',
  ),
  issued('Linear', ['lin_(?:api|oauth)', '_'], `${ALNUM}{20,}`, 'lin_api_{40}', 'lin_api_x'),
  issued('Figma', ['fig[duo]', '_'], `${KEY}{20,}`, 'figd_{40}', 'figd_x'),
  issued('Frame.io', ['fio-u', '-'], `${KEY}{40,}`, 'fio-u-{64}', 'fio-u-x'),
  issued('Airtable', ['pat[A-Za-z0-9]{14}', '.'], `[a-f0-9]{64}`, 'pat{14}.{h64}', 'pattern.a'),
  issued('HubSpot', ['pat-[a-z]{2}\\d', '-'], '[0-9a-f-]{36}', 'pat-na1-{u}', 'pat-na1-'),
  issued('Contentful', ['CFPAT', '-'], `${KEY}{40,}`, 'CFPAT-{43}', 'CFPAT-'),
  issued('Dropbox', ['sl', '.'], `${hasDigit(KEY)}(?:u\\.)?${KEY}{60,}`, 'sl.{130}', 'sl.x'),
  issued('Apify', ['apify_api', '_'], `${ALNUM}{30,}`, 'apify_api_{36}', 'apify_api_x'),
  issued(
    '1Password',
    ['', 'A', '3-[A-Z0-9]{6}-'],
    '(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}',
    'A3-{A6}-{A11}-{A5}-{A5}-{A5}',
    'A3-paper',
  ),
  issued('1Password service account', ['ops', '_'], 'eyJ[A-Za-z0-9+/=]{60,}', 'ops_eyJ{250}', 'ops_eyes'),
  issued('age', ['AGE-SECRET-KEY', '-'], '1[A-Za-z0-9]{40,}', 'AGE-SECRET-KEY-1{A58}', 'AGE-SECRET-KEY-1'),
  issued('Adobe', ['p8e', '-'], `[A-Za-z0-9_-]{30,}`, 'p8e-{h32}', 'p8e-x'),
  // shops, payments, posts
  issued('Stripe', ['(?:sk|rk|pk)_(?:live|test|prod)', '_'], `${ALNUM}{10,}`, 'sk_live_{24}', 'sk_test_mode'),
  issued('Stripe webhook', ['whsec', '_'], `${hasDigit(BASE64)}${BASE64}{24,}`, 'whsec_{32}', 'whsec_x'),
  issued('Shopify', ['shp(?:at|ca|pa|ss)', '_'], '[a-fA-F0-9]{32}', 'shpat_{h32}', 'shpat_x'),
  issued('Square', ['sq0[a-z]{3}', '-'], `${KEY}{22,}`, 'sq0atp-{22}', 'sq0atp-x'),
  issued(
    'Facebook, Instagram, Square',
    ['E', 'A', 'A'],
    `${hasDigit(ALNUM)}${ALNUM}{58,}`,
    'EAAC{120}',
    'EAAC',
  ),
  issued('Firebase Messaging', ['AAAA[A-Za-z0-9_-]{7}', ':'], `${KEY}{140}`, 'AAAA{7}:{140}', 'AAAA:b'),
  issued(
    'X bearer',
    ['', 'A', 'A{20}'],
    `${hasDigit('[A-Za-z0-9%]')}[A-Za-z0-9%]{30,}`,
    'AAAAAAAAAAAAAAAAAAAAAA{60}',
    'AAAAAAAAAAAAAAAAAAAAAAAAAA',
  ),
  issued(
    'Flutterwave',
    ['FLWSECK(?:_TEST)?', '-'],
    '[A-Za-z0-9]{12,}(?:-X)?',
    'FLWSECK_TEST-{h32}-X',
    'FLWSECK-',
  ),
  issued('Razorpay', ['rzp_(?:live|test)', '_'], `${ALNUM}{14,}`, 'rzp_live_{14}', 'rzp_live_'),
  {
    ...issued(
      'Shippo, Duffel, Lob, EasyPost and others with live and test keys',
      ['(?:live|test)', '_'],
      `(?:pub_)?(?=[A-Za-z_]{0,60}[0-9])[A-Za-z0-9_-]{31,}`,
      'shippo_live_{h40}',
      'test_that_everything_still_works',
    ),
    accepts: (value) => !/^(?:live|test)_[a-z]+(?:_[a-z0-9]{1,12}){3,}$/.test(value),
  },
  issued('EasyPost', ['E', 'Z', '[AT]K'], `${ALNUM}{50,}`, 'EZAK{54}', 'EZAK'),
  issued(
    'PayPal and Braintree',
    ['access_token', '$', '(?:production|sandbox)\\$'],
    '[a-z0-9]{16}\\$[a-f0-9]{32}',
    'access_token$production${h16}${h32}',
    'access_token$x',
  ),
  issued('Amazon MWS', ['amzn', '.', 'mws\\.'], '[0-9a-f-]{36}', 'amzn.mws.{u}', 'amzn.mws.'),
  issued(
    'Mercado Pago',
    ['APP_USR', '-'],
    `${hasDigit(KEY)}${KEY}{40,}`,
    'APP_USR-{d16}-{d6}-{h32}-{d9}',
    'APP_USR-',
  ),
  issued('42', ['s-s4t2(?:ud|af)', '-'], '[a-f0-9]{60,}', 's-s4t2ud-{h64}', 's-s4t2ud-'),
  issued(
    'Authress',
    ['(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}', '.'],
    '[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}',
    'sc_{h10}.{h4}.acc-{h12}.{64}',
    'sc_field.acc',
  ),
  issued('Defined Networking', ['dnkey', '-'], `${KEY}{40,}`, 'dnkey-{26}-{52}', 'dnkey-x'),
  // shapes of standards
  issued(
    'JSON web token',
    ['ey', 'J'],
    `${KEY}{8,600}\\.${KEY}{8,}(?:\\.${KEY}*)*`,
    'eyJ{30}.{60}.{43}',
    'eyJ.x',
  ),
  issued(
    'Base64 of a JSON key (Grafana, older)',
    ['ey', 'J', 'rIjoi'],
    `${BASE64}{60,}={0,2}`,
    'eyJrIjoi{80}',
    'eyJrIjoi',
  ),
  issued(
    'Base64 of a private key',
    ['', 'L', 'S0tLS1CRUdJTi'],
    `(?:BSU0Eg|BQUklWQVRF|BFQyBQ|BPUEVOU1NI|BFTkNSWVBU|BEU0Eg|BQR1AgUFJJ)[A-Za-z0-9+/=]{20,}`,
    'LS0tLS1CRUdJTiBSU0Eg{200}',
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t',
  ),
  issued('extended private key of a wallet', ['[xyzt]', 'p', 'rv'], `${ALNUM}{100,}`, 'xprv{107}', 'xprv'),
  {
    name: 'password in a URL',
    sign: sign(':\\/', '/'),
    find: new RegExp(
      `(:\\/\\/(?:${REDACTED_SOURCE}|[^\\s/:@"'<>\\\\[]{0,200}):)${NEW}[^\\s/@"'<>\\\\]{1,200}(?=@)`,
      'g',
    ),
    example: 'postgres://app:{24}@db.local:5432/shop',
    counterExample: 'postgres://${USER}:${PASSWORD}@db.local/shop',
  },
  {
    name: 'token in a URL',
    sign: sign(':\\/', '/'),
    find: new RegExp(`(:\\/\\/)${NEW}[A-Za-z0-9_-]{12,200}(?=@[A-Za-z0-9])`, 'g'),
    accepts: (value) =>
      /\d/.test(value) &&
      /[a-z]/.test(value) &&
      (/[A-Z]/.test(value) || value.length >= 20) &&
      new Set(value).size >= 8,
    example: 'https://{20}@git.example/a.git',
    counterExample: 'ssh://git@git.example/a.git, https://deploy-user-2026@git.example/a.git',
  },
  {
    name: 'password in an encoded URL',
    sign: sign('%3[Aa]%2[Ff]', '%', '2[Ff]'),
    find: new RegExp(
      `(%3A%2F%2F(?:(?!%40)[^\\s/:@"'<>\\\\&]){0,200}?%3A)${NEW}(?:(?!%40|%2F|%3A)[^\\s/@"'<>\\\\&]){4,200}(?=%40)`,
      'gi',
    ),
    example: 'next=postgres%3A%2F%2Fapp%3A{24}%40db.local',
    counterExample: 'next=https%3A%2F%2Fa.example%3A8080%2Fb',
  },
  {
    name: 'address of a webhook',
    sign: sign(
      '(?:com\\/services|com\\/triggers|com\\/workflows|api\\/webhooks|com\\/webhookb2|com\\/hooks\\/catch)',
      '/',
    ),
    find: /((?:hooks\.slack\.com\/(?:services|triggers|workflows)|discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com\/webhookb2|hooks\.zapier\.com\/hooks\/catch)\/)[A-Za-z0-9/_@-]{16,}/g,
    accepts: (value) => !/X{8,}|0{8,}/.test(value),
    example: 'https://hooks.slack.com/services/T{A8}/B{A10}/{24}',
    counterExample: 'https://hooks.slack.com/services/<your hook>',
  },
  {
    name: 'signature of a shared address',
    sign: sign(
      '(?:[?&;]|%26|u0026)(?:sig|Signature|X-Amz-Signature|X-Goog-Signature|X-Amz-Security-Token|hmac)',
      '=',
    ),
    find: /((?:[?&;]|%26|u0026)(?:sig|Signature|X-Amz-Signature|X-Goog-Signature|X-Amz-Security-Token|hmac)=)(?!\[REDACTED:[a-z0-9-]{1,80}(?::\d{1,9})?\])[A-Za-z0-9%+/=_-]{20,}/g,
    example: 'https://a.blob.core.windows.net/c/f?sv=2024&sig={43}%3D',
    counterExample: 'https://a.example/c?sig=short',
  },
  {
    name: 'hash of a password',
    sign: sign(
      '',
      '$',
      '(?:2[abxy]|[1567y]|apr1|argon2(?:id|i|d)|scrypt|pbkdf2[a-z0-9-]*|sha1|P|H)\\$|(?<=pbkdf2_sha(?:1|256|512)\\$|scrypt:\\d{1,9}:\\d{1,3}:\\d{1,3}\\$|pbkdf2:sha(?:1|256|512):\\d{1,9}\\$)\\w',
    ),
    find: /\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{50,60}|(?:[1567y]|apr1)\$[./A-Za-z0-9=,$]{1,120}\$[./A-Za-z0-9]{20,120}|argon2(?:id|i|d)\$[A-Za-z0-9=,$+/]{20,300}|(?:scrypt|pbkdf2[a-z0-9-]{0,20}|sha1)\$[A-Za-z0-9=,$+/.]{20,300}|[PH]\$[./A-Za-z0-9]{31})|(?<=pbkdf2_sha(?:1|256|512))\$\d{1,9}\$[A-Za-z0-9]{1,64}\$[A-Za-z0-9+/=]{20,120}|(?<=scrypt:\d{1,9}:\d{1,3}:\d{1,3}|pbkdf2:sha(?:1|256|512):\d{1,9})\$[A-Za-z0-9]{1,64}\$[a-f0-9]{40,256}/g,
    example: '$2b$12${53}',
    counterExample: '$2 and $5 make $7',
  },
  {
    name: 'token with a prefix of its own',
    kind: PREFIXED,
    sign: sign('[a-z0-9]', '_', `(?=[A-Za-z]{0,60}\\d)${ALNUM}{36}`),
    find: new RegExp(
      `(?<![A-Za-z0-9_./-])[a-z][a-z0-9]{1,9}(?:_[a-z0-9]{1,8}){0,2}_${ALNUM}{36,200}${END}`,
      'g',
    ),
    // What names a thing is mostly of one case, and its prefix says what it is; whose prefix is known has a row of its own.
    accepts: (value) =>
      isRandom(value) &&
      !NAMES_OF_THINGS.test(value) &&
      /_(?=[^_]*[a-z])(?=[^_]*[A-Z])[^_]*$/.test(value) &&
      !ISSUED_KEYS.some(
        ({ find, kind }) => kind !== PREFIXED && find instanceof RegExp && value.replace(find, '') !== value,
      ),
    example: 'abcd_{40}',
    counterExample: 'toolu_{40}',
  },
];
