// The decorators of the ASN.1 library need this metadata registry, so it is imported first.
import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  PemConverter,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE_ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' } as const;
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const PRIVATE_KEY_LABEL = 'PRIVATE KEY';

/** A CA as PEM text: its certificate and its PKCS#8 key. */
export interface CertificateAuthority {
  readonly certPem: string;
  readonly keyPem: string;
}

/** A leaf certificate with its PKCS#8 key. */
export type IssuedCertificate = CertificateAuthority;

/** Period of validity; a number is milliseconds since the epoch. Certificates store whole seconds. */
export interface Validity {
  readonly notBefore: Date | number;
  readonly notAfter: Date | number;
}

/** Purpose of a certificate: TLS server or TLS client. */
export type CertificateUsage = 'server' | 'client';

interface Subject {
  readonly commonName: string;
  readonly organization?: string | readonly string[];
}

export interface AlternativeNames {
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** Kubernetes never signs email addresses or URIs for a node: only invalid requests contain them. */
  readonly emailAddresses?: readonly string[];
  readonly uris?: readonly string[];
}

/** Contents of a certificate request that matter to a signer. */
export interface RequestContents {
  readonly commonNames: readonly string[];
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** Whether the request is signed with the key that it contains. */
  readonly isSelfSigned: boolean;
}

/** Creates a self-signed CA with a new ECDSA P-256 key. */
export async function createAuthority(commonName: string, validity: Validity): Promise<CertificateAuthority> {
  const keys = await createKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: createSerial(),
    name: createSubjectName({ commonName }),
    keys,
    signingAlgorithm: SIGNATURE_ALGORITHM,
    ...toDates(validity),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certPem: ensureNewline(certificate.toString('pem')), keyPem: await exportKey(keys.privateKey) };
}

/** Creates a key and a certificate for it, signed by `authority`. */
export async function issueCertificate(
  authority: CertificateAuthority,
  options: Subject & AlternativeNames & Validity & { readonly usage: CertificateUsage },
): Promise<IssuedCertificate> {
  const keys = await createKeys();
  const subject = createSubjectName(options);
  const certPem = await signCertificate(authority, keys.publicKey, subject, createNameExtension(options), options);
  return { certPem, keyPem: await exportKey(keys.privateKey) };
}

/**
 * Creates a PKCS#10 request, signed with its own key.
 * @param options `key`: a PKCS#8 PEM of an ECDSA P-256 key to use instead of a new one
 */
export async function createRequest(
  options: Subject & AlternativeNames & { readonly key?: string },
): Promise<{ requestPem: string; keyPem: string }> {
  const keys = options.key === undefined ? await createKeys() : await importKeys(options.key);
  const nameExtension = createNameExtension(options);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: createSubjectName(options),
    keys,
    signingAlgorithm: SIGNATURE_ALGORITHM,
    extensions: nameExtension ? [nameExtension] : [],
  });
  return { requestPem: ensureNewline(request.toString('pem')), keyPem: await exportKey(keys.privateKey) };
}

/**
 * Creates a certificate with the subject, alternative names and key of a request, signed by `authority`. Nothing is
 * checked.
 * @throws when `requestPem` is not a PKCS#10 request
 */
export async function signRequest(
  authority: CertificateAuthority,
  requestPem: string,
  options: Validity & { readonly usage: CertificateUsage },
): Promise<string> {
  const request = new Pkcs10CertificateRequest(requestPem);
  const publicKey = await request.publicKey.export();
  const nameExtension = request.getExtension(SUBJECT_ALTERNATIVE_NAME);
  return signCertificate(authority, publicKey, request.subjectName, nameExtension, options);
}

/**
 * Parses a PKCS#10 request.
 * @throws when `requestPem` is not exactly one block `CERTIFICATE REQUEST` that can be parsed
 */
export async function parseRequest(requestPem: string): Promise<RequestContents> {
  const [block, ...extraBlocks] = PemConverter.decodeWithHeaders(requestPem);
  if (block?.type !== 'CERTIFICATE REQUEST' || extraBlocks.length > 0)
    throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const request = new Pkcs10CertificateRequest(block.rawData);
  const names = request
    .getExtensions(SUBJECT_ALTERNATIVE_NAME)
    .flatMap(({ rawData }) => new SubjectAlternativeNameExtension(rawData).names.toJSON());
  const listValues = (type: JsonGeneralName['type']) =>
    names.filter((name) => name.type === type).map(({ value }) => value);
  return {
    commonNames: request.subjectName.getField('CN'),
    organizations: request.subjectName.getField('O'),
    dnsNames: listValues('dns'),
    ipAddresses: listValues('ip'),
    emailAddresses: listValues('email'),
    uris: listValues('url'),
    isSelfSigned: await request.verify(),
  };
}

async function signCertificate(
  authority: CertificateAuthority,
  publicKey: webcrypto.CryptoKey,
  subject: Name,
  nameExtension: Extension | null,
  { usage, ...validity }: Validity & { readonly usage: CertificateUsage },
): Promise<string> {
  const issuer = new X509Certificate(authority.certPem);
  const { privateKey } = await importKeys(authority.keyPem);
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
    new ExtendedKeyUsageExtension([usage === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth]),
    await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    await SubjectKeyIdentifierExtension.create(publicKey),
  ];
  if (nameExtension) extensions.push(nameExtension);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: createSerial(),
    subject,
    issuer: issuer.subjectName,
    publicKey,
    signingKey: privateKey,
    signingAlgorithm: SIGNATURE_ALGORITHM,
    extensions,
    ...toDates(validity),
  });
  return ensureNewline(certificate.toString('pem'));
}

function createNameExtension(options: AlternativeNames): SubjectAlternativeNameExtension | null {
  const { dnsNames = [], ipAddresses = [], emailAddresses = [], uris = [] } = options;
  const names: JsonGeneralName[] = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
    ...emailAddresses.map((value) => ({ type: 'email' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
  ];
  return names.length > 0 ? new SubjectAlternativeNameExtension(names) : null;
}

function createSubjectName({ commonName, organization = [] }: Subject): Name {
  const organizations = typeof organization === 'string' ? [organization] : organization;
  // Typed values: the library parses a plain string that starts with # or a quote.
  return new Name([
    ...organizations.map((name) => ({ O: [{ utf8String: name }] })),
    { CN: [{ utf8String: commonName }] },
  ]);
}

function toDates({ notBefore, notAfter }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
}

/** Creates a serial number with 126 random bits: positive and, in practice, unique. */
function createSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return ensureNewline(PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), PRIVATE_KEY_LABEL));
}

async function importKeys(keyPem: string): Promise<webcrypto.CryptoKeyPair> {
  const jwk = createPrivateKey(keyPem).export({ format: 'jwk' });
  const { d: _private, ...publicJwk } = jwk;
  return {
    privateKey: await webcrypto.subtle.importKey('jwk', jwk, KEY_ALGORITHM, true, ['sign']),
    publicKey: await webcrypto.subtle.importKey('jwk', publicJwk, KEY_ALGORITHM, true, ['verify']),
  };
}

/** Appends the newline with which a PEM file ends, if it is missing. */
function ensureNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
