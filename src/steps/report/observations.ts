import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseImageSources, parseStreamName } from '../../artifacts/boot/images.ts';
import { APPROVAL_REASON } from '../../csr/approve.ts';
import { explainReasons } from '../../csr/node-membership.ts';
import { isUndecided } from '../../csr/verdict.ts';
import { getApiName, getNodeFqdn } from '../../design/derived-facts.ts';
import { getVersionProfile } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { listStorageClasses } from '../../infra/shared/storage-classes.ts';
import { inspectInstallDir } from '../../installer/install-dir.ts';
import { readImageStream } from '../../installer/openshift-install.ts';
import type { Cluster } from '../../kube/api.ts';
import { getInitialInstallation } from '../../kube/cluster-version.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import { type CertificateRequest, CLIENT_SIGNER, SERVING_SIGNER } from '../../openshift/certificate-request.ts';
import { listInternalAddresses } from '../../openshift/node.ts';
import { type Condition, getField, getString, type KubeObject } from '../../openshift/object.ts';
import { formatUtc, HOUR, SECOND } from '../../platform/clock.ts';
import { fetchServerCertificate } from '../../platform/http.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { JournalLine } from '../../session/journal-line.ts';
import { reviewListedRequests } from '../shared/certificate-requests.ts';
import type { ClusterContext } from '../shared/cluster-access.ts';
import { findInstaller } from '../shared/installer/images.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().report;
const TLS_TIMEOUT = 3 * SECOND;

/** A cluster to report on. */
export interface ReportSource extends ClusterContext {
  /** The design was written for this cluster, not derived from it: its hosts, addresses and roles are known. */
  readonly hasUserDesign: boolean;
}

/**
 * Reads from the cluster when its installation was complete (ms since the epoch; null before that), and describes its
 * storage. Nothing is known without a connection.
 */
export async function readStorageAndCompletion(
  cluster: Cluster | null,
): Promise<{ readonly installedAt: number | null; readonly storage: readonly string[] }> {
  if (cluster === null) return { installedAt: null, storage: [] };
  const [version, storage] = await Promise.all([
    cluster.get('ClusterVersion', 'version').catch(() => null),
    describeStorage(cluster).catch(() => []),
  ]);
  return { installedAt: (version && getInitialInstallation(version)?.completedAt) ?? null, storage };
}

/** Lists the expiry of certificates and files (UTC): what expires, when, and what follows from it. */
export async function listExpiryRows(
  source: ClusterContext,
  snapshot: ClusterSnapshot | null,
  installedAt: number | null,
): Promise<string[][]> {
  const { design } = source;
  const dir = source.session?.context.dir ?? null;
  const { expiry } = words();
  const isUp = snapshot?.api.state === 'up';
  const [{ expiresAt }, kubeconfig, apiExpiry, kubelets] = await Promise.all([
    dir === null ? { expiresAt: null } : inspectInstallDir(dir),
    dir === null ? '' : readFile(workspace(dir).kubeconfig, 'utf8').catch(() => ''),
    isUp ? readExpiry(source, getApiName(design), 6443) : null,
    Promise.all(
      isUp
        ? (snapshot?.nodes ?? []).map(async ({ name, addresses }) => {
            const plannedAddress = design.nodes.find((node) => getNodeFqdn(design, node) === name)?.ip[0];
            const address = plannedAddress ?? listInternalAddresses({ addresses })[0];
            return { name, validUntil: address === undefined ? null : await readExpiry(source, address, 10250) };
          })
        : [],
    ),
  ]);
  const createRow = (what: string, time: number | null, note: string) =>
    time === null ? [] : [[what, formatUtc(time, 'minute'), note]];
  return [
    ...createRow(expiry.ignition, expiresAt, expiry.ignitionNote),
    ...createRow(expiry.firstRotation, installedAt && installedAt + FIRST_ROTATION, expiry.firstRotationNote),
    ...createRow(expiry.api, apiExpiry, expiry.renewed),
    ...kubelets.flatMap(({ name, validUntil }) =>
      createRow(expiry.kubelet(sanitizeLine(name, 253)), validUntil, expiry.renewed),
    ),
    ...createRow(expiry.shutdown, installedAt && addYear(installedAt), expiry.shutdownNote),
    ...createRow(expiry.kubeconfig, readClientExpiry(kubeconfig), expiry.kubeconfigNote),
  ];
}

/**
 * Time after the installation at which the first control plane certificates, valid for a day, have been renewed
 * (openshift-docs, backup_and_restore).
 */
const FIRST_ROTATION = 25 * HOUR;

/** A cluster may be off until a year after its installation (openshift-docs, graceful-cluster-shutdown.adoc). */
function addYear(time: number): number {
  const date = new Date(time);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date.getTime();
}

/** Reads the expiry of the certificate of a TLS server; null if it does not answer. */
async function readExpiry({ resolveEndpoint }: ClusterContext, host: string, port: number): Promise<number | null> {
  try {
    const target = {
      ...resolveEndpoint(host, port),
      servername: /[a-z]/i.test(host) && !host.includes(':') ? host : '',
    };
    const certificate = await fetchServerCertificate(target, AbortSignal.timeout(TLS_TIMEOUT));
    return certificate && Date.parse(certificate.validTo);
  } catch {
    return null;
  }
}

/** Reads the expiry of the client certificate in a kubeconfig; null without one. */
function readClientExpiry(kubeconfig: string): number | null {
  const [, data = ''] = /client-certificate-data: ([A-Za-z0-9+/=]+)/.exec(kubeconfig) ?? [];
  try {
    return Date.parse(new X509Certificate(Buffer.from(data, 'base64')).validTo);
  } catch {
    return null;
  }
}

/**
 * Lists the CSRs that the wizard approved, CSRs of kubelets that others approved or denied, and CSRs that wait and are
 * not expected. The API keeps decided CSRs for one hour.
 */
export function listRequestRows(
  source: ReportSource,
  snapshot: ClusterSnapshot | null,
  lines: readonly JournalLine[],
): string[][] {
  const { requests } = words();
  const decisions = new Map((snapshot?.requests ?? []).flatMap(readDecision));
  const approvedRows = lines.flatMap((line) => {
    if (line.type !== 'begun' || line.action !== 'approve') return [];
    const name = line.subject ?? '';
    return [
      [
        name,
        requests.approved,
        sanitizeLine(decisions.get(name)?.message ?? '', 300),
        formatUtc(Date.parse(line.at), 'minute'),
      ],
    ];
  });
  if (snapshot?.requests == null) return approvedRows;
  const approvedNames = new Set(approvedRows.map(([name]) => name));
  const otherRows = [...decisions].flatMap(([name, decision]) =>
    approvedNames.has(name) ? [] : [createDecisionRow(name, decision)],
  );
  if (!source.hasUserDesign) return [...approvedRows, ...otherRows];
  const { reviews } = reviewListedRequests(source, { requests: snapshot.requests, nodes: snapshot.nodes ?? [] });
  const waitingRows = reviews
    .filter((review) => isUndecided(review) && review.verdict !== 'expected')
    .map((review) => [
      sanitizeLine(review.name, 253),
      requests.refused,
      sanitizeLine(explainReasons(review).join(' '), 300),
      '',
    ]);
  return [...approvedRows, ...otherRows, ...waitingRows];
}

/** Returns the name and the decision (condition) of a kubelet's CSR; empty for other CSRs. */
function readDecision({ name, signer, conditions }: CertificateRequest): [name: string, decision: Condition][] {
  const decision = conditions.find(({ type }) => type === 'Approved' || type === 'Denied');
  const isOfKubelet = signer === CLIENT_SIGNER || signer === SERVING_SIGNER;
  return decision === undefined || !isOfKubelet ? [] : [[name, decision]];
}

/** Creates the row of a CSR that is not in the journal: approved by others, or by a wizard elsewhere. */
function createDecisionRow(name: string, { type, reason, message, since }: Condition): string[] {
  const { approved, approvedByOthers, denied } = words().requests;
  const isApprovedByWizard = reason === APPROVAL_REASON;
  return [
    sanitizeLine(name, 253),
    type === 'Denied' ? denied : isApprovedByWizard ? approved : approvedByOthers,
    sanitizeLine(isApprovedByWizard ? message : [reason, message].filter(Boolean).join(': '), 300),
    since === null ? '' : formatUtc(since, 'minute'),
  ];
}

/** Describes the StorageClasses, and where the image registry keeps its images. */
async function describeStorage(cluster: Cluster): Promise<string[]> {
  const { storage } = words();
  const { names, defaultClass } = await listStorageClasses(cluster);
  const registry = await cluster.get('ImageRegistry', 'cluster');
  const classes = names.map((name) => sanitizeLine(name, 253));
  return [
    classes.length === 0 ? storage.noClasses : storage.classes(classes, defaultClass),
    ...(registry === null ? [] : [describeRegistry(registry)]),
  ];
}

function describeRegistry({ spec }: KubeObject): string {
  const { storage } = words();
  const state = getString(spec, 'managementState') ?? '';
  if (state === 'Removed') return storage.registryRemoved;
  const claim = getString(spec, 'storage', 'pvc', 'claim');
  if (claim) return storage.registryClaim(sanitizeLine(claim, 253));
  if (getField(spec, 'storage', 'emptyDir') !== undefined) return storage.registryEmptyDir;
  const kind = Object.keys((getField(spec, 'storage') as object | undefined) ?? {}).find(
    (key) => key !== 'managementState',
  );
  return kind === undefined ? storage.registryNone : storage.registryOther(sanitizeLine(kind, 60));
}

/** Lists what the installation used: programs with versions, and boot images with their checksums. */
export async function listUsedVersionRows(
  { design, session }: ClusterContext,
  snapshot: ClusterSnapshot | null,
): Promise<string[][]> {
  const { usedVersions } = words();
  const rows = [
    ...(session === null ? [] : [['upi-wizard', session.context.programs.version ?? '', '']]),
    [
      usedVersions.release(getVersionProfile(design.openshift.version).product),
      snapshot?.clusterVersion?.version ?? design.openshift.version,
      '',
    ],
  ];
  try {
    const program = session === null ? null : await findInstaller(session.context);
    const stream = program === null ? null : await readImageStream(program, design.openshift);
    if (stream === null) return rows;
    const images = parseImageSources(stream, design.openshift.architecture);
    const name = parseStreamName(stream);
    return [
      ...rows,
      ...images.map((image) => [image.name, name === null ? '' : usedVersions.stream(name), `sha256:${image.sha256}`]),
    ];
  } catch {
    // The installer is gone, or cannot run here: its version is known from the design.
    return rows;
  }
}
