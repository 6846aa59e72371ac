import type { NewObject } from '../../api/objects.ts';
import { isAtLeast, type ReleaseFacts } from '../../site/versions.ts';

const NAMESPACE = 'openshift-machine-api';

/**
 * Builds the user-data secrets that MachineSets give to new machines. They hold the installer's pointer ignition, and
 * since 4.7 also a managed one in a newer spec, which the machine-config-operator keeps up to date. Clusters of
 * platform none have both.
 * @param authority PEM of the authority of the machine config server
 */
export function buildUserDataSecrets(clusterDomain: string, authority: string, release: ReleaseFacts): NewObject[] {
  const usesSpec3 = isAtLeast(release, 4, 6);
  const buildPointer = (specification: string, role: string) => {
    const source = `https://api-int.${clusterDomain}:22623/config/${role}`;
    const config = usesSpec3 ? { merge: [{ source }] } : { append: [{ source, verification: {} }] };
    const authorities = [{ source: `data:text/plain;charset=utf-8;base64,${encodeBase64(authority)}` }];
    const tls = { certificateAuthorities: authorities };
    return JSON.stringify({ ignition: { config, security: { tls }, version: specification } });
  };
  return ['master', 'worker'].flatMap((role) => [
    buildSecret(`${role}-user-data`, buildPointer(usesSpec3 ? '3.2.0' : '2.2.0', role)),
    ...(isAtLeast(release, 4, 7) ? [buildSecret(`${role}-user-data-managed`, buildPointer('3.4.0', role))] : []),
  ]);
}

function buildSecret(name: string, userData: string): NewObject {
  return {
    metadata: { name, namespace: NAMESPACE },
    type: 'Opaque',
    data: { disableTemplating: encodeBase64('true'), userData: encodeBase64(userData) },
  };
}

function encodeBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
