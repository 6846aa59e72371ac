import { X509Certificate } from 'node:crypto';
import { design as catalogue } from '../text/en/design.ts';
import type { Design, Problem } from './model.ts';
import { isRecord } from './paths.ts';

const words = catalogue.credentials;

/** What the credential files hold; null where a file is not there (or none is named). */
export interface CredentialTexts {
  readonly pullSecret: string | null;
  readonly sshKey: string | null;
  readonly trustBundle: string | null;
}

const PULL_SECRET = 'credentials.pullSecretFile';
const SSH_KEY = 'credentials.sshKeyFile';
const TRUST_BUNDLE = 'additionalTrustBundleFile';
// openshift/assisted-service: pull-secret validation.
const NEEDED_REGISTRIES = ['cloud.openshift.com', 'quay.io', 'registry.redhat.io', 'registry.connect.redhat.com'];

/**
 * Judges the texts of the credential files. A missing one is a warning, one that is there and wrong an error. Nothing of
 * what the files hold appears in a problem. Lines are 0: the caller knows where the files are named.
 */
export function credentialProblems(texts: CredentialTexts, design: Design): Problem[] {
  return [
    ...(texts.pullSecret === null
      ? [warning(PULL_SECRET, 'pull-secret-missing', words.missingPullSecret, words.fixPullSecret)]
      : pullSecretProblems(texts.pullSecret, design)),
    ...(texts.sshKey === null
      ? [warning(SSH_KEY, 'ssh-key-missing', words.missingSshKey, words.fixSshKey)]
      : sshKeyProblems(texts.sshKey, design)),
    ...bundleProblems(texts.trustBundle, design),
  ];
}

/** The problem of a credential file that is there and cannot be read. */
export function unreadableCredential(path: string, reason: string): Problem {
  return error(path, 'credential-unreadable', words.unreadable(reason), words.fixUnreadable);
}

/** Source: openshift/installer pkg/validate/validate.go, ImagePullSecret; the contents of `auth` are checked here only. */
function pullSecretProblems(text: string, design: Design): Problem[] {
  const wrong = (message: string) => [error(PULL_SECRET, 'pull-secret', message, words.fixPullSecretAgain)];
  const secret = parsedJson(text);
  if (secret === undefined) return wrong(words.pullSecretJson);
  const auths = isRecord(secret) && isRecord(secret.auths) && !Array.isArray(secret.auths) ? secret.auths : {};
  const entries = Object.entries(auths);
  if (entries.length === 0) return wrong(words.pullSecretAuths);
  const bad = entries.findIndex(([, entry]) => !isAuth(entry));
  if (bad >= 0) return wrong(words.pullSecretEntry(bad + 1));
  const missing = wantedRegistries(design).filter((name) => !entries.some(([known]) => known.split('/')[0] === name));
  if (missing.length === 0) return [];
  const message = words.pullSecretRegistry(missing.join(', '));
  return [warning(PULL_SECRET, 'pull-secret-registry', message, words.fixPullSecretRegistry)];
}

/** With mirrors, their hosts (openshift/installer warns of these since 4.22); without, where the images come from. */
function wantedRegistries({ imageDigestSources }: Design): string[] {
  const mirrors = imageDigestSources.flatMap((source) => source.mirrors.map((mirror) => mirror.split('/')[0] ?? ''));
  return mirrors.length > 0 ? [...new Set(mirrors)] : NEEDED_REGISTRIES;
}

function isAuth(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  if (typeof entry.credsStore === 'string' && entry.credsStore !== '') return true;
  const { auth } = entry;
  if (typeof auth !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(auth)) return false;
  return Buffer.from(auth, 'base64').toString('latin1').includes(':');
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    // The parser's message quotes the text, so it is not passed on.
    return undefined;
  }
}

/** Source: openshift/installer pkg/validate/validate.go, SSHPublicKey; types with FIPS from 4.9. */
function sshKeyProblems(text: string, design: Design): Problem[] {
  if (/PRIVATE KEY/.test(text)) return [error(SSH_KEY, 'ssh-key-private', words.privateKey, words.fixPrivateKey)];
  const lines = text.split(/\r?\n/);
  const types: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const type = sshKeyType(line.trim());
    if (type === null) return [error(SSH_KEY, 'ssh-key', words.sshKey(index + 1), words.fixSshKeyAgain)];
    types.push(type);
  }
  const [first] = types;
  if (first === undefined) return [error(SSH_KEY, 'ssh-key', words.sshKeyEmpty, words.fixSshKeyAgain)];
  if (!design.fips || /^(?:ecdsa-sha2-nistp\d{3}|ssh-rsa)$/.test(first)) return [];
  return [error(SSH_KEY, 'ssh-key-fips', words.sshKeyFips(first), words.fixSshKeyFips)];
}

/** How many parts the key of each type has after its name (RFC 4253 section 6.6, RFC 5656, RFC 8709, OpenSSH PROTOCOL.u2f). */
const KEY_PARTS: Readonly<Record<string, number>> = {
  'ssh-rsa': 2,
  'ssh-dss': 4,
  'ssh-ed25519': 1,
  'ecdsa-sha2-nistp256': 2,
  'ecdsa-sha2-nistp384': 2,
  'ecdsa-sha2-nistp521': 2,
  'sk-ssh-ed25519@openssh.com': 2,
  'sk-ecdsa-sha2-nistp256@openssh.com': 3,
};

/** The type of a public key line, or null when it is none: the name inside the key has to agree, and nothing may be left over. */
function sshKeyType(line: string): string | null {
  const match = /^([a-z0-9@.-]+) +([A-Za-z0-9+/]+={0,2})(?: [^\u0000-\u001f\u007f-\u009f]*)?$/.exec(line);
  const [, type = '', encoded = ''] = match ?? [];
  const wanted = Object.hasOwn(KEY_PARTS, type) ? KEY_PARTS[type] : undefined;
  const parts = sshParts(Buffer.from(encoded, 'base64'));
  if (wanted === undefined || parts?.length !== wanted + 1 || parts[0]?.toString('latin1') !== type) return null;
  return type === 'ssh-ed25519' && parts[1]?.length !== 32 ? null : type;
}

/** Length-prefixed parts, or null when they do not fill the buffer exactly. */
function sshParts(buffer: Buffer): Buffer[] | null {
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

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Source: openshift/installer pkg/validate/validate.go, CABundle: every block a certificate, nothing after the last. */
function bundleProblems(text: string | null, design: Design): Problem[] {
  if (text === null) {
    const isNamed = design.additionalTrustBundleFile !== null;
    return isNamed ? [warning(TRUST_BUNDLE, 'trust-bundle-missing', words.missingBundle, words.fixBundle)] : [];
  }
  const wrong = (message: string) => [error(TRUST_BUNDLE, 'trust-bundle', message, words.fixBundleAgain)];
  if (/PRIVATE KEY/.test(text)) return [error(TRUST_BUNDLE, 'trust-bundle', words.privateKey, words.fixBundleAgain)];
  const blocks = text.match(BLOCK) ?? [];
  const rest = text.slice(text.lastIndexOf('-----') + 5);
  if (blocks.length === 0 || rest.trim() !== '') return wrong(words.bundleNotPem);
  const bad = blocks.findIndex((block) => !isCertificate(block));
  return bad < 0 ? [] : wrong(words.bundleCertificate(bad + 1));
}

function isCertificate(block: string): boolean {
  try {
    return block.startsWith('-----BEGIN CERTIFICATE-----') && new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

function warning(path: string, rule: string, message: string, fix: string): Problem {
  return { path, severity: 'warning', rule, message, fix, line: 0, column: 0 };
}

function error(path: string, rule: string, message: string, fix: string): Problem {
  return { ...warning(path, rule, message, fix), severity: 'error' };
}
