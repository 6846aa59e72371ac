import type { Design } from '../../design/model.ts';
import type { Addresses } from './addresses.ts';

/** API port of every design. */
const API_PORT = 6443;

/**
 * Adapts the installer's kubeconfig for a program on this machine: it connects to the API's loopback address and still
 * verifies the API's own name.
 */
export function createLocalKubeconfig(
  kubeconfig: string,
  { loopback, port }: Pick<Addresses, 'loopback' | 'port'>,
  { endpoints }: Pick<Design, 'endpoints'>,
  name: string,
): string {
  const address = loopback(endpoints.api[0] ?? '');
  return kubeconfig.replace(
    /^( *)server: .*$/m,
    (_, indent: string) => `${indent}server: https://${address}:${port(API_PORT)}\n${indent}tls-server-name: ${name}`,
  );
}
