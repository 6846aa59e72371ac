import type { NewObject } from '../../api/objects.ts';
import { isAtLeast, type ReleaseFacts } from '../../site/versions.ts';

const NAMESPACE = 'openshift-machine-api';

/**
 * What machine sets give new machines: the installer's pointer ignition, and since 4.7 the one that the machine config
 * operator keeps up to date, in a newer specification. Clusters of platform none have both.
 * @param authority PEM of the authority of the machine config server
 */
export function userDataSecrets(clusterDomain: string, authority: string, release: ReleaseFacts): NewObject[] {
  const isNewer = isAtLeast(release, 4, 6);
  const pointer = (specification: string, role: string) => {
    const source = `https://api-int.${clusterDomain}:22623/config/${role}`;
    const config = isNewer ? { merge: [{ source }] } : { append: [{ source, verification: {} }] };
    const authorities = [{ source: `data:text/plain;charset=utf-8;base64,${base64(authority)}` }];
    const tls = { certificateAuthorities: authorities };
    return JSON.stringify({ ignition: { config, security: { tls }, version: specification } });
  };
  return ['master', 'worker'].flatMap((role) => [
    secret(`${role}-user-data`, pointer(isNewer ? '3.2.0' : '2.2.0', role)),
    ...(isAtLeast(release, 4, 7) ? [secret(`${role}-user-data-managed`, pointer('3.4.0', role))] : []),
  ]);
}

function secret(name: string, userData: string): NewObject {
  return {
    metadata: { name, namespace: NAMESPACE },
    type: 'Opaque',
    data: { disableTemplating: base64('true'), userData: base64(userData) },
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
