import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { CLIENT, DOMAIN, NOW, SERVING } from './csr-forge.ts';

// The approval policy, implemented once more over another parser of certificates: a list of what may be approved
// automatically. It shares nothing with src/cluster/csr.

/** The fields of a request that matter here. */
export interface RequestObject {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string };
  readonly spec: {
    readonly signerName: string;
    readonly username: string;
    readonly groups: readonly string[];
    readonly usages: readonly string[];
    readonly expirationSeconds?: unknown;
    readonly request: string;
  };
  readonly status: { readonly conditions?: readonly object[] };
}

/** The site: planned address by node name, and the nodes that are in the cluster. */
export interface PlannedSite {
  readonly planned: Readonly<Record<string, string>>;
  readonly present: readonly string[];
  readonly firstPowerOnAt: number;
}

export interface ApprovableRequest {
  readonly node: string;
  readonly kind: string;
  readonly key: string;
  readonly at: number;
}

const MINUTE = 60_000;
const BOOTSTRAP_GROUPS =
  'system:authenticated system:serviceaccounts system:serviceaccounts:openshift-machine-config-operator';

/** Returns the node of a request that, on its own, has no reason against automatic approval; otherwise null. */
export async function findApprovable(request: RequestObject, site: PlannedSite): Promise<ApprovableRequest | null> {
  const { spec, metadata, status } = request;
  if ((status.conditions ?? []).length > 0) return null;
  const csr = await readValidRequest(spec.request);
  if (csr === null) return null;
  const node = Object.keys(site.planned).find(
    (name) => csr.subject === `O=system:nodes, CN=system:node:${name}.${DOMAIN}`,
  );
  if (node === undefined) return null;
  const at = Date.parse(metadata.creationTimestamp);
  const isTimely =
    at >= site.firstPowerOnAt - 10 * MINUTE - 1000 && at <= NOW + 5 * MINUTE && at >= NOW - 1440 * MINUTE;
  const { expirationSeconds: seconds } = spec;
  const isUsual = seconds === undefined || (typeof seconds === 'number' && seconds >= 600 && seconds <= 2_592_000);
  if (!isTimely || !isUsual || !hasUsages(spec.usages, spec.signerName)) return null;
  const groups = [...new Set(spec.groups)].sort().join(' ');
  const names = listNames(csr);
  const isPresent = site.present.includes(node);
  const key = Buffer.from(csr.publicKey.rawData).toString('hex');
  if (spec.signerName === CLIENT) {
    const isBootstrapper =
      spec.username === 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
    const isAllowed = isBootstrapper && groups === BOOTSTRAP_GROUPS && names === null && !isPresent;
    return isAllowed ? { node, kind: CLIENT, key, at } : null;
  }
  if (spec.signerName !== SERVING || names === null || !isPresent) return null;
  const isFromNode =
    spec.username === `system:node:${node}.${DOMAIN}` && groups === 'system:authenticated system:nodes';
  const ownNames = [`ip:${site.planned[node]}`, `dns:${node}.${DOMAIN}`, `dns:${node}`];
  const areNamesOwn = names.every((name) => ownNames.includes(name)) && names.includes(`ip:${site.planned[node]}`);
  return isFromNode && areNamesOwn ? { node, kind: SERVING, key, at } : null;
}

// Many mutated requests differ only in their fields: their content is parsed once.
const parsedRequests = new Map<string, Promise<x509.Pkcs10CertificateRequest | null>>();

function readValidRequest(base64: string): Promise<x509.Pkcs10CertificateRequest | null> {
  const known = parsedRequests.get(base64);
  if (known) return known;
  if (parsedRequests.size > 2000) parsedRequests.clear();
  const csr = parseRequest(base64);
  const result = csr === null ? Promise.resolve(null) : isValidCsr(csr).then((isValid) => (isValid ? csr : null));
  parsedRequests.set(base64, result);
  return result;
}

function parseRequest(base64: string): x509.Pkcs10CertificateRequest | null {
  try {
    const pem = Buffer.from(base64, 'base64').toString('latin1');
    const csr = new x509.Pkcs10CertificateRequest(pem);
    const encoded = `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(csr.rawData).toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE REQUEST-----`;
    return encoded === pem.trimEnd() ? csr : null;
  } catch {
    return null;
  }
}

async function isValidCsr(csr: x509.Pkcs10CertificateRequest): Promise<boolean> {
  try {
    const {
      name,
      namedCurve = '',
      modulusLength = 0,
    } = csr.publicKey.algorithm as {
      readonly name: string;
      readonly namedCurve?: string;
      readonly modulusLength?: number;
    };
    const isStrong =
      ['P-256', 'P-384', 'P-521'].includes(namedCurve) ||
      name === 'Ed25519' ||
      (/^RSA/.test(name) && modulusLength >= 2048);
    const attributes = csr.attributes.length;
    const isPlain = attributes === 0 || (attributes === 1 && csr.extensions.length === 1 && listNames(csr) !== null);
    return isStrong && isPlain && (await csr.verify());
  } catch {
    return false;
  }
}

function hasUsages(usages: readonly string[], signer: string): boolean {
  const auth = signer === CLIENT ? 'client auth' : 'server auth';
  const [one, two, ...rest] = usages.filter((usage) => usage !== 'key encipherment').sort();
  const isOnce = usages.length <= (usages.includes('key encipherment') ? 3 : 2);
  return [one, two].sort().join() === ['digital signature', auth].sort().join() && rest.length === 0 && isOnce;
}

function listNames(csr: x509.Pkcs10CertificateRequest): string[] | null {
  const extension = csr.extensions.find(({ type }) => type === '2.5.29.17');
  if (!extension) return null;
  return new x509.SubjectAlternativeNameExtension(extension.rawData).names.items.map(
    ({ type, value }) => `${type}:${type === 'dns' ? value.toLowerCase() : value}`,
  );
}
