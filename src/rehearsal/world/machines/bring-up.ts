import { X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import { getField, getString, isRecord } from '../../api/objects.ts';
import { registry } from '../../api/registry.ts';
import type { CertificateAuthority } from '../../pki.ts';
import { ensureObject, seedCluster } from '../operators/cluster-objects.ts';
import { createClusterState } from '../operators/cluster-state.ts';
import type { MachineStage } from '../saved.ts';
import type { World } from '../world.ts';
import { parseIgnition } from './ignition.ts';
import type { MachineContext } from './machine-context.ts';
import { buildUserDataSecrets } from './user-data.ts';

const TLS = '/opt/openshift/tls';
const MANIFESTS = '/opt/openshift/manifests';

/** Runs bootkube: starts the cluster's API from the keys and manifests in the bootstrap ignition. */
export async function bringUpCluster({ world, state, print }: MachineContext): Promise<MachineStage> {
  const role = parseIgnition(state.disk?.ignition ?? state.live ?? '');
  if (role.kind !== 'bootstrap') return 'stopped';
  const { files } = role;
  const expired = listExpiredCertificates(files, world.clock.now());
  if (expired.length > 0) {
    print(`bootkube.sh: x509: certificate has expired or is not yet valid: ${expired.join(', ')}`);
    return 'stopped';
  }
  const readAuthority = (name: string): CertificateAuthority => ({
    certPem: files.get(`${TLS}/${name}.crt`) ?? '',
    keyPem: files.get(`${TLS}/${name}.key`) ?? '',
  });
  const readManifest = (name: string): unknown => parse(files.get(`${MANIFESTS}/${name}`) ?? '');
  const installConfig: unknown = parse(getString(readManifest('cluster-config.yaml'), 'data', 'install-config'));
  const clusterDomain = `${getString(installConfig, 'metadata', 'name')}.${getString(installConfig, 'baseDomain')}`;
  deleteOtherCluster(world, readAuthority('kube-apiserver-lb-signer').certPem);
  world.saved.cluster ??= await createClusterState(readAuthority, {
    apiSince: world.clock.now(),
    clusterDomain,
    version:
      /ocp-release:([\d.]+)/.exec(files.get('/usr/local/bin/release-image.sh') ?? '')?.[1] ?? world.release.version,
    mastersSchedulable:
      getField(readManifest('cluster-scheduler-02-config.yml'), 'spec', 'mastersSchedulable') === true,
    controlPlaneReplicas: Number(getField(installConfig, 'controlPlane', 'replicas') ?? 3),
    isInPlace: role.isInPlace,
    bootstrapCompleteAt: null,
    kubeconfig: files.get('/opt/openshift/auth/kubeconfig') ?? '',
  });
  const documents = [...files].flatMap(([path, text]) => (/\.ya?ml$/.test(path) ? parseManifest(text) : []));
  seedCluster(world, world.saved.cluster, documents);
  for (const secret of buildUserDataSecrets(clusterDomain, readAuthority('root-ca').certPem, world.release))
    ensureObject(world.store, 'secrets', secret);
  print('bootkube.sh: Starting cluster-bootstrap...');
  return role.isInPlace ? 'in-place' : 'serving';
}

/** A bootstrap node with other ignition files starts another cluster, so nothing of the previous one is kept. */
function deleteOtherCluster(world: World, apiAuthority: string): void {
  const { saved, store } = world;
  if (saved.cluster === null || saved.cluster.apiAuthority === apiAuthority) return;
  for (const [resource] of registry) {
    for (const { metadata } of store.list(resource)) store.delete(resource, metadata.namespace ?? null, metadata.name);
  }
  saved.cluster = null;
  saved.timers = {};
}

/** Lists the installer's own check: lists every .crt file whose end of validity is before `now`. */
function listExpiredCertificates(files: ReadonlyMap<string, string>, now: number): string[] {
  return [...files].flatMap(([path, text]) =>
    path.endsWith('.crt') && text !== '' && new X509Certificate(text).validToDate.getTime() < now ? [path] : [],
  );
}

function parseManifest(text: string): Record<string, unknown>[] {
  try {
    const document: unknown = parse(text);
    return isRecord(document) ? [document] : [];
  } catch {
    return [];
  }
}
