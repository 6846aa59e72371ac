import { X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import { at, isRecord, textAt } from '../../api/objects.ts';
import { registry } from '../../api/registry.ts';
import type { CertificateAuthority } from '../../pki.ts';
import { ensure, seedCluster } from '../operators/cluster-objects.ts';
import { newClusterState } from '../operators/cluster-state.ts';
import type { MachineStage } from '../saved.ts';
import type { World } from '../world.ts';
import { readIgnition } from './ignition.ts';
import type { MachineContext } from './machine-context.ts';
import { userDataSecrets } from './user-data.ts';

const TLS = '/opt/openshift/tls';
const MANIFESTS = '/opt/openshift/manifests';

/** bootkube: from the keys and manifests in the bootstrap ignition to an API that answers. */
export async function bringUpCluster({ world, state, print }: MachineContext): Promise<MachineStage> {
  const role = readIgnition(state.disk?.ignition ?? state.live ?? '');
  if (role.kind !== 'bootstrap') return 'stopped';
  const { files } = role;
  const expired = expiredCertificates(files, world.clock.now());
  if (expired.length > 0) {
    print(`bootkube.sh: x509: certificate has expired or is not yet valid: ${expired.join(', ')}`);
    return 'stopped';
  }
  const authority = (name: string): CertificateAuthority => ({
    certPem: files.get(`${TLS}/${name}.crt`) ?? '',
    keyPem: files.get(`${TLS}/${name}.key`) ?? '',
  });
  const manifest = (name: string): unknown => parse(files.get(`${MANIFESTS}/${name}`) ?? '');
  const installConfig: unknown = parse(textAt(manifest('cluster-config.yaml'), 'data', 'install-config'));
  const clusterDomain = `${textAt(installConfig, 'metadata', 'name')}.${textAt(installConfig, 'baseDomain')}`;
  forgetOtherCluster(world, authority('kube-apiserver-lb-signer').certPem);
  world.saved.cluster ??= await newClusterState(authority, {
    apiSince: world.clock.now(),
    clusterDomain,
    version:
      /ocp-release:([\d.]+)/.exec(files.get('/usr/local/bin/release-image.sh') ?? '')?.[1] ?? world.release.version,
    mastersSchedulable: at(manifest('cluster-scheduler-02-config.yml'), 'spec', 'mastersSchedulable') === true,
    controlPlaneReplicas: Number(at(installConfig, 'controlPlane', 'replicas') ?? 3),
    isInPlace: role.isInPlace,
    bootstrapCompleteAt: null,
    kubeconfig: files.get('/opt/openshift/auth/kubeconfig') ?? '',
  });
  const documents = [...files].flatMap(([path, text]) => (/\.ya?ml$/.test(path) ? documentIn(text) : []));
  seedCluster(world, world.saved.cluster, documents);
  for (const secret of userDataSecrets(clusterDomain, authority('root-ca').certPem, world.release))
    ensure(world.store, 'secrets', secret);
  print('bootkube.sh: Starting cluster-bootstrap...');
  return role.isInPlace ? 'in-place' : 'serving';
}

/** A bootstrap node that was installed with other ignition files begins another cluster: nothing of the one before is left. */
function forgetOtherCluster(world: World, apiAuthority: string): void {
  const { saved, store } = world;
  if (saved.cluster === null || saved.cluster.apiAuthority === apiAuthority) return;
  for (const [resource] of registry) {
    for (const { metadata } of store.list(resource)) store.delete(resource, metadata.namespace ?? null, metadata.name);
  }
  saved.cluster = null;
  saved.timers = {};
}

/** The installer's own check: every .crt among the files whose end lies before now. */
function expiredCertificates(files: ReadonlyMap<string, string>, now: number): string[] {
  return [...files].flatMap(([path, text]) =>
    path.endsWith('.crt') && text !== '' && new X509Certificate(text).validToDate.getTime() < now ? [path] : [],
  );
}

function documentIn(text: string): Record<string, unknown>[] {
  try {
    const document: unknown = parse(text);
    return isRecord(document) ? [document] : [];
  } catch {
    return [];
  }
}
