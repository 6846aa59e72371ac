import type { Design } from '../../design/model.ts';
import type { Addresses } from './addresses.ts';

/** The port of the API in every design. */
const API_PORT = 6443;

/** The installer's kubeconfig, for a program on this machine: the API at its loopback address, and under its own name all the same. */
export function localKubeconfig(
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
