import { X509Certificate } from 'node:crypto';
import { catalogue } from '../i18n/catalogue.ts';
import type { Design, Problem } from './model.ts';
import { isObjectOrList } from './paths.ts';
import { isOkd } from './versions.ts';

/** The rules about the files that a design names, with their severity. */
export const CREDENTIAL_RULES = {
  'pull-secret': 'error',
  'pull-secret-missing': 'warning',
  'pull-secret-release': 'error',
  'pull-secret-registry': 'warning',
  'ssh-key': 'error',
  'ssh-key-missing': 'warning',
  'ssh-key-private': 'error',
  'ssh-key-fips': 'error',
  'ssh-key-weak': 'warning',
  'trust-bundle': 'error',
  'trust-bundle-missing': 'warning',
  'fencing-missing': 'warning',
  'fencing-mode': 'error',
  'fencing-file': 'error',
  'fencing-nodes': 'error',
  'fencing-address': 'error',
  'fencing-password': 'warning',
  'fencing-unverified': 'warning',
  'credential-unreadable': 'error',
} as const satisfies Readonly<Record<string, Problem['severity']>>;
export type CredentialRule = keyof typeof CREDENTIAL_RULES;

const words = () => catalogue().design.credentials;

/** The parts of the design that `checkCredentials` reads. */
export type CredentialRequirements = Pick<
  Design,
  'openshift' | 'credentials' | 'fips' | 'imageDigestSources' | 'additionalTrustBundleFile'
>;

/**
 * The pull secret of a cluster that pulls from public registries only: openshift-install asks for one, and OKD needs
 * none (openshift-docs modules/installation-obtaining-installer.adoc; okd-project/okd README).
 */
export const PLACEHOLDER_PULL_SECRET = '{"auths":{"fake":{"auth":"aWQ6cGFzcwo="}}}';

/** Whether the installation needs a file with a pull secret: OKD needs only the one that the design names. */
export const needsPullSecret = ({ openshift, credentials }: Pick<Design, 'openshift' | 'credentials'>) =>
  !isOkd(openshift.version) || credentials.pullSecretFile !== null;

/** The contents of the credential files; null for a file that is missing or not named. */
export interface CredentialTexts {
  readonly pullSecret: string | null;
  readonly sshKey: string | null;
  readonly trustBundle: string | null;
  readonly fencing: string | null;
}

/** No credential file at all, for generated files that need none. */
export const NO_CREDENTIALS: CredentialTexts = { pullSecret: null, sshKey: null, trustBundle: null, fencing: null };

const PULL_SECRET_PATH = 'credentials.pullSecretFile';
const SSH_KEY_PATH = 'credentials.sshKeyFile';
const TRUST_BUNDLE_PATH = 'additionalTrustBundleFile';
// The registry of the release, and those that operators pull from: openshift/assisted-service, pull-secret
// validation.
const RELEASE_REGISTRY = 'quay.io';
const OPERATOR_REGISTRIES = ['cloud.openshift.com', 'registry.redhat.io', 'registry.connect.redhat.com'];
/** The header of a PEM or PuTTY private key. */
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----|^PuTTY-User-Key-File/m;

/**
 * Checks the contents of the credential files. `CREDENTIAL_RULES` has the severities. Problems repeat none of the
 * contents. Their line is 0: the caller knows where the design names the file.
 */
export function checkCredentials(texts: Omit<CredentialTexts, 'fencing'>, design: CredentialRequirements): Problem[] {
  return [
    ...(texts.pullSecret === null ? checkMissingPullSecret(design) : checkPullSecret(texts.pullSecret, design)),
    ...(texts.sshKey === null
      ? [
          createCredentialProblem(
            SSH_KEY_PATH,
            'ssh-key-missing',
            words().missingSshKey,
            words().fixSshKey(design.fips),
          ),
        ]
      : checkSshKeys(texts.sshKey, design)),
    ...checkTrustBundle(texts.trustBundle, design),
  ];
}

/** Creates the problem of a credential file that exists and cannot be read. */
export function createUnreadableFileProblem(path: string, reason: string): Problem {
  return createCredentialProblem(path, 'credential-unreadable', words().unreadable(reason), words().fixUnreadable);
}

function checkMissingPullSecret(design: CredentialRequirements): Problem[] {
  if (!needsPullSecret(design)) return checkRegistries(new Set(), design);
  const fix = isOkd(design.openshift.version) ? words().fixPullSecretOkd : words().fixPullSecret;
  return [createCredentialProblem(PULL_SECRET_PATH, 'pull-secret-missing', words().missingPullSecret, fix)];
}

/**
 * Checks a pull secret. Source: openshift/installer pkg/validate/validate.go, ImagePullSecret. The installer does not
 * check the contents of `auth`; this function does.
 */
function checkPullSecret(text: string, design: CredentialRequirements): Problem[] {
  const fix = isOkd(design.openshift.version) ? words().fixPullSecretOkd : words().fixPullSecretAgain;
  const reject = (message: string) => [createCredentialProblem(PULL_SECRET_PATH, 'pull-secret', message, fix)];
  if (PRIVATE_KEY.test(text)) return reject(words().privateKey);
  const secret = parseJson(text);
  if (secret === undefined) return reject(words().pullSecretJson);
  const auths =
    isObjectOrList(secret) && isObjectOrList(secret.auths) && !Array.isArray(secret.auths) ? secret.auths : {};
  const entries = Object.entries(auths);
  if (entries.length === 0) return reject(words().pullSecretAuths);
  const invalidIndex = entries.findIndex(([, entry]) => !hasLogin(entry));
  if (invalidIndex >= 0) return reject(words().pullSecretEntry(invalidIndex + 1));
  const registriesWithLogin = new Set(entries.map(([name]) => name.replace(/^https?:\/\//, '').split('/')[0] ?? ''));
  return checkRegistries(registriesWithLogin, design);
}

/**
 * Checks for which registries there is a login. With mirrors, a missing login for their hosts is only a warning (as in
 * openshift/installer since 4.22): a mirror may allow anonymous pulls. Without mirrors, the release registry is
 * required, and the others for operators and telemetry. OKD pulls without a login.
 */
function checkRegistries(
  registriesWithLogin: ReadonlySet<string>,
  { imageDigestSources, openshift }: CredentialRequirements,
): Problem[] {
  if (imageDigestSources.length === 0 && isOkd(openshift.version)) return [];
  const warn = (message: string) =>
    createCredentialProblem(PULL_SECRET_PATH, 'pull-secret-registry', message, words().fixPullSecretRegistry);
  const mirrors = imageDigestSources.flatMap((source) => source.mirrors.map((mirror) => mirror.split('/')[0] ?? ''));
  // Skips mirrors without a host: another rule refuses them.
  const requiredRegistries =
    mirrors.length > 0 ? [...new Set(mirrors)].filter((name) => name !== '') : OPERATOR_REGISTRIES;
  const missingRegistries = requiredRegistries.filter((name) => !registriesWithLogin.has(name));
  const warnings = missingRegistries.length > 0 ? [warn(words().pullSecretRegistry(missingRegistries.join(', ')))] : [];
  if (mirrors.length > 0 || registriesWithLogin.has(RELEASE_REGISTRY)) return warnings;
  const message = words().pullSecretRelease(RELEASE_REGISTRY);
  return [
    createCredentialProblem(PULL_SECRET_PATH, 'pull-secret-release', message, words().fixPullSecretAgain),
    ...warnings,
  ];
}

function hasLogin(entry: unknown): boolean {
  if (!isObjectOrList(entry)) return false;
  if (typeof entry.credsStore === 'string' && entry.credsStore !== '') return true;
  const { auth } = entry;
  if (typeof auth !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(auth)) return false;
  return Buffer.from(auth, 'base64').toString('latin1').includes(':');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    // The parser's message quotes the text, so it is not passed on.
    return undefined;
  }
}

/** Checks SSH keys (openshift/installer pkg/validate/validate.go, SSHPublicKey; FIPS from 4.9). */
function checkSshKeys(text: string, design: CredentialRequirements): Problem[] {
  if (PRIVATE_KEY.test(text))
    return [createCredentialProblem(SSH_KEY_PATH, 'ssh-key-private', words().privateKey, words().fixPrivateKey)];
  const keys: SshKey[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    // The installer skips these lines as well.
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const key = parseSshKey(line.trim());
    if (key === null)
      return [createCredentialProblem(SSH_KEY_PATH, 'ssh-key', words().sshKey(index + 1), words().fixSshKeyAgain)];
    keys.push(key);
  }
  const [firstKey] = keys;
  if (firstKey === undefined)
    return [createCredentialProblem(SSH_KEY_PATH, 'ssh-key', words().sshKeyEmpty, words().fixSshKeyAgain)];
  if (design.fips && !FIPS_KEY_TYPE.test(firstKey.type))
    return [
      createCredentialProblem(SSH_KEY_PATH, 'ssh-key-fips', words().sshKeyFips(firstKey.type), words().fixSshKeyFips),
    ];
  const weakKey = keys.find(isWeakKey);
  return weakKey
    ? [createCredentialProblem(SSH_KEY_PATH, 'ssh-key-weak', words().sshKeyWeak(weakKey.type), words().fixSshKeyWeak)]
    : [];
}

const FIPS_KEY_TYPE = /^(?:ecdsa-sha2-nistp\d{3}|ssh-rsa)$/;

interface SshKey {
  readonly type: string;
  /** The components of the key, without its type. */
  readonly parts: readonly Buffer[];
}

/**
 * Whether the SSH server of RHCOS refuses a key: DSA, or RSA of fewer than 2048 bits (RHEL 9 crypto-policies:
 * RequiredRSASize).
 */
function isWeakKey({ type, parts: [, modulus] }: SshKey): boolean {
  // A modulus of 2048 bits has 257 octets: a leading zero keeps the number positive.
  return type === 'ssh-dss' || (type === 'ssh-rsa' && modulus !== undefined && modulus.length < 2048 / 8);
}

/** The number of components after the type name (RFC 4253 section 6.6, RFC 5656, RFC 8709, OpenSSH PROTOCOL.u2f). */
const KEY_PART_COUNTS: Readonly<Record<string, number>> = {
  'ssh-rsa': 2,
  'ssh-dss': 4,
  'ssh-ed25519': 1,
  'ecdsa-sha2-nistp256': 2,
  'ecdsa-sha2-nistp384': 2,
  'ecdsa-sha2-nistp521': 2,
  'sk-ssh-ed25519@openssh.com': 2,
  'sk-ecdsa-sha2-nistp256@openssh.com': 3,
};

/** Parses a public key line; null if it is not a key. The type inside the key has to match, and no bytes may remain. */
function parseSshKey(line: string): SshKey | null {
  const match = /^([a-z0-9@.-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t][^\u0000-\u001f\u007f-\u009f]*)?$/.exec(line);
  const [, type = '', encoded = ''] = match ?? [];
  const expectedPartCount = Object.hasOwn(KEY_PART_COUNTS, type) ? KEY_PART_COUNTS[type] : undefined;
  const [name, ...parts] = splitSshParts(Buffer.from(encoded, 'base64')) ?? [];
  if (expectedPartCount === undefined || parts.length !== expectedPartCount || name?.toString('latin1') !== type)
    return null;
  return type === 'ssh-ed25519' && parts[0]?.length !== 32 ? null : { type, parts };
}

/** Splits a buffer into its length-prefixed parts; null if they do not fill it exactly. */
function splitSshParts(buffer: Buffer): Buffer[] | null {
  const parts: Buffer[] = [];
  let offset = 0;
  while (offset < buffer.length) {
    if (offset + 4 > buffer.length) return null;
    const end = offset + 4 + buffer.readUInt32BE(offset);
    if (end > buffer.length) return null;
    parts.push(buffer.subarray(offset + 4, end));
    offset = end;
  }
  return parts;
}

const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/**
 * Checks a trust bundle: every block is a certificate, and nothing follows the last one. Source: openshift/installer
 * pkg/validate/validate.go, CABundle.
 */
function checkTrustBundle(text: string | null, design: CredentialRequirements): Problem[] {
  if (text === null) {
    const isNamed = design.additionalTrustBundleFile !== null;
    return isNamed
      ? [createCredentialProblem(TRUST_BUNDLE_PATH, 'trust-bundle-missing', words().missingBundle, words().fixBundle)]
      : [];
  }
  const reject = (message: string) => [
    createCredentialProblem(TRUST_BUNDLE_PATH, 'trust-bundle', message, words().fixBundleAgain),
  ];
  if (PRIVATE_KEY.test(text))
    return [createCredentialProblem(TRUST_BUNDLE_PATH, 'trust-bundle', words().privateKey, words().fixBundleAgain)];
  const blocks = text.match(PEM_BLOCK) ?? [];
  const trailingText = text.slice(text.lastIndexOf('-----') + 5);
  if (blocks.length === 0 || trailingText.trim() !== '') return reject(words().bundleNotPem);
  const invalidIndex = blocks.findIndex((block) => !isCertificate(block));
  return invalidIndex < 0 ? [] : reject(words().bundleCertificate(invalidIndex + 1));
}

function isCertificate(block: string): boolean {
  try {
    return block.startsWith('-----BEGIN CERTIFICATE-----') && new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

/**
 * Creates a problem of a file that the design names at a path. Its line is 0: the caller knows where in the design that
 * path is.
 */
export function createCredentialProblem(path: string, rule: CredentialRule, message: string, fix: string): Problem {
  return { path, severity: CREDENTIAL_RULES[rule], rule, message, fix, line: 0, column: 0 };
}

/** The kind of credential in a pasted text, which belongs in a separate file, not in an answer. */
type PastedSecret = 'pull-secret' | 'ssh-key' | 'private-key';

/** Matches the start of a pull secret, even when its end is cut off. */
const PULL_SECRET_START = /^[\s\ufeff]*\{\s*"auths?"\s*:/;
const SSH_PUBLIC_KEY = /^\s*(?:ssh-[a-z0-9]+|ecdsa-sha2-nistp\d{3}|sk-[a-z0-9@.-]+)\s+AAAA[A-Za-z0-9+/]{8}/;

/** Detects a pasted pull secret or key; null for other text. Does not check that it is valid. */
export function detectPastedSecret(text: string): PastedSecret | null {
  if (PRIVATE_KEY.test(text)) return 'private-key';
  if (PULL_SECRET_START.test(text)) return 'pull-secret';
  return SSH_PUBLIC_KEY.test(text) ? 'ssh-key' : null;
}

/** Rejoins a pull secret that a terminal broke into lines. Valid JSON is returned unchanged. */
export function joinPullSecretLines(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return text.replace(/\s*\n\s*/g, '');
  }
}
